// Defines engine/contract/contraction.hpp.

#include "engine/contract/contraction.hpp"
#include "engine/places/costs.hpp"

#include <purview/evaluation/complex_numbers.hpp>

#include "base/axis_order.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/ways/way.hpp"

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

constexpr index_t kLargestMatrix = 4096; ///< times a vector: a larger one is not worth a copy

/// What a type of elements costs.
struct ElementCosts {
    double bytes;
    double flop;  ///< a multiplication by BLAS
    double fused; ///< and in the fused loop

    double of_call(double m, double n, double k) const {
        // Each element of the matrix is used once, so that memory decides.
        if (n == 1) return costs::kBlasCall + costs::kBlasMatrixByte * bytes * (m + 4) * (k + 4);
        return costs::kBlasCall + flop * (m + 2) * (n + 2) * (k + 2);
    }
    double of_fused_loop(index_t size, index_t groups) const {
        return costs::kFusedSetUp + fused * static_cast<double>(size) +
               costs::kFusedGroup * static_cast<double>(groups);
    }
};

/// Nothing for types that BLAS does not have.
std::optional<ElementCosts> costs_of(DType dtype) {
    const bool is_float = dtype.is_floating();
    if (!is_float && !is_complex(dtype)) return {};
    const double bytes = static_cast<double>(dtype.size_bytes());
    return is_float
               ? ElementCosts{bytes, costs::kBlasRealByte * bytes, costs::kLoopedProduct}
               : ElementCosts{bytes, costs::kBlasComplexByte * bytes, costs::kLoopedComplexProduct};
}

using Stride = index_t ContractedAxis::*;

/// Lays out a contiguous buffer over lists of axes, the last axis fastest: sets the member `stride`
/// of each axis, and returns the axes' numbers in the root.
Shape lay_out(std::initializer_list<ContractedAxes*> lists, Stride stride) {
    Shape order;
    for (const ContractedAxes* const axes : lists)
        for (const ContractedAxis& axis : *axes) order.push_back(static_cast<index_t>(axis.root));
    index_t next = 1;
    for (auto list = std::rbegin(lists); list != std::rend(lists); ++list)
        for (auto axis = (*list)->rbegin(); axis != (*list)->rend(); ++axis) {
            (*axis).*stride = next;
            next *= axis->extent;
        }
    return order;
}

/// Lays out a copy of a factor: the fastest axes in memory stay the fastest, as far as one call
/// allows.
Shape lay_out_factor(ContractedAxes& batch, ContractedAxes& own, ContractedAxes& k, Stride stride) {
    const auto fastest = [&](const ContractedAxes& axes) {
        index_t least = std::numeric_limits<index_t>::max();
        for (const ContractedAxis& axis : axes) least = std::min(least, std::abs(axis.*stride));
        return least;
    };
    return fastest(own) < fastest(k) ? lay_out({&batch, &k, &own}, stride)
                                     : lay_out({&batch, &own, &k}, stride);
}

void merge(ContractedAxes& axes) {
    std::size_t kept = 0;
    for (std::size_t i = 1; i < axes.size(); ++i) {
        const ContractedAxis& inner = axes[i];
        const ContractedAxis& outer = axes[kept];
        const auto follows = [&](Stride stride) {
            return is_one_axis(outer.*stride, inner.*stride, inner.extent);
        };
        if (follows(&ContractedAxis::a) && follows(&ContractedAxis::b) &&
            follows(&ContractedAxis::c)) {
            const index_t extent = outer.extent * inner.extent;
            axes[kept] = inner;
            axes[kept].extent = extent;
        } else {
            axes[++kept] = inner;
        }
    }
    if (!axes.empty()) axes.resize(kept + 1);
}

/// How BLAS takes a matrix with these strides: one of the two has to be 1, the other (the leading
/// dimension) at least the extent along the first. Nothing where BLAS cannot take it.
std::optional<MatrixForm> matrix_form(index_t rows, index_t columns, index_t row_stride,
                                      index_t column_stride) {
    const auto form = [](CblasTranspose transpose, index_t lines, index_t line, index_t step,
                         index_t stride) -> std::optional<MatrixForm> {
        if (stride != 1 && line > 1) return {};
        if (lines == 1) return MatrixForm{transpose, static_cast<int>(line)};
        if (step < line || step > INT_MAX) return {};
        return MatrixForm{transpose, static_cast<int>(step)};
    };
    if (const auto plain = form(CblasTranspose::no, rows, columns, row_stride, column_stride))
        return plain;
    return form(CblasTranspose::yes, columns, rows, column_stride, row_stride);
}

