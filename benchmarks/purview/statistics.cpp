/// Statistics: what is more than a fold of two elements.

#include "inputs.hpp"

#include <tuple>

namespace {

using namespace bench;

template <typename Reduce>
void add_reduction(const char* name, Reduce reduce) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor({4096, 4096}, 1);
        return number([=] { return reduce(matrix); });
    });
}

constexpr pv::index_t kMany = 10'000'000;

pv::MutableTensor<std::int64_t> random_keys(pv::index_t bound) {
    const auto keys = pv::empty<std::int64_t>({kMany});
    fill_random_indexes(pv::as_span(keys).data(), static_cast<std::size_t>(kMany),
                        static_cast<std::size_t>(bound));
    return keys;
}

/// What needs no order.
double ten_figures(const pv::Tensor<double>& x) {
    using S = pv::Statistic;
    const auto described = pv::descriptive_statistics(
        x, {S::count, S::sum, S::mean, S::min, S::max, S::variance, S::sample_standard_deviation,
            S::standard_error, S::skewness, S::kurtosis});
    return described[S::kurtosis];
}

void add_group_sum(const char* name, pv::index_t bound) {
    add(case_name(name, "10000000", "float64"), [=] {
        const auto keys = random_keys(bound);
        const auto x = random_tensor({kMany}, 1);
        const auto sums = [=] { return pv::group_by_reduce(keys, x, pv::sum); };
        return Task{sums, [=] { // compared at their keys, as others have them
                        const auto [found, of_found] = sums();
                        const auto table = pv::zeros({bound});
                        pv::assign(pv::take(table, found), of_found);
                        return summary_of(pv::Tensor<double>(table));
                    }};
    });
}

const Cases statistics([] {
    add("ten_figures/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        return number([=] { return ten_figures(x); });
    });
    add("median/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        return number([=] { return pv::median(x); });
    });
    add("percentiles/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        return made([=] { return pv::percentile(x, {1, 25, 50, 75, 99}); });
    });
    add("histogram/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        return made([=] { return pv::histogram(x, {100, 0.0, 1.0}).counts; });
    });
    add("pearson/10000000/float64", [] {
        const auto x = random_tensor({kMany}, 1);
        const auto y = random_tensor({kMany}, 2);
        return number([=] { return pv::pearson(x, y); });
    });
    add_group_sum("group_sum_1000", 1'000);
    add_group_sum("group_sum_1000000", 1'000'000);
    add_reduction("argmax", pv::argmax);
    add_reduction("variance", pv::variance);
    add("variance_channels/2048x2048x3/uint8", [] {
        const auto image = random_tensor<std::uint8_t>({2048, 2048, 3}, 1);
        return made([=] { return pv::variance(image, {0, 1}); });
    });
});

} // namespace
