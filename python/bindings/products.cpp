// Distances, products, comparisons of whole arrays, and what surrounds an array.

#include "products.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "options.hpp"
#include "python_arithmetic.hpp"
#include "truth.hpp"

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/functional/assembly/triangle.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/functional/elementwise/outer.hpp>
#include <purview/functional/reductions/distance.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/named/softmax.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

namespace purview_python {
namespace {

template <bool root>
void bind_distance(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, nb::handle y, nb::handle axis, Truth keepdims, std::string_view nan) {
            const Array a = number_array(x);
            const Array b = number_array(y);
            for (const Array& each : {a, b})
                if (!each.dtype().is_builtin()) pv::throw_dtype_unsupported(name, each.dtype());
            const bool narrow = a.dtype() == pv::float32 && b.dtype() == pv::float32;
            const pv::DType type = narrow ? pv::float32 : pv::float64;
            const Array apart =
                pv::any_binary(pv::Op::subtract, {cast_to(a, type).operand(), false},
                               {cast_to(b, type).operand(), false});
            const pv::ChosenAxes chosen =
                chosen_axes(axis, apart.rank(), keepdims, nan_rule(name, nan));
            const pv::BuiltInReduction& magnitude = pv::magnitude_reduction(root);
            const bool is_put_off =
                apart.operand().node->reads(pv::Below::symbol) && chosen.nan == pv::NanRule::keep;
            if (is_put_off) return Array(pv::reduce_to_node(magnitude, apart.operand(), chosen));
            return computing(apart.size(), [&] {
                return Array(pv::reduce_any(magnitude, apart.operand(), chosen));
            });
        },
        nb::arg("x"), nb::arg("y"), nb::arg("axis") = nb::none(), nb::kw_only(),
        nb::arg("keepdims") = false, nb::arg("nan") = "keep", text);
}

void bind_products(nb::module_& module) {
    bind_distance<true>(
        module, "distance",
        "The Euclidean distance of two arrays that broadcast, over axes: the root of the "
        "sum of the squares of x - y. float32 of two of float32, else float64. O(n), "
        "without memory for the differences. ShapeError.");
    bind_distance<false>(module, "distance_squared",
                         "The sum of the squares of x - y over axes. Otherwise as distance.");
    module.def(
        "dot",
        [](nb::handle x, nb::handle y) {
            const Array a = number_array(x);
            const Array b = number_array(y);
            return computing(a.size(), [&] {
                return pv::any_sum_of_products("dot", pv::dot_factors(a.operand(), b.operand()));
            });
        },
        nb::arg("x"), nb::arg("y"),
        "The sum of the products of two arrays [n], of rank 0. ShapeError of other ranks and "
        "lengths (matmul is of matrices).");
    module.def(
        "outer",
        [](nb::handle x, nb::handle y) -> Array { return pv::outer(as_array(x), as_array(y)); },
        nb::arg("x"), nb::arg("y"),
        "The products of each element of x and each of y, in row-major order: [n] × [m] → [n, m]. "
        "Lazy.");
    module.def(
        "kron",
        [](nb::handle x, nb::handle y) -> Array {
            const Array a = as_array(x);
            const Array b = as_array(y);
            return computing(1 << 20, [&]() -> Array { return pv::kron(a, b); });
        },
        nb::arg("x"), nb::arg("y"),
        "The Kronecker product, blocks of y times each element of x: [a, b] × [c, d] → [a c, b d], "
        "of any rank. In new memory.");
    module.def(
        "normalize",
        [](nb::handle x) -> Array {
            const Array array = number_array(x);
            if (!array.dtype().is_builtin())
                pv::throw_dtype_unsupported("normalize", array.dtype());
            return computing(array.size(), [&]() -> Array { return pv::normalize(array); });
        },
        nb::arg("x"),
        "x by its Euclidean norm, so that squares add up to 1: NaN of zeros. The norm is computed "
        "now, O(n); the quotient is lazy.");
}

pv::Tolerance tolerance_of(double relative, double absolute, bool nan_equal) {
    return {.relative = relative, .absolute = absolute, .nan_equal = nan_equal};
}

