#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/dimensions/select.hpp>
#include <purview/functional/reductions/product.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace contract_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::Random;
using pv::index_t;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// An axis of a sum of products, and which factors have it.
struct Axis {
    index_t extent;
    bool in_x;
    bool in_y;
    bool summed;
};

Axis random_axis(Random& random, index_t most) {
    const index_t extent = random.one_in(60) ? 0 : random.one_in(8) ? 1 : random.between(2, most);
    switch (random.between(0, 9)) {
    case 0:
    case 1: return {extent, true, true, false};
    case 2:
    case 3: return {extent, true, false, false};
    case 4:
    case 5: return {extent, false, true, false};
    case 6:
    case 7:
    case 8: return {extent, true, true, true};
    default: return {extent, random.one_in(2), random.one_in(2), random.one_in(2)};
    }
}

/// Small whole numbers, whose sums are exact in any order, in memory of some layout: axes permuted,
/// padded, strided and turned round.
template <typename T>
pv::Tensor<T> random_layout(Random& random, const Coordinates& shape) {
    const Coordinates order = random.permutation(shape.size());
    pv::Shape stored;
    std::vector<index_t> steps;
    for (const index_t axis : order) {
        steps.push_back(random.one_in(4) ? 2 : 1);
        stored.push_back(shape[static_cast<std::size_t>(axis)] * steps.back() +
                         (random.one_in(4) ? 3 : 0));
    }
    pv::MutableTensor<T> memory = pv::empty<T>(stored);
    for (index_t i = 0; i < memory.size(); ++i)
        memory.storage()(i) = static_cast<T>(random.between(std::is_unsigned_v<T> ? 0 : -4, 4));
    pv::Tensor<T> view = memory;
    pv::Shape place(shape.size());
    for (std::size_t i = 0; i < order.size(); ++i) {
        const index_t extent = shape[static_cast<std::size_t>(order[i])];
        const index_t skipped = view.shape()[i] - extent * steps[i];
        pv::Dimensions dims =
            pv::dimensions::select(view.dimensions(), static_cast<index_t>(i),
                                   pv::range(skipped, skipped + extent * steps[i], steps[i]));
        view = pv::Tensor<T>(pv::Operand{view.operand().node, dims});
        if (random.one_in(6)) view = view | pv::flip({static_cast<index_t>(i)});
        place[static_cast<std::size_t>(order[i])] = static_cast<index_t>(i);
    }
    return view | pv::transpose(place);
}

/// What becomes of a factor before it is multiplied: nothing, or a lazy operation.
template <typename T>
pv::Tensor<T> random_factor(Random& random, const Coordinates& shape) {
    pv::Tensor<T> factor = random_layout<T>(random, shape);
    if constexpr (!std::same_as<T, bool>) {
        if (random.one_in(6)) factor = factor + T{1};
        if (random.one_in(12))
            factor = factor | pv::emap([](T v) { return static_cast<T>(v * v); });
    }
    if (!shape.empty() && random.one_in(8))
        factor = factor | pv::rotate(pv::Shape(shape.size(), index_t{1}));
    return factor;
}

