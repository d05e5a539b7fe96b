#pragma once

#include <purview/dtype/visit.hpp>
#include <purview/expression/elementwise.hpp>

#include "engine/realise/materialised_elements.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/run/element_runs.hpp"
#include "engine/threads/parallel.hpp"

namespace purview::inline v0_1::engine {

/// Calls `work(const T* elements, length, group, threads)` for each of the equal parts of a source:
/// several parts at a time, or one after the other on several threads each. Bools come as uint8.
/// `what` is named where the type is no built-in one; `cost` is what an element takes one thread, in
/// nanoseconds.
template <typename Work>
void for_each_part(const char* what, const Operand& given, index_t groups, double cost, Work work) {
    if (given.dims.size() == 0) return;
    if (given.dtype() == boolean)
        return for_each_part(what, cast_operand(given, uint8, Op::cast), groups, cost, work);
    const PreparedOperand prepared(given);
    const Operand& source = *prepared;
    const index_t size = source.dims.size();
    const index_t length = size / groups;
    visit_dtype(source.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        if constexpr (!std::same_as<T, bool>) {
            const int threads =
                elements_in_memory<T>(source) != nullptr || ChunkStore(source).plan().thread_safe
                    ? worthwhile_threads(static_cast<double>(size) * cost)
                    : 1;
            if (groups < threads) {
                const MaterialisedElements<T> elements(source);
                for (index_t g = 0; g < groups; ++g)
                    work(elements.data() + g * length, length, g, threads);
                return;
            }
            parallel_for(groups, 1, threads, [&](index_t first, index_t last) {
                ElementRuns<T> parts(source, length);
                for (index_t g = first; g < last; ++g)
                    work(parts(g * length, length), length, g, 1);
            });
        }
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
