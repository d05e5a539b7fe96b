#include "engine/contract/contract_sparse.hpp"

#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "engine/contract/blas.hpp"
#include "engine/contract/compact_rows.hpp"
#include "engine/contract/contract_many.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/contract/row_products.hpp"
#include "engine/pairs/keyed_places.hpp"
#include "engine/pairs/moved_entries.hpp"
#include "engine/places/buffers.hpp"
#include "engine/reduce/reduced_source.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <optional>
#include <span>
#include <utility>

namespace purview::inline v0_1 {
namespace engine {
namespace {

/// Column k of row i of x is multiplied with row i / rows_per_batch · columns + k of y. Replaces
/// the columns of x by the positions of these rows among the compact rows of y, and drops entries
/// of x whose row of y is empty. O(x + y).
template <typename T>
void match_columns_to_rows(CompactRows<T>& x, const CompactRows<T>& y, index_t rows_per_batch) {
    const index_t batches = x.rows.empty() ? 1 : x.rows.back() / rows_per_batch + 1;
    // Rows of y behind the last batch of x are multiplied with nothing.
    const index_t last = y.rows.empty() ? 0 : y.rows.back() + 1;
    const index_t all = batches <= last / x.columns ? batches * x.columns : last;
    const auto end = std::ranges::lower_bound(y.rows, all);
    const FirstPositions places({y.rows.begin(), end}, x.stored() + y.stored());
    index_t* const column = x.column();
    T* const value = x.value();
    std::size_t rows = 0;
    index_t made = 0;
    for (std::size_t r = 0; r < x.rows.size(); ++r) {
        const index_t first = x.rows[r] / rows_per_batch * x.columns;
        const index_t begin = made;
        for (index_t p = x.pointers[r]; p < x.pointers[r + 1]; ++p) {
            const index_t place = places(first + column[p]);
            if (place < 0) continue;
            column[made] = place;
            value[made++] = value[p];
        }
        if (made == begin) continue;
        x.rows[rows] = x.rows[r];
        x.pointers[rows++] = begin;
    }
    x.pointers[rows] = made;
    x.rows.resize(rows);
    x.pointers.resize(rows + 1);
    x.columns = std::ssize(y.rows);
}

/// Replaces the columns of the entries of compact rows by indexes in `[rows…, columns]`, in place,
/// and multiplies values by `repeats`; sums of 0 are left out. Returns how many are left.
template <typename R>
index_t place_entries(const RowEntries<R, index_t>& entries, const std::vector<index_t>& rows,
                      index_t columns, index_t repeats) {
    const auto* const pointers = static_cast<const index_t*>(entries.pointers->memory().data);
    auto* const index = data_of(entries.indices);
    auto* const value = data_of(entries.values);
    index_t made = 0;
    for (std::size_t r = 0; r < rows.size(); ++r) {
        const index_t begin = rows[r] * columns;
        for (index_t p = pointers[r]; p < pointers[r + 1]; ++p) {
            const R sum = repeats == 1 ? value[p] : repeated_sum(value[p], repeats);
            if (sum == R{}) continue;
            index[made] = begin + index[p];
            value[made++] = sum;
        }
    }
    return made;
}

/// A sparse buffer of sums, which were added up as unsigned integers if they are integers.
template <typename R>
std::shared_ptr<AnyReader> buffer_of(const FactorPair& pair, index_t groups,
                                     BufferPtr<index_t> indexes, BufferPtr<R> sums,
                                     index_t stored) {
    using Signed = std::int64_t;
    if (!sums_are_signed(pair.x.operand.dtype()))
        return SparseBuffer<R>::of_sorted(groups, std::move(indexes), std::move(sums), stored, R{});
    auto values = std::make_shared<Buffer<Signed>>(reinterpret_cast<Signed*>(data_of(sums)),
                                                   sums->size(), sizeof(Signed), sums);
    return SparseBuffer<Signed>::of_sorted(groups, std::move(indexes), std::move(values), stored,
                                           0);
}

template <typename Product>
std::shared_ptr<AnyReader> multiply(const FactorPair& pair, Product product) {
    using T = typename Product::Factor;
    using R = typename Product::Sum;
    const index_t groups = Dimensions::row_major(ShapeSpan(pair.shape).first(pair.kept)).size();
    check_sparse_size("sum", groups);
    const auto rows_of = [&](const SummedFactor& factor, AxisSet rows, AxisSet columns,
                             AxisSet summed, double scale) {
        const auto pairs = SparseFactor::of(
            over_axes(factor.operand, in_order({pair.batch(), rows, columns, summed})));
        return pairs ? compact_rows<T>(*pairs, pair.extent_of(columns), pair.extent_of(summed),
                                       !pair.is_narrow(), scale)
                     : std::nullopt;
    };
    std::optional<CompactRows<T>> x = rows_of(pair.x, pair.m(), pair.k(), pair.of_x(), pair.scale);
    if (!x) return nullptr;
    const std::optional<CompactRows<T>> y = rows_of(pair.y, pair.k(), pair.n(), pair.of_y(), 1);
    if (!y) return nullptr;
    match_columns_to_rows(*x, *y, pair.extent_of(pair.m()));

    const RowEntries<R, index_t> entries =
        multiply_rows_by("sum", product, x->raw(), y->raw(), kLargestDenseOfSparse);
    index_t stored = place_entries(entries, x->rows, pair.extent_of(pair.n()), pair.repeats());
    const Dimensions view = pair.view_of({pair.batch(), pair.m(), pair.n()});
    MovedValues<R> sums{entries.indices, entries.values};
    if (!view.is_identity()) {
        const R fill{};
        sums = move_values<R>({taken(sums.indexes, stored).indexes, sums.values->memory(), &fill},
                              view, "sum");
        stored = sums.indexes->size();
    }
    return buffer_of(pair, groups, std::move(sums.indexes), std::move(sums.values), stored);
}

std::shared_ptr<AnyReader> multiply_pair(FactorPair pair) {
    // Rows of the result come in the order of x: x becomes the factor with the outer axis.
    if (pair.m() != 0 && std::countr_zero(pair.n()) < std::countr_zero(pair.m())) pair.swap();
    return visit_product(pair.x.operand.dtype(),
                         [&](auto product) { return multiply(pair, product); });
}

/// BLAS takes less than a tenth of the time for a multiplication that a stored element takes here:
/// it is faster if more than one in so many elements is stored.
constexpr index_t kBlasDensity = 12;

/// Whether so much is stored in a sparse factor, x, that BLAS multiplies it by a dense one faster.
bool is_left_to_blas(const FactorPair& pair) {
    if (pair.is_narrow() || !pair.result.is_floating() || pair.extent_of(pair.n()) < 8 ||
        pair.extent_of(pair.m()) < 8)
        return false;
    const index_t size = pair.extent_of(pair.x.axes & ~pair.of_x());
    return stored_below(pair.x.operand) > size / kBlasDensity && blas() != nullptr;
}

/// Whether the axes that the dense factor, y, is summed over alone can be summed first: not where
/// products wrap.
bool can_sum_y_first(const FactorPair& pair) {
    if (pair.of_y() == 0) return true;
    return !pair.is_narrow() && pair.extent_of(pair.y.axes & ~pair.of_y()) <= kLargestDenseOfSparse;
}

bool is_matrix_by_vector(const FactorPair& pair) {
    return pair.scale == 1 && (pair.batch() | pair.n() | pair.of_x()) == 0 && pair.k() != 0 &&
           pair.view_of({pair.m()}).is_identity();
}

} // namespace

index_t stored_below(const Operand& source) {
    index_t stored = 0;
    for (const Node* const node : nodes_below(std::span(&source, 1)))
        if (const auto* const leaf = node_as<Leaf>(*node);
            leaf != nullptr && storage_kind_of(*leaf) == Kind::sparse)
            stored += leaf->reader().pairs().stored();
    return stored;
}

SparseWay choose_sparse_way(const Operand& source, index_t groups) {
    using enum SparseWay::Kind;
    SparseWay way;
    FactorGroups found = factor_groups(source);
    if (found.factors.size() > 2 && is_sparse(source) && flatten_product(source, way.tree)) {
        way.pairs = order_of_pairs(source, way.tree, groups);
        if (way.pairs) way.kind = many_factors;
    }
    if (found.factors.size() != 2) return way;
    const ShapeSpan shape = source.dims.max_shape();
    FactorPair& pair = way.pair.emplace(
        FactorPair{std::move(found.factors[0]), std::move(found.factors[1]), to_shape(shape),
                   kept_axes(shape, groups), found.scale, source.dtype()});
    if (!is_sparse_factor(pair.x)) pair.swap();
    if (!is_sparse_factor(pair.x)) return way;
    if (is_sparse_factor(pair.y))
        way.kind = pair.is_elementwise() ? none : both_sparse;
    else if (!is_sparse(source) && !is_left_to_blas(pair) && can_sum_y_first(pair))
        way.kind = is_matrix_by_vector(pair) ? dense_vector : dense_matrix;
    // Of a sparse product, a dense factor is read only where something is stored.
    return way;
}

std::shared_ptr<AnyReader> contract_sparse(const Operand& source, index_t groups,
                                           const PartSums& sums) {
    SparseWay way = choose_sparse_way(source, groups);
    if (way.kind == SparseWay::Kind::many_factors)
        return contract_many_sparse(source, way.tree, groups, *way.pairs, sums);
    if (way.kind == SparseWay::Kind::both_sparse) return multiply_pair(*std::move(way.pair));
    return nullptr;
}

std::string describe_sparse_contraction(const SparseWay& way, const Operand& source) {
    using Kind = SparseWay::Kind;
    if (way.kind == Kind::none) return {};
    if (way.kind == Kind::many_factors)
        return fmt::format("{} factors, sparse ones among them, pair by pair",
                           way.tree.factors.size());
    const bool all_sparse = way.kind == Kind::both_sparse;
    const FactorPair& pair = *way.pair;
    const index_t k = pair.extent_of(pair.k());
    const index_t batch = pair.extent_of(pair.batch());
    const auto stored_of = [](const SummedFactor& factor) {
        return fmt::format("{} stored below", stored_below(factor.operand));
    };
    std::string text =
        fmt::format("sparse product of [{}×{}] with {} and {}[{}×{}]", pair.extent_of(pair.m()), k,
                    stored_of(pair.x), all_sparse ? "" : "dense ", k, pair.extent_of(pair.n()));
    if (all_sparse) text += " with " + stored_of(pair.y);
    text += way.kind == Kind::dense_vector ? ", entry by entry"
            : !all_sparse && is_transposed_in_memory(pair)
                ? ", as its transpose lies in memory: each entry adds to a row of the result"
                : ", row by row";
    if (batch > 1) text += fmt::format(", batch {}", batch);
    if (!all_sparse && factor_at(pair.y.operand).memory == nullptr)
        text += ", the dense factor computed first";
    return text + (source.dtype().is_floating()
                       ? "; if fills are 0 and all elements finite, else by the products of all"
                       : "; if fills are 0, else by the products of all");
}

} // namespace engine

std::shared_ptr<AnyReader> sum_products_sparse(const Operand& x, const Operand& y,
                                               std::size_t kept) {
    Shape shape = to_shape(x.dims.max_shape());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        shape[axis] = std::max(shape[axis], y.dims.max_shape()[axis]);
    return engine::multiply_pair(
        {{x, engine::axes_of(x)}, {y, engine::axes_of(y)}, std::move(shape), kept, 1, x.dtype()});
}

} // namespace purview