template <typename X, typename Y, typename R>
void check_contraction(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const index_t rank = random.between(2, 5);
    const index_t most = rank == 2 ? 90 : rank == 3 ? 45 : rank == 4 ? 14 : 8;
    std::vector<Axis> axes;
    for (index_t i = 0; i < rank; ++i) axes.push_back(random_axis(random, most));

    Coordinates of_x;
    Coordinates of_y;
    Coordinates whole;
    pv::Shape kept_shape;
    std::vector<index_t> summed;
    for (const Axis& axis : axes) {
        whole.push_back(axis.in_x || axis.in_y ? axis.extent : 1);
        if (axis.in_x) of_x.push_back(axis.extent);
        if (axis.in_y) of_y.push_back(axis.extent);
        if (axis.summed)
            summed.push_back(std::ssize(whole) - 1);
        else
            kept_shape.push_back(whole.back());
    }
    const pv::Tensor<X> x = random_factor<X>(random, of_x);
    const pv::Tensor<Y> y = random_factor<Y>(random, of_y);
    pv::Tensor<X> wide_x = x;
    pv::Tensor<Y> wide_y = y;
    for (std::size_t i = 0; i < axes.size(); ++i) {
        if (!axes[i].in_x) wide_x = wide_x | pv::insert_axis(static_cast<index_t>(i));
        if (!axes[i].in_y) wide_y = wide_y | pv::insert_axis(static_cast<index_t>(i));
    }
    random.shuffle(summed);
    const auto found = pv::sum(wide_x * wide_y, pv::Shape(summed.begin(), summed.end()));
    REQUIRE(found.shape() == kept_shape);

    const std::vector<X> values_x = pv::to_vector(x);
    const std::vector<Y> values_y = pv::to_vector(y);
    std::vector<R> expected(static_cast<std::size_t>(found.size()), R{});
    // How far a step along each axis goes in the row-major elements of x, y and the sums.
    const std::size_t count = axes.size();
    Coordinates step_x(count, 0);
    Coordinates step_y(count, 0);
    Coordinates step_sum(count, 0);
    index_t size_x = 1;
    index_t size_y = 1;
    index_t size_sum = 1;
    for (std::size_t i = count; i-- > 0;) {
        if (axes[i].in_x) step_x[i] = std::exchange(size_x, size_x * whole[i]);
        if (axes[i].in_y) step_y[i] = std::exchange(size_y, size_y * whole[i]);
        if (!axes[i].summed) step_sum[i] = std::exchange(size_sum, size_sum * whole[i]);
    }
    Coordinates at(count, 0);
    index_t in_x = 0;
    index_t in_y = 0;
    index_t sum = 0;
    for (index_t rest = oracle::count_of(whole); rest > 0; --rest) {
        expected[static_cast<std::size_t>(sum)] += static_cast<R>(
            values_x[static_cast<std::size_t>(in_x)] * values_y[static_cast<std::size_t>(in_y)]);
        for (std::size_t i = count; i-- > 0;) {
            const bool inside = ++at[i] < whole[i];
            const index_t steps = inside ? 1 : 1 - whole[i];
            in_x += steps * step_x[i];
            in_y += steps * step_y[i];
            sum += steps * step_sum[i];
            if (inside) break;
            at[i] = 0;
        }
    }
    const bool same = pv::to_vector(found) == expected;
    if (!same) CHECK(pv::to_vector(found) == expected);
    REQUIRE(same);
}

pv::MutableTensor<double> noise(Random& random, pv::Shape shape) {
    pv::MutableTensor<double> result = pv::empty(shape);
    for (index_t i = 0; i < result.size(); ++i)
        result.storage()(i) = static_cast<double>(random.between(-1'000'000, 1'000'000)) * 1e-6;
    return result;
}

} // namespace

TEST_CASE("sums of products agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed)
        check_contraction<double, double, double>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed)
        check_contraction<float, float, float>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed)
        check_contraction<float, double, double>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed)
        check_contraction<double, std::int32_t, double>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed)
        check_contraction<std::int32_t, std::int32_t, std::int64_t>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed)
        check_contraction<std::int64_t, std::int64_t, std::int64_t>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed)
        check_contraction<std::uint16_t, std::uint16_t, std::uint64_t>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed)
        check_contraction<bool, float, float>(seed);
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed)
        check_contraction<bool, bool, std::int64_t>(seed);
}

TEST_CASE("a matrix product is within the bound of its sums") {
    Random random(7);
    const auto a = noise(random, {70, 300});
    const auto b = noise(random, {300, 50});
    const auto exact = [&](index_t i, index_t j) {
        long double sum = 0;
        for (index_t k = 0; k < 300; ++k)
            sum += static_cast<long double>(a(i, k)) * static_cast<long double>(b(k, j));
        return static_cast<double>(sum);
    };
    // |error| <= k·u·Σ|a||b| for any order of the sum; each product is at most 1.
    const auto c = pv::matmul(a, b);
    const auto c32 = pv::matmul(a | pv::cast<float>, b | pv::cast<float>);
    for (index_t i = 0; i < 70; ++i)
        for (index_t j = 0; j < 50; ++j) {
            REQUIRE(std::abs(c(i, j) - exact(i, j)) <= 300 * 300 * 0x1p-53);
            REQUIRE(std::abs(static_cast<double>(c32(i, j)) - exact(i, j)) <= 302 * 300 * 0x1p-24);
        }
}

