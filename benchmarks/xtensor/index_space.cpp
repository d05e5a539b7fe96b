/// Filters and orders. (xtensor's argsort is not stable; no two of these numbers are equal.)

#include "inputs.hpp"

#include <xtensor/xmanipulation.hpp>
#include <xtensor/xsort.hpp>

namespace {

using namespace bench;

const Cases index_space([] {
    add("argfilter/10000000/float64", [] {
        const auto x = random_tensor<double, 1>({10'000'000}, 1);
        const auto run = [=] { return xt::flatnonzero<xt::layout_type::row_major>(*x > 0.5); };
        return Task{run, [=] {
                        const auto found = run();
                        return summary_of(found.size(), [&](std::size_t i) { return found[i]; });
                    }};
    });
    add("argsort/1000000/float64", [] {
        const auto x = random_tensor<double, 1>({1'000'000}, 1);
        const auto run = [=] { return xt::argsort(*x); };
        return Task{run, [=] {
                        const auto order = run();
                        return summary_of(order.size(), [&](std::size_t i) { return order(i); });
                    }};
    });
});

} // namespace
