#include "named_support.hpp"

#include <support/rounds.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace assignment_test {

// `A(i, j) = expression` and `E(ids(i), f) += v(i, f)` are what they say in loops over the dims.

namespace {

using pv::all;
using pv::index_t;
using Vector = std::vector<double>;

template <typename T>
std::vector<T> random_values(std::mt19937& random, index_t count, int least, int greatest) {
    std::vector<T> values;
    std::uniform_int_distribution<int> value(least, greatest);
    for (index_t i = 0; i < count; ++i) values.push_back(static_cast<T>(value(random)));
    return values;
}

/// E[ids[i], f] op= v[f, i] with random sizes, elements named any number of times.
template <typename T>
void check_loops(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    const auto size = [&](index_t least) {
        return std::uniform_int_distribution<index_t>(least, 5)(random);
    };
    const index_t rows = size(1), width = size(0), is = size(0);
    auto ids = pv::tensor(random_values<std::int64_t>(random, is, -static_cast<int>(rows),
                                                      static_cast<int>(rows) - 1));
    const auto v = pv::tensor(random_values<T>(random, is * width, 1, 9), {width, is});
    auto E = pv::tensor(random_values<T>(random, rows * width, 10, 20), {rows, width});
    std::vector<T> loops = pv::to_vector(E);
    const auto [i, f] = pv::dims("i", "f");
    const unsigned op = seed % 4;
    for (index_t a = 0; a < is; ++a)
        for (index_t x = 0; x < width; ++x) {
            const index_t row = (ids(a) + rows) % rows;
            T& element = loops[static_cast<std::size_t>(row * width + x)];
            const T value = v(x, a);
            element = static_cast<T>(op == 0   ? value
                                     : op == 1 ? element + value
                                     : op == 2 ? element - value
                                               : 2 * value + 1);
        }
    switch (op) {
    case 0: E(ids(i), f) = v(f, i); break;
    case 1: E(ids(i), f) += v(f, i); break;
    case 2: E(ids(i), f) -= v(f, i); break;
    default: E(ids(i), f) = v(f, i) * 2 + 1; break;
    }
    CHECK(pv::to_vector(E) == loops);
}

/// A[i, j] op= B[j, i] where each element is named once.
void check_each_once(unsigned seed) {
    INFO("seed " << seed);
    std::mt19937 random(seed);
    std::uniform_int_distribution<index_t> size(0, 5);
    const index_t rows = size(random), columns = size(random);
    const auto A = pv::tensor(random_values<int>(random, rows * columns, 50, 99), {rows, columns});
    const auto B = pv::tensor(random_values<int>(random, rows * columns, 1, 9), {columns, rows});
    const auto b = pv::tensor(random_values<int>(random, columns, 1, 9));
    std::vector<int> loops = pv::to_vector(A);
    const auto [i, j] = pv::dims("i", "j");
    const unsigned op = seed % 6;
    for (index_t r = 0; r < rows; ++r)
        for (index_t c = 0; c < columns; ++c) {
            int& element = loops[static_cast<std::size_t>(r * columns + c)];
            const int value = op == 5 ? int{b(c)} : int{B(c, r)};
            element = op == 0 || op == 5 ? element * value
                      : op == 1          ? element / value
                      : op == 2          ? element % value
                      : op == 3          ? element ^ value
                                         : element * value + value;
        }
    switch (op) {
    case 0: A(i, j) *= B(j, i); break;
    case 1: A(i, j) /= B(j, i); break;
    case 2: A(i, j) %= B(j, i); break;
    case 3: A(i, j) ^= B(j, i); break;
    case 4: A(i, j) = A(i, j) * B(j, i) + B(j, i); break;
    default: A(i, all) *= b; break; // positional axes of the values broadcast
    }
    CHECK(pv::to_vector(A) == loops);
}

} // namespace

TEST_CASE("assignments at computed indexes agree with loops") {
    for (unsigned seed = 0; seed < oracle::rounds(600U); ++seed) {
        check_loops<double>(seed);
        check_loops<std::int32_t>(seed);
        check_loops<std::uint8_t>(seed);
    }
}

TEST_CASE("assignments to bound dims agree with loops") {
    for (unsigned seed = 0; seed < oracle::rounds(600U); ++seed) check_each_once(seed);
}

TEST_CASE("a subscript with dims is written, a name is rebound") {
    const auto A = pv::zeros({2, 3});
    const auto [i, j, k] = pv::dims("i", "j", "k");
    A(i, j) = i * 10 + j;
    CHECK(pv::to_vector(A) == Vector{0, 1, 2, 10, 11, 12});
    A(i, j) = 2;
    A(i, 0) = i;
    CHECK(pv::to_vector(A) == Vector{0, 2, 2, 1, 2, 2});
#ifdef __cpp_multidimensional_subscript
    A[i, j] = A[i, j] * 2;
    A[i, j] += 1;
    CHECK(pv::to_vector(A) == Vector{1, 5, 5, 3, 5, 5});
    A[i, j] = pv::ones({2, 3})[i, j];
#endif
    const auto other = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    auto name = A(i, j);
    name = other(i, j);
    name += 1; // in place: other sees it
    CHECK(pv::to_vector(other) == Vector{2, 3, 4, 5, 6, 7});
    name = name * 2; // new memory
    name += 1;
    CHECK(pv::to_vector(other) == Vector{2, 3, 4, 5, 6, 7});
    CHECK(pv::to_vector(pv::Tensor<double>(name | pv::order(i, j))) == Vector{5, 7, 9, 11, 13, 15});
    (A(i, j) | pv::order(j, i)) = pv::transpose(other); // no dim is bound
    CHECK(pv::to_vector(A) == pv::to_vector(other));
    pv::index(A(i, j), i, 1) = 0;
    pv::unbind(A, 1)[0](all) = 9;
    CHECK(pv::to_vector(A) == Vector{9, 3, 4, 9, 0, 0});
    const auto row = pv::zeros({2});
    row(i) += other(i, k); // every k
    CHECK(pv::to_vector(row) == Vector{9, 18});
    pv::MutableTensor<double> view = A(i, j) | pv::order(j, i);
    view(2, 1) = 8;
    CHECK(A(1, 2) == 8);
    pv::MutableTensor<double> x;
    x = A(i, j) | pv::order(j, i); // names the view
    x(0, 0) = 7;
    CHECK(A(0, 0) == 7);
    x = A(i, j) * 2 | pv::order(j, i); // realised
    x(0, 0) = 0;
    CHECK(A(0, 0) == 7);
}

