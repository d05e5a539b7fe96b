// Lists of indexes and masks in a key.

#include "index_key.hpp"

#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "devices.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/constant.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <string>

namespace purview_python {
namespace {

/// Throws `IndexError` unless a mask has the extents of its axes, or no elements: then it selects none, whatever they have.
void require_fit(const Array& mask, pv::ShapeSpan extents) {
    const pv::Shape shape = pv::to_shape(mask.shape());
    for (std::size_t a = 0; mask.size() > 0 && a < shape.size(); ++a)
        if (shape[a] != extents[a])
            throw pv::IndexError("a mask of shape " + pv::to_string(mask.shape()) +
                                 " does not fit axes of shape " + pv::to_string(extents));
}

/// The indexes of true elements: a list for each axis.
std::vector<Array> lists_of(const Array& mask, pv::ShapeSpan extents) {
    require_fit(mask, extents);
    const pv::Shape shape = pv::to_shape(mask.shape());
    const pv::Shape all = {-1};
    const Array flat = realised(computing(mask.size(), [&]() -> Array {
        return pv::true_indexes(pv::reshape_operand(mask.operand(), all));
    }));
    std::vector<Array> lists;
    for (const auto& list : pv::unravel_index(flat, pv::AxisValues(shape)))
        lists.emplace_back(list);
    return lists;
}

} // namespace

Array basic_view(const Array& x, std::span<const pv::TensorIndex> indexes) {
    return Array::view_of(x, pv::select_operand(x.operand(), indexes));
}

bool are_adjacent(const Key& key) {
    int first = -1;
    int last = -1;
    int count = 0;
    for (int i = 0; i < static_cast<int>(key.indexes.size()); ++i)
        if (key.lists[i] || key.masks[i] || key.is_integer(i)) {
            first = first < 0 ? i : first;
            last = i;
            ++count;
        }
    return count == last - first + 1;
}

Array masked_rows(const Array& x, const Array& mask) {
    const auto rank = static_cast<std::size_t>(mask.rank());
    const pv::ShapeSpan extents = x.dimensions().max_shape();
    require_fit(mask, extents.first(rank));
    pv::Shape shape = {mask.size()};
    for (const pv::index_t extent : extents.subspan(rank)) shape.push_back(extent);
    const pv::Shape all = {-1};
    const Array flat(pv::reshape_operand(mask.operand(), all));
    const pv::TensorIndex rows[] = {static_cast<const pv::TensorHandle&>(flat)};
    return basic_view(Array::view_of(x, pv::reshape_operand(x.operand(), shape)), rows);
}

Key without_masks(const Array& x, const Key& key) {
    if (key.axes > x.rank())
        throw pv::IndexError("an index of " + std::to_string(key.axes) +
                             " axes for an array of rank " + std::to_string(x.rank()));
    const pv::ShapeSpan shape = x.dimensions().max_shape();
    Key result;
    std::size_t axis = 0;
    for (std::size_t i = 0; i < key.indexes.size(); ++i) {
        if (!key.masks[i]) {
            result.add(key.indexes[i], key.lists[i]);
            axis += key.indexes[i].is_ellipsis()
                        ? static_cast<std::size_t>(x.rank() - key.axes)
                        : static_cast<std::size_t>(key.indexes[i].axes_consumed());
            continue;
        }
        const auto rank = static_cast<std::size_t>(key.masks[i]->rank());
        for (Array& list : lists_of(*key.masks[i], shape.subspan(axis, rank)))
            result.add(pv::all, std::move(list));
        axis += rank;
    }
    return result;
}

Array gathered(const Array& x, Key key) {
    if (!key.has_ellipsis) key.add(pv::ellipsis);
    std::vector<pv::TensorIndex> views;
    std::vector<pv::Operand> indexes;
    pv::Shape axes;
    pv::index_t axis = 0; // of the view
    for (std::size_t i = 0; i < key.indexes.size(); ++i) {
        const pv::IndexArgument argument = key.indexes[i].argument();
        if (const auto* const integer = std::get_if<pv::index_t>(&argument)) {
            views.emplace_back(pv::all);
            indexes.push_back(pv::constant_operand(static_cast<std::int64_t>(*integer)));
            axes.push_back(axis++);
            continue;
        }
        views.push_back(key.indexes[i]);
        if (key.lists[i]) {
            indexes.push_back(indexes_for(x, cast_to(*key.lists[i], pv::int64)).operand());
            axes.push_back(axis);
        }
        if (key.indexes[i].is_ellipsis())
            axis += x.rank() - key.axes;
        else
            ++axis;
    }
    std::vector<pv::Operand> broadcast = indexes;
    try {
        pv::broadcast_operands(broadcast, "index");
    } catch (const pv::ShapeError& error) { // NumPy's kind of error
        throw pv::IndexError(error.what());
    }
    const pv::index_t rank = broadcast[0].dims.rank();
    const Array view = basic_view(x, views);
    pv::Operand result = pv::take_operand(view.operand(), axes, indexes);
    if (are_adjacent(key) && axes[0] > 0) { // the axes of the lists, now first, back to their place
        pv::Shape order;
        for (pv::index_t a = 0; a < axes[0]; ++a) order.push_back(rank + a);
        for (pv::index_t a = 0; a < rank; ++a) order.push_back(a);
        for (pv::index_t a = rank + axes[0]; a < result.dims.rank(); ++a) order.push_back(a);
        result = pv::transpose_operand(result, order);
    }
    return Array::view_of(x, std::move(result));
}

} // namespace purview_python
