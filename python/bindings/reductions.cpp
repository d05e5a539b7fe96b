// Reductions over axes.

#include "array.hpp"

#include <purview/evaluation/statistics.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>
#include <purview/functional/reductions/reduce.hpp>

namespace purview_python {
namespace {

pv::ChosenAxes chosen(nb::handle axis, bool keep) {
    pv::ChosenAxes axes;
    axes.keep = keep;
    if (axis.is_none()) {
        axes.given = keep;
        return axes;
    }
    axes.given = true;
    if (nb::isinstance<nb::tuple>(axis) || nb::isinstance<nb::list>(axis))
        for (nb::handle each : axis)
            axes.axes.add(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(each)));
    else
        axes.axes.add(static_cast<pv::index_t>(nb::cast<Py_ssize_t>(axis)));
    return axes;
}

pv::ChosenAxes all_axes(const Array& x, bool keep) {
    pv::ChosenAxes axes;
    axes.keep = keep;
    axes.given = true;
    for (int a = 0; a < x.rank(); ++a) axes.axes.add(static_cast<pv::index_t>(a));
    return axes;
}

Array reduced(const pv::BuiltInReduction& reduction, const Array& x, nb::handle axis, bool keep) {
    const pv::ChosenAxes axes = axis.is_none() ? all_axes(x, keep) : chosen(axis, keep);
    return computing(x.size(), [&] { return pv::reduce_any(reduction, x.operand(), axes); });
}

template <typename F>
void bind(nb::module_& module, const char* name, F reduction, const char* text) {
    module.def(
        name,
        [reduction](nb::handle x, nb::handle axis, bool keepdims) {
            return reduced(reduction(), as_array(x), axis, keepdims);
        },
        nb::arg("x"), nb::kw_only(), nb::arg("axis") = nb::none(), nb::arg("keepdims") = false,
        text);
}

} // namespace

void bind_reductions(nb::module_& module) {
    using pv::Reduction;
    bind(
        module, "sum", [] -> auto& { return pv::fold_reduction(Reduction::sum); },
        "The sum over axes.");
    bind(
        module, "prod", [] -> auto& { return pv::fold_reduction(Reduction::product); },
        "The product over axes.");
    bind(
        module, "min", [] -> auto& { return pv::fold_reduction(Reduction::minimum); },
        "The least over axes.");
    bind(
        module, "max", [] -> auto& { return pv::fold_reduction(Reduction::maximum); },
        "The greatest over axes.");
    bind(
        module, "any", [] -> auto& { return pv::fold_reduction(Reduction::any_of); },
        "Whether any is true.");
    bind(
        module, "all", [] -> auto& { return pv::fold_reduction(Reduction::all_of); },
        "Whether all are true.");
    bind(
        module, "mean", [] -> auto& { return pv::mean_reduction(); }, "The mean over axes.");
    bind(
        module, "_variance", [] -> auto& { return pv::variance_reduction(false, false); }, "");
    bind(
        module, "argmin", [] -> auto& { return pv::arg_reduction(pv::Extreme::least, false); },
        "The index of the first least.");
    bind(
        module, "argmax", [] -> auto& { return pv::arg_reduction(pv::Extreme::greatest, false); },
        "The index of the first greatest.");
}

} // namespace purview_python
