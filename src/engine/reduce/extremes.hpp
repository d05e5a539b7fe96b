#pragma once

#include "engine/run/chunk_fold.hpp"
#include "engine/run/plan_threads.hpp"

#include <mutex>
#include <utility>

namespace purview::engine {

/// The least and the greatest element of `source`, which is read from memory once; both are NaN if
/// an element is. A result that is zero is +0.
template <typename T>
std::pair<T, T> extremes_of(const Operand& source) {
    using Least = Fold<T, Reduction::minimum>;
    using Greatest = Fold<T, Reduction::maximum>;
    std::pair<T, T> found{Least::start(), Greatest::start()};
    // 32 KiB: the first fold reads a chunk from memory, the second from the first-level cache.
    constexpr index_t kChunk = 32768 / static_cast<index_t>(sizeof(T));
    const auto join = [](std::pair<T, T>& all, T least, T greatest) {
        all = {Least::combine(all.first, least), Greatest::combine(all.second, greatest)};
    };
    const index_t size = source.dims.size();
    std::mutex mutex;
    const int threads = threads_for(ChunkFold<Least>(source).plan(), size);
    parallel_for(size, kChunk, threads, [&](index_t begin, index_t end) {
        ChunkFold<Least> least(source);
        ChunkFold<Greatest> greatest(source);
        std::pair<T, T> part = {Least::start(), Greatest::start()};
        for (index_t at = begin; at < end; at += kChunk) {
            const index_t count = std::min(kChunk, end - at);
            join(part, least(at, count), greatest(at, count));
        }
        const std::lock_guard lock(mutex);
        join(found, part.first, part.second);
    });
    return {static_cast<T>(found.first + T{}), static_cast<T>(found.second + T{})};
}

} // namespace purview::engine
