#include <support/catch.hpp>
#include <support/lanes_oracle.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace norm_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;

constexpr double kInf = std::numeric_limits<double>::infinity();

double vector_norm(const std::vector<double>& line, double p) {
    double made = p == -kInf ? kInf : 0;
    for (const double value : line) {
        const double size = std::abs(value);
        if (p == kInf)
            made = std::max(made, size);
        else if (p == -kInf)
            made = std::min(made, size);
        else if (p == 0)
            made += value != 0;
        else
            made += std::pow(size, p);
    }
    return std::abs(p) == kInf || p == 0 ? made : std::pow(made, 1 / p);
}

template <typename T>
oracle::Oracle<double> floats_of(const oracle::Oracle<T>& x) {
    return {x.shape, std::vector<double>(x.values.begin(), x.values.end())};
}

} // namespace

TEMPLATE_TEST_CASE("norm of vectors along any axis: every layout", "", std::uint8_t, std::int32_t,
                   double) {
    Random random(1);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        const auto floats = floats_of(x.naive);
        const auto axis = random.axis_of(x.naive.shape);
        const auto at = static_cast<index_t>(axis);
        for (const double p : {1.0, 2.0, 3.0, 0.0, 0.5, kInf, -kInf}) {
            const double size = p == 0.5 ? 1e10 : 1e5;
            INFO(x.name << " axis " << axis << " p " << p);
            auto expected = oracle::along_lanes(floats, axis, [&](const std::vector<double>& line) {
                return std::vector{vector_norm(line, p)};
            });
            CHECK(oracle::agrees(pv::norm(x.real, p, at, pv::keep_dims), expected, size));
            expected.shape.erase(expected.shape.begin() + at);
            CHECK(oracle::agrees(pv::norm(x.real, p, at), expected, size));
            CHECK(oracle::agrees(x.real | pv::norm(p, at), expected, size));
            CHECK(oracle::agrees(pv::norm(pv::AnyTensor(x.real), p, {at}).template as<double>(),
                                 expected, size));
        }
        CHECK(pv::norm(x.real) == Catch::Approx(vector_norm(floats.values, 2)));
        CHECK((x.real | pv::norm) == Catch::Approx(vector_norm(floats.values, 2)));
    }
}

TEST_CASE("norm of matrices: the greatest and least sums of columns and rows") {
    const auto m = pv::tensor({{1.0, -2.0, 3.0}, {-4.0, 5.0, -6.0}});
    CHECK(pv::norm(m, 1) == 9);
    CHECK(pv::norm(m, -1) == 5);
    CHECK(pv::norm(m, kInf) == 15);
    CHECK(pv::norm(m, -kInf) == 6);
    CHECK(pv::norm(m, pv::NormOrder::frobenius()) == std::sqrt(91.0));
    CHECK(pv::norm(m, 1, 1, 0).item() == 15);
    CHECK(pv::norm(m, kInf, {-1, -2}).item() == 9);
    CHECK(pv::norm(m, 1, {0, 1}, pv::keep_dims).shape() == pv::Shape{1, 1});

    Random random(2);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const Coordinates shape{random.between(1, 4), random.between(1, 5), random.between(1, 4)};
        const oracle::Oracle<double> naive{shape, random.elements<double>(oracle::count_of(shape))};
        const auto x = pv::tensor(std::vector(naive.values), shape);
        const Coordinates axes = random.permutation(3);
        for (const double p : {1.0, -1.0, kInf, -kInf}) {
            const auto summed = static_cast<std::size_t>(axes[std::abs(p) == 1 ? 0 : 1]);
            const auto chosen = static_cast<std::size_t>(axes[std::abs(p) == 1 ? 1 : 0]);
            const auto sums =
                oracle::along_lanes(naive, summed, [](const std::vector<double>& line) {
                    return std::vector{vector_norm(line, 1)};
                });
            auto expected = oracle::along_lanes(sums, chosen, [&](const std::vector<double>& line) {
                return std::vector{p > 0 ? *std::max_element(line.begin(), line.end())
                                         : *std::min_element(line.begin(), line.end())};
            });
            expected.shape = {shape[static_cast<std::size_t>(axes[2])]};
            CHECK(oracle::agrees(pv::norm(x, p, {axes[0], axes[1]}), expected, 1e3));
        }
    }
}

