#include <purview/expression/reduce.hpp>

namespace purview::inline v0_1 {

std::string_view name_of(Reduction reduction) noexcept {
    switch (reduction) {
    case Reduction::sum: return "sum";
    case Reduction::product: return "product";
    case Reduction::minimum: return "min";
    case Reduction::maximum: return "max";
    case Reduction::any_of: return "any_of";
    case Reduction::all_of: return "all_of";
    }
    std::unreachable();
}

Operand reduce_operand(Reduction reduction, Operand x, index_t groups, ShapeSpan shape) {
    Dimensions dims = Dimensions::row_major(shape);
    PURVIEW_ASSERT(dims.size() == groups);
    return {make_node<Reduce>(reduction, std::move(x), groups), std::move(dims)};
}

} // namespace purview
