// Sorting, searching, scans and sets.

#include "along.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "options.hpp"
#include "time_reductions.hpp"
#include "time_units.hpp"
#include "truth.hpp"

#include <purview/functional/along/differences.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/along/searchsorted.hpp>
#include <purview/functional/along/sorting.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>

namespace purview_python {

void bind_along(nb::module_& module) {
    module.def(
        "sort",
        [](nb::handle x, Py_ssize_t axis, Truth descending) {
            const Array array = as_array(x);
            return computing(steps(array.size(), 10), [&]() -> Array {
                if (descending) return pv::sort(array, axis, pv::descending);
                return pv::sort(array, axis);
            });
        },
        nb::arg("x"), nb::arg("axis"), nb::arg("descending"));
    module.def(
        "argsort",
        [](nb::handle x, Py_ssize_t axis, Truth descending) {
            const Array array = as_array(x);
            return computing(steps(array.size(), 10), [&]() -> Array {
                if (descending) return pv::argsort(array, axis, pv::descending);
                return pv::argsort(array, axis);
            });
        },
        nb::arg("x"), nb::arg("axis"), nb::arg("descending"));
    module.def("_searchsorted", [](nb::handle sorted, nb::handle values, Truth right) {
        const auto [edges, array] = comparable_arrays(sorted, values);
        return computing(steps(array.size(), 10), [&, &edges = edges, &array = array]() -> Array {
            return Array::writable(pv::sorted_places("searchsorted", {edges.operand(), false},
                                                     {array.operand(), false},
                                                     right ? pv::Side::right : pv::Side::left));
        });
    });
    module.def("_scan", [](nb::handle x, Py_ssize_t axis, int reduction) {
        const Array array = as_array(x);
        const auto by = static_cast<pv::Reduction>(reduction);
        if (kind_of(array.dtype()).unit != nullptr)
            return worked_along(pv::scan_name(by), array, chosen_axis(array, axis),
                                [&](const pv::AxisParts& parts) {
                                    return scanned_lanes(pv::scan_name(by), by, parts,
                                                         pv::NanRule::keep);
                                });
        return computing(array.size(), [&]() -> Array {
            switch (by) {
            case pv::Reduction::product: return pv::cumprod(array, axis);
            case pv::Reduction::minimum: return pv::cummin(array, axis);
            case pv::Reduction::maximum: return pv::cummax(array, axis);
            default: return pv::cumsum(array, axis);
            }
        });
    });
    module.def("_diff", [](nb::handle x, Py_ssize_t axis, Py_ssize_t order) -> Array {
        return Array(pv::diff1d(as_array(x), axis, order));
    });
    module.def("_unique", [](nb::handle x) -> Array {
        const Array array = as_array(x);
        return computing(steps(array.size(), 10),
                         [&]() -> Array { return owned(pv::unique(array)); });
    });
    module.def("_unique_counts", [](nb::handle x) {
        const Array array = as_array(x);
        const auto [values, counts] = computing(steps(array.size(), 10), [&] {
            if (pv::is_unique_in_files(array.operand())) {
                auto found = pv::unique_in_files("unique_counts", array.operand());
                return std::pair(found.values.operand(), found.counts);
            }
            const pv::SortedRuns runs("unique_counts", array.operand());
            return std::pair(runs.values(), runs.counts());
        });
        return nb::make_tuple(owned(values), owned(counts));
    });
    module.def("_unique_all", [](nb::handle x) {
        const Array array = as_array(x);
        const auto found =
            computing(steps(array.size(), 10), [&] { return pv::unique_all(array); });
        return nb::make_tuple(owned(found.values), owned(found.first_indexes), owned(found.inverse),
                              owned(found.counts));
    });
    module.def("_true_indexes", [](nb::handle x) -> Array {
        const Array array = as_array(x);
        return computing(array.size(),
                         [&]() -> Array { return owned(pv::true_indexes(array.operand())); });
    });
    module.def("_matmul", [](nb::handle x, nb::handle y) -> Array {
        const Array a = as_array(x);
        const Array b = as_array(y);
        return computing(1 << 20, [&]() -> Array { return pv::matmul(a, b); });
    });
}

} // namespace purview_python
