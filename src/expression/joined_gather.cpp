#include "expression/joined_gather.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

std::optional<Dimensions> seen_without_indexes(const GatherAxes& axes, ShapeSpan shape,
                                               const Dimensions& view) {
    if (!view.is_strided() || view.size() == 0) return std::nullopt;
    Shape strides(shape.size(), 0);
    for (std::size_t a = 0; a < axes.size(); ++a) {
        const GatherAxis& axis = axes[a];
        if (!axis.computed)
            strides[static_cast<std::size_t>(axis.number)] += view.strides()[a];
        else if (view.strides()[a] != 0 && view.max_shape()[a] > 1)
            return std::nullopt;
    }
    return Dimensions::strided(shape, strides, view.base());
}

bool join_with_source(Gather::Operands& operands, GatherAxes& axes, ShapeSpan shape) {
    const Gather* const inner = gather_of(operands[0]);
    if (inner == nullptr || inner->reads(Below::sparse) || !operands[0].dims.is_identity() ||
        !std::ranges::equal(operands[0].dims.max_shape(), inner->shape()))
        return false;
    Gather::Operands joined{inner->source()};
    for (const Operand& index : inner->indexes()) {
        std::optional<Dimensions> view = seen_without_indexes(axes, shape, index.dims);
        if (!view) return false;
        joined.push_back({index.node, *std::move(view)});
    }
    GatherAxes read;
    std::vector<bool> is_read(axes.size());
    for (std::size_t a = 0; a < inner->axes().size(); ++a) {
        GatherAxis axis = inner->axes()[a];
        auto own_number = static_cast<index_t>(a);
        if (!axis.computed) {
            own_number = axis.number;
            is_read[static_cast<std::size_t>(own_number)] = true;
            axis = axes[static_cast<std::size_t>(own_number)];
            if (axis.computed) axis.number += std::ssize(inner->indexes());
        }
        if (axis.shown < 0) axis.shown = own_number;
        read.push_back(std::move(axis));
    }
    // An index that nothing would be read at would not be checked.
    for (std::size_t a = 0; a < axes.size(); ++a)
        if (axes[a].computed && !is_read[a]) return false;
    joined.insert(joined.end(), operands.begin() + 1, operands.end());
    operands = std::move(joined);
    axes = std::move(read);
    return true;
}

} // namespace purview
