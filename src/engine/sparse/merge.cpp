#include "engine/sparse/merge.hpp"

#include <purview/base/masks.hpp>
#include <purview/evaluation/sparsity.hpp>

#include "engine/pairs/merge_walk.hpp"
#include "engine/pairs/values.hpp"
#include "engine/places/buffers.hpp"
#include "engine/sparse/graph.hpp"

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <bit>
#include <concepts>
#include <functional>
#include <span>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Results of fewer entries stay where they equal the fill, until they are pruned: folds of them
/// round as those of other operations do.
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

/// The output of a merge, with room for one more entry at each end, which is written and not kept.
template <typename T>
struct Merged {
    index_t* indexes;
    T* values;
    T fill;
    TwoEnds ends;
    bool keeps_all;           ///< also values that equal the fill
    bool signed_zeros_differ; ///< zeros of different signs are not the same

    template <typename End>
    void put(End end, index_t index, T value) noexcept {
        indexes[ends.next(end)] = index;
        values[ends.next(end)] = value;
        ends.keep(end, is_kept(value));
    }

private:
    /// Compares bits, as zeros have signs; the fill is not NaN.
    bool is_kept(T value) const noexcept {
        using Bits = BitsOf<T>;
        const bool equal = signed_zeros_differ
                               ? std::bit_cast<Bits>(value) == std::bit_cast<Bits>(fill)
                               : value == fill;
        return keeps_all | !equal;
    }
};

/// Merges all indexes of both sides.
template <typename F, typename T>
void merge_union(const MergeSide<T> a, const MergeSide<T> b, F apply, Merged<T>& out) {
    const Remaining rest =
        merge_walk(a.indexes, b.indexes, [&](const MergedIndex& merged, auto end) {
            out.put(end, merged.index,
                    apply(a.value(merged.a, merged.in_a), b.value(merged.b, merged.in_b)));
        });
    for (index_t p = rest.a_begin; p < rest.a_end; ++p)
        out.put(Front{}, a.indexes.data()[p], apply(a.values[p], b.fill));
    for (index_t p = rest.b_begin; p < rest.b_end; ++p)
        out.put(Front{}, b.indexes.data()[p], apply(a.fill, b.values[p]));
}

/// Merges the indexes that are in both sides, as a product.
template <typename T>
void merge_intersection(const MergeSide<T> a, const MergeSide<T> b, Merged<T>& out) {
    merge_walk(a.indexes, b.indexes, [&](const MergedIndex& merged, auto end) {
        if ((merged.in_a & merged.in_b) != 0)
            out.put(end, merged.index, a.values[merged.a] * b.values[merged.b]);
    });
}

/// Pairs whose values lie side by side in memory.
template <typename T>
std::optional<MergeSide<T>> side_of(const SparsePairs& pairs) {
    if (pairs.values.data == nullptr ||
        pairs.values.stride_bytes != static_cast<index_t>(sizeof(T)) ||
        reinterpret_cast<std::uintptr_t>(pairs.values.data) % alignof(T) != 0)
        return std::nullopt;
    return MergeSide<T>{pairs.indexes, static_cast<const T*>(pairs.values.data),
                        *static_cast<const T*>(pairs.fill)};
}

template <typename T, typename F>
std::optional<MergedPairs> merge(const SparsePairs& x, const SparsePairs& y, F apply) {
    constexpr bool kMultiplies = std::same_as<F, std::multiplies<T>>;
    const std::optional<MergeSide<T>> a = side_of<T>(x);
    const std::optional<MergeSide<T>> b = side_of<T>(y);
    if (!a || !b) return std::nullopt;
    const bool prunes = a->count() + b->count() >= kFewMerged;
    const T fill = apply(a->fill, b->fill);
    if (fill != fill) return std::nullopt; // NaN
    const bool both = kMultiplies && a->fill == T{} && b->fill == T{};
    // An index that only the other operand of a fill of 0 stores is none of the result's.
    if (kMultiplies && !prunes && !both && (a->fill == T{} || b->fill == T{})) return std::nullopt;
    if (both && (!are_finite(a->values, a->count()) || !are_finite(b->values, b->count())))
        return std::nullopt;
    const index_t room = (both ? std::min(a->count(), b->count()) : a->count() + b->count()) + 2;
    MergedPairs merged;
    merged.indexes = allocate_uninitialized_buffer<index_t>(room);
    BufferPtr<T> values = allocate_uninitialized_buffer<T>(room);
    Merged<T> out{data_of(merged.indexes), data_of(values), fill, TwoEnds(room), !prunes,
                  // Else, elements times a fill of 0 are zeros of either sign, which all equal the
                  // fill.
                  !kMultiplies || both};
    if (both)
        merge_intersection(*a, *b, out);
    else
        merge_union(*a, *b, apply, out);
    merged.stored = out.ends.close(out.indexes, out.values);
    merged.values = std::move(values);
    merged.are_pruned = prunes;
    merged.fill = make_node<ConstantOf<T>>(fill);
    return merged;
}

