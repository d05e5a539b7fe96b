#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/explain.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

#include <concepts>
#include <cstdint>
#include <string>
#include <vector>

namespace concat_test {

namespace {

using namespace oracle;
using Catch::Matchers::ContainsSubstring;

/// Some tensor of a shape: memory, a view or computed.
template <typename T>
Twin<T> random_of_shape(Random& random, const Coordinates& shape) {
    Twin<T> x = random_source<T>(random, shape);
    if (random.one_in(3)) {
        for (std::size_t axis = 0; axis < shape.size(); ++axis) {
            const auto a = static_cast<index_t>(axis);
            x.real = pv::Tensor<T>(x.real | pv::flip({a}));
            x.naive = x.naive.view(shape, [&](Coordinates g) {
                g[axis] = shape[axis] - 1 - g[axis];
                return g;
            });
        }
    }
    return x;
}

template <typename T>
Oracle<T> naive_concat(const std::vector<Oracle<T>>& parts, std::size_t axis) {
    Coordinates shape = parts[0].shape;
    shape[axis] = 0;
    for (const Oracle<T>& part : parts) shape[axis] += part.shape[axis];
    return Oracle<T>::make(shape, [&](Coordinates g) {
        for (const Oracle<T>& part : parts) {
            if (g[axis] < part.shape[axis]) return T(part.at(g));
            g[axis] -= part.shape[axis];
        }
        return T{};
    });
}

template <typename T>
void random_step(Random& random, Twin<T>& x) {
    if (random.one_in(4) && x.naive.rank() < 6)
        random_operation(random, x);
    else
        random_view(random, x.real, x.naive, x.name);
}

template <typename T>
void check_concat(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape;
    do {
        shape = random.shape();
    } while (shape.empty() || shape.size() > 4);
    const std::size_t axis = random.axis_of(shape);
    std::vector<pv::Tensor<T>> real;
    std::vector<Oracle<T>> naive;
    for (index_t count = random.between(1, 4); count > 0; --count) {
        shape[axis] = random.one_in(6)                        ? 0
                      : random.one_in(8) && shape.size() == 1 ? random.between(200, 700)
                                                              : random.between(1, 5);
        const Twin<T> part = random_of_shape<T>(random, shape);
        real.push_back(pv::Tensor<T>(part.real));
        naive.push_back(part.naive);
    }
    const auto from = random.one_in(2) ? static_cast<index_t>(axis)
                                       : static_cast<index_t>(axis) - std::ssize(shape);
    Twin<T> x{pv::concat(real, from), naive_concat(naive, axis), "concat"};
    expect_same(random, x.real, x.naive);
    for (index_t steps = random.between(0, 4); steps > 0; --steps)
        if constexpr (!std::same_as<T, std::string>)
            random_step(random, x);
        else
            random_view(random, x.real, x.naive, x.name);
    INFO(x.name);
    expect_same(random, x.real, x.naive);
    if (random.one_in(3) && x.naive.rank() < 5 && x.naive.rank() > 0) {
        const std::size_t new_axis = random.axis_of(x.naive.shape);
        Coordinates stacked = x.naive.shape;
        stacked.insert(stacked.begin() + static_cast<std::ptrdiff_t>(new_axis), 2);
        const pv::Tensor<T> flipped = x.real | pv::flip;
        const Oracle<T> naive_stack = Oracle<T>::make(stacked, [&](Coordinates g) {
            const bool second = g[new_axis] == 1;
            g.erase(g.begin() + static_cast<std::ptrdiff_t>(new_axis));
            if (second)
                for (std::size_t a = 0; a < g.size(); ++a) g[a] = x.naive.shape[a] - 1 - g[a];
            return T(x.naive.at(g));
        });
        expect_same(random,
                    pv::stack({pv::Tensor<T>(x.real), flipped}, static_cast<index_t>(new_axis)),
                    naive_stack);
    }
}

} // namespace

TEST_CASE("concat and stack agree with nested loops, through any views") {
    for (unsigned seed = 0; seed < oracle::rounds(600U); ++seed) {
        check_concat<double>(seed);
        check_concat<std::uint8_t>(10'000 + seed);
        check_concat<float>(20'000 + seed);
        check_concat<std::string>(30'000 + seed);
    }
}

TEST_CASE("concat takes tensors one by one, and promotes their types") {
    const auto x = pv::tensor({1, 2});
    const auto y = pv::tensor({0.5});
    const pv::Tensor<double> joined = pv::concat(x, y);
    CHECK(pv::to_vector(joined) == std::vector{1., 2., 0.5});
    CHECK(pv::to_vector(pv::concat(y, x, y, 0)) == std::vector{0.5, 1., 2., 0.5});
    CHECK(pv::to_vector(pv::concat({x, x})) == std::vector<int>{1, 2, 1, 2});
    const auto m = pv::tensor({{1, 2}, {3, 4}});
    CHECK(pv::to_vector(pv::concat(m, m, 1)) == std::vector<int>{1, 2, 1, 2, 3, 4, 3, 4});
    CHECK(pv::to_vector(pv::stack(x, x + 4, 1)) == std::vector<int>{1, 5, 2, 6});
    CHECK(pv::to_vector(pv::stack({x, x}, -1)) == std::vector<int>{1, 1, 2, 2});
    const pv::AnyTensor any = pv::concat(pv::AnyTensor(x), pv::AnyTensor(y));
    CHECK(any.dtype() == pv::float64);
    CHECK(pv::to_vector(any.as<double>()) == std::vector{1., 2., 0.5});
}

TEST_CASE("concat is lazy: it sees later writes, and is written nowhere") {
    const auto x = pv::tensor({1., 2.});
    const auto joined = pv::concat(x, x * 10);
    x(0) = 5;
    CHECK(pv::to_vector(joined) == std::vector{5., 2., 50., 20.});
    CHECK(joined.is_read_only());
    CHECK(pv::sum(joined) == 77);
    auto target = pv::tensor({0., 0., 1., 2.});
    pv::copy(pv::concat(target(pv::range(2, 4)), target(pv::range(0, 2))), target);
    CHECK(pv::to_vector(target) == std::vector{1., 2., 0., 0.});
}

TEST_CASE("concat takes part in computations") {
    const auto c =
        pv::computation([](auto x, auto y) { return pv::sum(pv::concat(x, y * 2, 0) * 3, {0}); },
                        pv::spec<double>({3, 2}), pv::spec<double>({pv::any_size, 2}));
    const auto x = pv::ones({3, 2});
    CHECK(pv::to_vector(c(x, x)) == std::vector{27., 27.});
    CHECK(pv::to_vector(c(x, pv::ones({1, 2}))) == std::vector{15., 15.});
}

TEST_CASE("long joins stay flat, and deep ones say what to do") {
    pv::Tensor<double> flat = pv::ones({1});
    for (int i = 0; i < 300; ++i) flat = pv::concat(flat, pv::ones({1}));
    CHECK(pv::sum(flat) == 301);
    pv::Tensor<double> deep = pv::ones({1});
    for (int i = 0; i < 300; ++i) deep = pv::concat(deep + 0.0, pv::ones({1}));
    CHECK(pv::sum(deep) == 301);
    // What is of no built-in type is not put into memory on the way.
    pv::Tensor<std::string> words = pv::tensor({"a"});
    for (int i = 0; i < 300; ++i)
        words = pv::concat(words | pv::emap([](const std::string& word) { return word + "b"; }),
                           pv::tensor({"a"}));
    CHECK_THROWS_WITH(pv::to_vector(words), ContainsSubstring("concat: more than 100 are nested"));
}

TEST_CASE("what does not fit together is named") {
    const auto x = pv::ones({2, 3});
    CHECK_THROWS_WITH(pv::concat(x, pv::ones({2, 4})),
                      ContainsSubstring("concat: shapes [2 3] and [2 4] differ beside axis 0"));
    CHECK_THROWS_AS(pv::concat(x, pv::ones({2})), pv::ShapeError);
    CHECK_THROWS_AS(pv::concat(x, x, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::concat(pv::ones({}), pv::ones({})), pv::IndexError);
    CHECK_THROWS_AS(pv::stack(x, x(0, pv::all)), pv::ShapeError);
    CHECK_THROWS_AS(pv::concat(std::vector<pv::Tensor<int>>{}), pv::ShapeError);
    const auto huge = pv::const_tensor(1.0, {index_t{1} << 62});
    CHECK_THROWS_AS(pv::concat(huge, huge, 0), pv::ShapeError);
}

TEST_CASE("explain tells pieces") {
    const auto x = pv::ones({2, 3});
    const std::string text = pv::explain(pv::concat(x, x + 1));
    CHECK_THAT(text, ContainsSubstring("concat of 2 pieces [4 3]") &&
                         ContainsSubstring("1 of them computed"));
}

} // namespace concat_test
