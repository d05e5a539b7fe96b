#include "sparse_oracle.hpp"

#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/temporary.hpp>

#include <purview/functional/reductions/distance.hpp>
#include <purview/sparse/tensor_forms.hpp>
#include <purview/tensor/views.hpp>

#include <memory>
#include <vector>

namespace tensor_forms_test {

namespace {

namespace pv = purview;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;

} // namespace

TEST_CASE("a sparse tensor is a matrix, and a matrix a sparse tensor, over the same values") {
    Random random(61);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const index_t rows = random.between(0, 9);
        const index_t columns = random.between(0, 9);
        const auto coo = oracle::random_coo<double, std::int32_t>(random, rows, columns, 20);
        const auto matrix = pv::to_csr(coo);
        const auto tensor = pv::sparse_tensor(matrix);
        REQUIRE(tensor.shape() == matrix.shape());
        CHECK(pv::is_sparse(tensor));
        CHECK(pv::all_of(tensor == pv::to_tensor(matrix)));
        const auto back = pv::csr(tensor);
        CHECK(entries_of(back) == entries_of(matrix));
        if (back.stored() > 0) CHECK(back.raw().values == matrix.raw().values);
        CHECK(entries_of(tensor | pv::csr<std::int32_t>()) == entries_of(matrix));
        CHECK(entries_of(pv::coo(tensor)) == entries_of(matrix));
        CHECK(entries_of(tensor | pv::coo<std::int32_t>()) == entries_of(matrix));
        CHECK(pv::all_of(pv::sparse_tensor(pv::coo<>(tensor)) == tensor));
        CHECK(pv::all_of(pv::sparse_tensor(coo, pv::Duplicates::sum) == tensor));
        // Any view.
        CHECK(entries_of(pv::csr<>(pv::transpose(tensor))) ==
              entries_of(pv::transposed(pv::to_csc(matrix))));
        CHECK(pv::all_of(pv::sparse_tensor(pv::to_csc(coo)) == tensor));
        const auto x = pv::ones({columns});
        CHECK(pv::all_of(pv::matmul(pv::csr<>(tensor), x) == pv::matmul(matrix, x)));
    }
}

TEST_CASE("coordinates take what is stored, however many rows there are") {
    const index_t n = 1'000'000'000;
    const auto x = pv::from_coo<float>({n, n}, {{n - 1, 0, 5}, {3, n - 1, 5}}, {1, 2, 3});
    const auto coordinates = pv::coo(x);
    CHECK(coordinates.shape() == pv::Shape{n, n});
    CHECK(entries_of(coordinates) ==
          oracle::Entries<float>{{{n - 1, 3}, 1}, {{0, n - 1}, 2}, {{5, 5}, 3}});
    CHECK(pv::equals(pv::sparse_tensor(coordinates), x));
    CHECK(entries_of(pv::coo<std::int32_t>(pv::transpose(x))) ==
          oracle::Entries<float>{{{3, n - 1}, 1}, {{n - 1, 0}, 2}, {{5, 5}, 3}});
    const pv::CooMatrix<float> twice(n, n, pv::tensor<index_t>({7, 7}), pv::tensor<index_t>({8, 8}),
                                     pv::tensor({1.f, 2.f}));
    CHECK_THROWS_AS(pv::sparse_tensor(twice), pv::IndexError);
    CHECK(pv::sparse_tensor(twice, pv::Duplicates::last)(7, 8) == 2);
}

TEST_CASE("strided values become a form's own") {
    const auto indexes = std::make_shared<std::vector<index_t>>(std::vector<index_t>{1, 2});
    const auto values = std::make_shared<std::vector<double>>(std::vector<double>{5, 0, 6});
    const auto pairs = std::make_shared<pv::SparseBuffer<double>>(
        4,
        std::make_shared<const pv::ConstBuffer<index_t>>(indexes->data(), 2, sizeof(index_t),
                                                         indexes),
        std::make_shared<const pv::ConstBuffer<double>>(values->data(), 2, 2 * sizeof(double),
                                                        values));
    const auto x = pv::sparse_tensor<double>({2, 2}, pairs);
    CHECK(entries_of(pv::csr<>(x)) == oracle::Entries<double>{{{0, 1}, 5}, {{1, 0}, 6}});
    CHECK(entries_of(pv::coo<>(x)) == oracle::Entries<double>{{{0, 1}, 5}, {{1, 0}, 6}});
}

