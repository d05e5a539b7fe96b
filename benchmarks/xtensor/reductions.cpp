#include "inputs.hpp"

#include <xtensor/xmath.hpp>
#include <xtensor/xsort.hpp>

namespace {

using namespace bench;

constexpr auto kNow = xt::evaluation_strategy::immediate;

template <typename Reduce>
void add_reduction(const char* name, Reduce reduce) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double, 2>({4096, 4096}, 1);
        return number([=] { return reduce(*matrix); });
    });
}

void add_axis_sum(const char* name, std::size_t axis) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double, 2>({4096, 4096}, 1);
        return made([=] { return Tensor<double, 1>(xt::sum(*matrix, {axis}, kNow)); });
    });
}

const Cases reductions([] {
    add_reduction("sum", [](const auto& m) { return xt::sum(m, kNow)(); });
    add_reduction("mean", [](const auto& m) { return xt::mean(m, kNow)(); });
    add_reduction("min", [](const auto& m) { return xt::amin(m, kNow)(); });
    add_reduction("argmax", [](const auto& m) { return xt::argmax(m)(); });
    add_reduction("variance", [](const auto& m) { return xt::variance(m, kNow)(); });
    add_axis_sum("sum_axis0", 0);
    add_axis_sum("sum_axis1", 1);
});

} // namespace
