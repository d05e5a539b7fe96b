/// Sorting, searching, groups, histograms, and what a seed decides.

#include "bits.hpp"

namespace {

template <typename T>
void orders() {
    const auto pairs =
        seen(Pair<T>{numbers<T>({150, 170}, 21, 0, 90), numbers<T>({150, 170}, 22, 1, 90)});
    const auto of = [&](std::string_view name, const auto& f) { line_of_pairs(name, pairs, f); };
    of("sort", [](auto& x, auto&) { return std::tuple(pv::sort(x, 0), pv::sort(x, 1)); });
    of("argsort", [](auto& x, auto&) { return std::tuple(pv::argsort(x, 0), pv::argsort(x, 1)); });
    of("arg_max_n", [](auto& x, auto&) { return pv::arg_max_n(x, 5, 1); });
    of("ranks", [](auto& x, auto&) { return pv::ranks(x, 1); });
    of("unique", [](auto& x, auto&) { return pv::unique(x); });
    of("argfilter", [](auto& x, auto&) { return pv::argfilter(x > 40); });
    of("searchsorted",
       [](auto& x, auto& y) { return pv::searchsorted(pv::sort(x(0, pv::all)), y(1, pv::all)); });
    of("isin", [](auto& x, auto& y) { return pv::isin(x, y(0, pv::all)); });
    of("percentile", [](auto& x, auto&) { return pv::percentile(x, {10, 33.3, 90}, 1); });
    of("histogram", [](auto& x, auto&) {
        const auto [counts, edges] = pv::histogram(x, 13);
        return std::tuple(counts, edges);
    });
    of("group_by_reduce", [](auto& x, auto& y) {
        const auto keys = pv::cast<std::int32_t>(x / 7);
        return pv::group_by_reduce(keys, y, pv::sum, pv::mean, pv::max, pv::group_size);
    });
}

template <typename T>
void samples() {
    const pv::Shape shape{123, 457};
    line<T>("random_uniform", pv::random_uniform<T>(shape, 31));
    line<T>("random_normal", pv::random_normal<T>(shape, 32, 1.5, 3));
    line<T>("random_exponential", pv::random_exponential<T>(shape, 33, 2.5));
    line<T>("random_like", pv::random_like(pv::zeros<T>(shape), 34));
    line<T>("dropout", pv::dropout(pv::ones<T>(shape), 0.3, 35));
}

void choices() {
    using I = std::int64_t;
    line<I>("random_poisson", pv::random_poisson({1000}, 41, 3.7),
            pv::random_poisson({1000}, 42, 1e4));
    line<I>("argshuffle", pv::argshuffle(10'000, 43));
    line<I>("argsample", pv::argsample(10'000, 100, 44));
    line<I>("argchoice", pv::argchoice(100, 5000, 45),
            pv::argchoice(4, 1000, 46, {.weights = pv::tensor({0.5, 0.25, 2.0, 1.5})}));
}

} // namespace

void lines_of_orders() {
    orders<std::uint8_t>(), orders<std::int32_t>(), orders<std::int64_t>();
    orders<float>(), orders<double>();
    samples<float>(), samples<double>();
    choices();
}
