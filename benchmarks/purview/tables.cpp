/// What is done with columns of a table.

#include "inputs.hpp"

#include <purview/chrono.hpp>

#include <chrono>
#include <string>
#include <tuple>
#include <vector>

namespace {

using namespace bench;

constexpr pv::index_t kRows = 1'000'000;
constexpr pv::index_t kMany = 10'000'000;
constexpr pv::index_t kWindow = 100;

pv::MutableTensor<std::int64_t> random_indexes(pv::index_t count, pv::index_t bound) {
    const auto indexes = pv::empty<std::int64_t>({count});
    fill_random_indexes(pv::as_span(indexes).data(), static_cast<std::size_t>(count),
                        static_cast<std::size_t>(bound));
    return indexes;
}

auto cities_at(const pv::Tensor<std::int64_t>& indexes) {
    std::vector<std::string> names;
    for (const std::int64_t i : indexes) names.emplace_back(kCities[static_cast<std::size_t>(i)]);
    return pv::tensor(std::move(names));
}
auto cities() { return cities_at(random_indexes(kRows, 8)); }

struct Orders {
    pv::MutableTensor<double> price = random_tensor({kRows}, 1);
    pv::MutableTensor<double> quantity = random_tensor({kRows}, 2);
};

template <typename Keys>
auto group_sum(const Keys& keys) {
    const auto x = random_tensor({kRows}, 1);
    const auto sums = [=] { return pv::group_by_reduce(keys, x, pv::sum); };
    return Task{sums, [=] { return summary_of(pv::Tensor<double>(std::get<1>(sums()))); }};
}

const Cases tables([] {
    add("group_sum_text/1000000/float64", [] { return group_sum(cities()); });
    add("group_sum_times/1000000/float64", [] {
        const auto seconds = random_indexes(kRows, 1000) * 86'400 + 1'600'000'000;
        return group_sum(pv::clone(pv::from_ticks<std::chrono::sys_seconds>(seconds)));
    });
    // The average price of each city and hour, weighted by quantities.
    add("group_two_keys/300000/float64", [] {
        const auto places = random_indexes(300'000, 8 * 720);
        const auto city = cities_at(pv::clone(places % 8));
        const auto hour = pv::clone(places / 8);
        const auto price = random_tensor({300'000}, 1);
        const auto quantity = random_tensor({300'000}, 2);
        return made([=] {
            const auto [cities, hours, values, quantities] =
                pv::group_by_reduce(std::tuple(city, hour), std::tuple(price * quantity, pv::sum),
                                    std::tuple(quantity, pv::sum));
            return pv::Tensor<double>(values / quantities);
        });
    });
    add("unique_text/1000000/float64", [] {
        const auto names = cities();
        return made(
            [=] { return pv::Tensor<double>(pv::cast<double>(pv::unique_all(names).inverse)); });
    });
    add("take_of_product/1000000/float64", [] {
        const Orders orders;
        const auto indexes = random_indexes(kRows, kRows);
        return into(pv::zeros({kRows}), [=](const auto& out) {
            pv::copy(pv::take(orders.price * orders.quantity, indexes), out);
        });
    });
    add("mask_of_product/1000000/float64", [] {
        const Orders orders;
        return number(
            [=] { return pv::sum((orders.price * orders.quantity)(orders.price > 0.5)); });
    });
    add("mask/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            const auto chosen = pv::clone(orders.price(orders.quantity > 0.5));
            return double(chosen(chosen.size() / 2));
        });
    });
    add("iterate/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            double sum = 0;
            for (const double value : orders.price * 2 + 1) sum += value;
            return sum;
        });
    });
    add("iterate_memory/1000000/float64", [] {
        const Orders orders;
        return number([=] {
            double sum = 0;
            for (const double value : pv::Tensor<double>(orders.price)) sum += value;
            return sum;
        });
    });
    // From the same numbers at each run, so that the result depends on no count of runs.
    add("elements/1000000/float64", [] {
        const auto x = random_tensor({kRows}, 1);
        return into(pv::empty({kRows}), [=](const pv::MutableTensor<double>& out) {
            pv::copy(x, out);
            for (pv::index_t i = 0; i < kRows; ++i) out(i) = out(i) * 1.0000001 + 1;
        });
    });
    add("equal_text/1000000/bool", [] {
        const auto keys = cities();
        const auto out = pv::zeros<bool>({kRows});
        return Task{[=] { pv::copy(keys == "Dublin", out); },
                    [=] {
                        return summary_of(
                            pv::Tensor<std::uint8_t>(pv::clone(pv::cast<std::uint8_t>(out))));
                    }};
    });
    add("rolling_mean_of_gaps/1000000/float64", [] {
        const auto x = pv::empty({kRows});
        fill_with_gaps(pv::as_span(x).data(), static_cast<std::size_t>(kRows), 3);
        return made([=] {
            const auto means = pv::fixed_rolling_window(x, kWindow, pv::mean(pv::skip_nan),
                                                        {.position = pv::WindowPosition::left});
            return pv::Tensor<double>(means(pv::range(kWindow - 1, {})));
        });
    });
    for (const pv::index_t width : {5, 20, 100})
        add("rolling_median/300000x" + std::to_string(width) + "/float64", [=] {
            const auto x = random_tensor({300'000}, 1);
            return made([=] {
                const auto medians =
                    pv::fixed_rolling_window(x, width, pv::median, pv::WindowPosition::trailing);
                return pv::Tensor<double>(medians(pv::range(width - 1, {})));
            });
        });
    add("rolling_quantile/300000x20/float64", [] {
        const auto x = random_tensor({300'000}, 1);
        return made([=] {
            const auto quantiles =
                pv::fixed_rolling_window(x, 20, pv::quantile(0.9), pv::WindowPosition::trailing);
            return pv::Tensor<double>(quantiles(pv::range(19, {})));
        });
    });
    add("forward_fill/1000000/float64", [] {
        const auto x = pv::empty({kRows});
        fill_with_gaps(pv::as_span(x).data(), static_cast<std::size_t>(kRows), 3);
        return made([=] { return pv::Tensor<double>(pv::forward_fill(x)); });
    });
    add("kmeans_step/1000000x3x8/float64", [] {
        const auto points = random_tensor({kRows, 3}, 1);
        const auto centres = random_tensor({8, 3}, 2);
        return into(pv::zeros({8, 3}), [=](const auto& sums) {
            const auto apart = pv::sum(pv::sq(points(pv::all, pv::new_axis, pv::all) - centres), 2);
            const auto nearest = pv::argmin(apart, 1);
            pv::fill(sums, 0.0);
            pv::add_to(pv::take(sums, nearest, 0), points);
        });
    });
    add("indexes_sorted/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        std::vector<pv::index_t> indexes(static_cast<std::size_t>(kMany));
        fill_sorted_indexes(indexes.data(), indexes.size());
        return into(pv::zeros({kMany}), [=](const auto& out) { pv::copy(x(indexes), out); });
    });
    add("indexes_random/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        std::vector<pv::index_t> indexes(static_cast<std::size_t>(kMany));
        fill_random_indexes(indexes.data(), indexes.size());
        return into(pv::zeros({kMany}), [=](const auto& out) { pv::copy(x(indexes), out); });
    });
});

} // namespace
