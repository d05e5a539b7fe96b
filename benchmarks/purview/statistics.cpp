/// Statistics of a matrix: what is more than a fold of two elements.

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

const Cases statistics([] {
    add_reduction("argmax", pv::argmax);
    add_reduction("variance", pv::variance);
});

} // namespace
