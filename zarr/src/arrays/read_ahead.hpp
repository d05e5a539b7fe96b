#pragma once

#include <purview/base/index.hpp>
#include <purview/reader/chunks.hpp>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

namespace purview::inline v0_1::zarr {

/// Reads chunks into the cache before they are asked for, on threads of its own, which begin with the
/// first chunk: for stores whose answers take time.
class ReadAhead {
public:
    ReadAhead(const Chunks& chunks, int threads) noexcept : chunks_(chunks), most_(threads) {}
    ReadAhead(const ReadAhead&) = delete;
    ReadAhead& operator=(const ReadAhead&) = delete;
    ~ReadAhead() { stop(); }

    /// Ends what is under way. Nothing is read any more.
    void stop();

    /// The chunk at this place is read as soon as a thread is free. Does not wait.
    void want(ShapeSpan at);
    /// Somebody else reads it now.
    void drop(ShapeSpan at);

private:
    void work(const std::stop_token& stop);

    const Chunks& chunks_;
    int most_;
    std::mutex mutex_;
    std::condition_variable_any changed_;
    std::deque<index_t> wanted_; ///< numbers of chunks that no thread has begun
    int idle_ = 0;
    std::vector<std::jthread> threads_;
};

} // namespace purview::zarr
