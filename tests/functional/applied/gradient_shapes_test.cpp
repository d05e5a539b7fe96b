// Derivatives of other types, of no elements, and by what was computed on the way; what errors say.
#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/dtype/half.hpp>
#include <purview/functional/along/scans.hpp>
#include <purview/functional/applied/gradient.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/logsumexp.hpp>
#include <purview/functional/reductions/norm.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/named/softmax.hpp>
#include <purview/tensor/views.hpp>

#include <concepts>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <vector>

namespace gradient_shapes_test {

namespace {

namespace pv = purview;
using pv::index_t;
using Vector = std::vector<double>;

template <typename X>
pv::Shape shape_of(const X& x) {
    if constexpr (std::is_arithmetic_v<X>)
        return {};
    else
        return pv::to_shape(x.operand().dims.max_shape());
}
/// x.shape and y.shape one behind the other.
pv::Shape joined(pv::Shape x, const pv::Shape& y) {
    x.insert(x.end(), y.begin(), y.end());
    return x;
}

/// Checks the shapes of all derivatives of `f` by x, of which it has no elements.
template <typename F>
void check_empty(const pv::Shape& shape, const F& f) {
    const auto c = pv::computation(
        [&](auto x) {
            const auto y = f(x);
            const auto sum = pv::sum(y);
            return std::tuple(y * 1., pv::gradient(sum, x), pv::jacobian(y, x), pv::hessian(sum, x),
                              pv::jacobian_vector_product(y, x, x));
        },
        pv::spec<double>(shape));
    const auto [y, gradient, jacobian, hessian, along] = c(pv::zeros<double>(shape));
    CHECK(shape_of(gradient) == shape);
    CHECK(shape_of(jacobian) == joined(shape_of(y), shape));
    CHECK(shape_of(hessian) == joined(shape, shape));
    CHECK(shape_of(along) == shape_of(y));
}

} // namespace

TEST_CASE("a Jacobian is of the type of x, whichever way it is made") {
    const auto forwards = []<typename Y>(std::type_identity<Y>) {
        return [](auto x) {
            return pv::cast<Y>(pv::sq(x)(0)) * pv::tensor(std::vector<Y>{Y(1), Y(2), Y(3)});
        };
    };
    const auto of_float = pv::computation(
        [&](auto x) {
            const auto by = pv::jacobian(forwards(std::type_identity<double>())(x), x);
            STATIC_REQUIRE(std::same_as<std::remove_const_t<decltype(by)>, pv::Symbol<float>>);
            return by;
        },
        pv::spec<float>({2}));
    const auto of_double = pv::computation(
        [&](auto x) { return pv::jacobian(forwards(std::type_identity<float>())(x), x); },
        pv::spec<double>({2}));
    const auto of_half = pv::computation(
        [](auto x) {
            const auto y = pv::cast<double>(pv::sq(pv::cast<float>(x))(0));
            return std::pair(pv::jacobian(y * pv::tensor({1., 2., 3.}), x), pv::hessian(y * 1., x));
        },
        pv::spec<pv::Half>({2}));
    const auto to_half = pv::computation(
        [](auto x) {
            const auto y = pv::cast<pv::Half>(pv::sq(x)(0) * pv::tensor({1., 2., 3.}));
            return pv::jacobian(y, x);
        },
        pv::spec<double>({2}));
    const Vector expected{4, 0, 8, 0, 12, 0};
    const std::vector<float> in_floats{4, 0, 8, 0, 12, 0};
    const auto x = pv::tensor({2., 5.});
    CHECK(pv::to_vector(of_float(pv::cast<float>(x))) == in_floats);
    CHECK(pv::to_vector(of_double(x)) == expected);
    CHECK(pv::to_vector(to_half(x)) == expected);
    const auto [by_half, second] = of_half(pv::cast<pv::Half>(x));
    CHECK(pv::to_vector(by_half) == in_floats);
    CHECK(pv::to_vector(second) == std::vector<float>{2, 0, 0, 0});
    // Backwards, of fewer results than arguments.
    const auto back = pv::computation(
        [](auto f, auto d) {
            return std::pair(pv::jacobian(pv::cast<double>(pv::sum(f)), f),
                             pv::jacobian(pv::cast<float>(pv::sum(d)), d));
        },
        pv::spec<float>({2}), pv::spec<double>({2}));
    const auto [by_floats, by_doubles] = back(pv::ones<float>({2}), pv::ones({2}));
    CHECK(pv::to_vector(by_floats) == std::vector<float>{1, 1});
    CHECK(pv::to_vector(by_doubles) == Vector{1, 1});
    const auto hessian =
        pv::computation([](auto s) { return pv::hessian(pv::sum(pv::sq(pv::cast<double>(s))), s); },
                        pv::spec<float>({1}));
    CHECK(hessian(pv::ones<float>({1}))(0, 0) == 2.F);
}

TEST_CASE("functions of nothing have derivatives without elements") {
    for (const pv::Shape& shape : {pv::Shape{0, 3}, pv::Shape{3, 0}, pv::Shape{0}}) {
        INFO(pv::to_string(shape));
        const index_t last = std::ssize(shape) - 1;
        for (const index_t axis : {index_t{0}, last}) {
            check_empty(shape, [&](auto x) { return pv::product(x, {axis}); });
            check_empty(shape, [&](auto x) { return pv::sum(x * x, {axis}); });
            check_empty(shape, [&](auto x) { return pv::mean(x, {axis}); });
            check_empty(shape, [&](auto x) { return pv::standard_deviation(x, {axis}); });
            check_empty(shape, [&](auto x) { return pv::logsumexp(x, axis); });
            check_empty(shape, [&](auto x) { return pv::norm(x, 3, axis); });
            check_empty(shape, [&](auto x) { return pv::softmax(x, axis); });
            check_empty(shape, [&](auto x) { return pv::cumsum(x, axis); });
            if (shape[static_cast<std::size_t>(axis)] != 0)
                check_empty(shape, [&](auto x) { return pv::max(x, {axis}); });
        }
        check_empty(shape, [](auto x) { return pv::product(x); });
        check_empty(shape, [](auto x) { return pv::product(pv::flip(x), pv::keep_dims); });
        check_empty(shape, [](auto x) { return pv::concat(x, x, 0); });
        check_empty(shape,
                    [](auto x) { return pv::take(x, pv::tensor(std::vector<std::int64_t>{}), 0); });
    }
    // Of some groups, of which each is one element; and of some leading axes.
    const auto c = pv::computation(
        [](auto x) {
            return std::pair(pv::gradient(pv::sum(pv::product(x, {1})), x),
                             pv::jacobian(pv::product(x, {1}), x));
        },
        pv::spec<double>({2, 1}));
    const auto [gradient, jacobian] = c(pv::ones({2, 1}));
    CHECK(pv::to_vector(gradient) == Vector{1, 1});
    CHECK(pv::to_vector(jacobian) == Vector{1, 0, 0, 1});
}

TEST_CASE("derivatives by results of which operations exchange axes") {
    const auto c = pv::computation(
        [](auto x, auto v) {
            const auto soft = pv::softmax(x, 0);
            const auto sums = pv::cumsum(x, 0);
            const auto second = pv::hessian(pv::sum(x * x * x), x);
            const auto flipped = pv::flip(pv::exp(x));
            const auto weights = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
            return std::tuple(pv::gradient(pv::sum(soft * soft), soft) / soft,
                              pv::gradient(pv::sum(weights * sums), sums),
                              pv::gradient(pv::sum(second * second), second) - 2 * second,
                              pv::gradient(pv::sum(weights * flipped), flipped),
                              pv::jacobian(pv::concat(weights * soft, soft, 0), soft),
                              pv::jacobian_vector_product(weights * soft, soft, v),
                              pv::hessian(pv::sum(weights * sums * sums), sums));
        },
        pv::spec<double>({2, 3}), pv::spec<double>({2, 3}));
    const auto v = pv::tensor({{1., 0., 2.}, {0., -1., 1.}});
    const auto [of_soft, of_sums, of_second, of_flipped, jacobian, along, hessian] =
        c(pv::tensor({{1., 2., 3.}, {4., 5., 7.}}), v);
    const Vector weights{1, 2, 3, 4, 5, 6};
    CHECK(pv::to_vector(of_soft) == Vector(6, 2));
    CHECK(pv::to_vector(of_sums) == weights);
    CHECK(pv::to_vector(of_second) == Vector(36, 0));
    CHECK(pv::to_vector(of_flipped) == weights);
    CHECK(pv::to_vector(along) == Vector{1, 0, 6, 0, -5, 6});
    Vector expected(72, 0);
    Vector diagonal(36, 0);
    for (std::size_t i = 0; i < 6; ++i) {
        expected[i * 7] = weights[i];
        expected[36 + i * 7] = 1;
        diagonal[i * 7] = 2 * weights[i];
    }
    CHECK(pv::to_vector(jacobian) == expected);
    CHECK(pv::to_vector(hessian) == diagonal);
}

TEST_CASE("errors of derivatives say which x they are about") {
    const auto w = pv::variable(pv::tensor({1., 2.}), "w");
    const auto trace = [&](auto f) {
        return pv::computation(f, pv::spec<double>({2, 3}), pv::spec<std::int32_t>({2}));
    };
    CHECK_THROWS_WITH(
        trace([&](auto x, auto n) { return pv::gradient(pv::sum(x) * pv::sum(w), x, w, n); }),
        "gradient: x[2], argument 1, is of type int32 and shape [2], and not of floats");
    CHECK_THROWS_WITH(
        trace([&](auto x, auto) { return pv::gradient(pv::sum(x) * pv::sum(w), x, w(0)); }),
        "gradient: x[1] is a view, [], of a symbol, 'w' of shape [2]: take the derivative by the "
        "symbol, and the view of that");
    CHECK_THROWS_WITH(
        trace([](auto x, auto) { return pv::jacobian(x, pv::transpose(x)); }),
        "jacobian: x is a view, [3 2], of a symbol, argument 0 of shape [2 3]: take the derivative "
        "by the symbol, and the view of that");
    CHECK_THROWS_WITH(
        trace([](auto x, auto) {
            const auto y = pv::exp(x);
            return pv::gradient(pv::sum(y), y(0, pv::all));
        }),
        "gradient: x is a view, [3], of a symbol of 6 elements: take the derivative by the symbol, "
        "and the view of that");
    const auto of_integers = pv::computation([](auto i, auto j) { return pv::sum(i) * j * 0.5; },
                                             pv::spec<std::int64_t>({2}), pv::spec<std::int32_t>());
    CHECK_THROWS_WITH(pv::gradient(of_integers),
                      "gradient: the computation has no argument of floats: int64[2], int32[]");
}

} // namespace gradient_shapes_test