TEST_CASE("NaN and infinities go through products, zeros or not") {
    for (const index_t n : {3, 40}) {
        for (const double value : {kNaN, kInfinity}) {
            auto a = pv::zeros({n, n});
            auto b = pv::zeros({n, n});
            a(1, 2) = value;
            const auto c = pv::matmul(a, b);
            const auto d = pv::matmul(b, a);
            const auto v = pv::matmul(a, pv::zeros({n}));
            for (index_t i = 0; i < n; ++i) {
                CHECK(std::isnan(v(i)) == (i == 1));
                for (index_t j = 0; j < n; ++j) {
                    REQUIRE(std::isnan(c(i, j)) == (i == 1));
                    REQUIRE(std::isnan(d(i, j)) == (j == 2));
                }
            }
        }
    }
}

TEST_CASE("a matrix times its transpose") {
    Random random(3);
    const auto a = pv::clone(random_layout<double>(random, {50, 60}));
    const auto gram = pv::matmul(a, a | pv::transpose);
    const auto again = pv::matmul(a | pv::transpose | pv::transpose, pv::clone(a | pv::transpose));
    CHECK(pv::to_vector(gram) == pv::to_vector(again));
    CHECK(pv::to_vector(gram) == pv::to_vector(gram | pv::transpose));
}

TEST_CASE("overlapping windows are a factor like any other") {
    const auto x = pv::arange(300.) | pv::sliding_window(0, 40); // [261, 40], neighbours overlap
    const auto y = pv::clone(x);
    const auto w = pv::arange(40. * 16) | pv::reshape({40, 16});
    CHECK(pv::to_vector(pv::matmul(x, w)) == pv::to_vector(pv::matmul(y, w)));
}

TEST_CASE("a factor may be computed, and may throw") {
    const auto a = pv::ones({64, 64});
    const auto b = pv::ones({64, 64}) | pv::emap([](double v) { return v * 1; });
    const auto c = pv::matmul(a, b);
    CHECK(c(5, 6) == 64);
    // What a function of the user's throws arrives.
    const auto bad = b | pv::emap([](double) -> double { throw std::runtime_error("no"); });
    CHECK_THROWS_WITH(pv::matmul(a, bad), "no");
}