TEST_CASE("a member of structs under dims is written") {
    struct Point {
        double x = 0, y = 0;
        bool operator==(const Point&) const = default;
    };
    const auto points = pv::tensor(std::vector<Point>(3));
    const auto i = pv::Dim("i");
    pv::column(points(i), &Point::y) = 2 * i;
    pv::column(points(i), &Point::y) += 1;
    CHECK(pv::to_vector(pv::column(points, &Point::y)) == Vector{1, 3, 5});
    CHECK(pv::to_vector(pv::column(points, &Point::x)) == Vector{0, 0, 0});
}

TEST_CASE("indexes that can be written are indexes") {
    auto ids = pv::tensor({2, 0, 2});
    const auto A = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    const auto [n, j] = pv::dims("n", "j");
    auto place = ids(n);
    CHECK(pv::to_vector(pv::Tensor<double>(A(ids(n), j) | pv::order(n, j))) ==
          Vector{5, 6, 1, 2, 5, 6});
    CHECK(pv::to_vector(pv::Tensor<double>(A(place, j) | pv::order(n, j))) ==
          Vector{5, 6, 1, 2, 5, 6});
    ids(1) = 1; // indexes are read when elements are
    A(place, j) += 10;
    CHECK(pv::to_vector(A) == Vector{1, 2, 13, 14, 25, 26});
    // The indexes themselves may be what is written.
    const auto next = pv::tensor({1, 2, 0});
    next(next(n)) = next(n);
    CHECK(pv::to_vector(next) == std::vector<int>{0, 1, 2});
}

TEST_CASE("what cannot be written in place over dims says why, and writes nothing") {
    const auto A = pv::tensor({{1., 2.}, {3., 4.}});
    const auto before = pv::to_vector(A);
    const auto ids = pv::tensor({0, 0});
    const auto [i, j] = pv::dims("i", "j");
    CHECK(message_of<pv::DimError>([&] { A(i, 0) *= A(i, j); }) ==
          "*=: the values have the Dim 'j', which the destination does not have");
    CHECK(message_of<pv::ReadOnlyError>([&] { A(ids(i), j) *= 2; }).find("may repeat") !=
          std::string::npos);
    CHECK(message_of<pv::ShapeError>([&] { A(i, all) = pv::ones({3}); }) ==
          "assign: shape [2 3] does not broadcast to shape [2 2]");
    CHECK(message_of<pv::DimError>([&] {
              pv::MutableTensor<double> x;
              x = A(i, j) * 2;
          }) != "nothing was thrown");
    const auto bytes = pv::zeros<std::uint8_t>({2});
    CHECK(message_of<pv::CastError>([&] { bytes(i) = 300 + i; }) != "nothing was thrown");
    CHECK(message_of<pv::CastError>([&] { bytes(i) = 300; }) != "nothing was thrown");
    CHECK(pv::to_vector(A) == before);
    CHECK(pv::to_vector(bytes) == std::vector<std::uint8_t>{0, 0});
}

TEST_CASE("fill writes what dims are bound to") {
    auto A = counted({3, 4, 2});
    const auto [i, j] = pv::dims("i", "j");
    pv::fill(A(i, j, 0), 7);
    pv::fill(A(0, j), -1.5);
    for (index_t a = 0; a < 3; ++a)
        for (index_t b = 0; b < 4; ++b) {
            CHECK(A(a, b, 0) == (a == 0 ? -1.5 : 7.0));
            CHECK(A(a, b, 1) == (a == 0 ? -1.5 : static_cast<double>((a * 4 + b) * 2 + 1)));
        }
    auto ids = pv::tensor(std::vector<index_t>{2, 0, 2});
    const pv::Dim n("n");
    const auto filled = pv::fill(A(ids(n)), 0.0);
    CHECK(pv::sum(pv::Tensor<double>(filled | pv::order(n))) == 0.0);
    CHECK(pv::to_vector(A(1, pv::all, 0)) == std::vector<double>(4, 7.0));
    auto bytes = pv::zeros<std::uint8_t>({3});
    const pv::Dim k("k");
    CHECK_THROWS_AS(pv::fill(bytes(k), 300), pv::CastError);
    CHECK_THROWS_AS(pv::fill(A(pv::tensor(std::vector<index_t>{0, 3})(pv::Dim("m"))), 1.0),
                    pv::IndexError);
}

} // namespace assignment_test
