#pragma once

#include "engine/boxes/region.hpp"
#include "engine/compile/values.hpp"

#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// The part of a view that lies in a box of its coordinates.
Dimensions part_of(const Dimensions& view, const Box& box);

/// An expression as it is in a box of its root's coordinates, with other leaves in the place of some.
/// Everything above these is made anew, everything else is seen through its part of the view.
class CellOperand {
public:
    /// The values have to outlive it.
    explicit CellOperand(const Values& values);

    /// In the place of a value: what the box shows of it.
    struct Replacement {
        ValueId value;
        Operand operand;
    };
    /// From any number of threads. The replacements are in the order of their values.
    Operand in(const Box& box, std::span<const Replacement> replacements) const;

private:
    const Values& values_;
    std::vector<ValueId> order_; ///< operands before their users, the root last
};

/// An operand in a box of another one's coordinates.
struct PartOfOperand {
    Operand operand;
    Box box;
};
/// What an expression is in the boxes that the first of its pieces over chunks fill; nothing where it
/// has none that can be told apart.
std::vector<PartOfOperand> split_at_pieces(const Values& values);

} // namespace purview::engine
