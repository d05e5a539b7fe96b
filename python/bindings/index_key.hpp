#pragma once

#include "array.hpp"

#include <purview/tensor/tensor_index.hpp>

#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

namespace purview_python {

/// The parts of a key, one for each axis that they index, and new axes.
struct Key {
    std::vector<pv::TensorIndex> indexes;
    std::vector<std::optional<Array>>
        lists; ///< integers of any rank, beside the `all` that stands for them
    std::vector<std::optional<Array>> masks; ///< beside the indexes that they are, too
    int axes = 0;                            ///< how many axes of the array are indexed
    bool has_ellipsis = false;

    void add(pv::TensorIndex index, std::optional<Array> list = {}) {
        axes += index.axes_consumed();
        has_ellipsis = has_ellipsis || index.is_ellipsis();
        indexes.push_back(std::move(index));
        lists.push_back(std::move(list));
        masks.emplace_back();
    }
    bool is_integer(std::size_t part) const {
        return std::holds_alternative<pv::index_t>(indexes[part].argument());
    }
};

/// The view that indexes of the library select.
Array basic_view(const Array& x, std::span<const pv::TensorIndex> indexes);
/// Whether the lists and masks of a key, and the integers beside them, follow one another.
bool are_adjacent(const Key& key);
/// Elements at the true ones of a mask of the first axes, which become one: a view.
Array masked_rows(const Array& x, const Array& mask);
/// A key with lists in place of its masks.
Key without_masks(const Array& x, const Key& key);
/// Elements at lists of integers that are broadcast together, as are the integers beside them: their axes take the place of those that
/// they index, or come first where other axes lie between.
Array gathered(const Array& x, Key key);

} // namespace purview_python
