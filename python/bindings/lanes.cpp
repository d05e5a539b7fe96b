// What works along an axis: scans, order, gaps, filters, interpolation; and what searches.

#include "lanes.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "interpreter_lock.hpp"
#include "options.hpp"
#include "python_arithmetic.hpp"
#include "time_reductions.hpp"
#include "truth.hpp"

#include <purview/functional/along/convolve.hpp>
#include <purview/functional/along/differences.hpp>
#include <purview/functional/along/fill_gaps.hpp>
#include <purview/functional/along/interp.hpp>
#include <purview/functional/along/isin.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/assembly/index_sets.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

namespace purview_python {
namespace {

template <pv::Reduction reduction>
void bind_scan(nb::module_& module, const char* text) {
    static constexpr const char* kName = pv::scan_name(reduction);
    module.def(
        kName,
        [](nb::handle x, Py_ssize_t axis, std::string_view nan) {
            const Array array = number_array(x);
            const pv::ChosenAxis along = chosen_axis(array, axis, nan_rule(kName, nan));
            return worked_along(kName, array, along, [&](const pv::AxisParts& parts) {
                return scanned_lanes(kName, reduction, parts, along.nan);
            });
        },
        nb::arg("x"), nb::arg("axis") = -1, nb::kw_only(), nb::arg("nan") = "keep", text);
}

template <pv::SortOrder order>
void bind_first(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, Py_ssize_t n, Py_ssize_t axis) {
            const Array array = number_array(x);
            return worked_along(name, array, chosen_axis(array, axis),
                                [&](const pv::AxisParts& parts) {
                                    return pv::first_in_order(name, parts, n, order);
                                });
        },
        nb::arg("x"), nb::arg("n"), nb::arg("axis") = -1, text);
}

void bind_order(nb::module_& module) {
    using pv::Reduction;
    bind_scan<Reduction::sum>(
        module,
        "The sum of each element and all before it along an axis, in the shape of x; integers in 64 "
        "bits. NaN stays to the end, or with nan=\"skip\" counts as 0. O(n).");
    bind_scan<Reduction::product>(
        module, "The product of each element and all before it. Otherwise as cumsum.");
    bind_scan<Reduction::minimum>(
        module,
        "The least of each element and all before it, NaN from the first NaN on, or with nan=\"skip\" "
        "up to the first number. O(n).");
    bind_scan<Reduction::maximum>(
        module, "The greatest of each element and all before it. Otherwise as cummin.");
    bind_first<pv::ascending>(
        module, "arg_min_n",
        "The indexes of the n least elements along an axis, the least first, int64. NaN comes "
        "last. O(size + n log n). IndexError of an n above the size of the axis.");
    bind_first<pv::descending>(
        module, "arg_max_n",
        "The indexes of the n greatest elements along an axis, the greatest first. Otherwise as "
        "arg_min_n.");
    module.def(
        "argpartition",
        [](nb::handle x, Py_ssize_t kth, Py_ssize_t axis, Truth descending) {
            const Array array = number_array(x);
            return worked_along(
                "argpartition", array, chosen_axis(array, axis), [&](const pv::AxisParts& parts) {
                    return pv::partitioned(parts, kth, descending ? pv::descending : pv::ascending);
                });
        },
        nb::arg("x"), nb::arg("kth"), nb::arg("axis") = -1, nb::kw_only(),
        nb::arg("descending") = false,
        "Indexes along an axis such that the kth is where sorting puts it, and those before it sort before it: "
        "int64, stable on both sides. O(n). IndexError.");
    module.def(
        "downsample",
        [](nb::handle x, Py_ssize_t count, Py_ssize_t axis) {
            const Array array = as_array(x);
            return Array(pv::worked_along(
                "downsample", array.operand(), chosen_axis(array, axis),
                [&](const pv::AxisParts& parts) { return pv::downsampled(parts, count); },
                pv::GivenParts::at_once));
        },
        nb::arg("x"), nb::arg("count"), nb::arg("axis") = -1,
        "Evenly spaced elements of an axis, those in the middle of equal parts; x itself if it has no more. "
        "ShapeError of a negative count.");
}

