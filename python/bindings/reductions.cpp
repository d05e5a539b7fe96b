// Reductions over axes.

#include "reductions.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "dim_functions.hpp"
#include "dim_types.hpp"
#include "dtypes.hpp"
#include "elementwise.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "options.hpp"
#include "own_reducers.hpp"
#include "python_arithmetic.hpp"
#include "time_units.hpp"
#include "tracing.hpp"
#include "truth.hpp"

#include <purview/functional/reductions/exact_sum.hpp>
#include <purview/functional/reductions/first.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/reduce_by.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/percentiles.hpp>

#include <nanobind/stl/string_view.h>

namespace purview_python {
namespace {

using Reduction = pv::BuiltInReduction;

/// A reduction and how Python calls it.
struct NamedFold {
    const char* name;
    const Reduction* reduction;
    bool of_truth = false; ///< of whether elements are true
};

bool is_dim_among(nb::handle axis) {
    if (axis.is_none() || PyLong_Check(axis.ptr())) return false;
    if (!PyTuple_Check(axis.ptr()) && !PyList_Check(axis.ptr())) return has_dims(axis);
    for (nb::handle each : nb::borrow<nb::sequence>(axis))
        if (has_dims(each)) return true;
    return false;
}

/// NumPy's `where` and `initial`, None where they are not given.
struct Masked {
    nb::handle where;
    nb::handle initial;

