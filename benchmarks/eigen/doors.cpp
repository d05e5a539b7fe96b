/// What a view of somebody's memory costs.

#include "inputs.hpp"

namespace {

using namespace bench;

const Cases doors([] {
    add("door_wrap/4x6/float64", [] {
        keep_second_thread();
        const auto matrix = random_array<Matrix>(4, 6, 1);
        return Task{[=] { return Eigen::Map<Matrix>(matrix->data(), 4, 6); },
                    [=] { return summary_of(Eigen::Map<Matrix>(matrix->data(), 4, 6)); }};
    });
});

} // namespace
