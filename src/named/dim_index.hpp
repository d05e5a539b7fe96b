#pragma once

#include <purview/named/index_dims.hpp>

#include <variant>

namespace purview::inline v0_1 {

struct DimIndex::Argument
    : std::variant<TensorIndex, Dim, Joint, DimList, AffineIndex, DimOperand, DimMask> {
    using variant::variant;
};

namespace named {

/// The argument that an index was made from, if it is of that type; else null.
template <typename A>
const A* made_from(const DimIndex& index) {
    return std::get_if<A>(&index.argument());
}

} // namespace named
} // namespace purview
