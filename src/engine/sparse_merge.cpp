#include "engine/sparse_merge.hpp"

#include "engine/sparse_graph.hpp"
#include "engine/sparse_values.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace purview::engine {
namespace {

/// Fewer are not worth a path of their own.
constexpr index_t kFew = 64;

template <typename T>
struct Side {
    const index_t* index;
    const index_t* end;
    const T* value;
    T fill;
};

/// What one of the operations does: branch-free.
template <Op op, typename T>
T apply(T x, T y) {
    if constexpr (op == Op::add)
        return x + y;
    else if constexpr (op == Op::subtract)
        return x - y;
    else
        return x * y;
}

/// All indexes of both: which of them comes next is data, not a branch.
template <Op op, typename T>
index_t merge_union(Side<T> a, Side<T> b, index_t* indexes, T* values) {
    const T fill = apply<op>(a.fill, b.fill);
    index_t* const first = indexes;
    // What comes to the fill is written over by what comes next.
    const auto put = [&](index_t index, T value) {
        *indexes = index;
        *values = value;
        const bool kept = value != fill;
        indexes += kept;
        values += kept;
    };
    while (a.index != a.end && b.index != b.end) {
        const index_t i = *a.index;
        const index_t j = *b.index;
        const bool take_a = i <= j;
        const bool take_b = j <= i;
        const T x = take_a ? *a.value : a.fill;
        const T y = take_b ? *b.value : b.fill;
        put(take_a ? i : j, apply<op>(x, y));
        a.index += take_a;
        a.value += take_a;
        b.index += take_b;
        b.value += take_b;
    }
    for (; a.index != a.end; ++a.index, ++a.value) put(*a.index, apply<op>(*a.value, b.fill));
    for (; b.index != b.end; ++b.index, ++b.value) put(*b.index, apply<op>(a.fill, *b.value));
    return indexes - first;
}

/// The indexes in both.
template <Op op, typename T>
index_t merge_intersection(Side<T> a, Side<T> b, index_t* indexes, T* values) {
    index_t* const first = indexes;
    while (a.index != a.end && b.index != b.end) {
        const index_t i = *a.index;
        const index_t j = *b.index;
        if (i == j) {
            *indexes = i;
            *values = apply<op>(*a.value, *b.value);
            const bool kept = *values != T{};
            indexes += kept;
            values += kept;
        }
        a.index += i <= j;
        a.value += i <= j;
        b.index += j <= i;
        b.value += j <= i;
    }
    return indexes - first;
}

template <typename T>
std::optional<Side<T>> side_of(const SparseSource& source) {
    if (source.repeats()) return std::nullopt;
    const MovedEntries& moved = source.moved();
    const auto* const place =
        static_cast<const T*>(source.values_in_place({moved.indexes, moved.own}));
    if (place == nullptr || source.pairs().values.stride_bytes != static_cast<index_t>(sizeof(T)) ||
        reinterpret_cast<std::uintptr_t>(place) % alignof(T) != 0)
        return std::nullopt;
    const index_t* const first = moved.indexes.data();
    return Side<T>{first, first + moved.count(), place,
                   *static_cast<const T*>(source.pairs().fill)};
}

template <Op op, typename T>
std::optional<MergedPairs> merge(const SparseSource& x, const SparseSource& y) {
    const std::optional<Side<T>> a = side_of<T>(x);
    if (!a) return std::nullopt;
    const std::optional<Side<T>> b = side_of<T>(y);
    if (!b) return std::nullopt;
    const index_t count_a = a->end - a->index;
    const index_t count_b = b->end - b->index;
    if (count_a + count_b < kFew) return std::nullopt;
    const bool both = op == Op::multiply && a->fill == T{} && b->fill == T{};
    if constexpr (op == Op::multiply)
        if (both && (!not_finite_positions<T>({a->value, sizeof(T)}, count_a).empty() ||
                     !not_finite_positions<T>({b->value, sizeof(T)}, count_b).empty()))
            return std::nullopt;
    if (apply<op>(a->fill, b->fill) != apply<op>(a->fill, b->fill)) return std::nullopt; // NaN
    const index_t most = both ? std::min(count_a, count_b) : count_a + count_b;
    MergedPairs merged; // with room for one that is written and not kept
    merged.indexes = allocate_uninitialized_buffer<index_t>(most + 1);
    BufferPtr<T> values = allocate_uninitialized_buffer<T>(most + 1);
    auto* const to_index = static_cast<index_t*>(merged.indexes->writable_memory().data);
    auto* const to_value = static_cast<T*>(values->writable_memory().data);
    merged.stored = both ? merge_intersection<op>(*a, *b, to_index, to_value)
                         : merge_union<op>(*a, *b, to_index, to_value);
    merged.values = std::move(values);
    return merged;
}

template <typename T>
std::optional<MergedPairs> merge(Op op, const SparseSource& x, const SparseSource& y) {
    switch (op) {
    case Op::add: return merge<Op::add, T>(x, y);
    case Op::subtract: return merge<Op::subtract, T>(x, y);
    case Op::multiply: return merge<Op::multiply, T>(x, y);
    default: return std::nullopt;
    }
}

} // namespace

std::optional<MergedPairs> merge_pairs(SparseGraph& graph) {
    const Values& values = graph.values();
    const Elementwise* const operation = values.root().operation();
    if (operation == nullptr || operation->operands().size() != 2) return std::nullopt;
    const SparseSource* const x = graph.source(values.operands(SparseGraph::kRoot)[0]);
    const SparseSource* const y = graph.source(values.operands(SparseGraph::kRoot)[1]);
    if (x == nullptr || y == nullptr) return std::nullopt;
    if (operation->dtype() == float64) return merge<double>(operation->op(), *x, *y);
    if (operation->dtype() == float32) return merge<float>(operation->op(), *x, *y);
    return std::nullopt;
}

} // namespace purview::engine
