/// Matrix products: by name, and as the sums of products that they are.

#include "inputs.hpp"

namespace {

using namespace bench;

const Cases products([] {
    add("matmul/1024/float64", [] {
        const auto a = random_tensor({1024, 1024}, 1);
        const auto b = random_tensor({1024, 1024}, 2);
        return made([=] { return pv::matmul(a, b); });
    });
    add("matmul_as_sum/1024/float64", [] {
        const auto a = random_tensor({1024, 1024}, 1);
        const auto b = random_tensor({1024, 1024}, 2);
        return made([=] {
            return (a(pv::all, pv::all, pv::new_axis) * b(pv::new_axis, pv::all, pv::all)) |
                   pv::sum(1);
        });
    });
    add("matmul_batched/256x64/float64", [] {
        const auto a = random_tensor({256, 64, 64}, 1);
        const auto b = random_tensor({256, 64, 64}, 2);
        return made([=] { return pv::matmul(a, b); });
    });
    // bqhf, bkhf → bhqk for (b, q = k, h, f) = (4, 128, 8, 64).
    add("attention_scores/4x128x8x64/float64", [] {
        const auto q = random_tensor({4, 128, 8, 64}, 1);
        const auto k = random_tensor({4, 128, 8, 64}, 2);
        return made([=] {
            return pv::matmul(q | pv::transpose({0, 2, 1, 3}), k | pv::transpose({0, 2, 3, 1}));
        });
    });
});

} // namespace