TEST_CASE("norm of matrices: the greatest and least singular value") {
    Random random(3);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        // [matrix, row, column]: singular values on the diagonal, then pairs of rows and columns
        // are turned.
        const Coordinates shape{random.between(1, 3), random.between(1, 7), random.between(1, 7)};
        auto naive = oracle::Oracle<double>::make(shape, [](const Coordinates&) { return 0.; });
        const auto element = [&](index_t matrix, index_t row, index_t column) -> double& {
            return naive.values[static_cast<std::size_t>(
                oracle::position_of(shape, Coordinates{matrix, row, column}))];
        };
        const index_t values = std::min(shape[1], shape[2]);
        std::vector<double> greatest;
        std::vector<double> least;
        const double scale = std::pow(10., static_cast<double>(random.between(-200, 200)));
        for (index_t matrix = 0; matrix < shape[0]; ++matrix) {
            std::vector<double> singular;
            for (index_t i = 0; i < values; ++i) {
                singular.push_back(scale * static_cast<double>(random.between(0, 100)));
                element(matrix, i, i) = singular.back();
            }
            greatest.push_back(*std::max_element(singular.begin(), singular.end()));
            least.push_back(*std::min_element(singular.begin(), singular.end()));
            for (int turn = 0; turn < 30; ++turn) {
                const auto axis = static_cast<std::size_t>(random.between(1, 2));
                const index_t a = random.between(0, shape[axis] - 1);
                const index_t b = random.between(0, shape[axis] - 1);
                if (a == b) continue;
                const double angle = static_cast<double>(random.between(0, 628)) / 100;
                for (index_t i = 0; i < shape[3 - axis]; ++i) {
                    double& x = axis == 1 ? element(matrix, a, i) : element(matrix, i, a);
                    double& y = axis == 1 ? element(matrix, b, i) : element(matrix, i, b);
                    const double old = x;
                    x = std::cos(angle) * old - std::sin(angle) * y;
                    y = std::sin(angle) * old + std::cos(angle) * y;
                }
            }
        }
        const auto x = pv::tensor(std::vector(naive.values), shape);
        for (const pv::Axes& axes : {pv::Axes{1, 2}, pv::Axes{2, 1}})
            for (index_t matrix = 0; matrix < shape[0]; ++matrix) {
                const auto at = static_cast<std::size_t>(matrix);
                INFO("matrix of " << shape[1] << " x " << shape[2] << ", scale " << scale);
                CHECK(pv::norm(x, 2, axes)(matrix) ==
                      Catch::Approx(greatest[at]).epsilon(1e-13).margin(0));
                CHECK(std::abs(pv::norm(x, -2, axes)(matrix) - least[at]) <= 1e-13 * greatest[at]);
            }
        // A view of one whose axes are exchanged and turned round.
        const auto view = pv::flip(pv::transpose(x, {2, 0, 1}), 0);
        const auto of_view = pv::norm(view, 2, {0, 2});
        for (index_t matrix = 0; matrix < shape[0]; ++matrix)
            CHECK(
                of_view(matrix) ==
                Catch::Approx(greatest[static_cast<std::size_t>(matrix)]).epsilon(1e-13).margin(0));
    }
    CHECK(pv::norm(pv::zeros({3, 2}), 2) == 0);
    CHECK(pv::norm(pv::tensor({{3, 0}, {4, 0}}), 2) == 5);
    CHECK(pv::norm(pv::tensor({{3.F, 0.F}, {0.F, -4.F}}), -2) == 3);
    CHECK(std::same_as<decltype(pv::norm(pv::tensor({{3.F}}), 2, {0, 1}))::value_type, float>);
    CHECK(std::isnan(pv::norm(pv::tensor({{1., kInf}}), 2)));
    CHECK(pv::norm(pv::tensor({{1., std::nan("")}}), 2, pv::skip_nan) == 1);
    CHECK_THROWS_AS(pv::norm(pv::zeros({0, 2}), 2), pv::ShapeError);
    CHECK_THROWS_AS(pv::norm(pv::zeros({2, 0}), -2), pv::ShapeError);
}

