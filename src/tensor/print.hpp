#pragma once

#include <purview/expression/leaf.hpp>

#include <ios>
#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// Of tensors with more elements, only `kPrintedEdge` entries are shown at each end of an axis.
inline constexpr index_t kLargestPrinted = 1000;
inline constexpr index_t kPrintedEdge = 3;

/// Whether the middle of an axis is left out: of one of a large tensor.
constexpr bool is_elided(index_t extent, bool large) { return large && extent > 2 * kPrintedEdge; }

/// " on" and the device that elements lie on; nothing for those in memory.
std::string place_in_words(const Operand& x);

/// A tensor without the middle parts of its long axes.
Operand without_middle(const Operand& tensor, bool large);

/// The text of every element, in row-major order; floats in the format of the stream, or in one for
/// all of them. Strings are in quotes.
std::vector<std::string> element_texts(const std::ios_base& stream, const Operand& shown);

} // namespace purview
