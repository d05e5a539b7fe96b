// Reductions of windows: of a number of elements, of keys, of ranges, of all elements so far.

#include "windows.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "options.hpp"
#include "own_reducers.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/along/ewma.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/functional/along/window_ranges.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/slices.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>

#include <algorithm>

namespace purview_python {

void append_results(nb::handle function, const pv::Operand& values,
                    std::span<const pv::index_t> begins, std::span<const pv::index_t> ends,
                    nb::list& results) {
    for (std::size_t i = 0; i < begins.size(); ++i)
        results.append(running_python(
            [&] { return function(Array(pv::elements_between(values, begins[i], ends[i]))); }));
}

Array array_of_results(const char* what, const nb::list& results) {
    const nb::object numbers_of = running_python(
        [] { return nb::object(nb::module_::import_("purview._lanes").attr("numbers_of")); });
    return nb::cast<Array>(running_python([&] { return numbers_of(what, results); }));
}

namespace {

/// The results of a Python function of each window.
pv::Operand by_function(const char* what, const pv::LaneWindows& windows, nb::handle function) {
    const pv::Shape shape = {windows.groups, windows.length};
    const pv::Operand lanes =
        pv::reshape_operand(pv::dense_clone_tensor(Array(windows.lanes)).operand(), shape);
    const Locked locked; // not before: functions of Python may be read
    nb::list results;
    const pv::WindowRanges listed = windows.listed();
    for (pv::index_t group = 0; group < windows.groups; ++group)
        append_results(function, pv::slice_operand(lanes, 1, false, group), listed.begin,
                       listed.end, results);
    return pv::with_incomplete(
        pv::reshape_operand(array_of_results(what, results).operand(), windows.shape),
        windows.incomplete);
}

pv::WindowPosition position_named(const char* what, std::string_view name) {
    using pv::WindowPosition;
    static constexpr Named<WindowPosition> kPositions[] = {
        {"centre", WindowPosition::centre},     {"center", WindowPosition::centre},
        {"trailing", WindowPosition::trailing}, {"leading", WindowPosition::leading},
        {"left", WindowPosition::left},         {"right", WindowPosition::right}};
    return named(what, "position", name, kPositions);
}

/// The result of `work` on lanes of numbers, of which windows as long as a lane may take any time: then Ctrl-C ends it.
template <typename Work>
Array worked_windows(const char* what, const Array& x, const pv::ChosenAxis& axis, Work work) {
    if (axis.nan == pv::NanRule::refuse) pv::require_no_nan(what, x.operand(), {});
    pv::index_t longest = 4;
    for (const pv::index_t extent : x.shape()) longest = std::max(longest, extent);
    return computing(steps(x.size(), longest), [&] {
        return Array::writable(pv::worked_along(what, x.operand(), axis, work));
    });
}

/// What computes windows of a lane: a reduction by its name, with a policy for NaN, or a Python function.
class Windowed {
public:
    Windowed(const char* what, nb::handle reduction, std::string_view nan)
        : what_(what), nan_(nan_rule(what, nan)) {
        if (const OwnReducer* const own = own_reducer_in(reduction)) {
            own_ = own->functions;
            if (own_->width() > 0)
                throw pv::ShapeError(std::string(what) + ": a window has one result, and no list");
        } else if (is_own_function(what, reduction, nan_))
            function_ = nb::borrow(reduction);
        else
            named_ = named_reduction(what, reduction);
    }

    pv::NanRule nan() const { return nan_; }
    pv::ChosenReducer by() const { return {named_.get(), own_.get(), nan_}; }
    pv::Operand rolled(const pv::AxisParts& parts, pv::index_t width,
                       const pv::RollingOptions& options, const pv::ChosenAxis& axis) const {
        if (function_ || own_)
            return by_own(pv::rolling_windows(what_, parts, width, options, axis));
        return pv::rolled_windows(what_, parts, width, by(), options, axis);
    }
    pv::Operand of_ranges(const pv::AxisParts& parts, const pv::WindowRanges& ranges) const {
        if (function_ || own_) return by_own(pv::windows_of_lanes(parts, ranges));
        return pv::folded_windows(what_, by(), parts, ranges);
    }
    pv::Operand expanding(const pv::AxisParts& parts) const {
        if (function_ || own_) return by_own(pv::expanding_windows(parts));
        return pv::expanded(what_, parts, by());
    }

private:
    pv::Operand by_own(const pv::LaneWindows& windows) const {
        if (own_) return pv::own_windows(windows, *own_, nan_ == pv::NanRule::skip);
        return by_function(what_, windows, function_);
    }

