#include <purview/dimensions/flip.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/statistics.hpp>

#include <algorithm>

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

AnyTensor any_count(const ReducedView& view) {
    ReducedView bools = view;
    bools.operand = cast_operand(view.operand, boolean, Op::cast);
    return realise<std::int64_t>(
        view, [&](std::int64_t* out) { count_true_elements(bools.operand, view.groups, out); });
}

AnyTensor any_arg_extreme(const char* what, Extreme extreme, const ReducedView& view) {
    if (!view.operand.dtype().is_builtin()) throw_dtype_unsupported(what, view.operand.dtype());
    require_elements(what, view);
    return realise<std::int64_t>(
        view, [&](std::int64_t* out) { arg_extreme(extreme, view.operand, view.groups, out); });
}

// Turned round, the last is the first. All axes are turned, so that parts are too.
void last_arg_extreme(Extreme extreme, const ReducedView& view, std::int64_t* out) {
    if (view.groups == 0) return;
    const index_t group = view.operand.dims.size() / view.groups;
    arg_extreme(extreme, {view.operand.node, dimensions::flip(view.operand.dims)}, view.groups,
                out);
    std::reverse(out, out + view.groups);
    for (index_t g = 0; g < view.groups; ++g) out[g] = group - 1 - out[g];
}

SparseBufferPtr<std::int64_t> last_arg_extreme_sparse(Extreme extreme, const ReducedView& view) {
    const index_t group = view.operand.dims.size() / view.groups;
    const SparseBufferPtr<std::int64_t> turned = arg_extreme_sparse(
        extreme, {view.operand.node, dimensions::flip(view.operand.dims)}, view.groups);
    std::vector<index_t> cells;
    std::vector<std::int64_t> found;
    for (index_t i = turned->stored(); i-- > 0;) {
        const auto place = static_cast<std::size_t>(i);
        cells.push_back(view.groups - 1 - turned->indexes()[place]);
        found.push_back(group - 1 - turned->values()[place]);
    }
    return std::make_shared<SparseBuffer<std::int64_t>>(
        view.groups, std::move(cells), std::move(found), group - 1 - turned->fill());
}

AnyTensor any_last_arg_extreme(const char* what, Extreme extreme, const ReducedView& view) {
    if (!view.operand.dtype().is_builtin()) throw_dtype_unsupported(what, view.operand.dtype());
    require_elements(what, view);
    return realise<std::int64_t>(view,
                                 [&](std::int64_t* out) { last_arg_extreme(extreme, view, out); });
}

Operand squared_deviations_operand(const ReducedView& view) {
    const Operand& x = view.operand;
    const DType dtype = x.dtype();
    const ShapeSpan shape = x.dims.max_shape();
    const index_t group = view.groups == 0 ? 0 : x.dims.size() / view.groups;
    const Operand sums = reduce_operand(Reduction::sum, x, view.groups, ShapeSpan(&view.groups, 1));
    const Operand count = dtype == float32 ? constant_operand(static_cast<float>(group))
                                           : constant_operand(static_cast<double>(group));
    const Operand means = binary_operand(Op::divide, sums, count, dtype, dtype);
    // The means repeat along the reduced axes, which are the last ones.
    Shape along_kept(shape.size(), 0);
    index_t size = 1;
    for (std::size_t axis = shape.size(); axis-- > 0; size *= shape[axis])
        if (size >= group) along_kept[axis] = group == 0 ? 0 : size / group;
    const Operand repeated{means.node, Dimensions::strided(shape, along_kept)};
    const Operand difference = binary_operand(Op::subtract, x, repeated, dtype, dtype);
    return reduce_operand(Reduction::sum, unary_operand(Op::square, difference, dtype), view.groups,
                          view.shape);
}

AnyTensor any_variance(const ReducedView& view, index_t correction, bool root) {
    return visit_dtype(view.operand.dtype(), "variance", [&]<typename T>(std::type_identity<T>) {
        using R = Averaged<T>;
        const Operand floats = cast_operand(view.operand, kDType<R>, Op::cast);
        return realise<R>(view, [&](R* out) {
            squared_deviations(floats, view.groups, out);
            divide_deviations(view, correction, root, out);
        });
    });
}

} // namespace purview
