// Views of other shapes, and arrays put together.

#include "manipulation.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "devices.hpp"
#include "dtypes.hpp"
#include "options.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/functional/assembly/triangle.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <vector>

namespace purview_python {
namespace {

Array view_of(const Array& x, pv::ViewOperand view, pv::ShapeSpan values) {
    return Array::view_of(x, view(x.operand(), values));
}

template <pv::ViewOperand view>
void bind_view(nb::module_& module, const char* name, const char* values, const char* text) {
    module.def(
        name,
        [](nb::handle x, nb::handle given) {
            return view_of(as_array(x), view, integers_of(given));
        },
        nb::arg("x"), nb::arg(values), text);
}

std::vector<pv::Operand> operands_of(nb::handle arrays) {
    std::vector<pv::Operand> operands;
    for (nb::handle each : arrays) operands.push_back(as_array(each).operand());
    const TimeUnit* finest = nullptr; // times of several units are joined in the finest
    bool differ = false;
    for (const pv::Operand& each : operands) {
        const TimeKind kind = kind_of(each.dtype());
        if (kind.unit == nullptr || kind.is_point != kind_of(operands[0].dtype()).is_point)
            return operands;
        differ = differ || (finest != nullptr && finest != kind.unit);
        finest = finest == nullptr ? kind.unit : std::min(finest, kind.unit);
    }
    if (differ)
        for (pv::Operand& each : operands) {
            const TimeKind kind = kind_of(each.dtype());
            each = times_from(counts_in(each, kind, *finest, pv::Quotient::down),
                              TimeKind{finest, kind.is_point}.dtype())
                       .operand();
        }
    return operands;
}

} // namespace

void bind_manipulation(nb::module_& module) {
    bind_view<pv::reshape_operand>(module, "reshape", "shape",
                                   "The elements in row-major order in another shape.");
    bind_view<pv::transpose_operand>(module, "permute_dims", "axes",
                                     "The axes in another order, each named once: a view.");
    bind_view<pv::squeeze_operand>(module, "squeeze", "axis", "Drops axes of size 1: a view.");
    bind_view<pv::new_axis_operand>(module, "expand_dims", "axis",
                                    "Inserts an axis of size 1: a view.");
    bind_view<pv::tile_operand>(
        module, "tile", "reps",
        "The array repeated along its axes, as often as each of the repetitions says: a view that only reads.");
    module.def(
        "broadcast_to",
        [](nb::handle x, nb::handle shape) {
            const Array array = as_array(x);
            const pv::Shape extents = integers_of(shape);
            std::array<pv::Operand, 2> both = {array.operand(),
                                               pv::constant_operand(false, extents)};
            pv::broadcast_operands(both, "broadcast_to");
            if (both[0].dims.max_shape().size() != extents.size() ||
                both[0].dims.size() != both[1].dims.size() ||
                !std::ranges::equal(both[0].dims.max_shape(), extents))
                throw pv::ShapeError("broadcast_to: shape " + pv::to_string(array.shape()) +
                                     " does not broadcast to " + pv::to_string(extents));
            return Array(both[0]);
        },
        nb::arg("x"), nb::arg("shape"),
        "The array at a larger shape: a view that only reads. ShapeError where an axis is neither 1 nor as large.");
    module.def(
        "flip",
        [](nb::handle x, nb::handle axis) {
            const Array array = as_array(x);
            return view_of(array, pv::flip_operand,
                           axis.is_none() ? pv::reversed_axes(array.dimensions().max_shape())
                                          : integers_of(axis));
        },
        nb::arg("x"), nb::arg("axis") = nb::none(),
        "The elements in reversed order along an axis, several, or all: a view.");
    module.def(
        "roll",
        [](nb::handle x, nb::handle shift, nb::handle axis) {
            const Array array = as_array(x);
            if (axis.is_none()) {
                const pv::index_t flat = -1;
                const Array line = view_of(array, pv::reshape_operand, pv::ShapeSpan(&flat, 1));
                const pv::Shape zero = {0};
                const Array rolled = view_of(line, pv::rotate_operand,
                                             pv::roll_amounts(1, integers_of(shift), zero));
                return view_of(rolled, pv::reshape_operand, array.dimensions().max_shape());
            }
            pv::Shape shifts = integers_of(shift);
            const pv::Shape axes = integers_of(axis);
            while (shifts.size() == 1 && axes.size() > shifts.size())
                shifts = pv::Shape(axes.size(), shifts[0]);
            return view_of(array, pv::rotate_operand, pv::roll_amounts(array.rank(), shifts, axes));
        },
        nb::arg("x"), nb::arg("shift"), nb::arg("axis") = nb::none(),
        "The elements moved on along an axis, or in row-major order; what leaves at one end comes in at the other. A view.");
    module.def(
        "concat",
        [](nb::handle arrays, nb::handle axis, nb::handle dtype) {
            std::vector<pv::Operand> operands = operands_of(arrays);
            if (!dtype.is_none())
                for (pv::Operand& each : operands)
                    each = cast_to(Array(each), dtype_of(dtype)).operand();
            pv::index_t along = 0;
            if (axis.is_none()) {
                const pv::index_t flat = -1;
                for (pv::Operand& each : operands)
                    each = pv::reshape_operand(each, pv::ShapeSpan(&flat, 1));
            } else {
                along = integer_of("concat: an axis", axis);
            }
            return pv::joined_any(pv::Joining::concat, std::move(operands), along);
        },
        nb::arg("arrays"), nb::arg("axis").none() = 0, nb::kw_only(), nb::arg("dtype") = nb::none(),
        "Arrays one after the other along an axis, or flattened for None: lazy. Their other axes agree.");
    module.def(
        "stack",
        [](nb::handle arrays, Py_ssize_t axis) {
            return pv::joined_any(pv::Joining::stack, operands_of(arrays),
                                  static_cast<pv::index_t>(axis));
        },
        nb::arg("arrays"), nb::arg("axis") = 0,
        "Arrays of one shape beside each other along a new axis: lazy.");
    module.def(
        "take",
        [](nb::handle x, nb::handle indices, Py_ssize_t axis) {
            const Array array = as_array(x);
            return Array(pv::take_operand(array.operand(),
                                          indexes_for(array, as_array(indices)).operand(),
                                          static_cast<pv::index_t>(axis)));
        },
        nb::arg("x"), nb::arg("indices"), nb::arg("axis"));
    module.def(
        "take_along_axis",
        [](nb::handle x, nb::handle indices, Py_ssize_t axis) {
            const Array array = as_array(x);
            return Array(pv::take_along_axis_operand(
                array.operand(), indexes_for(array, as_array(indices)).operand(),
                static_cast<pv::index_t>(axis)));
        },
        nb::arg("x"), nb::arg("indices"), nb::arg("axis"));
    module.def(
        "tril",
        [](nb::handle x, Py_ssize_t k) {
            const Array array = as_array(x);
            return Array(pv::lower_triangle_operand(array.operand(), k, array.rank()));
        },
        nb::arg("x"), nb::arg("k"));
    module.def(
        "triu",
        [](nb::handle x, Py_ssize_t k) {
            const Array array = as_array(x);
            return Array(pv::upper_triangle_operand(array.operand(), k, array.rank()));
        },
        nb::arg("x"), nb::arg("k"));
}

} // namespace purview_python
