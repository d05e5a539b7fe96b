#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/outer.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/order.hpp>

#include <cstdint>
#include <vector>

namespace outer_test {

namespace {

namespace pv = purview;
using oracle::Coordinates;
using oracle::Oracle;
using oracle::Random;

Oracle<std::int64_t> kronecker(Oracle<std::int64_t> x, Oracle<std::int64_t> y) {
    while (x.rank() < y.rank()) x = x.insert_axis(0);
    while (y.rank() < x.rank()) y = y.insert_axis(0);
    Coordinates shape;
    for (std::size_t a = 0; a < x.rank(); ++a) shape.push_back(x.shape[a] * y.shape[a]);
    return Oracle<std::int64_t>::make(shape, [&](const Coordinates& g) {
        Coordinates block(g.size());
        Coordinates inside(g.size());
        for (std::size_t a = 0; a < g.size(); ++a) {
            block[a] = g[a] / y.shape[a];
            inside[a] = g[a] % y.shape[a];
        }
        return x.at(block) * y.at(inside);
    });
}

Oracle<std::int64_t> small(Random& random, pv::Tensor<std::int64_t>& real) {
    Coordinates shape(static_cast<std::size_t>(random.between(0, 3)));
    for (auto& extent : shape) extent = random.one_in(15) ? 0 : random.between(1, 4);
    Oracle<std::int64_t> naive{shape, random.elements<std::int64_t>(oracle::count_of(shape))};
    real = pv::tensor(std::vector(naive.values), shape);
    if (naive.rank() > 1 && random.one_in(2)) {
        const Coordinates axes = random.permutation(naive.rank());
        real = pv::transpose(real, axes);
        naive = naive.transpose(axes);
    }
    return naive;
}

} // namespace

TEST_CASE("outer and kron: every element with every element") {
    Random random(1);
    for (int round = 0; round < oracle::rounds(150); ++round) {
        pv::Tensor<std::int64_t> x;
        pv::Tensor<std::int64_t> y;
        const auto a = small(random, x);
        const auto b = small(random, y);
        INFO(oracle::text(a.shape) << " and " << oracle::text(b.shape));
        const auto products =
            Oracle<std::int64_t>::make({a.size(), b.size()}, [&](const Coordinates& g) {
                return a.values[static_cast<std::size_t>(g[0])] *
                       b.values[static_cast<std::size_t>(g[1])];
            });
        const auto outer = pv::outer(x, y);
        CHECK(outer.shape() == pv::Shape{a.size(), b.size()});
        CHECK(pv::to_vector(outer) == products.values);
        CHECK(pv::to_vector(x | pv::outer(y)) == products.values);
        const auto expected = kronecker(a, b);
        const auto kron = pv::kron(x, y);
        CHECK(kron.shape() == pv::Shape(expected.shape.begin(), expected.shape.end()));
        CHECK(pv::to_vector(kron) == expected.values);
        CHECK(pv::to_vector(x | pv::kron(y)) == expected.values);
        const pv::AnyTensor any = pv::kron(pv::AnyTensor(x), pv::AnyTensor(y));
        CHECK(pv::to_vector(any.as<std::int64_t>()) == expected.values);
        CHECK(pv::to_vector(pv::outer(pv::AnyTensor(x), y).as<std::int64_t>()) == products.values);
    }
}

TEST_CASE("outer is lazy, kron is memory; promoted, dims") {
    auto x = pv::tensor({1.0, 2.0});
    const auto products = pv::outer(x, pv::tensor({1, 10}));
    const auto blocks = pv::kron(x, pv::tensor({1, 10}));
    x(0) = 3;
    CHECK(pv::to_vector(products) == std::vector{3.0, 30.0, 2.0, 20.0});
    CHECK(pv::to_vector(blocks) == std::vector{1.0, 10.0, 2.0, 20.0});
    CHECK(blocks.is_contiguous());
    const auto [i] = pv::dims("i");
    const auto m = pv::tensor({{1, 2}, {3, 4}});
    const pv::Tensor<int> batched = pv::outer(m(i), pv::tensor({1, 2})) | pv::order(i);
    CHECK(batched.shape() == pv::Shape{2, 2, 2});
    CHECK(pv::to_vector(batched) == std::vector{1, 2, 2, 4, 3, 6, 4, 8});
    const pv::Tensor<int> both = pv::kron(m(i), m(i)) | pv::order(i);
    CHECK(pv::to_vector(both) == std::vector{1, 2, 2, 4, 9, 12, 12, 16});
}

} // namespace outer_test
