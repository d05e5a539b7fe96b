#include "../support/sparse_data.hpp"
#include "inputs.hpp"

#include <Eigen/SparseCore>

namespace {

using namespace bench;
using Sparse = Eigen::SparseMatrix<double, Eigen::RowMajor, std::int32_t>;
using Triplets = std::vector<Eigen::Triplet<double, std::int32_t>>;

Triplets triplets(std::int32_t side, std::size_t count, std::uint64_t seed) {
    const Coordinates from(side, count, seed);
    Triplets made;
    made.reserve(count);
    for (std::size_t k = 0; k < count; ++k)
        made.emplace_back(from.rows[k], from.columns[k], from.values[k]);
    return made;
}
Sparse compress(std::int32_t side, const Triplets& entries) {
    Sparse made(side, side);
    made.setFromTriplets(entries.begin(), entries.end());
    return made;
}
auto matrix(std::int32_t side, std::size_t count, std::uint64_t seed) {
    return std::make_shared<const Sparse>(compress(side, triplets(side, count, seed)));
}
auto vector(std::int32_t side) {
    auto made = std::make_shared<Eigen::VectorXd>(side);
    fill_random(made->data(), static_cast<std::size_t>(side), 9);
    return made;
}

/// A task whose result is a matrix.
template <typename Run>
auto made_matrix(std::int32_t side, Run run) {
    const auto x = vector(side);
    return Task{run, [=] {
                    const Eigen::VectorXd out = run() * *x;
                    return summary_of(out.data(), static_cast<std::size_t>(out.size()));
                }};
}

const Cases sparse([] {
    add("csr_times_vector/1000000x10/float64", [] {
        const auto a = matrix(kSparseSide, kSparseStored, 1);
        const auto x = vector(kSparseSide);
        const auto out = std::make_shared<Eigen::VectorXd>(kSparseSide);
        return Task{[=] { out->noalias() = *a * *x; },
                    [=] { return summary_of(out->data(), static_cast<std::size_t>(out->size())); }};
    });
    add("csr_add/1000000x10/float64", [] {
        const auto a = matrix(kSparseSide, kSparseStored, 1);
        const auto b = matrix(kSparseSide, kSparseStored, 4);
        return made_matrix(kSparseSide, [=] { return Sparse(*a + *b); });
    });
    add("csr_product/100000x10/float64", [] {
        const auto a = matrix(kProductSide, kProductStored, 1);
        const auto b = matrix(kProductSide, kProductStored, 4);
        return made_matrix(kProductSide, [=] { return Sparse(*a * *b); });
    });
    add("coo_to_csr/10000000/float64", [] {
        const auto a = std::make_shared<const Triplets>(triplets(kSparseSide, kSparseStored, 1));
        return made_matrix(kSparseSide, [=] { return compress(kSparseSide, *a); });
    });
    add("csr_to_csc/10000000/float64", [] {
        const auto a = matrix(kSparseSide, kSparseStored, 1);
        return made_matrix(kSparseSide, [=] {
            return Eigen::SparseMatrix<double, Eigen::ColMajor, std::int32_t>(*a);
        });
    });
});

} // namespace
