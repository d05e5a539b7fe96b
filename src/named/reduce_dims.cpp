#include <purview/base/checked.hpp>
#include <purview/dimensions/squeeze.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/named/reduce_dims.hpp>

#include <purview/expression/elementwise.hpp>

#include "named/positional.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_map>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

index_t axis_of(const char* what, const DimOperand& x, const AxisOrDim& entry) {
    if (!entry.dim) return x.dim_count() + checked_axis(entry.axis, rank_of(x), what);
    const index_t at = position_of(*entry.dim, x.dims);
    if (at < 0)
        throw DimError(fmt::format("{}: the tensor has no Dim '{}', its dims are {}", what,
                                   entry.dim->name(), to_string(x.dims)));
    return at;
}

/// A product of integers narrower than 64 bits; null for any other node.
const Elementwise* narrow_product(const Node& node) {
    if (node.kind() != NodeKind::elementwise || !node.dtype().is_integer() ||
        node.dtype().size_bytes() == 8)
        return nullptr;
    const auto& operation = static_cast<const Elementwise&>(node);
    return operation.op() == Op::multiply ? &operation : nullptr;
}

} // namespace

Operand summand_over_dims(Operand x) {
    if (narrow_product(*x.node) == nullptr) return x;
    const DType wide =
        visit_dtype(x.dtype(), "sum", []<typename T>(std::type_identity<T>) -> DType {
            return kDType<Accumulated<T>>;
        });
    // Factors may be products again, and shared: each once, operands before their users.
    std::unordered_map<const Node*, NodePtr> widened;
    std::vector<const Node*> waiting{x.node.get()};
    while (!waiting.empty()) {
        const Node* const node = waiting.back();
        std::array<Operand, 2> factors;
        bool ready = true;
        for (std::size_t i = 0; i < 2; ++i) {
            const Operand& factor = narrow_product(*node)->operands()[i];
            if (narrow_product(*factor.node) == nullptr) {
                factors[i] = cast_operand(factor, wide, Op::cast);
            } else if (const auto found = widened.find(factor.node.get()); found != widened.end()) {
                factors[i] = {found->second, factor.dims};
            } else {
                waiting.push_back(factor.node.get());
                ready = false;
            }
        }
        if (!ready) continue;
        widened[node] = elementwise<2>(Op::multiply, wide, std::move(factors)).node;
        waiting.pop_back();
    }
    return {widened[x.node.get()], x.dims};
}

DimVector broadcast_over_dims(const char* what, const std::array<const DimOperand*, 2>& operands,
                              std::array<Operand, 2>& both) {
    DimVector dims = align_dims(operands, both);
    try {
        broadcast_operands(both, what);
    } catch (const ShapeError&) {
        for (std::size_t i = 0; i < 2; ++i)
            both[i] = named::positional_stand_in(operands[i]->operand, operands[i]->dims.size());
        broadcast_operands(both, what);
        throw;
    }
    return dims;
}

DimReduction dims_to_reduce(const char* what, const DimOperand& given, const Axes* axes,
                            bool keep) {
    DimOperand x = settled(given);
    Shape reduced;
    if (axes == nullptr)
        for (index_t axis = x.dim_count(); axis < x.operand.dims.rank(); ++axis)
            reduced.push_back(axis);
    else
        for (const AxisOrDim& entry : *axes) {
            const index_t axis = axis_of(what, x, entry);
            if (std::ranges::count(reduced, axis) > 0) {
                if (entry.dim)
                    throw DimError(
                        fmt::format("{}: Dim '{}' is given twice", what, entry.dim->name()));
                throw IndexError(
                    fmt::format("{}: axis {} is given twice", what, axis - x.dim_count()));
            }
            reduced.push_back(axis);
        }
    DimVector left;
    Shape kept;
    for (index_t at = 0; at < x.dim_count(); ++at)
        if (std::ranges::count(reduced, at) == 0)
            left.push_back(x.dims[static_cast<std::size_t>(at)]);
        else if (keep)
            kept.push_back(at);
    return {std::move(x.operand), std::move(reduced), std::move(left), std::move(kept)};
}

DimOperand DimReduction::result(Operand reduced) && {
    if (!kept_dims.empty()) reduced.dims = dimensions::squeeze(reduced.dims, kept_dims);
    return {std::move(reduced), std::move(left)};
}

} // namespace purview
