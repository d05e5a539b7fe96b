#pragma once

#include <purview/expression/node.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace purview::inline v0_1 {

/// Where a tensor of strings first has a text, as an error says it: "at index 3", "at index [1 2]", the axes that `dims` name first, in
/// their order, "at i = 1", "at i = 1, index 3"; of what has no axes, or not the text, nothing. O(size), and reads the tensor.
PURVIEW_EXPORT std::string place_of_text(const Operand& texts, std::string_view text,
                                         std::span<const std::string> dims = {});

/// A tensor of strings, as errors say where it has one: the same under dims as without.
class TextPlaces {
public:
    virtual ~TextPlaces() = default;
    /// See `place_of_text`.
    virtual std::string place_of(std::string_view text) const = 0;
};
using TextPlacesPtr = std::shared_ptr<const TextPlaces>;

/// The places of the elements of a tensor without dims. (Tensors with dims have a `TextPlaces` of
/// their own, which names the dims.)
PURVIEW_EXPORT TextPlacesPtr places_in(const Operand& texts);

} // namespace purview
