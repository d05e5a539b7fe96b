#include "inputs.hpp"

namespace {

using namespace bench;

template <typename Reduce>
void add_reduction(const char* name, Reduce reduce) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_array<Rows<double>>(4096, 4096, 1);
        return number([=] { return reduce(*matrix); });
    });
}

const Cases reductions([] {
    add_reduction("sum", [](const auto& m) { return m.sum(); });
    add_reduction("mean", [](const auto& m) { return m.mean(); });
    add_reduction("min", [](const auto& m) { return m.minCoeff(); });
    add_reduction("argmax", [](const auto& m) {
        Eigen::Index row = 0, column = 0;
        m.maxCoeff(&row, &column);
        return row * m.cols() + column;
    });
    add_reduction("variance", [](const auto& m) {
        const double mean = m.mean();
        return (m - mean).square().mean();
    });
    add("sum_axis0/4096x4096/float64", [] {
        const auto matrix = random_array<Rows<double>>(4096, 4096, 1);
        return into<Rows<double>>(1, 4096, [=](auto& out) { out = matrix->colwise().sum(); });
    });
    add("sum_axis1/4096x4096/float64", [] {
        const auto matrix = random_array<Rows<double>>(4096, 4096, 1);
        return into<Rows<double>>(4096, 1, [=](auto& out) { out = matrix->rowwise().sum(); });
    });
});

} // namespace
