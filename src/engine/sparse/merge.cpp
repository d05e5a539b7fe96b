#include "engine/sparse/merge.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/masks.hpp>

#include "engine/pairs/merge_walk.hpp"
#include "engine/pairs/values.hpp"
#include "engine/sparse/graph.hpp"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Fewer entries are not worth this path.
constexpr index_t kFewMerged = 64;

template <typename T>
struct MergeSide {
    std::span<const index_t> indexes;
    const T* values;
    T fill;

    index_t count() const noexcept { return std::ssize(indexes); }
    /// A value, or the fill where the mask is 0.
    T value(index_t position, index_t mask) const noexcept {
        return masked_value(values[position], mask, fill);
    }
};

/// One of the operations, without a branch.
template <Op op, typename T>
T apply(T x, T y) {
    if constexpr (op == Op::add)
        return x + y;
    else if constexpr (op == Op::subtract)
        return x - y;
    else
        return x * y;
}

/// The output of a merge, with room for one more entry at each end, which is written and not kept.
template <typename T>
struct Merged {
    index_t* indexes;
    T* values;
    T fill;
    TwoEnds ends;
    bool signed_zeros_differ; ///< zeros of different signs are not the same

    void put_front(index_t index, T value) noexcept {
        indexes[ends.front()] = index;
        values[ends.front()] = value;
        ends.keep_front(differs(value));
    }
    void put_back(index_t index, T value) noexcept {
        indexes[ends.back()] = index;
        values[ends.back()] = value;
        ends.keep_back(differs(value));
    }

private:
    /// Compares bits, as zeros have signs; the fill is not NaN.
    bool differs(T value) const noexcept {
        using Bits = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
        return signed_zeros_differ ? std::bit_cast<Bits>(value) != std::bit_cast<Bits>(fill)
                                   : value != fill;
    }
};

/// Merges all indexes of both sides.
template <Op op, typename T>
void merge_union(const MergeSide<T> a, const MergeSide<T> b, Merged<T>& out) {
    const auto value = [&](const MergedIndex& merged) {
        return apply<op>(a.value(merged.a, merged.in_a), b.value(merged.b, merged.in_b));
    };
    const Remaining rest = merge_walk(
        a.indexes, b.indexes,
        [&](const MergedIndex& merged) { out.put_front(merged.index, value(merged)); },
        [&](const MergedIndex& merged) { out.put_back(merged.index, value(merged)); });
    for (index_t p = rest.a_begin; p < rest.a_end; ++p)
        out.put_front(a.indexes.data()[p], apply<op>(a.values[p], b.fill));
    for (index_t p = rest.b_begin; p < rest.b_end; ++p)
        out.put_front(b.indexes.data()[p], apply<op>(a.fill, b.values[p]));
}

/// Merges the indexes that are in both sides.
template <Op op, typename T>
void merge_intersection(const MergeSide<T> a, const MergeSide<T> b, Merged<T>& out) {
    merge_walk(
        a.indexes, b.indexes,
        [&](const MergedIndex& merged) {
            if ((merged.in_a & merged.in_b) != 0)
                out.put_front(merged.index, apply<op>(a.values[merged.a], b.values[merged.b]));
        },
        [&](const MergedIndex& merged) {
            if ((merged.in_a & merged.in_b) != 0)
                out.put_back(merged.index, apply<op>(a.values[merged.a], b.values[merged.b]));
        });
}

template <typename T>
std::optional<MergeSide<T>> side_of(const SparseSource& source) {
    if (source.repeats()) return std::nullopt;
    const MovedEntries& moved = source.moved();
    const auto* const place =
        static_cast<const T*>(source.values_in_place({moved.indexes, moved.own}));
    if (place == nullptr || source.pairs().values.stride_bytes != static_cast<index_t>(sizeof(T)) ||
        reinterpret_cast<std::uintptr_t>(place) % alignof(T) != 0)
        return std::nullopt;
    return MergeSide<T>{moved.indexes, place, *static_cast<const T*>(source.pairs().fill)};
}

template <Op op, typename T>
std::optional<MergedPairs> merge(const SparseSource& x, const SparseSource& y) {
    const std::optional<MergeSide<T>> a = side_of<T>(x);
    if (!a) return std::nullopt;
    const std::optional<MergeSide<T>> b = side_of<T>(y);
    if (!b) return std::nullopt;
    if (a->count() + b->count() < kFewMerged) return std::nullopt;
    const T fill = apply<op>(a->fill, b->fill);
    if (fill != fill) return std::nullopt; // NaN
    const bool both = op == Op::multiply && a->fill == T{} && b->fill == T{};
    if constexpr (op == Op::multiply)
        if (both && (!not_finite_positions<T>({a->values, sizeof(T)}, a->count()).empty() ||
                     !not_finite_positions<T>({b->values, sizeof(T)}, b->count()).empty()))
            return std::nullopt;
    const index_t room = (both ? std::min(a->count(), b->count()) : a->count() + b->count()) + 2;
    MergedPairs merged;
    merged.indexes = allocate_uninitialized_buffer<index_t>(room);
    BufferPtr<T> values = allocate_uninitialized_buffer<T>(room);
    Merged<T> out{data_of(merged.indexes), data_of(values), fill, TwoEnds(room),
                  // Else, elements times a fill of 0 are zeros of either sign, which all equal the
                  // fill.
                  op != Op::multiply || both};
    if (both)
        merge_intersection<op>(*a, *b, out);
    else
        merge_union<op>(*a, *b, out);
    merged.stored = out.ends.close(out.indexes, out.values);
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
