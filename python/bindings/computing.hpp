#pragma once

#include "array.hpp"
#include "callback.hpp"
#include "interpreter_lock.hpp"

#include <purview/evaluation/progress.hpp>

#include <limits>
#include <new>

namespace purview_python {

/// Ends work of this thread that takes long where Python has a signal to handle, Ctrl-C for one.
class Interruptible {
public:
    Interruptible();
    /// Throws what the handler of the signal has raised, after the work was cancelled.
    [[noreturn]] static void rethrow();

private:
    pv::ProgressRegistration registration_;
};

/// What so many steps for each element come to, at most as much as can be counted: a broadcast array may have 1e18 elements.
constexpr pv::index_t steps(pv::index_t elements, pv::index_t of_each) noexcept {
    constexpr pv::index_t kMost = std::numeric_limits<pv::index_t>::max();
    return elements > kMost / of_each ? kMost : elements * of_each;
}

/// Runs `work` without the interpreter's lock, where it takes long enough. Within such work, it just runs.
template <typename F>
decltype(auto) computing(pv::index_t elements, F&& work) {
    constexpr pv::index_t kShort = 4096;
    constexpr pv::index_t kLong = 1 << 22;
    if (Unlocked::here() || (elements < kShort && !calls_python())) return work();
    if (elements < kLong && !calls_python()) { // a function of Python may take any time
        const Unlocked unlocked;
        return work();
    }
    try {
        const Unlocked unlocked;
        const Interruptible interruptible;
        return work();
    } catch (const pv::Cancelled&) {
        Interruptible::rethrow();
    }
}

/// Throws `MemoryError` that tells the bytes and the shape.
[[noreturn]] void throw_no_memory(const char* what, pv::DType type, pv::ShapeSpan shape);

/// What `work` returns, which allocates an array of a shape.
template <typename F>
decltype(auto) allocating(const char* what, pv::DType type, pv::ShapeSpan shape, F&& work) {
    try {
        return work();
    } catch (const std::bad_alloc&) {
        throw_no_memory(what, type, shape);
    }
}

} // namespace purview_python