/// Makes calls of the kernel of small products, where it is as fast as BLAS.
bool use_small_products(BlasCalls& calls) {
    const DType dtype = calls.dtype;
    const ContractedAxis& m = calls.m;
    const ContractedAxis& n = calls.n;
    const ContractedAxis& k = calls.k;
    if ((dtype != float32 && dtype != float64) ||
        !is_small_product(lane_kernels(), m.extent, n.extent, k.extent))
        return false;
    const bool in_rows = n.extent == 1 || n.c == 1; // elements of a row of C are contiguous
    const bool in_columns = m.extent == 1 || m.c == 1;
    if (!in_rows && !in_columns) return false;
    calls.swapped = !in_rows || (in_columns && n.extent == 1);
    calls.small = calls.swapped
                      ? SmallProduct{n.extent, m.extent, k.extent, n.b, k.b, k.a, m.a, n.c}
                      : SmallProduct{m.extent, n.extent, k.extent, m.a, k.a, k.b, n.b, m.c};
    calls.vector = m.extent == 1 || n.extent == 1;
    calls.nanoseconds =
        static_cast<double>(extent_of(calls.loops)) * cost_of_small(dtype, *calls.small);
    return true;
}

/// Makes calls over one axis of each class, the others being loops; false where BLAS cannot do them.
bool make_calls(BlasCalls& calls, const ElementCosts& costs, const ClassedAxes& axes, std::size_t m,
                std::size_t n, std::size_t k) {
    if (!axes.m.empty()) calls.m = axes.m[m];
    if (!axes.n.empty()) calls.n = axes.n[n];
    calls.k = axes.k[k];
    if (std::max({calls.m.extent, calls.n.extent, calls.k.extent}) > INT_MAX) return false;
    calls.loops = axes.batch;
    const auto add_others = [&](const ContractedAxes& list, std::size_t taken) {
        for (std::size_t i = 0; i < list.size(); ++i)
            if (i != taken) calls.loops.push_back(list[i]);
    };
    add_others(axes.m, m);
    add_others(axes.n, n);
    add_others(axes.k, k);
    calls.additions = extent_of(axes.k) / calls.k.extent;
    if (calls.additions == 1 && use_small_products(calls)) return true;
    calls.vector = calls.m.extent == 1 || calls.n.extent == 1;
    calls.swapped = calls.vector ? calls.m.extent == 1 : calls.n.c != 1;
    const ContractedAxis& rows = calls.swapped ? calls.n : calls.m;
    const ContractedAxis& columns = calls.swapped ? calls.m : calls.n;
    const Stride of_left = calls.swapped ? &ContractedAxis::b : &ContractedAxis::a;
    const Stride of_right = calls.swapped ? &ContractedAxis::a : &ContractedAxis::b;
    const index_t depth = calls.k.extent;
    const auto left = matrix_form(rows.extent, depth, rows.*of_left, calls.k.*of_left);
    auto right = matrix_form(depth, columns.extent, calls.k.*of_right, columns.*of_right);
    if (calls.vector) {
        const index_t step = calls.k.*of_right;
        if (step < 1 || step > INT_MAX) return false;
        right = MatrixForm{CblasTranspose::no, static_cast<int>(step)};
    } else if (columns.c != 1 || rows.c < columns.extent) {
        return false;
    }
    if (!left || !right || rows.c > INT_MAX) return false;
    calls.left = *left;
    calls.right = *right;
    calls.c_ld = static_cast<int>(rows.c);

    const auto across = static_cast<double>(rows.extent);
    const auto down = static_cast<double>(columns.extent);
    const double products = across * down * static_cast<double>(depth);
    calls.splits = std::clamp(static_cast<index_t>(products / costs::kLargestCall), index_t{1},
                              std::max(std::max(rows.extent, columns.extent) / 64, index_t{1}));
    calls.nanoseconds = static_cast<double>(extent_of(calls.loops)) *
                        costs.of_call(across, down, static_cast<double>(depth));
    return true;
}

/// The cheapest calls if A and B are copied, and C is staged, as the flags say. Nothing where BLAS
/// cannot do them.
std::optional<BlasCalls> calls_with(const Contraction& contraction, const ElementCosts& costs,
                                    bool copy_a, bool copy_b, bool stage_c) {
    ClassedAxes axes = contraction;
    // Summed axes may come in any order: the one that they have in memory, in a factor that is not
    // copied.
    const Stride kept = copy_a && !copy_b ? &ContractedAxis::b : &ContractedAxis::a;
    std::ranges::sort(axes.k, [&](const ContractedAxis& x, const ContractedAxis& y) {
        const index_t of_x = std::abs(x.*kept);
        const index_t of_y = std::abs(y.*kept);
        return of_x != of_y ? of_x > of_y : x.root < y.root;
    });
    Shape copy_of_a;
    Shape copy_of_b;
    if (copy_a) copy_of_a = lay_out_factor(axes.batch, axes.m, axes.k, &ContractedAxis::a);
    if (copy_b) copy_of_b = lay_out_factor(axes.batch, axes.n, axes.k, &ContractedAxis::b);
    if (stage_c) lay_out({&axes.batch, &axes.m, &axes.n}, &ContractedAxis::c);

    double copying = 0;
    const double batch = static_cast<double>(extent_of(axes.batch));
    const double m = static_cast<double>(extent_of(axes.m));
    const double n = static_cast<double>(extent_of(axes.n));
    const double k = static_cast<double>(extent_of(axes.k));
    if (copy_a) copying += costs::kCopiedFactor * batch * m * k;
    if (copy_b) copying += costs::kCopiedFactor * batch * n * k;
    if (stage_c) copying += costs::kStagedResult * batch * m * n;

    for (ContractedAxes* const list : {&axes.batch, &axes.m, &axes.n, &axes.k}) merge(*list);
    std::optional<BlasCalls> best;
    for (std::size_t i = 0; i < std::max<std::size_t>(axes.m.size(), 1); ++i)
        for (std::size_t j = 0; j < std::max<std::size_t>(axes.n.size(), 1); ++j)
            for (std::size_t l = 0; l < axes.k.size(); ++l) {
                BlasCalls calls(contraction.dtype);
                if (make_calls(calls, costs, axes, i, j, l) &&
                    (!best || calls.nanoseconds < best->nanoseconds))
                    best = std::move(calls);
            }
    if (!best) return {};
    best->a = contraction.a.memory;
    best->b = contraction.b.memory;
    best->scale = contraction.scale;
    best->copy_a = std::move(copy_of_a);
    best->copy_b = std::move(copy_of_b);
    best->stages_c = stage_c;
    best->nanoseconds += copying;
    return best;
}

