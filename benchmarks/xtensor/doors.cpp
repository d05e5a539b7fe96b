/// What a view of somebody's memory costs.

#include "inputs.hpp"

#include <xtensor/xadapt.hpp>

namespace {

using namespace bench;

const Cases doors([] {
    add("door_wrap/4x6/float64", [] {
        keep_second_thread();
        const auto matrix = random_tensor<double, 2>({4, 6}, 1);
        const auto run = [=] {
            return xt::adapt(matrix->data(), 24, xt::no_ownership(),
                             std::array<std::size_t, 2>{4, 6});
        };
        return Task{run, [=] {
                        const auto view = run();
                        return summary_of(view.data(), view.size());
                    }};
    });
});

} // namespace
