#pragma once

#include "array.hpp"
#include "computing.hpp"

#include <purview/functional/along/axis_parts.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

namespace purview_python {

/// What a Python keyword may be called.
template <typename T>
struct Named {
    const char* name;
    T value;
};
/// Throws `ValueError`: `what` has no `name`, and the known names.
[[noreturn]] void throw_unknown(const char* what, const char* keyword, std::string_view name,
                                const std::vector<const char*>& known);
template <typename T, std::size_t n>
T named(const char* what, const char* keyword, std::string_view name, const Named<T> (&known)[n]) {
    for (const Named<T>& each : known)
        if (name == each.name) return each.value;
    std::vector<const char*> names;
    for (const Named<T>& each : known) names.push_back(each.name);
    throw_unknown(what, keyword, name, names);
}

/// "keep", "skip" or "raise".
pv::NanRule nan_rule(const char* what, std::string_view name);

/// "constant", "edge", "reflect", "symmetric" or "wrap".
pv::PadMode pad_mode(const char* what, const char* keyword, std::string_view name);

/// An array of numbers: floats of 16 bits widened. Throws as `as_array`.
Array number_array(nb::handle object);

/// One integer by `__index__`, or several in anything that is iterated over. Throws `TypeError`.
pv::Shape integers_of(nb::handle object);
/// An integer by `__index__`, an array of rank 0 too; nothing for other objects.
std::optional<pv::index_t> try_integer(nb::handle object);
/// The same. Throws `TypeError` that begins with what it is.
pv::index_t integer_of(const char* what, nb::handle object);
std::vector<double> doubles_of(nb::handle object);

/// Axes of a reduction of an array of `rank` axes: one, several, or None for all of them.
pv::ChosenAxes chosen_axes(nb::handle axis, int rank, bool keep, pv::NanRule nan);
/// An axis of an array; -1 of an array of rank 0, which is one lane of one element.
pv::ChosenAxis chosen_axis(const Array& x, Py_ssize_t axis, pv::NanRule nan = pv::NanRule::keep);

/// The result of `work` on lanes of numbers, in new memory.
template <typename Work>
Array worked_along(const char* what, const Array& x, const pv::ChosenAxis& axis, Work work) {
    if (axis.nan == pv::NanRule::refuse) pv::require_no_nan(what, x.operand(), {});
    return computing(steps(x.size(), 4), [&] {
        return Array::writable(pv::worked_along(what, x.operand(), axis, work));
    });
}

/// A reduction of the library, which is never destroyed, or of a quantile.
using NamedReduction = std::shared_ptr<const pv::BuiltInReduction>;
/// By a name, or `("quantile", 0.9)`. Throws `ValueError` that lists the known names.
NamedReduction named_reduction(const char* what, nb::handle given);

/// Whether a reduction is a Python function of an array. Throws `TypeError` where it would have to leave NaN out.
bool is_own_function(const char* what, nb::handle reduction, pv::NanRule nan);

} // namespace purview_python