TEST_CASE("products may be computed by several threads at once") {
    Random random(11);
    const auto a = pv::clone(random_layout<double>(random, {70, 80}));
    const auto b = pv::clone(random_layout<double>(random, {80, 60}));
    const std::vector<double> expected = pv::to_vector(pv::matmul(a, b));
    std::vector<char> right(4, 0);
    std::vector<std::thread> threads;
    for (char& result : right)
        threads.emplace_back([&] {
            bool same = true;
            for (int i = 0; i < 30; ++i) same &= pv::to_vector(pv::matmul(a, b)) == expected;
            result = same ? 1 : 0;
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(right == std::vector<char>(4, 1));
}

TEST_CASE("products without elements, and of size 1") {
    CHECK(pv::matmul(pv::zeros({0, 3}), pv::zeros({3, 4})).shape() == pv::Shape{0, 4});
    const auto empty_sum = pv::matmul(pv::zeros({20, 0}), pv::zeros({0, 40}));
    CHECK(empty_sum.shape() == pv::Shape{20, 40});
    CHECK(pv::sum(pv::abs(empty_sum)) == 0);
    CHECK(pv::matmul(pv::full({1, 1}, 3.), pv::full({1, 1}, 4.))(0, 0) == 12);
    CHECK(pv::sum(pv::matmul(pv::ones({1, 5000}), pv::ones({5000, 1}))) == 5000);
    CHECK(pv::sum(pv::matmul(pv::ones({5000, 1}), pv::ones({1, 3}))) == 15000);
    CHECK(pv::matmul(pv::zeros({0, 2, 3}), pv::zeros({3, 4})).shape() == pv::Shape{0, 2, 4});
}

TEST_CASE("matmul has NumPy's forms") {
    const auto shape = [](const auto& x, const auto& y) { return pv::matmul(x, y).shape(); };
    CHECK(shape(pv::ones({2, 3}), pv::ones({3, 4})) == pv::Shape{2, 4});
    CHECK(shape(pv::ones({3}), pv::ones({3, 4})) == pv::Shape{4});
    CHECK(shape(pv::ones({2, 3}), pv::ones({3})) == pv::Shape{2});
    CHECK(shape(pv::ones({3}), pv::ones({3})) == pv::Shape{});
    CHECK(shape(pv::ones({5, 1, 2, 3}), pv::ones({6, 3, 4})) == pv::Shape{5, 6, 2, 4});
    CHECK(shape(pv::ones({3}), pv::ones({6, 3, 4})) == pv::Shape{6, 4});
    CHECK(shape(pv::ones({6, 2, 3}), pv::ones({3})) == pv::Shape{6, 2});

    const auto a = pv::tensor({{1, 2}, {3, 4}});
    const auto b = pv::tensor({{5, 6}, {7, 8}});
    STATIC_REQUIRE(std::same_as<decltype(pv::matmul(a, b)), pv::MutableTensor<std::int64_t>>);
    CHECK(pv::to_vector(pv::matmul(a, b)) == std::vector<std::int64_t>{19, 22, 43, 50});
    CHECK(pv::to_vector(pv::matmul(a, a | pv::cast<float>)) == std::vector<float>{7, 10, 15, 22});
    CHECK(pv::matmul(a > 1, a > 1)(1, 1) == 2); // bool counts
    const auto large = pv::full<std::int8_t>({1, 4}, std::int8_t{100});
    CHECK(pv::matmul(large, large | pv::transpose)(0, 0) == 40'000); // widened before

    const pv::AnyTensor any = pv::matmul(pv::AnyTensor(a), b);
    CHECK(any.dtype() == pv::int64);
    CHECK(pv::to_vector(any.as<std::int64_t>()) == std::vector<std::int64_t>{19, 22, 43, 50});
}

TEST_CASE("dot is a number") {
    const auto x = pv::tensor({1., 2., 3.});
    CHECK(pv::dot(x, x) == 14);
    STATIC_REQUIRE(std::same_as<decltype(pv::dot(pv::tensor({1}), x)), double>);
    STATIC_REQUIRE(
        std::same_as<decltype(pv::dot(pv::tensor({true}), pv::tensor({true}))), std::int64_t>);
    CHECK(pv::dot(pv::AnyTensor(x), x).item<double>() == 14);
    CHECK(pv::dot(pv::zeros({0}), pv::zeros({0})) == 0);
    CHECK(std::isnan(pv::dot(x, pv::tensor({0., kNaN, 0.}))));
}

TEST_CASE("shapes that do not fit are named") {
    CHECK_THROWS_AS(pv::matmul(pv::ones({2, 3}), pv::ones({4, 5})), pv::ShapeError);
    CHECK_THROWS_WITH(pv::matmul(pv::ones({2, 3}), pv::ones({4, 5})),
                      "matmul: shapes [2 3] and [4 5]: 3 columns meet 4 rows");
    CHECK_THROWS_WITH(pv::matmul(pv::ones({2, 1}), pv::ones({4, 5})),
                      ContainsSubstring("1 columns"));
    CHECK_THROWS_WITH(pv::matmul(pv::ones({2, 2, 3}), pv::ones({3, 3, 2})),
                      ContainsSubstring("matmul: shapes [2 2 3] and [3 3 2]: batches [2] and [3]"));
    CHECK_THROWS_WITH(pv::matmul(pv::ones({}), pv::ones({3})),
                      ContainsSubstring("one has no axis"));
    CHECK_THROWS_WITH(pv::dot(pv::ones({2}), pv::ones({3})),
                      ContainsSubstring("dot: shapes [2] and [3]"));
    CHECK_THROWS_WITH(pv::dot(pv::ones({2, 2}), pv::ones({2})), ContainsSubstring("rank 1"));
    CHECK_THROWS_WITH(pv::matmul(pv::AnyTensor(pv::ones({2, 3})), pv::ones({4, 5})),
                      ContainsSubstring("[2 3] and [4 5]"));
}

} // namespace contract_test
