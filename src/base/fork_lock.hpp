#pragma once

#include <mutex>
#include <new>

#include <pthread.h>

namespace purview {

/// From now on a `fork` waits until nobody holds the mutex, so that the child process does not inherit it
/// locked by a thread that it does not have. Called once for each mutex.
template <std::mutex& (*mutex)()>
void lock_while_forking() {
    const int error = ::pthread_atfork([] { mutex().lock(); }, [] { mutex().unlock(); },
                                       [] { mutex().unlock(); });
    if (error != 0) throw std::bad_alloc(); // ENOMEM, the only error that pthread_atfork has
}

} // namespace purview
