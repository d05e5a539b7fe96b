#pragma once

#include "evaluation/loops/step_boxes.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace purview::inline v0_1 {

/// An expression over strided views of placeholders and tensors, if it can be made one.
struct ResolvedBox {
    std::optional<Operand> root;
    struct Cut {
        std::size_t axis;
        index_t at;
    };
    std::optional<Cut> cut; ///< where the box has to be cut first: in front of this coordinate
    std::string because;    ///< else: what is in the way
    index_t operations = 0; ///< for each element
};

/// How far views of states go round axes: they are only looked at. No box has a root that could be computed.
struct MarginSearch {
    Shape most; ///< elements along each axis; what goes further is cut
    Shape reach;
};

/// Brings the expression of a box of an output, which begins at `begin`, down to strided views. States lie in the margins of
/// `found`, to which is added what the box reads. `search` is null, but for a search.
ResolvedBox resolve_box(const LoopRule& rule, const StateChains& chains, std::size_t output,
                        ShapeSpan begin, const Operand& root, StepBoxes& found,
                        MarginSearch* search);

} // namespace purview
