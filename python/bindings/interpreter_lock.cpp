// Defines interpreter_lock.hpp.

#include "interpreter_lock.hpp"

#include <atomic>
#include <chrono>
#include <thread>

#include <pthread.h>

namespace purview_python {
namespace {

std::atomic<int> unlocked_threads = 0;
constinit thread_local int unlocked_here = 0;
constinit thread_local bool is_without_lock = false;

/// The other threads are not there in the child of a fork.
[[maybe_unused]] const int forks_are_watched = ::pthread_atfork(
    nullptr, nullptr, [] { unlocked_threads.store(unlocked_here, std::memory_order_relaxed); });

} // namespace

void wait_for_the_end() noexcept {
    for (;;) std::this_thread::sleep_for(std::chrono::hours(1));
}

Unlocked::Unlocked() noexcept {
    ++unlocked_here;
    unlocked_threads.fetch_add(1, std::memory_order_relaxed);
    state_ = PyEval_SaveThread();
    is_without_lock = true;
}
Unlocked::~Unlocked() {
    running_python([&] { PyEval_RestoreThread(state_); });
    is_without_lock = false;
    unlocked_threads.fetch_sub(1, std::memory_order_relaxed);
    --unlocked_here;
}
bool Unlocked::here() noexcept { return is_without_lock; }
int Unlocked::threads() noexcept { return unlocked_threads.load(std::memory_order_relaxed); }

Locked::Locked() noexcept {
    // A thread without a state of Python's asks an interpreter that has ended for one, and crashes before Python 3.12: it
    // stays here. The main thread has its state while it releases the objects of modules, when the interpreter is
    // no longer called initialized.
    if (Py_IsInitialized() == 0 && PyGILState_GetThisThreadState() == nullptr) wait_for_the_end();
    state_ = running_python([] { return PyGILState_Ensure(); });
    was_without_lock_ = is_without_lock;
    is_without_lock = false;
}
Locked::~Locked() {
    is_without_lock = was_without_lock_;
    PyGILState_Release(state_);
}

bool has_attribute(nanobind::handle object, const char* name) noexcept {
    return running_python([&] { return PyObject_HasAttrString(object.ptr(), name) != 0; });
}

} // namespace purview_python
