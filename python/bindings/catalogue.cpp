// Extremes with their indexes, windows as views, random numbers, colours.

#include "catalogue.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "dtypes.hpp"
#include "options.hpp"
#include "seed.hpp"
#include "truth.hpp"

#include <purview/functional/along/with_index.hpp>
#include <purview/functional/applied/colorize.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/tensor/views.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string_view.h>

namespace purview_python {
namespace {

template <pv::Extreme extreme>
void bind_with_index(nb::module_& module, const char* name) {
    module.def(
        name,
        [](nb::handle x, nb::handle axis, Truth keepdims, std::string_view nan) {
            constexpr const char* kName =
                extreme == pv::Extreme::least ? "min_with_index" : "max_with_index";
            const Array array = number_array(x);
            const pv::ChosenAxes axes =
                chosen_axes(axis, array.rank(), keepdims, nan_rule(kName, nan));
            if (axes.nan == pv::NanRule::refuse) pv::require_no_nan(kName, array.operand(), {});
            return computing(array.size(), [&] {
                const pv::ReducedView view =
                    pv::reduced_view(kName, array.operand(), axes.axes.positional(kName), keepdims,
                                     pv::AxisOrder::as_named);
                const pv::Operand indexes =
                    pv::reduce_view(pv::arg_reduction(extreme, false), view, axes.nan);
                return std::pair(pv::dense_clone_tensor(Array(pv::elements_at(view, indexes))),
                                 Array::writable(indexes));
            });
        },
        nb::arg("x"), nb::arg("axis").none(), nb::arg("keepdims"), nb::arg("nan"));
}

template <pv::Operand of(pv::ShapeSpan, const pv::Seed&, double, double, pv::DType)>
void bind_random(nb::module_& module, const char* name) {
    module.def(
        name,
        [name](nb::handle shape, const SeedArgument& seed, double a, double b, nb::handle dtype) {
            return Array(of(integers_of(shape), seed.seed(name), a, b, dtype_of(dtype)));
        },
        nb::arg("shape"), nb::arg("seed").none(), nb::arg("first"), nb::arg("second"),
        nb::arg("dtype"));
}
pv::Operand uniform(pv::ShapeSpan shape, const pv::Seed& seed, double, double, pv::DType dtype) {
    return pv::random_operand(shape, seed, dtype);
}
pv::Operand exponential(pv::ShapeSpan shape, const pv::Seed& seed, double scale, double,
                        pv::DType dtype) {
    return pv::exponential_operand(shape, seed, scale, dtype);
}

pv::Color color_of(nb::handle rgb) {
    return {nb::cast<std::uint8_t>(rgb[0]), nb::cast<std::uint8_t>(rgb[1]),
            nb::cast<std::uint8_t>(rgb[2])};
}
pv::Gradient gradient_of(nb::handle given) {
    namespace of = pv::gradients;
    static const Named<const pv::Gradient*> kGradients[] = {
        {"viridis", &of::viridis},   {"magma", &of::magma},     {"inferno", &of::inferno},
        {"plasma", &of::plasma},     {"cividis", &of::cividis}, {"turbo", &of::turbo},
        {"coolwarm", &of::coolwarm}, {"grey", &of::grey}};
    if (!nb::isinstance<nb::str>(given)) {
        std::vector<pv::Color> colors;
        for (nb::handle each : given) colors.push_back(color_of(each));
        return pv::Gradient(std::span<const pv::Color>(colors));
    }
    auto name = nb::cast<std::string_view>(given);
    const bool reversed = name.ends_with("_r");
    if (reversed) name.remove_suffix(2);
    const pv::Gradient& found = *named("colorize", "gradient", name, kGradients);
    return reversed ? found.reversed() : found;
}

} // namespace

void bind_catalogue(nb::module_& module) {
    bind_with_index<pv::Extreme::least>(module, "_min_with_index");
    bind_with_index<pv::Extreme::greatest>(module, "_max_with_index");
    bind_random<uniform>(module, "random_uniform");
    bind_random<pv::normal_operand>(module, "random_normal");
    bind_random<exponential>(module, "random_exponential");
    // Itself if it lies in memory, else computed.
    module.def("_in_memory", [](nb::handle x) {
        const Array array = as_array(x);
        return pv::leaf_of(array.operand()) != nullptr ? array : realised(array);
    });
    module.def(
        "random_poisson",
        [](nb::handle shape, const SeedArgument& seed, double rate) {
            return Array(
                pv::poisson_operand(integers_of(shape), seed.seed("random_poisson"), rate));
        },
        nb::arg("shape"), nb::arg("seed").none(), nb::arg("rate"),
        "int64 numbers with Poisson's distribution, of mean `rate`. Lazy. The seed as of `random_uniform`. Error of a rate "
        "outside [0, 2^32].");
    module.def(
        "argshuffle",
        [](Py_ssize_t n, const SeedArgument& given) {
            const std::uint64_t seed = given.number("argshuffle");
            return computing(n, [&] { return owned(pv::argshuffle(n, seed)); });
        },
        nb::arg("n"), nb::arg("seed").none(), "The integers 0 to n - 1 in random order.");
    module.def(
        "argsample",
        [](Py_ssize_t n, Py_ssize_t count, const SeedArgument& given) {
            const std::uint64_t seed = given.number("argsample");
            return computing(count, [&] { return owned(pv::argsample(n, count, seed)); });
        },
        nb::arg("n"), nb::arg("count"), nb::arg("seed").none(),
        "`count` of the integers 0 to n - 1, each at most once, in random order. ShapeError unless 0 <= count <= n.");
    module.def(
        "argchoice",
        [](Py_ssize_t n, Py_ssize_t count, const SeedArgument& given, Truth replace,
           nb::handle weights) {
            const std::uint64_t seed = given.number("argchoice");
            pv::ChoiceOptions options{.replace = replace.value};
            if (!weights.is_none()) options.weights = number_array(weights);
            return computing(n + count,
                             [&] { return owned(pv::argchoice(n, count, seed, options)); });
        },
        nb::arg("n"), nb::arg("count"), nb::arg("seed").none(), nb::kw_only(),
        nb::arg("replace") = true, nb::arg("weights") = nb::none(),
        "`count` of the integers 0 to n - 1, each as likely as its weight, several times unless `replace` is false. "
        "ShapeError of too many without repetition, Error of weights that are none.");
    module.def(
        "dropout",
        [](nb::handle x, double rate, const SeedArgument& seed) {
            return Array(pv::dropout(number_array(x), rate, seed.seed("dropout")));
        },
        nb::arg("x"), nb::arg("rate"), nb::arg("seed").none(),
        "0 with a probability, else x / (1 - rate), of floats: lazy. In a traced function a seed that is a number drops the same "
        "elements at each call, one that is an argument those of its number. Error unless 0 <= rate < 1.");
    module.def(
        "sliding_window",
        [](nb::handle x, Py_ssize_t window, Py_ssize_t axis, Py_ssize_t step) {
            const Array array = as_array(x);
            const pv::Shape values = {axis, window, step};
            return Array(pv::sliding_window_operand(array.operand(), values));
        },
        nb::arg("x"), nb::arg("window"), nb::kw_only(), nb::arg("axis") = -1, nb::arg("step") = 1,
        "Each `step`-th window of `window` elements along an axis, as a last axis: a view that only reads.");
    module.def(
        "colorize",
        [](nb::handle x, nb::handle gradient, std::optional<double> low, std::optional<double> high,
           nb::handle nan) {
            const Array array = number_array(x);
            const pv::ColorRange range{low, high, color_of(nan)};
            return computing(array.size(), [&, colors = gradient_of(gradient)] {
                return Array(pv::colorize_operand(array.operand(), colors, range));
            });
        },
        nb::arg("x"), nb::arg("gradient") = "viridis", nb::kw_only(), nb::arg("low") = nb::none(),
        nb::arg("high") = nb::none(), nb::arg("nan") = nb::make_tuple(0, 0, 0),
        "The colours of numbers, uint8 with a last axis of red, green and blue: of viridis, magma, inferno, plasma, cividis, "
        "turbo, coolwarm or grey, with _r behind it backwards, or of a list of colours (r, g, b). Lazy, but for limits that are not given.");
}

} // namespace purview_python
