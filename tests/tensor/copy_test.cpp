#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <complex>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace copy_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

/// A copy from one view of 24 numbers to another of the same shape, against a copy by way of a vector.
template <typename T>
void check_overlapping_copy(const pv::MutableTensor<T>& root, const pv::Tensor<T>& from,
                            const pv::MutableTensor<T>& to) {
    const auto before = pv::clone(root);
    const std::vector<T> values = pv::to_vector(from);
    const auto result = pv::copy(from, to);
    CHECK(pv::to_vector(to) == values);
    CHECK(pv::to_vector(result) == values);
    // What lies outside of the destination stays.
    auto left = pv::clone(root);
    pv::copy(before, root);
    pv::copy(pv::tensor(std::vector<T>(values), to.shape()), to);
    CHECK(pv::to_vector(left) == pv::to_vector(root));
    pv::copy(before, root);
}

} // namespace

TEST_CASE("copy returns its destination and broadcasts") {
    const auto t = pv::zeros({2, 3});
    const auto row = pv::tensor({1., 2., 3.});
    CHECK(pv::shares_storage(pv::copy(row, t), t));
    CHECK(pv::to_vector(t) == std::vector<double>{1, 2, 3, 1, 2, 3});
    pv::copy(pv::const_tensor(7.0, {}), t);
    CHECK(pv::to_vector(t) == std::vector<double>(6, 7.0));
    pv::copy(pv::tensor({{1.}, {2.}}), t);
    CHECK(pv::to_vector(t) == std::vector<double>{1, 1, 1, 2, 2, 2});
}