/// Whether a factor may be copied: if it is in memory already, or each of its elements is used
/// often enough. The copy is as large as the factor.
bool may_copy(const Factor& factor, const ContractedAxes& axes_of_other) {
    return factor.memory != nullptr || extent_of(axes_of_other) >= kLeastReuse;
}

} // namespace

bool is_small_product(const LaneKernels& kernels, index_t m, index_t n, index_t k) noexcept {
    if (std::max({m, n, k}) > kernels.longest_small_side) return false;
    return (m > 1 && n > 1) || m * n * k <= kLargestMatrix;
}

bool find_strided_calls(const Operand& source, index_t groups, std::optional<BlasCalls>& found) {
    const Elementwise* const product = product_at(source);
    const index_t size = source.dims.size();
    if (product == nullptr || size == 0) return false;
    const std::optional<ElementCosts> costs = costs_of(source.dtype());
    if (!costs) return false;
    const Operand x = product->operand(0);
    const Operand y = product->operand(1);
    const std::byte* const a = strided_memory(x);
    const std::byte* const b = a == nullptr ? nullptr : strided_memory(y);
    if (b == nullptr) return false;
    const std::optional<Shape> of_a = factor_strides(source.dims, x.dims);
    const std::optional<Shape> of_b = factor_strides(source.dims, y.dims);
    ClassedAxes axes;
    if (!of_a || !of_b ||
        classify(axes, source.dims.max_shape(), groups, *of_a, *of_b) != nullptr ||
        axes.m.size() > 1 || axes.n.size() > 1 || axes.k.size() > 1)
        return false;
    if (axes.batch.size() > 1) merge(axes.batch);
    BlasCalls& calls = found.emplace(source.dtype());
    calls.a = a;
    calls.b = b;
    if (!make_calls(calls, *costs, axes, 0, 0, 0)) return false;
    if (calls.small) return true;
    if (size < kFewestProducts || calls.loops.size() > 1 ||
        calls.nanoseconds + costs::kCallsSetUp >= costs->of_fused_loop(size, groups))
        return false;
    calls.blas = blas();
    return calls.blas != nullptr;
}

std::optional<BlasCalls> choose_calls(const Contraction& contraction, Reason& refusal) {
    const std::optional<ElementCosts> costs = costs_of(contraction.dtype);
    if (!costs) {
        refusal = "BLAS is for floats";
        return {};
    }
    std::optional<BlasCalls> best;
    for (int choice = 0; choice < 8; ++choice) {
        const bool copy_a = (choice & 1) != 0;
        const bool copy_b = (choice & 2) != 0;
        const bool stage_c = (choice & 4) != 0;
        if (!copy_a && contraction.a.memory == nullptr) continue;
        if (!copy_b && contraction.b.memory == nullptr) continue;
        if (copy_a && !may_copy(contraction.a, contraction.n)) continue;
        if (copy_b && !may_copy(contraction.b, contraction.m)) continue;
        std::optional<BlasCalls> calls = calls_with(contraction, *costs, copy_a, copy_b, stage_c);
        if (!calls || (best && best->nanoseconds <= calls->nanoseconds)) continue;
        best = std::move(calls);
        // Nothing is copied and nothing is split: there is no better way.
        if (choice == 0 && best->loops.size() <= 1 && best->additions == 1) break;
    }
    refusal = nullptr;
    if (!best)
        refusal = "a computed factor is used too few times to be held in memory";
    else if (best->nanoseconds + costs::kCallsSetUp >=
             costs->of_fused_loop(contraction.size, contraction.groups))
        refusal = "the fused loop is faster";
    if (refusal != nullptr)
        best.reset();
    else if (!best->small)
        best->blas = blas();
    return best;
}

} // namespace purview::engine
