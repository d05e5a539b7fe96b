// What functions are given besides arrays: axes, policies for NaN, names.

#include "options.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "dim_types.hpp"
#include "errors.hpp"
#include "interpreter_lock.hpp"
#include "text_caster.hpp"

#include <purview/dtype/half.hpp>

#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/reductions/exact_sum.hpp>
#include <purview/functional/reductions/first.hpp>
#include <purview/functional/statistics/descriptive.hpp>
#include <purview/functional/statistics/percentiles.hpp>

namespace purview_python {

void throw_unknown(const char* what, const char* keyword, std::string_view name,
                   const std::vector<const char*>& known) {
    std::string text = std::string(what) + ": " + keyword + " is one of";
    const char* before = " '";
    for (const char* each : known) {
        text += before + std::string(each) + "'";
        before = ", '";
    }
    throw nb::value_error((text + ", not '" + std::string(name) + "'").c_str());
}

pv::NanRule nan_rule(const char* what, std::string_view name) {
    static constexpr Named<pv::NanRule> kRules[] = {
        {"keep", pv::NanRule::keep}, {"skip", pv::NanRule::skip}, {"raise", pv::NanRule::refuse}};
    return named(what, "nan", name, kRules);
}

pv::PadMode pad_mode(const char* what, const char* keyword, std::string_view name) {
    using pv::PadMode;
    static constexpr Named<PadMode> kModes[] = {{"constant", PadMode::constant},
                                                {"edge", PadMode::edge},
                                                {"reflect", PadMode::reflect},
                                                {"symmetric", PadMode::symmetric},
                                                {"wrap", PadMode::wrap}};
    return named(what, keyword, name, kModes);
}

Array number_array(nb::handle object) {
    const Array array = as_array(object);
    return pv::is_float16(array.dtype()) ? Array(pv::widened_operand(array.operand())) : array;
}

namespace {

[[noreturn]] void throw_no_integer(nb::handle object) {
    throw nb::type_error(("an integer is needed, or several, not " + message_text(object)).c_str());
}

} // namespace

std::optional<pv::index_t> try_integer(nb::handle object) {
    if (const Array* const array = array_in(object); array != nullptr && array->rank() > 0)
        return {};
    Py_ssize_t value = 0;
    if (PyIndex_Check(object.ptr()) == 0 || !nb::try_cast(object, value)) return {};
    return static_cast<pv::index_t>(value);
}

pv::index_t integer_of(const char* what, nb::handle object) {
    if (const std::optional<pv::index_t> integer = try_integer(object)) return *integer;
    throw nb::type_error(
        (std::string(what) + " is an integer, not " + message_text(object)).c_str());
}

pv::Shape integers_of(nb::handle object) {
    if (const std::optional<pv::index_t> one = try_integer(object)) return {*one};
    PyObject* const x = object.ptr();
    if (PySequence_Check(x) == 0 || PyUnicode_Check(x) || PyBytes_Check(x) || PyDict_Check(x) ||
        has_dims(object))
        throw_no_integer(object);
    const auto items = nb::steal(PySequence_List(x)); // an array of rank 0 is none
    if (!items.is_valid()) {
        PyErr_Clear();
        throw_no_integer(object);
    }
    pv::Shape values;
    for (nb::handle each : nb::borrow<nb::list>(items)) {
        const std::optional<pv::index_t> value = try_integer(each);
        if (!value) throw_no_integer(each);
        values.push_back(*value);
    }
    return values;
}

std::vector<double> doubles_of(nb::handle object) {
    const Array array = cast_to(as_array(object), pv::float64);
    return pv::to_vector(pv::Tensor<double>(array.operand()));
}

pv::ChosenAxes chosen_axes(nb::handle axis, int rank, bool keep, pv::NanRule nan) {
    pv::ChosenAxes axes;
    axes.keep = keep;
    axes.nan = nan;
    axes.given = true;
    if (axis.is_none())
        for (int a = 0; a < rank; ++a) axes.axes.add(static_cast<pv::index_t>(a));
    else
        for (const pv::index_t each : integers_of(axis)) axes.axes.add(each);
    return axes;
}

pv::ChosenAxis chosen_axis(const Array& x, Py_ssize_t axis, pv::NanRule nan) {
    if (x.rank() == 0 && axis == -1) return pv::ChosenAxis().with(nan);
    return pv::ChosenAxis(pv::AxisOrDim(static_cast<pv::index_t>(axis))).with(nan);
}

namespace {

const pv::BuiltInReduction* fold(pv::Reduction reduction) { return &pv::fold_reduction(reduction); }

double share_of(const char* what, nb::handle given) {
    if (!has_attribute(given, "__float__"))
        throw nb::type_error(
            (std::string(what) + ": a quantile is a number, not " + message_text(given)).c_str());
    return nb::cast<double>(nb::float_(given));
}

} // namespace

bool is_own_function(const char* what, nb::handle reduction, pv::NanRule nan) {
    if (PyCallable_Check(reduction.ptr()) == 0) return false;
    if (nan == pv::NanRule::skip)
        throw nb::type_error(
            (std::string(what) + ": nan='skip' is for reductions by name, not for a function")
                .c_str());
    return true;
}

NamedReduction named_reduction(const char* what, nb::handle given) {
    if (nb::isinstance<nb::tuple>(given) && nb::len(given) == 2) {
        const auto name = nb::cast<std::string>(nb::str(given[0]));
        static constexpr Named<double> kScales[] = {{"quantile", 1}, {"percentile", 100}};
        const double scale = named(what, "a reduction with a number", name, kScales);
        return pv::quantile_reduction(scale == 1 ? "quantile" : "percentile",
                                      share_of(what, given[1]), scale, pv::QuantileMethod::linear);
    }
    using pv::Reduction;
    using pv::Statistic;
    static const Named<const pv::BuiltInReduction*> kReductions[] = {
        {"sum", fold(Reduction::sum)},
        {"prod", fold(Reduction::product)},
        {"mean", &pv::mean_reduction()},
        {"min", fold(Reduction::minimum)},
        {"max", fold(Reduction::maximum)},
        {"median", &pv::MedianOperation::built_in()},
        {"var", &pv::variance_reduction(false, false)},
        {"std", &pv::variance_reduction(false, true)},
        {"variance", &pv::variance_reduction(false, false)},
        {"standard_deviation", &pv::variance_reduction(false, true)},
        {"sample_variance", &pv::variance_reduction(true, false)},
        {"sample_standard_deviation", &pv::variance_reduction(true, true)},
#define PURVIEW_NAMED(NAME) {#NAME, &pv::statistic_reduction(Statistic::NAME)},
        PURVIEW_NAMED(standard_error) PURVIEW_NAMED(skewness) PURVIEW_NAMED(sample_skewness)
            PURVIEW_NAMED(kurtosis) PURVIEW_NAMED(sample_kurtosis) PURVIEW_NAMED(quadratic_mean)
                PURVIEW_NAMED(geometric_mean) PURVIEW_NAMED(harmonic_mean)
#undef PURVIEW_NAMED
                    {"most_frequent", &pv::MostFrequentOperation::built_in()},
        {"first", &pv::end_reduction(false)},
        {"last", &pv::end_reduction(true)},
        {"magnitude", &pv::magnitude_reduction(true)},
        {"any", fold(Reduction::any_of)},
        {"all", fold(Reduction::all_of)},
        {"exact_sum", &pv::exact_sum_reduction()},
        {"argmin_last", &pv::arg_reduction(pv::Extreme::least, true)},
        {"argmax_last", &pv::arg_reduction(pv::Extreme::greatest, true)},
        {"count_true", &pv::count_reduction()},
        {"argmin", &pv::arg_reduction(pv::Extreme::least, false)},
        {"argmax", &pv::arg_reduction(pv::Extreme::greatest, false)}};
    if (!nb::isinstance<nb::str>(given))
        throw nb::type_error((std::string(what) + ": a reduction is a name, as 'sum', "
                                                  "('quantile', 0.9), or a function of an array")
                                 .c_str());
    const auto name = nb::cast<std::string>(given);
    std::vector<const char*> known;
    for (const auto& each : kReductions) {
        if (name == each.name) return {std::shared_ptr<const void>(), each.value};
        known.push_back(each.name);
    }
    if (std::string_view(what).contains("group_by"))
        known.insert(known.end(), {"group_size", "count"});
    throw_unknown(what, "a reduction", name, known);
}

} // namespace purview_python
