#include "sparse_oracle.hpp"

#include <support/catch.hpp>

#include <purview/sparse/tensor_forms.hpp>

namespace {

namespace pv = purview;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;

} // namespace

TEST_CASE("a sparse tensor is a matrix, and a matrix a sparse tensor, over the same values") {
    Random random(61);
    for (int round = 0; round < 30; ++round) {
        const index_t rows = random.between(0, 9);
        const index_t columns = random.between(0, 9);
        const auto coo = oracle::random_coo<double, std::int32_t>(random, rows, columns, 20);
        const auto matrix = pv::to_csr(coo);
        const auto tensor = pv::sparse_tensor(matrix);
        REQUIRE(tensor.shape() == matrix.shape());
        CHECK(pv::is_sparse(tensor));
        CHECK(pv::all_of(tensor == pv::to_tensor(matrix)));
        const auto back = pv::csr<>(tensor);
        CHECK(entries_of(back) == entries_of(matrix));
        if (back.stored() > 0) CHECK(back.raw().values == matrix.raw().values);
        CHECK(entries_of(tensor | pv::csr<std::int32_t>) == entries_of(matrix));
        // Any view.
        CHECK(entries_of(pv::csr<>(pv::transpose(tensor))) ==
              entries_of(pv::transposed(pv::to_csc(matrix))));
        CHECK(pv::all_of(pv::sparse_tensor(pv::to_csc(coo)) == tensor));
        const auto x = pv::ones({columns});
        CHECK(pv::all_of(pv::matmul(pv::csr<>(tensor), x) == pv::matmul(matrix, x)));
    }
}

TEST_CASE("what is no matrix of zeros is refused") {
    CHECK_THROWS_AS(pv::csr<>(pv::sparse_full<double>({2, 2}, 1.0)), pv::KindError);
    CHECK_THROWS_AS(pv::csr<>(pv::zeros({2, 2})), pv::KindError);
    CHECK_THROWS_AS(pv::csr<>(pv::sparse_zeros({2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::csr<std::int32_t>(pv::sparse_zeros({2, index_t{1} << 40})), pv::ShapeError);
    CHECK(pv::csr<>(pv::sparse_zeros({3, index_t{1} << 40})).stored() == 0);
}
