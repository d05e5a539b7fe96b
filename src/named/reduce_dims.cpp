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
#include <unordered_set>
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

bool is_product(const Elementwise& operation) {
    return operation.op() == Op::multiply || operation.op() == Op::square;
}

/// An operation on integers narrower than 64 bits that may be computed in 64 bits as well: a product
/// or square, or a sum, difference or sign of what may hold one. Null for any other node.
const Elementwise* narrow_arithmetic(const Node& node) {
    const auto* const operation = node_as<Elementwise>(node);
    if (operation == nullptr || !node.dtype().is_integer() || node.dtype().size_bytes() == 8)
        return nullptr;
    const Op op = operation->op();
    const bool is_linear = op == Op::add || op == Op::subtract || op == Op::negative;
    return is_linear || is_product(*operation) ? operation : nullptr;
}

/// The nodes of narrow arithmetic above and including `root`, each once, operands before their
/// users. Empty if no product is among them.
std::vector<const Elementwise*> narrow_products(const Node& root) {
    std::vector<const Elementwise*> found;
    if (narrow_arithmetic(root) == nullptr) return found;
    std::unordered_set<const Node*> visited;
    std::unordered_set<const Node*> done;
    std::vector<const Node*> waiting{&root};
    bool any = false;
    while (!waiting.empty()) {
        const Elementwise& operation = *narrow_arithmetic(*waiting.back());
        bool ready = true;
        if (visited.insert(&operation).second)
            for (const Input& input : operation.inputs())
                if (narrow_arithmetic(*input.node) != nullptr &&
                    !visited.contains(input.node.get())) {
                    waiting.push_back(input.node.get());
                    ready = false;
                }
        if (!ready) continue;
        waiting.pop_back();
        if (done.insert(&operation).second) found.push_back(&operation);
        any = any || is_product(operation);
    }
    if (!any) found.clear();
    return found;
}

} // namespace

Operand summand_over_dims(Operand x) {
    const std::vector<const Elementwise*> operations = narrow_products(*x.node);
    if (operations.empty()) return x;
    const DType wide =
        visit_dtype(x.dtype(), "sum", []<typename T>(std::type_identity<T>) -> DType {
            return kDType<Accumulated<T>>;
        });
    std::unordered_map<const Node*, NodePtr> widened;
    const auto operand_of = [&](const Elementwise& operation, std::size_t i) -> Operand {
        const Operand operand = operation.operand(i);
        const auto found = widened.find(operand.node.get());
        if (found == widened.end()) return cast_operand(operand, wide, Op::cast);
        return {found->second, operand.dims};
    };
    for (const Elementwise* const operation : operations) {
        if (operation->inputs().size() == 2)
            widened[operation] =
                elementwise<2>(operation->op(), wide,
                               {operand_of(*operation, 0), operand_of(*operation, 1)})
                    .node;
        else
            widened[operation] =
                elementwise<1>(operation->op(), wide, {operand_of(*operation, 0)}).node;
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
