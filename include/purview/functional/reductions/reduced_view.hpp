#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparse_reduction.hpp>
#include <purview/expression/reduce.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/create.hpp>

#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A tensor arranged for a reduction: with the reduced axes last.
struct ReducedView {
    Operand operand;
    Shape shape;        ///< of the result
    index_t groups = 1; ///< the number of elements of the result
    int kept = 0;       ///< the number of axes of the operand that are not reduced; these come
                        ///< first
};

/// The order of reduced axes: that of the operand, or, for reductions that depend on it, the one in
/// which they are given.
enum class AxisOrder : bool { of_operand, as_named };

/// Moves `axes` to the end. Throws `IndexError` naming `what` for axes out of range or given twice.
PURVIEW_EXPORT ReducedView reduced_view(const char* what, const Operand& x, ShapeSpan axes,
                                        bool keep, AxisOrder order = AxisOrder::of_operand);
/// All axes are reduced: one group.
PURVIEW_EXPORT ReducedView reduced_view(const Operand& x);

/// Copies the one element of a result of a built-in type, wherever that lies.
PURVIEW_EXPORT void copy_number(const Operand& result, void* out);
/// The one element of a result.
template <typename T>
T number_in(const Tensor<T>& result) {
    if constexpr (BuiltinType<T>) {
        T number;
        copy_number(result.operand(), &number);
        return number;
    } else {
        return result.item();
    }
}

/// Throws `ShapeError`: `what` has no value for an empty tensor of this shape.
PURVIEW_EXPORT void require_elements(const char* what, const ReducedView& view);
/// Calls `work` for each group of a view, and where it lies: group `at` of `parts`, which are the operand, or slabs of
/// one over arrays of chunks that have come into memory, where a group has room there, in their order.
PURVIEW_EXPORT void
for_each_group(const char* what, const ReducedView& view,
               FunctionRef<void(const Operand& parts, index_t at, index_t group)> work);

/// The reduction of a view of elements of `T`, in memory; sparse for a sparse view.
template <typename Operation, typename T>
auto realised_reduction(ReducedView view) {
    using R = typename Operation::template Result<T>;
    Dimensions dims = Dimensions::row_major(view.shape);
    if constexpr (requires { Operation::template run_sparse<T>(view); }) {
        if (is_sparse(view.operand) && view.operand.dims.size() > 0)
            return over<R>(Operation::template run_sparse<T>(std::move(view)), std::move(dims));
    } else {
        require_not_sparse(Operation::kName, view.operand);
    }
    BufferPtr<R> buffer = allocate_uninitialized_buffer<R>(view.groups);
    Operation::template run<T>(std::move(view), static_cast<R*>(buffer->writable_memory().data));
    return over<R>(std::move(buffer), std::move(dims));
}
/// Folds the groups of a sparse view by a function of two elements that is associative and
/// commutative: the stored elements, then the fill as often as it occurs, by repeated doubling.
/// O(stored + groups with stored elements), and O(log group) calls for the fills of each.
template <typename T, typename Combine>
SparseBufferPtr<T> fold_sparse_groups(const ReducedView& view, Combine combine) {
    const SparseBufferPtr<T> pairs = realise_sparse<T>(view.operand, "reduce");
    const index_t group = view.groups > 0 ? pairs->size() / view.groups : 0;
    const auto with_fills = [&](const T* folded, index_t count) {
        T result = folded != nullptr ? *folded : T{};
        bool any = folded != nullptr;
        T power = pairs->fill();
        for (index_t rest = count; rest > 0; rest /= 2) {
            if (rest % 2 == 1) {
                result = any ? static_cast<T>(combine(result, power)) : power;
                any = true;
            }
            if (rest > 1) power = static_cast<T>(combine(power, power));
        }
        return result;
    };
    std::vector<index_t> cells;
    std::vector<T> results;
    const auto indexes = pairs->indexes();
    const auto values = pairs->values();
    for (std::size_t p = 0; p < indexes.size();) {
        const index_t cell = indexes[p] / group;
        T folded = values[p];
        const std::size_t first = p++;
        for (; p < indexes.size() && indexes[p] / group == cell; ++p)
            folded = static_cast<T>(combine(folded, values[p]));
        cells.push_back(cell);
        results.push_back(with_fills(&folded, group - static_cast<index_t>(p - first)));
    }
    return std::make_shared<SparseBuffer<T>>(view.groups, std::move(cells), std::move(results),
                                             with_fills(nullptr, group));
}

/// Folds the groups of a view by a function of two elements, for types that are not built-in. The
/// fold starts with the first element of a group; an empty group gives `T{}`.
template <typename T, typename Combine>
void fold_groups(const ReducedView& view, T* out, Combine combine) {
    if (is_sparse(view.operand) && view.operand.dims.size() > 0)
        return fold_sparse_groups<T>(view, combine)
            ->read_block(0, 1, {out, static_cast<std::size_t>(view.groups)});
    const Evaluation evaluation(view.operand, Reads::within_one_operation);
    const index_t group = view.groups > 0 ? evaluation.size() / view.groups : 0;
    std::vector<T> block(static_cast<std::size_t>(group < 256 ? group : 256));
    for (index_t g = 0; g < view.groups; ++g) {
        T folded{};
        for (index_t done = 0; done < group; done += std::ssize(block)) {
            const index_t count =
                group - done < std::ssize(block) ? group - done : std::ssize(block);
            evaluation.read(g * group + done, count, block.data());
            for (index_t i = 0; i < count; ++i) {
                T& value = block[static_cast<std::size_t>(i)];
                folded = done + i == 0 ? std::move(value) : static_cast<T>(combine(folded, value));
            }
        }
        out[g] = std::move(folded);
    }
}

} // namespace purview
