#include <purview/dtype/visit.hpp>
#include <purview/evaluation/explain.hpp>
#include <purview/functional/applied/explain.hpp>

#include <string_view>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The type in which a reduction computes, which is also its result type.
DType folded_dtype(const char* what, Reduction reduction, DType dtype) {
    if (!dtype.is_builtin()) return dtype;
    return visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        if (what == std::string_view(MeanOperation::kName)) return kDType<Averaged<T>>;
        switch (reduction) {
        case Reduction::sum:
        case Reduction::product: return kDType<Accumulated<T>>;
        case Reduction::minimum:
        case Reduction::maximum: return kDType<T>;
        case Reduction::any_of:
        case Reduction::all_of: return boolean;
        }
        std::unreachable();
    });
}

std::string explain_products(const char* what, ProductFactors factors) {
    const DType common = promote(factors.x.dtype(), factors.y.dtype(), what);
    const DType type = folded_dtype(what, Reduction::sum, common);
    const Operand products =
        binary_operand(Op::multiply, std::move(factors.x), std::move(factors.y), type, type);
    return explain_fold(what, Reduction::sum, AnyTensor(products), Shape{-1});
}

} // namespace

std::string explain_fold(const char* what, Reduction reduction, const AnyTensor& x,
                         const std::optional<Shape>& axes) {
    ReducedView view =
        axes ? reduced_view(what, x.operand(), *axes, false) : reduced_view(x.operand());
    if (reduction == Reduction::minimum || reduction == Reduction::maximum)
        require_elements(what, view);
    const DType type = folded_dtype(what, reduction, view.operand.dtype());
    return explain_reduction(what, reduction, cast_operand(std::move(view.operand), type, Op::cast),
                             view.groups);
}

std::string explanation_of(const MatmulFunction&, const AnyTensor& x, const AnyTensor& y) {
    return explain_products("matmul", matmul_factors(x.operand(), y.operand()));
}

std::string explanation_of(const DotFunction&, const AnyTensor& x, const AnyTensor& y) {
    return explain_products("dot", dot_factors(x.operand(), y.operand()));
}

} // namespace purview
