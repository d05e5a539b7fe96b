#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/realise/realised_elements.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>

namespace purview::inline v0_1::engine {

/// How many parts are computed at once: a call has its price, and where parts are columns those
/// beside each other share the lines that are read.
inline index_t parts_read_at_once(index_t length, std::size_t element_bytes) noexcept {
    constexpr index_t kLineBytes = 64;
    constexpr index_t kFewBytes = index_t{1} << 14;
    constexpr index_t kMostBytes = index_t{1} << 23;
    const index_t bytes = length * static_cast<index_t>(element_bytes);
    const index_t in_line = kLineBytes / static_cast<index_t>(element_bytes);
    return std::max(kFewBytes / bytes, std::clamp(kMostBytes / bytes, index_t{1}, in_line));
}

/// Calls `work(const T* elements, length, first, count, threads)` for parts [first, first + count)
/// of the equal parts of a source, which lie one after the other: several of them on one thread
/// each, or one on several threads. Bools come as uint8. `what` is named where the type is no
/// built-in one; `cost` is what an element takes one thread, in nanoseconds.
template <typename Work>
void for_each_parts(const char* what, const Operand& given, index_t groups, double cost,
                    Work work) {
    if (given.dims.size() == 0) return;
    if (given.dtype() == boolean)
        return for_each_parts(what, cast_operand(given, uint8, Op::cast), groups, cost, work);
    const RealisedOperand realised(what, given);
    const Operand& source = *realised;
    const index_t size = source.dims.size();
    const index_t length = size / groups;
    visit_dtype(source.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>) {
            const int threads =
                elements_in_memory<T>(source) != nullptr || RangeStore(source).plan().thread_safe
                    ? worthwhile_threads(static_cast<double>(size) * cost)
                    : 1;
            if (groups < threads) {
                const RealisedElements<T> elements(source);
                for (index_t g = 0; g < groups; ++g)
                    work(elements.data() + g * length, length, g, index_t{1}, threads);
                return;
            }
            const index_t most = std::min(parts_read_at_once(length, sizeof(T)), groups);
            parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
                ElementRuns<T> parts(source, most * length);
                const index_t step = parts.in_memory() ? last - first : most;
                for (index_t g = first; g < last; g += step) {
                    const index_t count = std::min(step, last - g);
                    work(parts(g * length, count * length), length, g, count, 1);
                }
            });
        }
    });
}

/// Calls `work(const T* elements, length, group, threads)` for each of the parts.
template <typename Work>
void for_each_part(const char* what, const Operand& source, index_t groups, double cost,
                   Work work) {
    for_each_parts(what, source, groups, cost,
                   [&]<typename T>(const T* elements, index_t length, index_t first, index_t count,
                                   int threads) {
                       for (index_t g = 0; g < count; ++g)
                           work(elements + g * length, length, first + g, threads);
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