template <pv::FillFrom from>
void bind_fill(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, nb::handle mask, Py_ssize_t axis) {
            const Array array = number_array(x);
            const Array gaps = mask.is_none() ? array : as_array(mask);
            if (!mask.is_none() && gaps.dtype() != pv::boolean)
                pv::throw_dtype_unsupported(name, gaps.dtype());
            const pv::Operand where = gaps.operand();
            return worked_along(
                name, array, chosen_axis(array, axis), [&](const pv::AxisParts& parts) {
                    return pv::filled_gaps(name, parts, mask.is_none() ? nullptr : &where, from);
                });
        },
        nb::arg("x"), nb::arg("mask") = nb::none(), nb::arg("axis") = -1, text);
}

template <bool reversed>
void bind_convolution(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, nb::handle taps, Py_ssize_t axis, std::string_view mode,
               std::string_view edge) {
            static constexpr Named<pv::ConvolveMode> kModes[] = {
                {"full", pv::ConvolveMode::full},
                {"same", pv::ConvolveMode::same},
                {"valid", pv::ConvolveMode::valid}};
            const pv::ConvolveOptions options = {named(name, "mode", mode, kModes),
                                                 pad_mode(name, "edge", edge)};
            const Array array = number_array(x);
            const Array by = number_array(taps);
            const pv::DType type = pv::convolved_dtype(name, array.dtype(), by.dtype());
            return worked_along(
                name, array, chosen_axis(array, axis), [&](const pv::AxisParts& parts) {
                    return pv::convolved(name, parts, by.operand(), type, reversed, options);
                });
        },
        nb::arg("x"), nb::arg("taps"), nb::arg("axis") = -1, nb::kw_only(),
        nb::arg("mode") = "full", nb::arg("edge") = "constant", text);
}

void bind_filters(nb::module_& module) {
    bind_fill<pv::FillFrom::before>(
        module, "forward_fill",
        "Each NaN, or each element where a mask is true, as the last element before it along an "
        "axis that is none. O(n). ShapeError of a mask of another shape, DtypeError of one that "
        "is not of bools.");
    bind_fill<pv::FillFrom::behind>(module, "backward_fill",
                                    "The same with the next element behind a gap.");
    bind_convolution<true>(
        module, "convolve1d",
        "The convolution along an axis with taps [k], mode \"full\", \"same\" or \"valid\" as NumPy's; beyond the "
        "ends are zeros, or what pad's modes say. O(n k). ShapeError of no taps, and of too many for \"valid\".");
    bind_convolution<false>(module, "correlate1d",
                            "The same with the taps reversed: NumPy's correlate.");
    module.def(
        "gaussian1d",
        [](nb::handle x, double sigma, Py_ssize_t axis, double truncate, std::string_view edge) {
            const pv::GaussianOptions options = {truncate, pad_mode("gaussian1d", "edge", edge)};
            const Array array = number_array(x);
            return computing(steps(array.size(), 4), [&]() -> Array {
                return pv::gaussian1d(array, sigma, chosen_axis(array, axis), options);
            });
        },
        nb::arg("x"), nb::arg("sigma"), nb::arg("axis") = -1, nb::kw_only(),
        nb::arg("truncate") = 4.0, nb::arg("edge") = "symmetric",
        "x smoothed along an axis by a Gaussian window of standard deviation sigma, as SciPy's gaussian_filter1d. "
        "O(n sigma). Error unless sigma > 0.");
    module.def(
        "gradient1d",
        [](nb::handle x, double spacing, Py_ssize_t axis) -> Array {
            const Array array = number_array(x);
            return pv::gradient1d(array, spacing, chosen_axis(array, axis));
        },
        nb::arg("x"), nb::arg("spacing") = 1.0, nb::arg("axis") = -1,
        "The slope along an axis, as NumPy's gradient, in floats of the shape of x. Lazy. ShapeError of less than two "
        "elements.");
    module.def(
        "interp",
        [](nb::handle x, nb::handle xp, nb::handle fp, std::optional<double> left,
           std::optional<double> right, std::optional<double> period) -> Array {
            const Array places = number_array(x);
            const Array points = number_array(xp);
            const Array values = number_array(fp);
            const pv::InterpOptions options = {left, right, period};
            return computing(steps(places.size(), 4), [&]() -> Array {
                return owned(pv::interp(places, points, values, options));
            });
        },
        nb::arg("x"), nb::arg("xp"), nb::arg("fp"), nb::arg("left") = nb::none(),
        nb::arg("right") = nb::none(), nb::arg("period") = nb::none(),
        "The lines between points (xp, fp) at the places x, as NumPy's, of the shape of x. O(n log k). ShapeError "
        "unless xp and fp are of one length and rank 1, Error if xp descends.");
    module.def("_fill_range", [](nb::handle x, double max_span) {
        const Array array = number_array(x);
        const pv::FilledRange filled =
            computing(array.size(), [&] { return pv::fill_range(array, max_span); });
        return nb::make_tuple(owned(filled.values), owned(pv::indexes_of(filled.added)));
    });
}

