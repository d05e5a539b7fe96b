#if __has_include(<Eigen/SparseCore>)

# include "sparse_oracle.hpp"

# include <support/catch.hpp>

# include <purview/sparse/eigen.hpp>

# include <memory>
# include <utility>

namespace eigen_test {

namespace {

namespace pv = purview;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;

} // namespace

TEMPLATE_TEST_CASE("matrices go to Eigen and come back, over the same memory", "", std::int32_t,
                   std::int64_t) {
    Random random(51);
    const auto coo = oracle::random_coo<double, TestType>(random, 7, 5, 20);
    const auto csr = pv::to_csr(coo);
    const auto csc = pv::to_csc(coo);
    const auto rows = pv::as_eigen(csr);
    const auto columns = pv::as_eigen(csc);
    CHECK(rows.valuePtr() == csr.raw().values);
    for (const auto& [place, value] : entries_of(csr)) {
        CHECK(rows.coeff(place.first, place.second) == value);
        CHECK(columns.coeff(place.first, place.second) == value);
    }

    Eigen::SparseMatrix<double, Eigen::RowMajor, TestType> doubled = rows * 2.0;
    const double* const memory = doubled.valuePtr();
    const auto back = pv::from_eigen(std::move(doubled));
    CHECK(back.kMajor == pv::Major::row);
    CHECK(back.raw().values == memory);
    CHECK(entries_of(back) == entries_of(csr + csr));

    using Columns = Eigen::SparseMatrix<double, Eigen::ColMajor, TestType>;
    const auto shared = std::make_shared<const Columns>(columns);
    {
        const auto seen = pv::from_eigen(shared);
        CHECK(seen.kMajor == pv::Major::column);
        CHECK(seen.raw().indices == shared->innerIndexPtr());
        CHECK(entries_of(seen) == entries_of(csc));
    }
    CHECK(shared.use_count() == 1);
}

TEST_CASE("matrices of Eigen's with room between rows are refused") {
    Eigen::SparseMatrix<double> loose(4, 4);
    loose.reserve(Eigen::VectorXi::Constant(4, 3));
    loose.insert(1, 2) = 5;
    REQUIRE(!loose.isCompressed()); // a copy would be
    CHECK_THROWS_AS(pv::from_eigen(std::move(loose)), pv::ShapeError);
    CHECK(loose.nonZeros() == 1); // nothing was taken
    Eigen::SparseMatrix<double> disordered(2, 2);
    disordered.insert(0, 0) = 1;
    disordered.insert(1, 0) = 2;
    disordered.makeCompressed();
    disordered.innerIndexPtr()[1] = 0;
    CHECK_THROWS_AS(pv::from_eigen(std::move(disordered)), pv::IndexError);
    CHECK(disordered.nonZeros() == 2);
    loose.makeCompressed();
    CHECK(pv::from_eigen(Eigen::SparseMatrix<double>(loose)).stored() == 1);
    CHECK_THROWS_AS(pv::from_eigen(std::shared_ptr<const Eigen::SparseMatrix<double>>()),
                    pv::Error);
    const Eigen::SparseMatrix<double> nothing(0, 0);
    CHECK(pv::from_eigen(Eigen::SparseMatrix<double>(nothing)).stored() == 0);
}

} // namespace eigen_test

#endif
