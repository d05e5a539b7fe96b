#pragma once

#include "engine/realise/materialised_elements.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"

namespace purview::inline v0_1::engine {

/// Calls `work(const T* elements, group, threads)` for each of the equal parts of a source of type
/// `T` that has elements: several parts at a time, or one after the other on several threads each.
/// `cost` is what an element takes one thread, in nanoseconds.
template <typename T, typename Work>
void for_each_part(const Operand& source, index_t groups, double cost, Work work) {
    const index_t size = source.dims.size();
    const index_t length = size / groups;
    const int threads =
        elements_in_memory<T>(source) != nullptr || ChunkStore(source).plan().thread_safe
            ? worthwhile_threads(static_cast<double>(size) * cost)
            : 1;
    if (groups < threads) {
        const MaterialisedElements<T> elements(source);
        for (index_t g = 0; g < groups; ++g) work(elements.data() + g * length, g, threads);
        return;
    }
    parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
        ElementRuns<T> parts(source, length);
        for (index_t g = first; g < last; ++g) work(parts(g * length, length), g, 1);
    });
}

/// Calls `work(share, begin, end)` for as many shares of `count` elements as there are threads.
template <typename Work>
void for_each_share(index_t count, int threads, Work work) {
    const index_t shares = threads;
    parallel_for(shares, 1, threads, [&](index_t first, index_t last) {
        for (index_t s = first; s < last; ++s)
            work(static_cast<std::size_t>(s), count / shares * s + count % shares * s / shares,
                 count / shares * (s + 1) + count % shares * (s + 1) / shares);
    });
}

} // namespace purview::engine
