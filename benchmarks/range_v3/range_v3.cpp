/// Ranges of elements: one axis, lazily, without vectors.

#include "../support/cases.hpp"

#include <range/v3/algorithm/copy.hpp>
#include <range/v3/algorithm/max_element.hpp>
#include <range/v3/algorithm/min.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/range/conversion.hpp>
#include <range/v3/view/transform.hpp>
#include <range/v3/view/zip_with.hpp>

#include <vector>

namespace {

using namespace bench;

template <typename T>
std::shared_ptr<std::vector<T>> random_vector(std::size_t count, std::uint64_t seed) {
    const auto values = std::make_shared<std::vector<T>>(count);
    fill_random(values->data(), count, seed, T{1});
    return values;
}

template <typename Run>
auto number(Run run) {
    return Task{run, [=] { return Summary{static_cast<double>(run())}; }};
}

template <typename T>
auto chain(const std::vector<T>& a) {
    using ranges::views::transform;
    return a | transform([](T v) { return v + 4; }) | transform([](T v) { return v * 2; }) |
           transform([](T v) { return v - 3; }) | transform([](T v) { return v / 2; }) |
           transform([](T v) { return v + 6; }) | transform([](T v) { return v * 4; });
}

template <typename T>
void add_of_type(const char* dtype, std::size_t n) {
    const std::string size = std::to_string(n);
    add(case_name("sum_sq_diff", size, dtype), [=] {
        const auto x = random_vector<T>(n, 1);
        const auto y = random_vector<T>(n, 2);
        return number([=] {
            const auto square = [](T a, T b) { return (a - b) * (a - b); };
            return ranges::accumulate(ranges::views::zip_with(square, *x, *y), 0.0);
        });
    });
    add(case_name("chain", size, dtype), [=] {
        const auto a = random_vector<T>(n, 1);
        const auto out = std::make_shared<std::vector<T>>(n);
        return Task{[=] { ranges::copy(chain(*a), out->begin()); },
                    [=] { return summary_of(out->data(), n); }};
    });
    add(case_name("chain_new", size, dtype), [=] {
        const auto a = random_vector<T>(n, 1);
        const auto run = [=] { return chain(*a) | ranges::to<std::vector<T>>(); };
        return Task{run, [=] { return summary_of(run().data(), n); }};
    });
}

const Cases ranges_of_elements([] {
    for (const std::size_t n : {10'000'000, 100'000, 1'000}) {
        add_of_type<double>("float64", n);
        add_of_type<float>("float32", n);
    }
    const auto add_reduction = [](const char* name, auto reduce) {
        add(case_name(name, "4096x4096", "float64"), [=] {
            const auto x = random_vector<double>(std::size_t{4096} * 4096, 1);
            return number([=] { return reduce(*x); });
        });
    };
    add_reduction("sum", [](const auto& x) { return ranges::accumulate(x, 0.0); });
    add_reduction("min", [](const auto& x) { return ranges::min(x); });
    add_reduction("argmax", [](const auto& x) { return ranges::max_element(x) - x.begin(); });
});

} // namespace
