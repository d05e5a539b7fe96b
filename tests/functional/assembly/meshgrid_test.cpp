#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/create_like.hpp>
#include <purview/functional/assembly/meshgrid.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/named/index.hpp>
#include <purview/named/lifted_view.hpp>
#include <purview/named/order.hpp>

#include <limits>
#include <string>
#include <tuple>
#include <vector>

namespace meshgrid_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;

} // namespace

TEST_CASE("meshgrid: views of the coordinates, xy and ij") {
    Random random(1);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto n = random.between(0, 4);
        const auto m = random.between(0, 4);
        const auto k = random.between(1, 3);
        const auto x = pv::clone(pv::arange(n));
        const auto y = pv::arange(m) * 0.5;
        const auto z = pv::arange(k) * 2;
        for (const pv::Indexing indexing : {pv::Indexing::xy, pv::Indexing::ij}) {
            const auto [X, Y, Z] = pv::meshgrid(x, y, z, indexing);
            const bool xy = indexing == pv::Indexing::xy;
            const pv::Shape shape = xy ? pv::Shape{m, n, k} : pv::Shape{n, m, k};
            REQUIRE(X.shape() == shape);
            REQUIRE(Y.shape() == shape);
            REQUIRE(Z.shape() == shape);
            bool right = true;
            oracle::for_each(Coordinates(shape.begin(), shape.end()), [&](const Coordinates& g) {
                right = right && X(g[0], g[1], g[2]) == g[xy ? 1 : 0] &&
                        Y(g[0], g[1], g[2]) == 0.5 * static_cast<double>(g[xy ? 0 : 1]) &&
                        Z(g[0], g[1], g[2]) == 2 * g[2];
            });
            CHECK(right);
        }
    }
    const auto [columns, rows] = pv::meshgrid(pv::tensor({1, 2, 3}), pv::tensor({{4}, {5}}));
    CHECK(pv::to_vector(columns) == std::vector{1, 2, 3, 1, 2, 3});
    CHECK(pv::to_vector(rows) == std::vector{4, 4, 4, 5, 5, 5});
    const auto line = pv::meshgrid(pv::tensor({1, 2}));
    CHECK(pv::to_vector(std::get<0>(line)) == std::vector{1, 2});
    const auto any =
        pv::meshgrid(pv::AnyTensor(pv::tensor({1, 2})), pv::tensor({0.5}), pv::Indexing::ij);
    CHECK(std::get<0>(any).shape() == pv::Shape{2, 1});
    auto source = pv::tensor({1, 2});
    const auto later = pv::meshgrid(source, source);
    source(0) = 7;
    CHECK(std::get<0>(later)(1, 0) == 7);
}

TEST_CASE("rot90: quarter turns of a plane, written through") {
    Random random(2);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<int>(random);
        const std::size_t rank = x.naive.rank();
        if (rank < 2) continue;
        const Coordinates axes = random.permutation(rank);
        const index_t turns = random.between(-5, 5);
        auto naive = x.naive;
        Coordinates swapped(rank);
        for (std::size_t a = 0; a < rank; ++a) swapped[a] = static_cast<index_t>(a);
        std::swap(swapped[static_cast<std::size_t>(axes[0])],
                  swapped[static_cast<std::size_t>(axes[1])]);
        for (index_t t = 0; t < (turns % 4 + 4) % 4; ++t)
            naive = naive.flip({axes[1]}).transpose(swapped);
        INFO(x.name << " turns " << turns);
        const auto turned = pv::rot90(x.real, turns, {axes[0], axes[1]});
        CHECK(turned.shape() == pv::Shape(naive.shape.begin(), naive.shape.end()));
        CHECK(pv::to_vector(turned) == naive.values);
    }
    const auto m = pv::tensor({{1, 2}, {3, 4}});
    CHECK(pv::to_vector(pv::rot90(m)) == std::vector{2, 4, 1, 3});
    CHECK(pv::to_vector(m | pv::rot90(-1)) == std::vector{3, 1, 4, 2});
    CHECK(pv::to_vector(m | pv::rot90(1, {1, 0})) == std::vector{3, 1, 4, 2});
    (m | pv::rot90)(0, 0) = 9;
    CHECK(m(0, 1) == 9);
    const auto [i] = pv::dims("i");
    const auto cube = pv::reshape(pv::arange(8), {2, 2, 2});
    const pv::Tensor<int> batched = pv::rot90(cube(i)) | pv::order(i);
    CHECK(pv::to_vector(batched) == std::vector{1, 3, 0, 2, 5, 7, 4, 6});
    CHECK(pv::rot90(pv::AnyTensor(m), 2).shape() == pv::Shape{2, 2});
    CHECK_THROWS_WITH(pv::rot90(m, 1, {1, -1}),
                      ContainsSubstring("rot90") && ContainsSubstring("same"));
    CHECK_THROWS_WITH(pv::rot90(m, 1, {0, 2}), ContainsSubstring("rot90"));
    CHECK_THROWS_AS(pv::rot90(m, 1, {0}), pv::ShapeError);
}

