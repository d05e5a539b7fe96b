#include <purview/functional/reductions/logsumexp.hpp>

#include <purview/base/not_finite.hpp>
#include <purview/dimensions/repeated_groups.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/expression/derivatives.hpp>

#include "evaluation/numbers_only.hpp"
#include "functional/elementwise/operations_in.hpp"
#include "functional/reductions/float_results.hpp"

#include <algorithm>
#include <cmath>

namespace purview::inline v0_1 {
namespace {

/// The exponentials of the elements of groups, divided by those of `shifts`, one for each group.
Operand exponentials(const Operand& x, const NodePtr& shifts, index_t groups) {
    const OperationsIn of(x.dtype());
    const Operand shift{shifts, dimensions::repeated_groups(x.dims.max_shape(), groups)};
    return of.unary(Op::exp, of.binary(Op::subtract, x, shift));
}

class LogSumExp final : public BuiltInReduction {
public:
    constexpr LogSumExp() noexcept : BuiltInReduction("logsumexp") {}

    DType result_of(DType element) const override { return averaged(element); }
    void run(ReducedView view, DType dtype, void* out) const override {
        if (view.kept > 0) require_not_sparse(name(), view.operand);
        cast_elements(view, dtype);
        with_floats(dtype, out, [&]<typename T>(T* results) {
            T* const end = results + view.groups;
            if (view.operand.dims.size() == 0) {
                std::fill(results, end, -kInfiniteNumber<T>);
                return;
            }
            BufferPtr<T> greatest = allocate_uninitialized_buffer<T>(view.groups);
            T* shift = static_cast<T*>(greatest->writable_memory().data);
            reduce_groups(Reduction::maximum, view.operand, view.groups, shift);
            std::replace_if(
                shift, shift + view.groups, [](T x) { return !std::isfinite(x); }, T{});
            const Operand held = operand_over(std::move(greatest),
                                              Dimensions::row_major(ShapeSpan(&view.groups, 1)));
            const NodePtr shifts = brought_to(view.operand, held).node;
            reduce_groups(Reduction::sum, exponentials(view.operand, shifts, view.groups),
                          view.groups, results);
            for (; results < end; ++results) *results = std::log(*results) + *shift++;
        });
    }
    void run_on_non_nan(ReducedView view, void* out) const override {
        view.operand = numbers_only(view.operand, -kInfiniteNumber<double>);
        const DType dtype = view.operand.dtype();
        run(std::move(view), dtype, out);
    }
    Operand node(ReducedView view) const override {
        const DType dtype = averaged(view.operand.dtype());
        const OperationsIn of(dtype);
        cast_elements(view, dtype);
        const Operand least = of.number(-kInfiniteNumber<double>);
        if (view.operand.dims.size() == 0)
            return {least.node, dimensions::repeated_groups(view.shape, 1)};
        const Operand greatest = without_derivative(
            reduce_operand(Reduction::maximum, view.operand, view.groups, view.shape));
        const Operand is_finite =
            of.binary(Op::less, of.unary(Op::absolute, greatest), kInfiniteNumber<double>);
        const Operand shift = choose_operand(is_finite, greatest, of.number(0), dtype);
        const Operand sum =
            reduce_operand(Reduction::sum, exponentials(view.operand, shift.node, view.groups),
                           view.groups, view.shape);
        // Where all elements are -inf, 1 is added before the logarithm, so that the derivative is 0, and
        // -inf after it. No choice lies above the exponentials: a 0 of theirs is none that was chosen.
        const Operand is_zero = of.binary(Op::equal, sum, 0);
        const Operand added = of.binary(Op::add, sum, cast_operand(is_zero, dtype, Op::cast));
        return of.binary(Op::add, of.unary(Op::log, added),
                         choose_operand(is_zero, least, shift, dtype));
    }
};

} // namespace

const BuiltInReduction& logsumexp_reduction() {
    static constinit const LogSumExp kReduction;
    return kReduction;
}

} // namespace purview
