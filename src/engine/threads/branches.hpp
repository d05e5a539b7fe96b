#pragma once

#include "engine/folds/folds.hpp"
#include "engine/threads/parallel.hpp"
#include "engine/threads/watch.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <memory>

namespace purview::inline v0_1::engine {

/// Folds `size` elements on several threads, with the result of one thread that adds chunks of
/// `chunk` elements to a `Cascade`: a range of work is a number of chunks that is a power of two, a
/// whole branch of the tree of that cascade. `fold` combines results; `worker()` returns a
/// function, for one thread, that folds the elements [begin, begin + count).
template <typename Fold, typename Worker>
typename Fold::Type fold_branches(index_t size, index_t chunk, int threads, Worker worker,
                                  Fold fold = {}) {
    using T = typename Fold::Type;
    constexpr index_t kBranchesPerThread = 8;
    const index_t chunks = (size + chunk - 1) / chunk;
    constexpr index_t kWatchedBranches = 1024;
    const index_t wanted = threads * kBranchesPerThread;
    const index_t share =
        std::max<index_t>(chunks / (is_watched() ? std::max(wanted, kWatchedBranches) : wanted), 1);
    const auto branch = static_cast<index_t>(std::bit_floor(static_cast<std::uint64_t>(share)));
    const index_t branches = (chunks + branch - 1) / branch;
    const auto results = std::make_unique<T[]>(static_cast<std::size_t>(branches));
    parallel_for(branches, 1, threads, [&](index_t first, index_t last) {
        auto fold_range = worker();
        for (index_t i = first; i < last; ++i) {
            const index_t begin = i * branch * chunk;
            results[static_cast<std::size_t>(i)] =
                fold_range(begin, std::min(branch * chunk, size - begin));
        }
    });
    Cascade<Fold> cascade(fold);
    const index_t whole = chunks / branch;
    for (index_t i = 0; i < whole; ++i) cascade.add(results[static_cast<std::size_t>(i)]);
    return whole == branches ? cascade.result()
                             : cascade.result(results[static_cast<std::size_t>(whole)]);
}

/// Folds the elements [begin, begin + count) in chunks: `of_chunk(at, length, end)` folds a chunk of
/// a range that ends at `end`.
template <typename Fold, typename OfChunk>
typename Fold::Type fold_chunks(index_t begin, index_t count, index_t chunk, OfChunk& of_chunk,
                                Fold combine = {}) {
    const index_t end = begin + count;
    if (count <= chunk) return of_chunk(begin, count, end);
    Cascade<Fold> cascade(combine);
    for (; begin < end; begin += chunk)
        cascade.add(of_chunk(begin, std::min(chunk, end - begin), end));
    return cascade.result();
}

/// Folds each of `groups` groups of `size` elements by `fold_chunks`, on several threads where
/// `threads` says so, and calls `found(group, result)`. `make()` makes an `of_chunk` for one thread;
/// `first` is one.
template <typename Fold, typename OfChunk, typename Make, typename Found>
void fold_groups(index_t groups, index_t size, index_t chunk, int threads, OfChunk& first,
                 Make make, Found found, Fold combine = {}) {
    const auto fold = [&](OfChunk& of_chunk, index_t from, index_t to) {
        for (index_t group = from; group < to; ++group)
            found(group, fold_chunks<Fold>(group * size, size, chunk, of_chunk, combine));
    };
    if (threads <= 1 && !is_watched()) return fold(first, 0, groups);
    if (groups > 1)
        return parallel_for(groups, 1, threads, [&](index_t from, index_t to) {
            OfChunk own = make();
            fold(own, from, to);
        });
    found(0, fold_branches<Fold>(
                 size, chunk, threads,
                 [&] {
                     return [&, own = make()](index_t begin, index_t count) mutable {
                         return fold_chunks<Fold>(begin, count, chunk, own, combine);
                     };
                 },
                 combine));
}

} // namespace purview::engine