TEST_CASE("roll along several axes") {
    Random random(3);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<int>(random);
        const Coordinates axes = oracle::random_axes(random, x.naive.rank());
        Coordinates shifts;
        Coordinates amounts(x.naive.rank());
        for (const index_t axis : axes) {
            shifts.push_back(random.between(-9, 9));
            amounts[static_cast<std::size_t>(axis)] = shifts.back();
        }
        INFO(x.name);
        CHECK(pv::to_vector(pv::roll(x.real, shifts, axes)) == x.naive.rotate(amounts).values);
        CHECK(pv::to_vector(x.real | pv::roll(shifts, axes)) == x.naive.rotate(amounts).values);
    }
    const auto m = pv::tensor({{1, 2, 3}, {4, 5, 6}});
    CHECK(pv::to_vector(pv::roll(m, 1, {0, 1})) == std::vector{6, 4, 5, 3, 1, 2});
    CHECK(pv::to_vector(m | pv::roll(1, {0, 1})) == std::vector{6, 4, 5, 3, 1, 2});
    CHECK(pv::to_vector(pv::roll(m, {1, 1}, {-1, 1})) == std::vector{2, 3, 1, 5, 6, 4});
    pv::roll(m, {1, 1}, {0, 1})(0, 0) = 60;
    CHECK(m(1, 2) == 60);
    CHECK_THROWS_WITH(pv::roll(m, {1, 2}, {0}), ContainsSubstring("roll: 2 shifts along 1 axes"));
    CHECK_THROWS_WITH(pv::roll(m, {1, 1}, {2, 0}), ContainsSubstring("roll"));
}

TEST_CASE("zeros_like, ones_like, full_like, empty_like: shape, type, dims") {
    Random random(4);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const auto x = oracle::random_layout<float>(random);
        const auto n = static_cast<std::size_t>(x.naive.size());
        auto zeros = pv::zeros_like(x.real);
        CHECK(std::same_as<decltype(zeros), pv::MutableTensor<float>>);
        CHECK(zeros.shape() == x.real.shape());
        CHECK(zeros.is_contiguous());
        CHECK(pv::to_vector(zeros) == std::vector<float>(n, 0));
        CHECK(pv::to_vector(x.real | pv::ones_like) == std::vector<float>(n, 1));
        CHECK(pv::to_vector(pv::full_like(x.real, 7)) == std::vector<float>(n, 7));
        CHECK(pv::to_vector(x.real | pv::full_like(0.5)) == std::vector<float>(n, 0.5F));
        CHECK(pv::empty_like(x.real).shape() == x.real.shape());
        const pv::AnyTensor any = pv::ones_like(pv::AnyTensor(x.real));
        CHECK(any.dtype() == pv::float32);
        CHECK_FALSE(any.is_read_only());
        CHECK(pv::to_vector(any.as<float>()) == std::vector<float>(n, 1));
    }
    const auto m = pv::tensor({{1, 2}, {3, 4}});
    const auto [i] = pv::dims("i");
    const pv::Tensor<int> bound = pv::full_like(m(i), 3) | pv::order(i);
    CHECK(pv::to_vector(bound) == std::vector{3, 3, 3, 3});
    CHECK(pv::to_vector(m) == std::vector{1, 2, 3, 4});
    CHECK(pv::to_vector(pv::full_like(pv::tensor({"a"}), "b")) == std::vector<std::string>{"b"});
    CHECK(pv::to_vector(pv::zeros_like(pv::tensor({"a"}))) == std::vector<std::string>{""});
    CHECK(pv::zeros_like(pv::zeros({2, 0})).shape() == pv::Shape{2, 0});
    CHECK_THROWS_AS(pv::full_like(pv::tensor({std::uint8_t{1}}), 300), pv::CastError);
    CHECK(pv::to_vector(pv::zeros_like(pv::AnyTensor(pv::tensor({"a"}))).as<std::string>()) ==
          std::vector<std::string>{""});
    struct Own {
        int value = 0;
        bool operator==(const Own&) const = default;
    };
    CHECK_THROWS_WITH(pv::zeros_like(pv::AnyTensor(pv::tensor(std::vector<Own>(1)))),
                      ContainsSubstring("zeros_like"));
}

} // namespace meshgrid_test
