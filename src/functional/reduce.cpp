#include <purview/base/errors.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/functional/reduce.hpp>

#include <fmt/format.h>

namespace purview {
namespace {

/// Memory of the result's type, filled by `run`.
template <typename R, typename Run>
AnyTensor realise(const ReducedView& view, Run run) {
    BufferPtr<R> buffer = allocate_uninitialized_buffer<R>(view.groups);
    run(static_cast<R*>(buffer->writable_memory().data));
    return AnyTensor(over<R>(std::move(buffer), Dimensions::row_major(view.shape)).operand());
}

} // namespace

ReducedView reduced_view(const char* what, const Operand& x, ShapeSpan axes, bool keep) {
    const int rank = x.dims.rank();
    std::vector<bool> reduced(static_cast<std::size_t>(rank), false);
    for (const index_t given : axes) {
        const auto axis = static_cast<std::size_t>(checked_axis(given, rank, what));
        if (reduced[axis]) throw IndexError(fmt::format("{}: axis {} is given twice", what, axis));
        reduced[axis] = true;
    }
    ReducedView view;
    Shape kept;
    Shape folded;
    for (index_t axis = 0; axis < rank; ++axis) {
        const bool is_reduced = reduced[static_cast<std::size_t>(axis)];
        const index_t extent = x.dims.max_shape()[static_cast<std::size_t>(axis)];
        (is_reduced ? folded : kept).push_back(axis);
        if (!is_reduced) view.groups *= extent;
        if (!is_reduced || keep) view.shape.push_back(is_reduced ? 1 : extent);
    }
    for (const index_t axis : folded) kept.push_back(axis);
    view.operand = {x.node, dimensions::transpose(x.dims, kept)};
    return view;
}

ReducedView reduced_view(const Operand& x) { return {x, {}, 1}; }

void require_elements(const char* what, const ReducedView& view) {
    if (view.groups > 0 && view.operand.dims.size() == 0)
        throw ShapeError(fmt::format("{}: there is no element to choose from in a part of shape {}",
                                     what, to_string(view.operand.dims.max_shape())));
}

AnyTensor any_reduce(const char* what, Reduction reduction, const ReducedView& view) {
    return visit_dtype(view.operand.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        const auto as = [&]<typename R>(std::type_identity<R>) {
            const Operand operand = cast_operand(view.operand, kDType<R>, Op::cast);
            if (is_sparse(operand) && operand.dims.size() > 0)
                return AnyTensor(over<R>(std::static_pointer_cast<SparseBuffer<R>>(
                                             reduce_sparse(reduction, operand, view.groups)),
                                         Dimensions::row_major(view.shape))
                                     .operand());
            return realise<R>(view, [&](R* out) { reduce(reduction, operand, view.groups, out); });
        };
        switch (reduction) {
        case Reduction::sum:
        case Reduction::product: return as(std::type_identity<Accumulated<T>>{});
        case Reduction::minimum:
        case Reduction::maximum: return as(std::type_identity<T>{});
        case Reduction::any_of:
        case Reduction::all_of: break;
        }
        return as(std::type_identity<bool>{});
    });
}

AnyTensor any_mean(const ReducedView& view) {
    return visit_dtype(view.operand.dtype(), "mean", [&]<typename T>(std::type_identity<T>) {
        if (is_sparse(view.operand) && view.operand.dims.size() > 0)
            return AnyTensor(over<Averaged<T>>(MeanOperation::run_sparse<T>(view),
                                               Dimensions::row_major(view.shape))
                                 .operand());
        return realise<Averaged<T>>(view,
                                    [&](Averaged<T>* out) { MeanOperation::run<T>(view, out); });
    });
}

} // namespace purview