TEST_CASE("sparse tensors are files of coordinates") {
    const temporary::Folder folder;
    const index_t n = 1'000'000'000;
    const auto x = pv::from_coo<double>({n, 7}, {{n - 1, 0}, {3, 6}}, {1.5, -2});
    pv::save_mtx(folder / "x.mtx", x);
    CHECK(pv::equals(pv::sparse_tensor(pv::load_mtx_coo(folder / "x.mtx")), x));
    pv::save_npz(folder / "x.npz", x);
    CHECK(pv::equals(pv::sparse_tensor(pv::load_npz_coo(folder / "x.npz")), x));
    CHECK_THROWS_AS(pv::load_npz(folder / "x.npz"), pv::FormatError);
    CHECK_THROWS_AS(pv::save_mtx(folder / "y.mtx", pv::sparse_full({2, 2}, 1.0)), pv::KindError);
    CHECK_THROWS_AS(pv::save_npz(folder / "y.npz", pv::ones({2, 2})), pv::KindError);
    CHECK(folder.file_count() == 2);
}

TEST_CASE("what is no matrix of zeros is refused") {
    CHECK_THROWS_AS(pv::csr<>(pv::sparse_full<double>({2, 2}, 1.0)), pv::KindError);
    CHECK_THROWS_AS(pv::csr<>(pv::zeros({2, 2})), pv::KindError);
    CHECK_THROWS_AS(pv::csr<>(pv::sparse_zeros({2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::coo<>(pv::sparse_full<double>({2, 2}, 1.0)), pv::KindError);
    CHECK_THROWS_AS(pv::coo<std::int32_t>(pv::sparse_zeros({index_t{1} << 40, 2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::csr<std::int32_t>(pv::sparse_zeros({2, index_t{1} << 40})), pv::ShapeError);
    CHECK(pv::csr<>(pv::sparse_zeros({3, index_t{1} << 40})).stored() == 0);
}

TEST_CASE("a matrix over the values of a tensor stays as it is when the tensor is written") {
    const auto tensor = pv::sparse_zeros<double>({2, 10});
    for (index_t i = 1; i < 6; ++i)
        tensor(0, i) = 10. * static_cast<double>(i); // with room for more
    const auto matrix = pv::csr<>(tensor);
    const auto before = entries_of(matrix);
    tensor(0, 0) = 5;
    CHECK(entries_of(matrix) == before);
    const auto again = pv::csr<>(tensor);
    const auto after = entries_of(again);
    tensor(0, 3) = 0; // no longer stored
    CHECK(entries_of(again) == after);
    CHECK(tensor(0, 0) == 5);
    CHECK(tensor(0, 3) == 0);
    CHECK(tensor(0, 4) == 40);
}

TEST_CASE("bools of others are bytes, also in matrices") {
    struct Foreign {
        std::vector<index_t> indexes{1, 2, 5};
        std::vector<unsigned char> bytes{2, 0, 255};
    };
    const auto memory = std::make_shared<const Foreign>();
    const auto pairs = std::make_shared<pv::SparseBuffer<bool>>(
        6,
        std::make_shared<pv::ConstBuffer<index_t>>(memory->indexes.data(), 3,
                                                   index_t{sizeof(index_t)}, memory),
        std::make_shared<pv::ConstBuffer<bool>>(reinterpret_cast<const bool*>(memory->bytes.data()),
                                                3, 1, memory));
    const auto tensor = pv::sparse_tensor<bool>({2, 3}, pairs);
    const std::vector<bool> expected{false, true, false, false, false, true};
    const auto matrix = pv::csr<>(tensor);
    CHECK(pv::to_vector(pv::to_tensor(matrix)) == expected);
    CHECK(pv::to_vector(pv::to_tensor(pv::to_csc(matrix))) == expected);
    CHECK(pv::to_vector(pv::sparse_tensor(matrix)) == expected);
    CHECK(pv::to_vector(pv::sparse_tensor(pv::coo<>(tensor))) == expected);
    const auto ones = pv::full<bool>({3}, true);
    CHECK(pv::to_vector(pv::matmul(matrix, ones)) == std::vector<std::int64_t>{1, 1});
    CHECK(pv::to_vector(pv::matmul(pv::to_csc(matrix), ones)) == std::vector<std::int64_t>{1, 1});
    CHECK(pv::sum(pv::to_tensor(pv::matmul(matrix, pv::transposed(matrix)))) == 2);
}

} // namespace tensor_forms_test