TEST_CASE("copy between shapes of equal count, one of rank 1, keeps the global order") {
    const auto t = pv::zeros({2, 3});
    pv::copy(pv::arange(6.0), t);
    CHECK(pv::to_vector(t) == std::vector<double>{0, 1, 2, 3, 4, 5});
    const auto line = pv::zeros({6});
    pv::copy(pv::transpose(t), line);
    CHECK(pv::to_vector(line) == std::vector<double>{0, 3, 1, 4, 2, 5});
    CHECK_THROWS_AS(pv::copy(t, pv::zeros({3, 2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::copy(t, pv::zeros({5})), pv::ShapeError);
    CHECK_THROWS_WITH(pv::copy(t, pv::zeros({4, 2})),
                      ContainsSubstring("[2 3]") && ContainsSubstring("[4 2]"));
}

TEST_CASE("copy never shrinks a source") {
    CHECK_THROWS_AS(pv::copy(pv::zeros({2, 3}), pv::zeros({1, 3})), pv::ShapeError);
    CHECK_THROWS_AS(pv::copy(pv::zeros({2, 3}), pv::zeros({3})), pv::ShapeError);
}

TEST_CASE("copy casts, checked") {
    const auto bytes = pv::zeros<std::uint8_t>({3});
    pv::copy(pv::tensor({1.9, 2.5, 255.9}), bytes);
    CHECK(pv::to_vector(bytes) == std::vector<std::uint8_t>{1, 2, 255});
    CHECK_THROWS_WITH(pv::copy(pv::tensor({1, 256, 3}), bytes), ContainsSubstring("256") &&
                                                                    ContainsSubstring("index 1") &&
                                                                    ContainsSubstring("uint8"));
    CHECK_THROWS_AS(pv::copy(pv::tensor({-1}), bytes), pv::CastError);
    CHECK_THROWS_AS(
        pv::copy(pv::const_tensor(std::numeric_limits<double>::quiet_NaN(), {3}), bytes),
        pv::CastError);
    const auto flags = pv::zeros<bool>({3});
    pv::copy(pv::tensor({0.0, 0.5, -3.0}), flags);
    CHECK(pv::to_vector(flags) == std::vector<bool>{false, true, true});
}

TEST_CASE("what can only be read is not written, and says why") {
    const auto t = pv::arange(6.0);
    CHECK_THROWS_AS(pv::copy(t, pv::AnyTensor(t + 1)), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::copy(t, pv::AnyTensor(pv::broadcast(t, {12}))), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::copy(t, pv::AnyTensor(pv::const_tensor(1.0, {6}))), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::fill(t(pv::indexes({1, 1})), 3.0), pv::ReadOnlyError);
    CHECK_THROWS_AS(t(pv::indexes({1, 1}))(0) = 3.0, pv::ReadOnlyError);
    CHECK_THROWS_AS(*t(pv::indexes({1, 1})).begin() = 3.0, pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::AnyTensor(t + 1).as_mutable<double>(), pv::ReadOnlyError);
    CHECK_THROWS_WITH(pv::copy(t, pv::AnyTensor(t + 1)),
                      ContainsSubstring("copy") && ContainsSubstring("it is computed"));
}

TEST_CASE("fill checks that its value fits") {
    const auto t = pv::zeros<std::int8_t>({2, 2});
    CHECK_THROWS_AS(pv::fill(t, 128), pv::CastError);
    CHECK(pv::to_vector(pv::fill(t, 127)) == std::vector<std::int8_t>(4, 127));
    CHECK(pv::to_vector(pv::fill(t(0, pv::all), -128.5)) == std::vector<std::int8_t>(2, -128));
    const pv::AnyTensor any = t;
    CHECK_THROWS_AS(pv::fill(any, 300), pv::CastError);
    pv::fill(any, 5);
    CHECK(pv::sum(t) == 20);
}

TEST_CASE("every pair of overlapping views of a line copies correctly") {
    const auto root = pv::arange(24);
    std::vector<pv::MutableTensor<std::int32_t>> views;
    for (const pv::index_t begin : {0, 1, 2, 5, 11})
        for (const pv::index_t step : {1, 2}) {
            views.push_back(root(pv::range(begin, begin + 12 * step, step)));
            if (views.back().size() != 12) {
                views.pop_back();
                continue;
            }
            views.push_back(views.back() | pv::flip);
            views.push_back(views.back() | pv::rotate({5}));
        }
    views.push_back(pv::reshape(root, {4, 6})(pv::all, pv::range(0, 3)) | pv::reshape({12}));
    views.push_back(pv::reshape(root, {4, 6})(pv::range(0, 4, 2)) | pv::transpose |
                    pv::reshape({12}));
    views.push_back(root(pv::indexes({5, 3, 1, 23, 0, 2, 4, 6, 8, 7, 9, 20})));
    for (std::size_t i = 0; i < views.size(); ++i)
        for (std::size_t j = 0; j < views.size(); ++j) {
            INFO("from " << i << " to " << j);
            check_overlapping_copy<std::int32_t>(root, views[i], views[j]);
        }
}

TEST_CASE("every pair of overlapping views of a square copies correctly") {
    const auto root = pv::reshape(pv::arange(64), {8, 8});
    std::vector<pv::MutableTensor<std::int32_t>> views;
    for (const pv::index_t row : {0, 1, 3})
        for (const pv::index_t column : {0, 2, 3}) {
            const auto square = root(pv::range(row, row + 5), pv::range(column, column + 5));
            views.push_back(square);
            views.push_back(pv::transpose(square));
            views.push_back(pv::flip(square));
            views.push_back(pv::flip(square, {1}));
            views.push_back(pv::rotate(square, {1, -2}));
        }
    for (std::size_t i = 0; i < views.size(); ++i)
        for (std::size_t j = 0; j < views.size(); ++j) {
            INFO("from " << i << " to " << j);
            check_overlapping_copy<std::int32_t>(root, views[i], views[j]);
        }
}

TEST_CASE("overlapping copies larger than a block, and of expressions") {
    constexpr pv::index_t n = 10'000;
    // Short and long ones are moved at once, the longest are computed before they are written.
    for (const pv::index_t count : {n, 4 * n, 250 * n}) {
        const auto forwards = pv::arange(count);
        pv::copy(forwards(pv::range(0, count - 1)), forwards(pv::range(1, count)));
        CHECK(pv::to_vector(forwards(pv::range(1, count))) == pv::to_vector(pv::arange(count - 1)));
        CHECK(forwards(0) == 0);
        pv::copy(forwards(pv::range(1, count)), forwards(pv::range(0, count - 1)));
        CHECK(pv::to_vector(forwards(pv::range(0, count - 1))) ==
              pv::to_vector(pv::arange(count - 1)));
    }
    const auto pairs = pv::empty<std::complex<double>>({4 * n}); // two words each
    for (pv::index_t i = 0; i < 4 * n; ++i) pairs(i) = {static_cast<double>(i), 1.};
    pv::copy(pairs(pv::range(0, 4 * n - 1)), pairs(pv::range(1, 4 * n)));
    bool moved = true;
    for (pv::index_t i = 1; i < 4 * n; ++i)
        moved = moved && pairs(i) == std::complex<double>(static_cast<double>(i - 1), 1.);
    CHECK(moved);

    const auto backwards = pv::arange(n);
    pv::copy(pv::flip(backwards), backwards);
    for (pv::index_t i = 0; i < n; ++i) REQUIRE(backwards(i) == n - 1 - i);

    const auto sums = pv::arange(n);
    pv::copy(sums + pv::rotate(sums, {1}), sums);
    for (pv::index_t i = 1; i < n; ++i) REQUIRE(sums(i) == 2 * i - 1);
    CHECK(sums(0) == n - 1);

    const auto square = pv::reshape(pv::arange(90'000), {300, 300});
    pv::copy(pv::transpose(square), square);
    for (pv::index_t i = 0; i < 300; ++i)
        for (pv::index_t j = 0; j < 300; ++j) REQUIRE(square(i, j) == 300 * j + i);
}

TEST_CASE("overlap is seen between tensors that borrow the same memory") {
    std::vector<int> memory(5000);
    for (int i = 0; i < 5000; ++i) memory[static_cast<std::size_t>(i)] = i;
    const auto a = pv::borrow(memory.data(), {4999});
    const auto b = pv::borrow(memory.data() + 1, {4999});
    pv::copy(a, b);
    for (int i = 1; i < 5000; ++i) REQUIRE(memory[static_cast<std::size_t>(i)] == i - 1);
}

TEST_CASE("overlap is seen where one element type is read as another") {
    std::vector<std::int32_t> memory(4000, 0x01020304);
    const auto words = pv::borrow(memory.data(), {4000});
    const auto bytes = pv::borrow(reinterpret_cast<const std::uint8_t*>(memory.data()), {4000});
    CHECK(pv::may_overlap(words, bytes));
    CHECK(pv::shares_storage(words, bytes) == pv::shares_storage(bytes, words));
    const std::vector<std::uint8_t> before = pv::to_vector(bytes);
    pv::copy(bytes, words);
    for (std::size_t i = 0; i < 4000; ++i) REQUIRE(memory[i] == before[i]);
}

TEST_CASE("clone and contiguous of every dtype at run time") {
    const pv::AnyTensor any = pv::tensor<std::uint16_t>({{1, 2}, {3, 4}});
    const pv::AnyTensor copy = pv::clone(any);
    CHECK_FALSE(pv::shares_storage(any, copy));
    CHECK(copy.dtype() == pv::uint16);
    CHECK(pv::to_vector(copy.as<std::uint16_t>()) == std::vector<std::uint16_t>{1, 2, 3, 4});
    CHECK(pv::contiguous(any(pv::all, 0)).is_contiguous());
}

TEST_CASE("to_nested") {
    const auto t = pv::tensor({{1, 2}, {3, 4}, {5, 6}});
    CHECK(pv::to_nested<2>(t) == std::vector<std::vector<int>>{{1, 2}, {3, 4}, {5, 6}});
    CHECK(pv::to_nested<2>(pv::transpose(t)) ==
          std::vector<std::vector<int>>{{1, 3, 5}, {2, 4, 6}});
    CHECK_THROWS_AS(pv::to_nested<1>(t), pv::ShapeError);
    CHECK_THROWS_AS(pv::to_nested<3>(t), pv::ShapeError);
    CHECK(pv::to_nested<2>(pv::zeros({2, 0})) == std::vector<std::vector<double>>{{}, {}});
}

} // namespace copy_test