TEST_CASE("norm: types, dims, NaN, nothing, errors") {
    CHECK(std::same_as<decltype(pv::norm(pv::tensor({3.0F, 4.0F}))), float>);
    CHECK(pv::norm(pv::tensor({std::int8_t{-128}})) == 128);
    CHECK(pv::norm(pv::tensor({3, 4})) == 5);
    CHECK(std::isnan(pv::norm(pv::tensor({1.0, std::nan("")}), kInf)));
    CHECK(pv::norm(pv::zeros({0})) == 0);
    CHECK(pv::norm(pv::zeros({0}), 1) == 0);
    CHECK(pv::norm(pv::zeros({0, 3}), 2, 1).shape() == pv::Shape{0});
    const auto m = pv::tensor({{3.0, 4.0}, {6.0, 8.0}});
    const auto [i, j] = pv::dims("i", "j");
    const pv::Tensor<double> rows = pv::norm(m(i)) | pv::order(i);
    CHECK(pv::to_vector(rows) == std::vector{5.0, 10.0});
    const pv::Tensor<double> columns = pv::norm(m(i, j), 1, i) | pv::order(j);
    CHECK(pv::to_vector(columns) == std::vector{9.0, 12.0});
    const pv::Tensor<double> one = pv::norm(m(i, j), 1, {j, i}) | pv::order();
    CHECK(one.item() == 14);

    CHECK_THROWS_WITH(pv::norm(m, 3), ContainsSubstring("norm: order 3"));
    CHECK_THROWS_WITH(pv::norm(pv::zeros({2, 2, 2}), 1), ContainsSubstring("not 3"));
    CHECK_THROWS_WITH(pv::norm(pv::zeros({0}), kInf), ContainsSubstring("norm"));
    CHECK_THROWS_AS(pv::norm(pv::zeros({0, 2}), 1), pv::ShapeError);
    CHECK_THROWS_AS(pv::norm(m, 1, 5), pv::IndexError);
    CHECK_THROWS_AS(pv::norm(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

TEST_CASE("norm of what is not NaN") {
    const double nan = std::nan("");
    const auto x = pv::tensor({{3.0, nan, 4.0}, {nan, -6.0, nan}, {0.0, 8.0, 6.0}});
    const std::vector<std::vector<double>> rows{{3.0, 4.0}, {-6.0}, {0.0, 8.0, 6.0}};
    CHECK(pv::norm(x, pv::skip_nan) == pv::norm(pv::tensor({3., 4., -6., 0., 8., 6.})));
    CHECK(std::isnan(pv::norm(x)));
    for (const double p : {0.0, 1.0, 2.0, 3.0, -1.0, kInf, -kInf}) {
        INFO("order " << p);
        std::vector<double> expected;
        for (const auto& row : rows) expected.push_back(pv::norm(pv::tensor(row), p));
        CHECK(pv::to_vector(pv::norm(x, p, 1, pv::skip_nan)) == expected);
        CHECK(pv::to_vector(pv::norm(x, p, {1}, pv::keep_dims, pv::skip_nan)) == expected);
        CHECK(pv::to_vector(x | pv::norm(p, 1, pv::skip_nan)) == expected);
        const pv::Dim i("i");
        CHECK(pv::to_vector(pv::norm(x(i), p, 0, pv::skip_nan) | pv::order(i)) == expected);
    }
    // Of matrices, sums of columns and rows.
    CHECK(pv::norm(x, 1, {0, 1}, pv::skip_nan).item() == 14);
    CHECK(pv::norm(x, -1, {0, 1}, pv::skip_nan).item() == 3);
    CHECK(pv::norm(x, kInf, {0, 1}, pv::skip_nan).item() == 14);
    CHECK(pv::norm(x, -kInf, {0, 1}, pv::skip_nan).item() == 6);
    CHECK(pv::norm(pv::tensor({3, 4}), pv::skip_nan) == 5);
    const auto none = pv::tensor({nan, nan});
    CHECK(pv::norm(none, pv::skip_nan) == 0);
    CHECK_THROWS_AS(pv::norm(none, kInf, pv::skip_nan), pv::ShapeError);
    CHECK_THROWS_AS(pv::norm(x, 2, 1, pv::throw_nan), pv::ArithmeticError);
    CHECK_THROWS_WITH(pv::norm(x, pv::throw_nan), ContainsSubstring("norm"));
    CHECK(pv::norm(pv::tensor({3.0, 4.0}), 1, pv::throw_nan) == 7);
}

} // namespace norm_test
