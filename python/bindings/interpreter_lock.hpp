#pragma once

#include <nanobind/nanobind.h>

#if __has_include(<cxxabi.h>)
# include <cxxabi.h>
#endif

#include <utility>

namespace purview_python {

/// Gives up the interpreter's lock until the end of the scope.
class Unlocked {
public:
    Unlocked() noexcept;
    ~Unlocked();
    Unlocked(const Unlocked&) = delete;
    Unlocked& operator=(const Unlocked&) = delete;

    /// Whether this thread has given up the lock, and not got it back.
    static bool here() noexcept;
    /// How many threads have given up the lock in such a scope. It changes only while a thread has the lock.
    static int threads() noexcept;

private:
    PyThreadState* state_;
};

/// Has the interpreter's lock until the end of the scope, on any thread.
class Locked {
public:
    Locked() noexcept;
    ~Locked();
    Locked(const Locked&) = delete;
    Locked& operator=(const Locked&) = delete;

private:
    PyGILState_STATE state_;
    bool was_without_lock_;
};

/// Sleeps until the process has ended: what is left to a thread that asks for the lock of an interpreter that has ended, as from Python 3.14 on.
[[noreturn]] void wait_for_the_end() noexcept;

/// What `work` returns, which runs Python's code. Before Python 3.14, a thread that is in it when the interpreter ends is unwound, which no destructor of C++ lets pass:
/// it stays here. Objects of Python's that `work` itself holds are dropped before that, without the lock: what is passed to a function is made outside, and calls are
/// within calls of this.
template <typename F>
decltype(auto) running_python(F&& work) {
#if __has_include(<cxxabi.h>) && defined(__GLIBCXX__)
    try {
        return std::forward<F>(work)();
    } catch (const abi::__forced_unwind&) {
        wait_for_the_end();
    }
#else
    return std::forward<F>(work)();
#endif
}

/// Whether an object has an attribute, for which its class may run code of Python's. (nanobind's `hasattr` is noexcept, which ends a program whose
/// thread is unwound in it.)
bool has_attribute(nanobind::handle object, const char* name) noexcept;

} // namespace purview_python