void bind_comparisons(nb::module_& module) {
    module.def(
        "equals",
        [](nb::handle x, nb::handle y, std::optional<double> tolerance) {
            const Array a = number_array(x);
            const Array b = number_array(y);
            return computing(a.size(), [&]() -> bool {
                return tolerance ? pv::equals(a, b, *tolerance) : pv::equals(a, b);
            });
        },
        nb::arg("x"), nb::arg("y"), nb::arg("tolerance") = nb::none(),
        "Whether two arrays have one shape and equal elements, or, with a tolerance, a distance "
        "that is not above it: a bool. NaN equals nothing. O(n).");
    module.def(
        "isclose",
        [](nb::handle x, nb::handle y, double relative, double absolute, Truth nan_equal) {
            return pv::any_close(operand_of(x), operand_of(y),
                                 tolerance_of(relative, absolute, nan_equal));
        },
        nb::arg("x"), nb::arg("y"), nb::arg("rtol") = 1e-5, nb::arg("atol") = 1e-8,
        nb::arg("equal_nan") = false,
        "Whether elements are close, |x - y| <= atol + rtol |y|, as NumPy's: bools of the "
        "common shape. Lazy.");
    module.def(
        "allclose",
        [](nb::handle x, nb::handle y, double relative, double absolute, Truth nan_equal) {
            const Array close = pv::any_close(operand_of(x), operand_of(y),
                                              tolerance_of(relative, absolute, nan_equal));
            return computing(close.size(), [&]() -> bool { return pv::all_of(close.as<bool>()); });
        },
        nb::arg("x"), nb::arg("y"), nb::arg("rtol") = 1e-5, nb::arg("atol") = 1e-8,
        nb::arg("equal_nan") = false,
        "Whether all elements are close, after broadcasting: a bool. O(n). ShapeError.");
    module.def(
        "nan_to_num",
        [](nb::handle x, double nan, std::optional<double> positive_infinity,
           std::optional<double> negative_infinity) {
            return Array(pv::finite_operand(as_array(x).operand(),
                                            {.nan = nan,
                                             .positive_infinity = positive_infinity,
                                             .negative_infinity = negative_infinity}));
        },
        nb::arg("x"), nb::kw_only(), nb::arg("nan") = 0.0, nb::arg("posinf") = nb::none(),
        nb::arg("neginf") = nb::none(),
        "NaN as 0, infinities as the greatest and the least finite number of the type, or as given. "
        "Of the type of x, integers as they are. Lazy.");
}

pv::PadWidth width_of(nb::handle pair) {
    const pv::Shape both = integers_of(pair);
    if (both.size() == 1) return {both[0], both[0]};
    if (both.size() != 2) throw nb::value_error("pad: a width is a number, or (before, after)");
    return {both[0], both[1]};
}

pv::PadWidths widths_of(nb::handle given) {
    const auto is_list = [](nb::handle object) { return !try_integer(object); };
    pv::PadWidths widths;
    bool nested = false;
    if (is_list(given) && PySequence_Check(given.ptr()) != 0 && !nb::isinstance<nb::str>(given))
        for (nb::handle each : given) nested = nested || is_list(each);
    if (!nested) return {width_of(given)};
    for (nb::handle each : given) widths.push_back(width_of(each));
    return widths;
}

void bind_surroundings(nb::module_& module) {
    module.def(
        "pad",
        [](nb::handle x, nb::handle widths, std::string_view mode, nb::handle value) {
            const Array array = as_array(x);
            const pv::PadMode how = pad_mode("pad", "mode", mode);
            const std::optional<pv::WeakOperand> given = try_operand(value);
            if (!given || given->operand.dims.rank() != 0)
                throw nb::type_error("pad: the value is a number");
            // At once, so that a value that does not fit is refused here.
            const Array fill =
                realised(Array(pv::convert_operand(given->operand, array.dtype(), pv::Op::cast)));
            return Array(pv::pad_operand(array.operand(),
                                         pv::pad_widths(widths_of(widths), array.rank()), how,
                                         fill.operand()));
        },
        nb::arg("x"), nb::arg("pad_width"), nb::arg("mode") = "constant", nb::kw_only(),
        nb::arg("constant_values") = 0,
        "x with elements around it: a number of them on all sides, (before, after) of all axes, or a "
        "list of both for each axis; negative ones cut. They are a value, or by mode \"edge\", "
        "\"reflect\", \"symmetric\", \"wrap\" x's own, as NumPy's. Lazy. ShapeError, CastError.");
    module.def(
        "rot90",
        [](nb::handle x, Py_ssize_t turns, nb::handle axes) {
            const Array array = as_array(x);
            const pv::Shape plane = integers_of(axes);
            if (plane.size() != 2)
                throw pv::ShapeError("rot90: two axes make a plane, not " +
                                     std::to_string(plane.size()));
            const pv::Shape given = {plane[0], plane[1], static_cast<pv::index_t>(turns)};
            return Array::view_of(array, pv::rot90_operand(array.operand(), given));
        },
        nb::arg("x"), nb::arg("k") = 1, nb::arg("axes") = nb::make_tuple(0, 1),
        "The plane of two axes rotated by right angles, from the first towards the second: a view. "
        "IndexError of equal axes.");
    module.def(
        "diag",
        [](nb::handle x, Py_ssize_t offset) {
            const Array array = as_array(x);
            return Array(pv::diag_operand(array.operand(), offset, array.rank()));
        },
        nb::arg("x"), nb::arg("k") = 0,
        "A square matrix with the elements of x [n] on a diagonal, or the diagonal of a matrix. "
        "Lazy. ShapeError of other ranks.");
}

} // namespace

void bind_whole_arrays(nb::module_& module) {
    bind_products(module);
    bind_comparisons(module);
    bind_surroundings(module);
}

} // namespace purview_python