    const char* what_;
    pv::NanRule nan_;
    NamedReduction named_;
    nb::object function_;
    std::shared_ptr<const pv::FunctionReducer> own_;
};

template <typename K>
std::vector<K> keys_as(const Array& keys) {
    return pv::to_vector(
        pv::Tensor<K>(pv::convert_operand(keys.operand(), pv::kDType<K>, pv::Op::cast)));
}

/// Keys that are times, and a width that is a duration, in ticks of the finer unit.
pv::WindowRanges windows_of_times(const Array& keys, TimeKind kind, nb::handle width,
                                  pv::WindowPosition position, pv::WindowTies ties) {
    const Array wide = as_array(width);
    const TimeKind of_width = kind_of(wide.dtype());
    if (of_width.unit == nullptr || of_width.is_point || wide.rank() != 0)
        throw nb::type_error("variable_rolling_window: the width between times is a timedelta64");
    const TimeUnit& unit = *std::min(kind.unit, of_width.unit);
    const auto ticks = [&](const Array& times, TimeKind of) {
        return Array(counts_in(times.operand(), of, unit, pv::Quotient::down));
    };
    const std::vector<std::int64_t> counts = keys_as<std::int64_t>(ticks(keys, kind));
    if (const auto nat = std::ranges::find(counts, kNaT); nat != counts.end())
        pv::throw_keys_unsorted(nat - counts.begin());
    return pv::windows_of(counts, pv::Tensor<std::int64_t>(ticks(wide, of_width).operand()).item(),
                          position, ties);
}

pv::WindowTies ties_named(const char* what, std::string_view name) {
    static constexpr Named<pv::WindowTies> kTies[] = {{"in_order", pv::WindowTies::in_order},
                                                      {"together", pv::WindowTies::together}};
    return named(what, "ties", name, kTies);
}

pv::WindowRanges windows_of_keys(const Array& keys, nb::handle width, pv::WindowPosition position,
                                 pv::WindowTies ties) {
    pv::check_rank("variable_rolling_window: the keys", keys.rank(), 1);
    if (const TimeKind kind = kind_of(keys.dtype()); kind.unit != nullptr)
        return windows_of_times(keys, kind, width, position, ties);
    if (PyNumber_Check(width.ptr()) == 0 || nb::isinstance<nb::str>(width))
        throw nb::type_error(
            ("variable_rolling_window: the width is a number, not " + message_text(width)).c_str());
    const std::optional<pv::index_t> integer = try_integer(width);
    if (!keys.dtype().is_floating() && integer)
        return pv::windows_of(keys_as<std::int64_t>(keys), *integer, position, ties);
    return pv::windows_of(keys_as<double>(keys), nb::cast<double>(width), position, ties);
}

} // namespace

void bind_windows(nb::module_& module) {
    module.def(
        "fixed_rolling_window",
        [](nb::handle x, Py_ssize_t width, nb::handle reduction, Py_ssize_t axis,
           std::string_view position, std::string_view edge, Py_ssize_t step,
           std::optional<double> incomplete, std::string_view nan) {
            constexpr const char* kName = "fixed_rolling_window";
            const Windowed windowed(kName, reduction, nan);
            const pv::RollingOptions options = {.position = position_named(kName, position),
                                                .edge = pad_mode(kName, "edge", edge),
                                                .step = step,
                                                .incomplete = incomplete};
            const Array array = number_array(x);
            const pv::ChosenAxis along = chosen_axis(array, axis, windowed.nan());
            return worked_windows(kName, array, along, [&](const pv::AxisParts& parts) {
                return windowed.rolled(parts, width, options, along);
            });
        },
        nb::arg("x"), nb::arg("width"), nb::arg("reduction"), nb::kw_only(), nb::arg("axis") = -1,
        nb::arg("position") = "centre", nb::arg("edge") = "edge", nb::arg("step") = 1,
        nb::arg("incomplete") = nb::none(), nb::arg("nan") = "keep",
        "A reduction, by its name, or what a function makes of the array, of the window of `width` elements of each element along an axis: around it, or "
        "\"trailing\" (which ends there, as pandas' rolling) or \"leading\". Beyond the ends is what pad's modes say, or windows "
        "that reach there give `incomplete`. sum, prod, mean, min, max, var and std and their "
        "like are O(n): a step for each element, whatever the width; median and ('quantile', 0.9) keep a sorted window; others are O(n width). ShapeError of a width or step below 1.");
    module.def(
        "variable_rolling_window",
        [](nb::handle x, nb::handle keys, nb::handle width, nb::handle reduction, Py_ssize_t axis,
           std::string_view position, Py_ssize_t step, std::string_view ties,
           std::string_view nan) {
            constexpr const char* kName = "variable_rolling_window";
            const Windowed windowed(kName, reduction, nan);
            const Array array = number_array(x);
            const pv::WindowRanges all_of_them =
                windows_of_keys(number_array(keys), width, position_named(kName, position),
                                ties_named(kName, ties));
            const auto count = static_cast<pv::index_t>(all_of_them.begin.size());
            const pv::WindowRanges ranges = pv::every_range(kName, all_of_them, step);
            return worked_windows(kName, array, chosen_axis(array, axis, windowed.nan()),
                                  [&](const pv::AxisParts& parts) {
                                      pv::require_keys(count, parts.length);
                                      return windowed.of_ranges(parts, ranges);
                                  });
        },
        nb::arg("x"), nb::arg("keys"), nb::arg("width"), nb::arg("reduction"), nb::kw_only(),
        nb::arg("axis") = -1, nb::arg("position") = "trailing", nb::arg("step") = 1,
        nb::arg("ties") = "in_order", nb::arg("nan") = "keep",
        "A reduction of each element and those before it whose ascending keys [n] lie less than `width` before its own, "
        "as pandas' rolling(\"5min\"): none behind it, also none of an equal key, but with ties=\"together\", which gives "
        "equal keys the same window, as SQL's RANGE (\"leading\": the element and those behind it; \"centre\": at most half "
        "the width to both sides, equal keys too). Otherwise as fixed_rolling_window. "
        "Error of keys that do not ascend and of a width that is not positive, ShapeError of a wrong number of keys.");
    module.def(
        "range_windows",
        [](nb::handle x, nb::handle begins, nb::handle ends, nb::handle reduction, Py_ssize_t axis,
           std::string_view nan) {
            constexpr const char* kName = "range_windows";
            const Windowed windowed(kName, reduction, nan);
            const Array array = number_array(x);
            const pv::WindowRanges ranges{pv::window_ends(kName, as_array(begins).operand()),
                                          pv::window_ends(kName, as_array(ends).operand())};
            pv::require_pairs(kName, ranges);
            return worked_windows(kName, array, chosen_axis(array, axis, windowed.nan()),
                                  [&](const pv::AxisParts& parts) {
                                      pv::require_within(kName, ranges, parts);
                                      return windowed.of_ranges(parts, ranges);
                                  });
        },
        nb::arg("x"), nb::arg("begins"), nb::arg("ends"), nb::arg("reduction"), nb::kw_only(),
        nb::arg("axis") = -1, nb::arg("nan") = "keep",
        "A reduction of the elements [begins[i], ends[i]) along an axis, and of no others, for each i of two arrays of integers [k]. "
        "sum, prod, mean, min, max are O(n) of ends that ascend. IndexError of ends outside, ShapeError of extremes "
        "of an empty window.");
    module.def(
        "expanding_window",
        [](nb::handle x, nb::handle reduction, Py_ssize_t axis, std::string_view nan) {
            constexpr const char* kName = "expanding_window";
            const Windowed windowed(kName, reduction, nan);
            const Array array = number_array(x);
            return worked_windows(
                kName, array, chosen_axis(array, axis, windowed.nan()),
                [&](const pv::AxisParts& parts) { return windowed.expanding(parts); });
        },
        nb::arg("x"), nb::arg("reduction"), nb::kw_only(), nb::arg("axis") = -1,
        nb::arg("nan") = "keep",
        "A reduction of each element and all before it along an axis, in the shape of x. sum, prod, mean, min, max "
        "are O(n), median and ('quantile', 0.9) O(n log n), others O(n length).");
    module.def(
        "ewma",
        [](nb::handle x, std::optional<double> alpha, std::optional<double> span,
           std::optional<double> halflife, std::optional<double> com, bool adjust, bool ignore_na,
           Py_ssize_t axis) {
            const Array array = number_array(x);
            const pv::EwmaOptions options = {.alpha = alpha,
                                             .span = span,
                                             .halflife = halflife,
                                             .com = com,
                                             .adjust = adjust,
                                             .ignore_na = ignore_na};
            return worked_along(
                "ewma", array, chosen_axis(array, axis),
                [&](const pv::AxisParts& parts) { return pv::ewma_of(parts, options); });
        },
        nb::arg("x"), nb::kw_only(), nb::arg("alpha") = nb::none(), nb::arg("span") = nb::none(),
        nb::arg("halflife") = nb::none(), nb::arg("com") = nb::none(), nb::arg("adjust") = true,
        nb::arg("ignore_na") = false, nb::arg("axis") = -1,
        "The exponentially weighted moving average of each element and all before it along an axis, as pandas' "
        "ewm(span=20).mean(): by exactly one of alpha, span, halflife and com, else an Error. NaN and infinities repeat the average before them. O(n).");
}

} // namespace purview_python
