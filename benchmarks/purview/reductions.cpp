/// Reductions of a matrix, over everything and over one axis.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename Reduce>
void add_reduction(const char* name, Reduce reduce) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor({4096, 4096}, 1);
        return number([=] { return reduce(matrix); });
    });
}

void add_axis_sum(const char* name, pv::index_t axis) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor({4096, 4096}, 1);
        return made([=] { return pv::sum(matrix, axis); });
    });
}

const Cases reductions([] {
    add_reduction("sum", pv::sum);
    add_reduction("mean", pv::mean);
    add_reduction("min", pv::min);
    add_axis_sum("sum_axis0", 0);
    add_axis_sum("sum_axis1", 1);
});

} // namespace
