#include <support/catch.hpp>

#include <purview/sparse/compressed_matrix.hpp>

#include <memory>
#include <string>
#include <vector>

namespace compressed_matrix_test {

namespace {

namespace pv = purview;
using pv::index_t;

template <pv::Major M = pv::Major::row>
pv::CompressedMatrix<double, index_t, M>
made(index_t rows, index_t columns, std::vector<index_t> pointers, std::vector<index_t> indices) {
    const index_t stored = std::ssize(indices);
    return {rows, columns, pv::tensor(std::move(pointers)), pv::tensor(std::move(indices)),
            pv::ones({stored})};
}

template <typename Error, typename F>
std::string refusal(F&& f) {
    try {
        f();
    } catch (const Error& error) {
        return error.what();
    }
    return "nothing was thrown";
}

} // namespace

TEST_CASE("a CSR matrix says what it is made of") {
    const auto a = made(2, 3, {0, 2, 3}, {0, 2, 1});
    CHECK(a.shape() == pv::Shape{2, 3});
    CHECK(a.stored() == 3);
    CHECK(a.pointers()(1) == 2);
    CHECK(a.raw().indices == pv::as_span(a.indices()).data());
    CHECK(made(0, 0, {0}, {}).stored() == 0);
    CHECK(pv::CsrMatrix<float>().shape() == pv::Shape{0, 0});

    const auto b = pv::transposed(a);
    CHECK(b.kMajor == pv::Major::column);
    CHECK(b.shape() == pv::Shape{3, 2});
    CHECK(b.raw().values == a.raw().values);
}

TEST_CASE("what is no matrix is refused, by position") {
    using Catch::Matchers::ContainsSubstring;
    const auto index_refusal = [](auto... arguments) {
        return refusal<pv::IndexError>([&] { made(arguments...); });
    };
    using V = std::vector<index_t>;
    CHECK(index_refusal(2, 3, V{0, 2, 1}, V{0}) ==
          "CsrMatrix: pointer 1 is 2, and 1 entries are stored");
    CHECK(index_refusal(2, 3, V{0, 2, 1}, V{0, 1}) ==
          "CsrMatrix: pointer 2 goes down, from 2 to 1");
    CHECK(index_refusal(2, 3, V{1, 1, 1}, V{0}) == "CsrMatrix: the first pointer is 1 and not 0");
    CHECK(index_refusal(2, 3, V{0, 1, 1}, V{0, 1}) ==
          "CsrMatrix: the last pointer is 1, and 2 entries are stored");
    CHECK(index_refusal(1, 3, V{0, 2}, V{0, 3}) ==
          "CsrMatrix: column 3 at position 1 (row 0) is out of range for 3");
    CHECK(index_refusal(1, 3, V{0, 2}, V{-1, 2}) ==
          "CsrMatrix: column -1 at position 0 (row 0) is out of range for 3");
    CHECK(index_refusal(2, 3, V{0, 1, 3}, V{2, 2, 0}) ==
          "CsrMatrix: column 0 at position 2 (row 1) comes behind 2");
    CHECK(index_refusal(1, 3, V{0, 2}, V{1, 1}) ==
          "CsrMatrix: column 1 at position 1 (row 0) repeats the one before, 1");
    CHECK(refusal<pv::IndexError>([] {
              made<pv::Major::column>(3, 1, {0, 2}, {0, 3});
          }) == "CscMatrix: row 3 at position 1 (column 0) is out of range for 3");

    const auto shape_refusal = [](auto... arguments) {
        return refusal<pv::ShapeError>([&] { made(arguments...); });
    };
    CHECK(shape_refusal(2, 3, V{0, 0}, V{}) == "CsrMatrix: 2 pointers do not describe 2 rows");
    CHECK(shape_refusal(-1, 3, V{}, V{}) == "CsrMatrix: [-1 3] is no shape of a matrix");
    CHECK(shape_refusal(0, 3, V{}, V{}) == "CsrMatrix: 0 pointers do not describe 0 rows");
    CHECK(refusal<pv::ShapeError>([] {
              pv::CsrMatrix<double>(1, 1, pv::tensor<index_t>({0, 1}), pv::tensor<index_t>({0}),
                                    pv::ones({2}));
          }) == "CsrMatrix: 1 indices and 2 values");
    // Not in memory, or with gaps.
    CHECK_THROWS_AS(pv::CsrMatrix<double>(1, 1, pv::tensor<index_t>({0, 1}),
                                          pv::tensor<index_t>({0}), pv::const_tensor(1.0, {1})),
                    pv::ShapeError);
}

TEST_CASE("foreign pointers become a matrix that keeps its owner, and go out again") {
    const auto owner = std::make_shared<std::vector<float>>(std::vector<float>{1, 2});
    const std::vector<std::int32_t> pointers{0, 1, 2};
    const std::vector<std::int32_t> indices{1, 0};
    const std::weak_ptr<std::vector<float>> seen = owner;
    {
        const pv::CompressedPointers<float, std::int32_t> raw{
            2, 2, 2, pointers.data(), indices.data(), owner->data()};
        const pv::CsrMatrix<float, std::int32_t> a = pv::wrap_csr(raw, owner);
        CHECK(a.raw().values == owner->data());
        CHECK(a.raw().pointers == pointers.data());
        CHECK(a.values()(1) == 2);
        const auto b = pv::wrap_csc(raw, owner);
        CHECK(b.kMajor == pv::Major::column);
        CHECK(owner.use_count() > 2);
        CHECK_THROWS_AS(pv::wrap_csr(raw, nullptr), pv::Error);
        auto broken = raw;
        broken.rows = -5;
        CHECK_THROWS_AS(pv::wrap_csr(broken, owner), pv::ShapeError);
        broken.rows = std::numeric_limits<index_t>::max();
        CHECK_THROWS_AS(pv::wrap_csr(broken, owner), pv::ShapeError);
    }
    CHECK(owner.use_count() == 1);
}

} // namespace compressed_matrix_test
