#include "arrays/read_ahead.hpp"

#include "reader/chunk_cache.hpp"

#include <algorithm>
#include <exception>

namespace purview::inline v0_1::zarr {

void ReadAhead::stop() {
    for (std::jthread& thread : threads_) thread.request_stop();
    threads_.clear();
}

void ReadAhead::want(ShapeSpan at) {
    const index_t number = chunk_number(chunks_, at);
    {
        const std::lock_guard lock(mutex_);
        if (std::find(wanted_.begin(), wanted_.end(), number) != wanted_.end()) return;
        wanted_.push_back(number);
        if (idle_ < std::ssize(wanted_) && std::ssize(threads_) < most_)
            threads_.emplace_back([this](const std::stop_token& stop) { work(stop); });
    }
    changed_.notify_one();
}

void ReadAhead::drop(ShapeSpan at) {
    const std::lock_guard lock(mutex_);
    std::erase(wanted_, chunk_number(chunks_, at));
}

void ReadAhead::work(const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    while (true) {
        ++idle_;
        const bool has_work = changed_.wait(lock, stop, [&] { return !wanted_.empty(); });
        --idle_;
        if (!has_work || stop.stop_requested()) return;
        const index_t number = wanted_.front();
        wanted_.pop_front();
        lock.unlock();
        try {
            static_cast<void>(pinned_chunk(chunks_, number));
        } catch (const std::exception&) { // whoever wants the chunk reads it again, and is told
        }
        lock.lock();
    }
}

} // namespace purview::zarr