template <typename T>
std::optional<MergedPairs> merge(Op op, const SparsePairs& x, const SparsePairs& y) {
    if (op == Op::add) return merge<T>(x, y, std::plus<T>{});
    if (op == Op::subtract) return merge<T>(x, y, std::minus<T>{});
    return merge<T>(x, y, std::multiplies<T>{});
}

/// Merges the pairs of both operands, which `pairs_of` has, or has not.
template <typename PairsOf>
std::optional<MergedPairs> merge(const Node& root, PairsOf&& pairs_of) {
    const auto* const operation = node_as<Elementwise>(root);
    if (operation == nullptr || (root.dtype() != float64 && root.dtype() != float32))
        return std::nullopt;
    const Op op = operation->op();
    if (op != Op::add && op != Op::subtract && op != Op::multiply) return std::nullopt;
    const std::optional<SparsePairs> x = pairs_of(*operation, 0);
    const std::optional<SparsePairs> y = x ? pairs_of(*operation, 1) : std::nullopt;
    // Those of the same list meet one by one: that takes no merge.
    if (!y || (x->stored() == y->stored() && x->indexes.data() == y->indexes.data()))
        return std::nullopt;
    return root.dtype() == float64 ? merge<double>(op, *x, *y) : merge<float>(op, *x, *y);
}

} // namespace

std::optional<MergedPairs> merge_leaves(const Operand& root) {
    if (!root.dims.is_identity()) return std::nullopt;
    return merge(*root.node,
                 [&](const Elementwise& operation, std::size_t i) -> std::optional<SparsePairs> {
                     const Operand operand = operation.operand(i);
                     const Leaf* const leaf = leaf_of(operand);
                     if (leaf == nullptr || storage_kind_of(*leaf) != Kind::sparse ||
                         !operand.dims.is_identity() || operand.dims.size() != root.dims.size())
                         return std::nullopt;
                     SparsePairs pairs = listed_pairs(leaf->reader());
                     if (pairs.offset != 0) return std::nullopt;
                     return pairs_between(std::move(pairs), 0, root.dims.size());
                 });
}

std::optional<MergedPairs> merge_sources(const SparseGraph& graph, const char* what) {
    const auto source_of = [&](ValueId operand) {
        const SparseSource* const source = graph.source(operand);
        return source != nullptr && !source->repeats() ? source : nullptr;
    };
    const std::span<const ValueId> operands = graph.values().operands(SparseGraph::kRoot);
    if (!std::ranges::all_of(operands, source_of) ||
        (operands.size() == 2 && operands[0] == operands[1]))
        return std::nullopt;
    // Of views that change their order, such as a transposed matrix: moved with their values.
    boost::container::small_vector<OwnPairs, 2> moved;
    const auto moved_pairs = [&]<typename T>(const SparseSource& source, std::type_identity<T>) {
        MovedValues<T> values = move_values<T>(source.pairs(), source.view(), what);
        const index_t count = values.indexes->size();
        moved.push_back({taken(std::move(values.indexes), count), std::move(values.values), {}});
        return SparsePairs{moved.back().indexes.indexes, moved.back().values->memory(),
                           source.pairs().fill};
    };
    return merge(*graph.values().root().node,
                 [&](const Elementwise& root, std::size_t i) -> std::optional<SparsePairs> {
                     const SparseSource& source = *source_of(operands[i]);
                     if (source.only_shifts()) return source.pairs_in_order();
                     return root.dtype() == float64
                                ? moved_pairs(source, std::type_identity<double>{})
                                : moved_pairs(source, std::type_identity<float>{});
                 });
}

} // namespace purview::engine
