/// Sparse matrices. What is compared of a matrix is its product with a vector.

#include "../support/sparse_data.hpp"
#include "inputs.hpp"

#include <purview/sparse.hpp>

#include <filesystem>

namespace {

using namespace bench;
using Csr = pv::CsrMatrix<double, std::int32_t>;
using Coo = pv::CooMatrix<double, std::int32_t>;

Coo coordinates(std::int32_t side, std::size_t count, std::uint64_t seed) {
    Coordinates made(side, count, seed);
    return {side, side, pv::tensor(std::move(made.rows)), pv::tensor(std::move(made.columns)),
            pv::tensor(std::move(made.values))};
}
Csr matrix(std::uint64_t seed) { return pv::to_csr(coordinates(kSparseSide, kSparseStored, seed)); }

/// A task whose result is a matrix.
template <typename Run>
auto made_matrix(std::int32_t side, Run run) {
    const auto x = random_tensor({side}, 9);
    return Task{run, [=] { return summary_of(pv::matmul(run(), x)); }};
}

const Cases sparse([] {
    add("csr_times_vector/1000000x10/float64", [] {
        const Csr a = matrix(1);
        const auto x = random_tensor({kSparseSide}, 9);
        return made([=] { return pv::matmul(a, x); });
    });
    add("csr_times_matrix/1000000x10x8/float64", [] {
        const Csr a = matrix(1);
        const auto x = random_tensor({kSparseSide, 8}, 9);
        return made([=] { return pv::matmul(a, x); });
    });
    add("csr_add/1000000x10/float64", [] {
        const Csr a = matrix(1);
        const Csr b = matrix(4);
        return made_matrix(kSparseSide, [=] { return a + b; });
    });
    add("csr_product/100000x10/float64", [] {
        const Csr a = pv::to_csr(coordinates(kProductSide, kProductStored, 1));
        const Csr b = pv::to_csr(coordinates(kProductSide, kProductStored, 4));
        return made_matrix(kProductSide, [=] { return pv::matmul(a, b); });
    });
    // The same of tensors.
    add("sparse_matmul/100000x10/float64", [] {
        const auto a =
            pv::sparse_tensor(coordinates(kProductSide, kProductStored, 1), pv::Duplicates::sum);
        const auto b =
            pv::sparse_tensor(coordinates(kProductSide, kProductStored, 4), pv::Duplicates::sum);
        return made_matrix(kProductSide, [=] { return pv::matmul(a, b); });
    });
    add("sparse_matmul_vector/1000000x10/float64", [] {
        const auto a = pv::sparse_tensor(matrix(1));
        const auto x = random_tensor({kSparseSide}, 9);
        return made([=] { return pv::matmul(a, x); });
    });
    add("coo_to_csr/10000000/float64", [] {
        const Coo a = coordinates(kSparseSide, kSparseStored, 1);
        return made_matrix(kSparseSide, [=] { return pv::to_csr(a); });
    });
    add("csr_to_csc/10000000/float64", [] {
        const Csr a = matrix(1);
        return made_matrix(kSparseSide, [=] { return pv::to_csc(a); });
    });
    add("read_mtx/10000000/float64", [] {
        const auto path = std::filesystem::temp_directory_path() / "purview_benchmark.mtx";
        pv::save_mtx(path, coordinates(kSparseSide, kSparseStored, 1));
        const auto x = random_tensor({kSparseSide}, 9);
        const auto run = [=] { return pv::load_mtx_coo<double, std::int32_t>(path); };
        return Task{run, [=] { return summary_of(pv::matmul(pv::to_csr(run()), x)); }};
    });
});

} // namespace
