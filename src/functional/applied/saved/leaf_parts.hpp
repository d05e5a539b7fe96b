#pragma once

#include <purview/evaluation/program.hpp>
#include <purview/expression/leaf.hpp>

#include "expression/node_map.hpp"
#include "functional/applied/saved/places.hpp"

#include <optional>
#include <span>
#include <string>

namespace purview::inline v0_1::saved {

/// What is saved of a leaf: the elements that are read.
struct LeafPart {
    index_t first = 0;          ///< the lowest address that is read
    index_t count = 0;          ///< from there to the highest one
    std::optional<Place> place; ///< of the first, in a mapped file
    /// If nothing else is read, and it has fewer elements than that: this view of the leaf, of which the
    /// elements are saved in their order.
    std::optional<Dimensions> view;
};

/// Of each leaf below some programs.
class LeafParts {
public:
    /// `nodes` are those of all programs. Mapped files are looked for in the folder `places`.
    LeafParts(std::span<const Node* const> nodes, std::span<const TracedOutputs> programs,
              const std::string& places);

    const LeafPart& of(const Leaf& leaf) const { return *parts_.find(&leaf); }
    /// How the operand sees what is saved of its node; in `room` if that is not as it is.
    const Dimensions& dims_of(const Operand& operand, Dimensions& room) const;

private:
    void add(const Operand& operand);

    NodeMap<LeafPart> parts_;
};

} // namespace purview::saved
