#include "inputs.hpp"

namespace {

using namespace bench;

void add_square_product(Eigen::Index n) {
    add(case_name("matmul", std::to_string(n), "float64"), [=] {
        const auto a = random_array<Matrix>(n, n, 1);
        const auto b = random_array<Matrix>(n, n, 2);
        return into<Matrix>(n, n, [=](auto& out) { out.noalias() = *a * *b; });
    });
}

const Cases products([] {
    for (const Eigen::Index n : {4, 8, 16, 64, 256, 1024}) add_square_product(n);
    add("matmul_batched/256x64/float64", [] {
        constexpr Eigen::Index n = 64, kBatch = 256;
        const auto a = random_array<Matrix>(kBatch * n, n, 1);
        const auto b = random_array<Matrix>(kBatch * n, n, 2);
        return into<Matrix>(kBatch * n, n, [=](auto& out) {
            for (Eigen::Index i = 0; i < kBatch; ++i)
                out.middleRows(i * n, n).noalias() =
                    a->middleRows(i * n, n) * b->middleRows(i * n, n);
        });
    });
    // bqhf, bkhf → bhqk for (b, q = k, h, f) = (4, 128, 8, 64).
    add("attention_scores/4x128x8x64/float64", [] {
        constexpr Eigen::Index kB = 4, kQ = 128, kH = 8, kF = 64;
        const auto q = random_array<Matrix>(kB * kQ, kH * kF, 1);
        const auto k = random_array<Matrix>(kB * kQ, kH * kF, 2);
        return into<Matrix>(kB * kH * kQ, kQ, [=](auto& out) {
            for (Eigen::Index b = 0; b < kB; ++b)
                for (Eigen::Index h = 0; h < kH; ++h)
                    out.middleRows((b * kH + h) * kQ, kQ).noalias() =
                        q->block(b * kQ, h * kF, kQ, kF) *
                        k->block(b * kQ, h * kF, kQ, kF).transpose();
        });
    });
});

} // namespace
