#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/applied/explain.hpp>
#include <purview/functional/reductions/product.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace contract_many_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using namespace oracle;

/// An operand of a product: its axes among those of the whole, and its elements in row-major order.
template <typename T>
struct Labelled {
    std::vector<bool> has;
    Oracle<T> naive;
    pv::Tensor<T> wide; ///< with size 1 for axes that it does not have
};

template <typename T>
Labelled<T> random_operand(Random& random, const Coordinates& shape) {
    Labelled<T> operand;
    Coordinates own;
    pv::Shape wide;
    for (const index_t extent : shape) {
        operand.has.push_back(random.between(0, 9) < 5);
        if (operand.has.back()) own.push_back(extent);
        wide.push_back(operand.has.back() ? extent : 1);
    }
    operand.naive = Oracle<T>::make(own, [&](const Coordinates&) {
        return static_cast<T>(random.between(std::is_unsigned_v<T> ? 0 : -2, 2));
    });
    pv::Tensor<T> real = pv::tensor(std::vector<T>(operand.naive.values), own);
    switch (random.between(0, 5)) {
    case 0: real = pv::clone(real | pv::transpose) | pv::transpose; break;
    case 1: real = real + T{0}; break;
    case 2:
        real = pv::where(real > T{0}, real, T{0});
        operand.naive = map(operand.naive, [](T v) { return v > T{0} ? v : T{0}; });
        break;
    default: break;
    }
    operand.wide = pv::reshape(real, wide);
    return operand;
}

/// Multiplied in some order.
template <typename T>
pv::Tensor<T> random_product(Random& random, std::vector<pv::Tensor<T>> factors, T& scale) {
    scale = T{1};
    while (factors.size() > 1) {
        const auto i = static_cast<std::size_t>(random.between(1, std::ssize(factors) - 1));
        pv::Tensor<T> product = factors[i - 1] * factors[i];
        if (random.one_in(6)) {
            product = product * T{2};
            scale = static_cast<T>(scale * T{2});
        }
        if constexpr (std::is_signed_v<T>)
            if (random.one_in(6)) {
                product = -product;
                scale = static_cast<T>(-scale);
            }
        factors[i - 1] = product;
        factors.erase(factors.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return factors[0];
}

template <typename T>
void check_einsum(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const index_t rank = random.between(1, 6);
    const index_t most = rank <= 3 ? 16 : rank == 4 ? 9 : 5;
    Coordinates shape;
    for (index_t i = 0; i < rank; ++i)
        shape.push_back(random.one_in(40) ? 0 : random.between(1, most));
    std::vector<Labelled<T>> operands;
    std::vector<pv::Tensor<T>> factors;
    for (index_t i = random.between(1, 5); i > 0; --i) {
        operands.push_back(random_operand<T>(random, shape));
        factors.push_back(operands.back().wide);
    }
    std::vector<index_t> summed;
    Coordinates whole;
    Coordinates kept;
    std::string text;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const bool found = std::ranges::any_of(
            operands, [&](const Labelled<T>& operand) { return operand.has[axis]; });
        whole.push_back(found ? shape[axis] : 1);
        if (random.one_in(2))
            summed.push_back(static_cast<index_t>(axis));
        else
            kept.push_back(whole.back());
    }
    T scale{};
    const pv::Tensor<T> product = random_product(random, factors, scale);
    using R = pv::Accumulated<T>;
    Oracle<R> expected = Oracle<R>::make(kept, [](const Coordinates&) { return R{}; });
    for_each(whole, [&](const Coordinates& g) {
        T value = scale;
        for (const Labelled<T>& operand : operands) {
            Coordinates own;
            for (std::size_t axis = 0; axis < g.size(); ++axis)
                if (operand.has[axis]) own.push_back(g[axis]);
            value = static_cast<T>(value * operand.naive.at(own));
        }
        Coordinates to;
        for (std::size_t axis = 0; axis < g.size(); ++axis)
            if (!std::ranges::count(summed, static_cast<index_t>(axis))) to.push_back(g[axis]);
        R& sum = expected.values[position_of(kept, to)];
        sum = static_cast<R>(sum + static_cast<R>(value));
    });
    INFO(pv::explain(pv::sum, product, summed));
    const pv::Tensor<R> sums = pv::sum(product, summed);
    CHECK(pv::to_vector(sums) == expected.values);
}

pv::MutableTensor<double> matrix(index_t rows, index_t columns, int seed) {
    pv::MutableTensor<double> x = pv::empty<double>({rows, columns});
    for (index_t i = 0; i < x.size(); ++i)
        x.storage()(i) = static_cast<double>((i * 7 + seed) % 11) - 5;
    return x;
}

} // namespace