    bool is_given() const { return (where && !where.is_none()) || (initial && !initial.is_none()); }
};

nb::object reduced(const NamedFold& what, nb::handle x, nb::handle axis, nb::handle dtype,
                   bool keep, std::string_view nan, const Masked& masked = {}) {
    if (masked.is_given()) {
        if (has_dims(x) || is_dim_among(axis))
            throw nb::type_error(
                (std::string(what.name) + ": no where and no initial for an array with dims")
                    .c_str());
        const auto or_none = [](nb::handle given) {
            return given ? nb::borrow(given) : nb::object(nb::none());
        };
        return nb::module_::import_("purview._masked")
            .attr("reduced")(what.name, x, axis, dtype, keep, nan, or_none(masked.where),
                             or_none(masked.initial));
    }
    const Array* array = array_in(x);
    if ((array == nullptr && has_dims(x)) || is_dim_among(axis)) {
        if (!dtype.is_none() || nan != "keep")
            throw nb::type_error(
                (std::string(what.name) + ": no dtype and no nan for an array with dims").c_str());
        return reduce_over_dims(what.name, *what.reduction, x, axis, keep);
    }
    std::optional<Array> converted;
    const auto take = [&](Array other) { array = &converted.emplace(std::move(other)); };
    if (array == nullptr) take(as_array(x));
    if (what.of_truth) take(truth_of(*array));
    if (!dtype.is_none()) take(cast_to(*array, dtype_of(dtype)));
    pv::ChosenAxes axes;
    axes.nan = nan_rule(what.name, nan);
    if (keep || !axis.is_none() || kind_of(array->dtype()).unit != nullptr)
        axes = chosen_axes(axis, array->rank(), keep, axes.nan);
    return object_made([&]() -> Array {
        // What a traced function captures is read at each call of it; only symbols refuse a policy for NaN.
        // Times are reduced at once.
        const bool is_put_off = is_recorded(*array) && axes.nan == pv::NanRule::keep &&
                                kind_of(array->dtype()).unit == nullptr;
        const Array result =
            is_put_off ? Array(pv::reduce_to_node(*what.reduction, array->operand(), axes))
                       : computing(array->size(), [&] {
                             return pv::reduce_any(*what.reduction, array->operand(), axes);
                         });
        return dtype.is_none() ? result : cast_to(result, dtype_of(dtype));
    });
}

/// Defines a reduction as a function and, with a class, as its method.
void bind(nb::module_& module, nb::class_<Array>* array, const NamedFold& what, const char* text) {
    const auto define = [&](auto function, const auto&... options) {
        module.def(what.name, function, nb::arg("x"), nb::arg("axis") = nb::none(), options...,
                   text);
        if (array != nullptr)
            array->def(what.name, function, nb::arg("axis") = nb::none(), options..., text);
    };
    if (array != nullptr)
        for (nb::handle type :
             {nb::type<DimObject>(), nb::type<pv::AffineIndex>(), nb::type<DimArray>()})
            nb::cpp_function_def(
                [what](nb::handle x, nb::handle axis, Truth keep) {
                    return reduce_over_dims(what.name, *what.reduction, x, axis, keep);
                },
                nb::scope(type), nb::name(what.name), nb::is_method(), nb::arg("axis") = nb::none(),
                nb::arg("keepdims") = false, text);
    const auto keepdims = nb::arg("keepdims") = false;
    const auto nan_option = nb::arg("nan") = "keep";
    const auto initial_option = nb::arg("initial") = nb::none();
    const auto where_option = nb::arg("where") = nb::none();
    if (what.of_truth)
        return define(
            [what](nb::handle x, nb::handle axis, Truth keep, nb::handle where) {
                return reduced(what, x, axis, nb::none(), keep, "keep", {where, {}});
            },
            nb::kw_only(), keepdims, where_option);
    const std::string_view name = what.name;
    const auto dtype_option = nb::arg("dtype") = nb::none();
    if (name == "mean")
        return define(
            [what](nb::handle x, nb::handle axis, nb::handle dtype, Truth keep,
                   std::string_view nan, nb::handle where) {
                return reduced(what, x, axis, dtype, keep, nan, {where, {}});
            },
            dtype_option, nb::kw_only(), keepdims, nan_option, where_option);
    if (name == "sum" || name == "prod")
        return define(
            [what](nb::handle x, nb::handle axis, nb::handle dtype, Truth keep,
                   std::string_view nan, nb::handle initial, nb::handle where) {
                return reduced(what, x, axis, dtype, keep, nan, {where, initial});
            },
            dtype_option, nb::kw_only(), keepdims, nan_option, initial_option, where_option);
    if (name == "min" || name == "max")
        return define(
            [what](nb::handle x, nb::handle axis, Truth keep, std::string_view nan,
                   nb::handle initial, nb::handle where) {
                return reduced(what, x, axis, nb::none(), keep, nan, {where, initial});
            },
            nb::kw_only(), keepdims, nan_option, initial_option, where_option);
    define([what](nb::handle x, nb::handle axis, Truth keep,
                  std::string_view nan) { return reduced(what, x, axis, nb::none(), keep, nan); },
           nb::kw_only(), keepdims, nan_option);
}
void bind(nb::module_& module, const char* name, const Reduction& reduction, const char* text) {
    bind(module, nullptr, {name, &reduction}, text);
}

/// The name of a reduction: text, or a function of the module.
nb::object name_of_reducer(nb::handle given) {
    if (PyCallable_Check(given.ptr()) != 0 && has_attribute(given, "__name__"))
        return given.attr("__name__");
    return nb::borrow(given);
}

/// One result, or a tuple of several.
nb::object reduced_by_each(nb::handle x, const nb::args& given, nb::handle axis, bool keep,
                           std::string_view nan) {
    if (given.size() == 0) throw nb::type_error("reduce: no reduction is given, as 'sum' or mean");
    struct Chosen {
        const OwnReducer* own;
        NamedReduction named;
    };
    std::vector<Chosen> chosen;
    bool any_own = false;
    for (nb::handle each : given) {
        const OwnReducer* const own = own_reducer_in(each);
        any_own = any_own || own != nullptr;
        chosen.push_back({own, own != nullptr ? NamedReduction()
                                              : named_reduction("reduce", name_of_reducer(each))});
    }
    const auto one_or_tuple = [](std::vector<nb::object> results) {
        if (results.size() == 1) return std::move(results.front());
        nb::list list;
        for (nb::object& each : results) list.append(std::move(each));
        return nb::object(nb::tuple(list));
    };
    std::vector<nb::object> results;
    const bool by_dims = has_dims(x) || is_dim_among(axis);
    std::optional<Array> array;
    if (!by_dims) array.emplace(as_array(x));
    const pv::NanRule rule = nan_rule("reduce", nan);
    std::vector<pv::ChosenReducer> list;
    for (const Chosen& each : chosen)
        list.push_back(
            {each.named.get(), each.own == nullptr ? nullptr : each.own->functions.get(), rule});
    if (by_dims && (any_own || rule != pv::NanRule::keep))
        return one_or_tuple(reduce_each_over_dims("reduce", list, x, axis, keep));
    if (by_dims || (!any_own && (chosen.size() == 1 || is_tracing() ||
                                 !pv::widened_operand(array->operand()).dtype().is_builtin()))) {
        for (const Chosen& each : chosen)
            results.push_back(
                reduced({each.named->name(), each.named.get()}, x, axis, nb::none(), keep, nan));
        return one_or_tuple(std::move(results));
    }
    const pv::ChosenAxes axes = chosen_axes(axis, array->rank(), keep, rule);
    const std::vector<pv::Operand> made = computing(array->size(), [&] {
        if (rule == pv::NanRule::refuse) pv::require_no_nan("reduce", array->operand(), {});
        return pv::reduce_together(array->operand(), axes.positional("reduce", array->rank()), keep,
                                   0, list);
    });
    for (const pv::Operand& each : made)
        results.push_back(object_made([&] { return Array::writable(each); }));
    return one_or_tuple(std::move(results));
}

void bind_folds(nb::module_& module, nb::class_<Array>& array) {
    using pv::Reduction;
    const auto method = [&](const char* name, const pv::BuiltInReduction& reduction,
                            const char* text) {
        bind(module, &array, {name, &reduction}, text);
    };
    method(
        "sum", pv::fold_reduction(Reduction::sum),
        "The sum over axes, of integers in 64 bits, or in a dtype. nan=\"skip\" leaves NaN out.");
    method(
        "prod", pv::fold_reduction(Reduction::product),
        "The product over axes, of integers in 64 bits, or in a dtype. nan=\"skip\" leaves NaN out.");
    method("min", pv::fold_reduction(Reduction::minimum),
           "The least over axes; NaN if there is one. nan=\"skip\" leaves NaN out. "
           "ShapeError of nothing.");
    method("max", pv::fold_reduction(Reduction::maximum),
           "The greatest over axes; NaN if there is one. nan=\"skip\" leaves NaN out. "
           "ShapeError of nothing.");
    bind(module, &array, {"any", &pv::fold_reduction(Reduction::any_of), true},
         "Whether any element over axes is true, or not zero.");
    bind(module, &array, {"all", &pv::fold_reduction(Reduction::all_of), true},
         "Whether all elements over axes are true, or not zero.");
    method(
        "mean", pv::mean_reduction(),
        "The mean over axes, float64 of integers, or in a dtype; NaN of nothing. nan=\"skip\" leaves "
        "NaN out.");
    method("argmin", pv::arg_reduction(pv::Extreme::least, false),
           "The index of the first least; of the first NaN, if there is one, unless nan=\"skip\".");
    method("argmax", pv::arg_reduction(pv::Extreme::greatest, false),
           "The index of the first greatest; of the first NaN, if there is one, unless "
           "nan=\"skip\".");
    bind(module, "argmin_last", pv::arg_reduction(pv::Extreme::least, true),
         "The index of the last of several least elements. Otherwise as argmin.");
    bind(module, "argmax_last", pv::arg_reduction(pv::Extreme::greatest, true),
         "The index of the last of several greatest elements. Otherwise as argmax.");
    bind(module, "count_true", pv::count_reduction(),
         "How many elements over axes are true, or not zero, int64.");
    bind(module, "compensated_sum", pv::compensated_sum_reduction(),
         "The sum over axes, as if added in twice the precision.");
    bind(module, "exact_sum", pv::exact_sum_reduction(),
         "The exact sum over axes, rounded once: the same for any order and number of threads.");
    bind(module, "magnitude", pv::magnitude_reduction(true),
         "The Euclidean norm over axes: the root of the sum of squares.");
    bind(
        module, "logsumexp", pv::logsumexp_reduction(),
        "The logarithm of the sum of exponentials over axes, without overflow; -inf of nothing. Reads "
        "the elements twice.");
    bind(
        module, "first", pv::end_reduction(false),
        "The first element over axes; nan=\"skip\" takes the first that is not NaN. ShapeError of nothing.");
    bind(module, "last", pv::end_reduction(true),
         "The last element over axes. Otherwise as first.");
    bind(module, "magnitude_squared", pv::magnitude_reduction(false),
         "The sum of squares over axes.");
}

void bind_statistics_over_axes(nb::module_& module) {
    bind(module, "variance", pv::variance_reduction(false, false),
         "The mean of the squared differences from the mean, over axes. O(n), one pass.");
    bind(module, "standard_deviation", pv::variance_reduction(false, true),
         "The root of variance.");
    bind(module, "sample_variance", pv::variance_reduction(true, false),
         "The variance of a sample, divided by n - 1; NaN of one element.");
    bind(module, "sample_standard_deviation", pv::variance_reduction(true, true),
         "The root of sample_variance.");
    bind(module, "median", pv::MedianOperation::built_in(),
         "The middle element over axes, or the mean of the two in the middle; NaN of nothing. "
         "O(n).");
    bind(module, "most_frequent", pv::MostFrequentOperation::built_in(),
         "The most frequent element over axes, the least of several; NaN if there is one. "
         "ShapeError of nothing. Sorts, O(n).");
    const auto statistic = [&](pv::Statistic which, const char* text) {
        bind(module, pv::name_of(which), pv::statistic_reduction(which), text);
    };
    using pv::Statistic;
    statistic(Statistic::standard_error,
              "The standard error of the mean: sample_standard_deviation / sqrt(n).");
    statistic(Statistic::skewness,
              "The third central moment by the cube of the standard deviation: SciPy's skew. NaN "
              "of constants.");
    statistic(Statistic::sample_skewness,
              "The skewness of a sample, without bias: pandas' skew. NaN of less than 3 elements.");
    statistic(Statistic::kurtosis,
              "The excess kurtosis, 0 of a normal distribution: SciPy's kurtosis. NaN of "
              "constants.");
    statistic(Statistic::sample_kurtosis,
              "The kurtosis of a sample, without bias: pandas' kurt. NaN of less than 4 elements.");
    statistic(Statistic::quadratic_mean, "The root of the mean of squares, over axes.");
    statistic(Statistic::geometric_mean,
              "The exponential of the mean of logarithms; NaN if an element is negative, 0 if one "
              "is 0.");
    statistic(Statistic::harmonic_mean,
              "The reciprocal of the mean of reciprocals; NaN if an element is negative, 0 if one "
              "is 0.");
}

pv::NormOrder norm_order(nb::handle p) {
    if (p.is_none()) return pv::NormOrder::frobenius();
    if (nb::isinstance<nb::str>(p)) {
        static const Named<pv::NormOrder> kOrders[] = {{"fro", pv::NormOrder::frobenius()},
                                                       {"frobenius", pv::NormOrder::frobenius()}};
        return named("norm", "ord", nb::cast<const char*>(p), kOrders);
    }
    if (!has_attribute(p, "__float__"))
        throw nb::type_error(("norm: ord is a number or a name, not " + message_text(p)).c_str());
    return pv::NormOrder(nb::cast<double>(nb::float_(p)));
}

} // namespace

void bind_reductions(nb::module_& module, nb::class_<Array>& array) {
    bind_folds(module, array);
    bind_statistics_over_axes(module);
    module.def(
        "reduce",
        [](nb::handle x, nb::args reducers, nb::handle axis, Truth keepdims, std::string_view nan) {
            return reduced_by_each(x, reducers, axis, keepdims, nan);
        },
        nb::arg("x"), nb::arg("reducers"), nb::kw_only(), nb::arg("axis") = nb::none(),
        nb::arg("keepdims") = false, nb::arg("nan") = "keep",
        "Several reductions at once, by name or function: reduce(x, \"mean\", pv.max, axis=0) is a "
        "tuple, of one reduction its result. Chunks are read once; each result has the bits that "
        "the reduction has alone.");
    module.def(
        "norm",
        [](nb::handle x, nb::handle p, nb::handle axis, Truth keepdims, std::string_view nan) {
            const Array array = number_array(x);
            const pv::NormOrder order = norm_order(p);
            const pv::ChosenAxes chosen =
                chosen_axes(axis, array.rank(), keepdims, nan_rule("norm", nan));
            return computing(array.size(), [&] {
                if (chosen.nan == pv::NanRule::refuse)
                    pv::require_no_nan("norm", array.operand(), {});
                const pv::Shape axes = chosen.positional("norm", array.rank());
                return Array::writable(
                    pv::norm_operand(pv::reduced_view("norm", array.operand(), axes, chosen.keep),
                                     axes, order, chosen.nan == pv::NanRule::skip));
            });
        },
        nb::arg("x"), nb::arg("ord") = nb::none(), nb::arg("axis") = nb::none(), nb::kw_only(),
        nb::arg("keepdims") = false, nb::arg("nan") = "keep",
        "The norm of an order over axes, as NumPy's: of vectors over one axis, of matrices over "
        "two; by default, or with \"frobenius\", the root of the sum of squares. Error of orders "
        "that matrices do not have, ShapeError of extremes of nothing.");
}

} // namespace purview_python