/// `f(value)` with a Python number.
template <typename F>
auto with_number(const char* what, nb::handle value, F f) {
    if (PyBool_Check(value.ptr())) return f(value.is(nb::handle(Py_True)));
    if (PyFloat_Check(value.ptr())) return f(nb::cast<double>(value));
    if (nb::isinstance<Array>(value)) return with_number(what, value.attr("item")(), f);
    if (PyIndex_Check(value.ptr())) {
        const auto number = nb::steal(PyNumber_Index(value.ptr()));
        if (!number.is_valid()) nb::raise_python_error();
        std::int64_t small = 0;
        if (nb::try_cast(number, small)) return f(small);
        return f(nb::cast<std::uint64_t>(number));
    }
    if (!has_attribute(value, "__float__") || nb::isinstance<nb::str>(value))
        throw nb::type_error((std::string(what) + ": the value is a number").c_str());
    return f(nb::cast<double>(nb::float_(value))); // which throws what the conversion raises
}

template <bool last>
void bind_index_of(nb::module_& module, const char* name, const char* text) {
    module.def(
        name,
        [name](nb::handle x, nb::handle value) {
            const Array array = number_array(x);
            return with_number(name, value, [&](auto number) -> nb::object {
                const std::optional<pv::index_t> found = computing(
                    array.size(), [&] { return pv::IndexOfFunction<last>()(array, number); });
                return found ? nb::object(nb::int_(*found)) : nb::none();
            });
        },
        nb::arg("x"), nb::arg("value"), text);
}

void bind_searches(nb::module_& module) {
    bind_index_of<false>(
        module, "index_of",
        "The row-major index of the first element that equals a number, or None. O(n) up to "
        "that element.");
    bind_index_of<true>(module, "last_index_of", "The same of the last such element.");
    module.def("_binary_search", [](nb::handle x, nb::handle value) {
        const Array array = number_array(x);
        return with_number("binary_search", value, [&](auto number) -> nb::tuple {
            const pv::SearchResult result = pv::binary_search(array, number);
            return nb::make_tuple(result.found, result.position);
        });
    });
    module.def(
        "isin",
        [](nb::handle x, nb::handle others, Truth /*assume_unique*/, Truth invert) {
            const auto [array, among] = comparable_arrays(x, others);
            return computing(steps(array.size(), 10), [&, &array = array, &among = among] {
                const Array found = Array::writable(
                    pv::found_among({array.operand(), false}, {among.operand(), false}));
                return invert ? pv::dense_clone_tensor(inverted(found)) : found;
            });
        },
        nb::arg("x"), nb::arg("others"), nb::arg("assume_unique") = false,
        nb::arg("invert") = false,
        "Whether each element of x is one of others, an array of any shape: bools of the shape of x. NaN equals "
        "nothing. O(n log m), O(n + m) of integers in a small range.");
}

} // namespace

void bind_lanes(nb::module_& module) {
    bind_order(module);
    bind_filters(module);
    bind_searches(module);
}

} // namespace purview_python