TEST_CASE("sums of products of one to five operands agree with nested loops: float64") {
    for (unsigned seed = 0; seed < oracle::rounds(1200U); ++seed) check_einsum<double>(seed);
}
TEST_CASE("sums of products of one to five operands agree with nested loops: float32, integers") {
    for (unsigned seed = 0; seed < oracle::rounds(400U); ++seed) {
        check_einsum<float>(10'000 + seed);
        check_einsum<std::int64_t>(20'000 + seed);
        check_einsum<std::int16_t>(30'000 + seed);
        check_einsum<std::uint8_t>(40'000 + seed);
    }
}

TEST_CASE("three factors are summed pair by pair, the small side first") {
    // A chain, whose cheap order is from the right.
    const auto a = matrix(60, 60, 1);
    const auto b = matrix(60, 60, 2);
    const auto c = matrix(60, 2, 3);
    const auto product = a(pv::all, pv::all, pv::new_axis, pv::new_axis) *
                         b(pv::new_axis, pv::all, pv::all, pv::new_axis) *
                         c(pv::new_axis, pv::new_axis, pv::all, pv::all);
    CHECK(pv::to_vector(pv::sum(product, {1, 2})) ==
          pv::to_vector(pv::matmul(a, pv::matmul(b, c))));
    const std::string text = pv::explain(pv::sum, product, {1, 2});
    CHECK_THAT(text, ContainsSubstring("3 factors pair by pair: "));
    CHECK_THAT(text, ContainsSubstring("; then "));
}

TEST_CASE("a number and a sign are left to the call") {
    const auto a = matrix(64, 64, 1);
    const auto b = matrix(64, 64, 2);
    const auto product =
        -(2.0 * a(pv::all, pv::all, pv::new_axis)) * b(pv::new_axis, pv::all, pv::all) * 0.5;
    CHECK(pv::to_vector(pv::sum(product, 1)) == pv::to_vector(-pv::matmul(a, b)));
    const std::string text = pv::explain(pv::sum, product, 1);
    CHECK_THAT(text, ContainsSubstring("gemm 64x64x64 float64, times -1"));
    CHECK(text.find("computed first") == std::string::npos);
    // A number beyond what products keep apart stays where it is.
    const auto tiny =
        (a * 1e-300)(pv::all, pv::all, pv::new_axis) * (b * 1e300)(pv::new_axis, pv::all, pv::all);
    const auto sums = pv::sum(tiny, 1);
    const auto exact = pv::matmul(a, b);
    for (index_t i = 0; i < 64; ++i)
        CHECK(std::abs(sums(i, i) - exact(i, i)) <= 1e-10 * std::abs(exact(i, i)) + 1e-10);
}

TEST_CASE("what one factor alone is summed over is summed there first") {
    const auto a = matrix(50, 40, 1);
    pv::MutableTensor<double> b = pv::ones<double>({40, 30, 20});
    const auto product = a(pv::all, pv::all, pv::new_axis, pv::new_axis) *
                         b(pv::new_axis, pv::all, pv::all, pv::all);
    const auto sums = pv::sum(product, {1, 3});
    CHECK(pv::to_vector(sums) == pv::to_vector(pv::matmul(a, pv::sum(b, 2))));
    CHECK_THAT(pv::explain(pv::sum, product, {1, 3}), ContainsSubstring("2 factors pair by pair"));
}

TEST_CASE("a mask on a factor, and a trace of three") {
    const auto a = matrix(40, 40, 1);
    const auto b = matrix(40, 40, 2);
    const auto c = matrix(40, 40, 3);
    const auto masked = pv::where(a > 0.0, a, 0.0);
    CHECK(pv::to_vector(pv::sum(
              masked(pv::all, pv::all, pv::new_axis) * b(pv::new_axis, pv::all, pv::all), 1)) ==
          pv::to_vector(pv::matmul(pv::clone(masked), b)));
    const double trace =
        pv::sum(a(pv::all, pv::all, pv::new_axis) * b(pv::new_axis, pv::all, pv::all) *
                pv::transpose(c)(pv::all, pv::new_axis, pv::all));
    double expected = 0;
    const auto abc = pv::matmul(pv::matmul(a, b), c);
    for (index_t i = 0; i < 40; ++i) expected += abc(i, i);
    CHECK(trace == expected);
}

TEST_CASE("many factors, and products that one loop sums better") {
    std::vector<pv::Tensor<double>> chain;
    pv::Tensor<double> product = pv::ones<double>({3, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1});
    double expected = 1;
    for (int i = 0; i + 1 < 11; ++i) {
        pv::Shape shape(11, 1);
        shape[static_cast<std::size_t>(i)] = shape[static_cast<std::size_t>(i) + 1] = 3;
        product = product * pv::ones<double>(shape);
        expected *= 3;
    }
    pv::Shape axes;
    for (index_t axis = 1; axis < 11; ++axis) axes.push_back(axis);
    CHECK(pv::to_vector(pv::sum(product, axes)) == std::vector<double>(3, expected));
    const auto x = matrix(100, 100, 1);
    CHECK(pv::to_vector(pv::sum(x * x * x, 1)) == pv::to_vector(pv::sum(pv::clone(x * x * x), 1)));
    CHECK_THAT(pv::explain(pv::sum, x * x * x, 1), ContainsSubstring("cells are folded"));
}

} // namespace contract_many_test
