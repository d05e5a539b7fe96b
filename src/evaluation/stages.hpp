#pragma once

#include <purview/evaluation/compiled.hpp>
#include <purview/expression/node.hpp>

#include <cstddef>
#include <limits>
#include <vector>

namespace purview {

inline constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

/// A part of a program that is run in one go.
struct ProgramStage {
    Compiled compiled;
    const Node* node; ///< what it computes, of the shared graph; null for a view of one
    DType dtype;
    index_t count;                  ///< elements
    std::size_t slot = kNone;       ///< where later stages find it, if any does
    std::size_t output = kNone;     ///< which one it is; a temporary if none
    std::vector<std::size_t> reads; ///< slots
};

/// Cuts outputs into stages, in an order in which they can be run. `slots` counts the placeholders before,
/// and these and the results of stages afterwards. Throws `SymbolError` for a placeholder that is not one
/// of `placeholders`.
std::vector<ProgramStage> cut_into_stages(std::span<const Operand> outputs,
                                          std::span<const NodePtr> placeholders,
                                          std::size_t& slots);

} // namespace purview
