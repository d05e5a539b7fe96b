#include "engine/contract/contract_sparse.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/wrapping.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/reader/sparse_buffer.hpp>

#include "engine/contract/blas.hpp"
#include "engine/contract/compact_rows.hpp"
#include "engine/contract/contract_many.hpp"
#include "engine/contract/factor_pair.hpp"
#include "engine/contract/row_products.hpp"
#include "engine/pairs/moved_entries.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

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
    const AxisNumbers batch = pair.batch();
    const AxisNumbers m = pair.m();
    const AxisNumbers n = pair.n();
    const AxisNumbers k = pair.k();
    const AxisNumbers of_x = pair.of_x();
    const AxisNumbers of_y = pair.of_y();
    const bool sums_duplicates = !pair.is_narrow();
    const auto rows_of = [&](const Operand& factor, const AxisNumbers& columns,
                             const AxisNumbers& summed, double scale) {
        const auto pairs = SparseFactor<T>::of(factor);
        return pairs ? compact_rows<T>(*pairs, pair.extent_of(columns), pair.extent_of(summed),
                                       sums_duplicates, scale)
                     : std::nullopt;
    };
    std::optional<CompactRows<T>> x =
        rows_of(over_axes(pair.x, {&batch, &m, &k, &of_x}), k, of_x, pair.scale);
    if (!x) return nullptr;
    const std::optional<CompactRows<T>> y =
        rows_of(over_axes(pair.y, {&batch, &k, &n, &of_y}), n, of_y, 1);
    if (!y) return nullptr;
    match_columns_to_rows(*x, *y, pair.extent_of(m));

    const RowEntries<R, index_t> entries =
        multiply_rows_by("sum", product, x->raw(), y->raw(), kLargestDenseOfSparse);
    const index_t stored = place_entries(entries, x->rows, pair.extent_of(n), pair.repeats());
    AxisNumbers order = batch;
    order.insert(order.end(), m.begin(), m.end());
    order.insert(order.end(), n.begin(), n.end());
    const Dimensions view = pair.view_of(order);
    if (view.is_identity()) return buffer_of(pair, groups, entries.indices, entries.values, stored);

    const R fill{};
    const SparsePairs pairs{{static_cast<const index_t*>(entries.indices->memory().data),
                             static_cast<std::size_t>(stored)},
                            entries.values->memory(),
                            &fill};
    MovedValues<R> moved = move_values<R>(pairs, view, "sum");
    const index_t count = moved.indexes->size();
    return buffer_of(pair, groups, std::move(moved.indexes), std::move(moved.values), count);
}

std::shared_ptr<AnyReader> multiply_pair(FactorPair pair) {
    // Rows of the result come in the order of x: x becomes the factor with the outer axis.
    const AxisNumbers m = pair.m();
    const AxisNumbers n = pair.n();
    if (!m.empty() && !n.empty() && n.front() < m.front()) pair.swap();
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
    const index_t size =
        pair.extent_of(pair.batch()) * pair.extent_of(pair.m()) * pair.extent_of(pair.k());
    return stored_below(pair.x.operand) > size / kBlasDensity && blas() != nullptr;
}

/// Whether the axes that the dense factor, y, is summed over alone can be summed first: not where
/// products wrap.
bool can_sum_y_first(const FactorPair& pair) {
    if (pair.of_y().empty()) return true;
    return !pair.is_narrow() &&
           pair.extent_of(pair.batch()) * pair.extent_of(pair.k()) * pair.extent_of(pair.n()) <=
               kLargestDenseOfSparse;
}

bool is_matrix_by_vector(const FactorPair& pair) {
    return pair.scale == 1 && pair.batch().empty() && pair.n().empty() && pair.of_x().empty() &&
           !pair.k().empty() && pair.view_of(pair.m()).is_identity();
}

} // namespace

SparseWay engine::choose_sparse_way(const Operand& source, index_t groups) {
    using enum SparseWay::Kind;
    SparseWay way;
    FactorGroups found = factor_groups(source);
    way.factors = found.factors.size();
    if (way.factors > 2 && is_sparse(source)) way.kind = many_factors;
    if (way.factors != 2) return way;
    FactorPair& pair = way.pair.emplace(pair_of(std::move(found), source, groups));
    if (!is_sparse_factor(pair.x)) pair.swap();
    if (!is_sparse_factor(pair.x)) return way;
    if (is_sparse_factor(pair.y))
        way.kind = pair.is_elementwise() ? none : both_sparse;
    else if (!is_sparse(source) && !is_left_to_blas(pair) && can_sum_y_first(pair))
        way.kind = is_matrix_by_vector(pair) ? dense_vector : dense_matrix;
    // Of a sparse product, a dense factor is read only where something is stored.
    return way;
}

std::shared_ptr<AnyReader> contract_sparse(const Operand& source, index_t groups) {
    SparseWay way = choose_sparse_way(source, groups);
    if (way.kind == SparseWay::Kind::many_factors) return contract_many_sparse(source, groups);
    if (way.kind == SparseWay::Kind::both_sparse) return multiply_pair(*std::move(way.pair));
    return nullptr;
}

std::shared_ptr<AnyReader> sum_products_sparse(const Operand& x, const Operand& y,
                                               std::size_t kept) {
    Shape shape = to_shape(x.dims.max_shape());
    for (std::size_t axis = 0; axis < shape.size(); ++axis)
        shape[axis] = std::max(shape[axis], y.dims.max_shape()[axis]);
    return multiply_pair({{x, axes_of(x)}, {y, axes_of(y)}, std::move(shape), kept, 1, x.dtype()});
}

} // namespace purview
