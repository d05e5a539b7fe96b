// Matrix products over ranks, against those of the whole in memory.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <complex>

namespace pm = purview::mpi;
namespace pv = purview;
using oracle::Random;
using pv::index_t;

namespace {

template <typename T>
pv::MutableTensor<T> small_integers(Random& random, const pv::Shape& shape) {
    auto x = pv::zeros<T>(shape);
    for (auto&& value : x)
        value = static_cast<T>(static_cast<int>(random.between(-6, 6))); // sums of these are exact
    return x;
}

template <typename T>
void check_products(unsigned seed) {
    for (unsigned round = 0; round < 25; ++round) {
        Random random(seed + round);
        const index_t m = random.between(0, 17);
        const index_t k = random.between(0, 70);
        const index_t n = random.between(0, 17);
        const auto a = small_integers<T>(random, {m, k});
        const auto b = small_integers<T>(random, {k, n});
        const auto x = pm::distribute(a, oracle::random_distribution(random, pv::Shape{m, k}));
        const auto y = pm::distribute(b, oracle::random_distribution(random, pv::Shape{k, n}));
        const pm::Distribution d = oracle::random_distribution(random, pv::Shape{m, n});
        INFO("seed " << seed + round << " " << to_string(x.distribution()) << " by "
                     << to_string(y.distribution()) << " to " << to_string(d));
        const auto product = pv::matmul(a, b);
        CHECK(pv::equals(pm::all_gather(pm::matmul(x, y, d)), product));
        CHECK(pv::equals(pm::all_gather(pm::matmul(x, y)), product));
        // Transposed and computed factors, and what all ranks have.
        const auto t = pm::distribute(pv::clone(pv::transpose(b)),
                                      oracle::random_distribution(random, pv::Shape{n, k}));
        CHECK(pv::equals(
            pm::all_gather(pm::matmul(x.global() + x.global(), pv::transpose(t.global()), d)),
            pv::matmul(a + a, b)));
        CHECK(pv::equals(pm::all_gather(pm::matmul(a, y, d)), product));
        // A vector.
        const auto vector =
            pm::distribute(b.size() > 0 ? pv::clone(b(pv::all, 0)) : pv::zeros<T>({k}),
                           oracle::random_distribution(random, pv::Shape{k}));
        const auto whole = pm::all_gather(vector);
        const pm::Distribution e = oracle::random_distribution(random, pv::Shape{m});
        CHECK(pv::equals(pm::all_gather(pm::matmul(x, vector, e)), pv::matmul(a, whole)));
    }
}

} // namespace

TEST_CASE("products in any distributions are what they are in memory") {
    check_products<double>(100);
    check_products<float>(200);
    check_products<std::int32_t>(300);
    check_products<std::complex<double>>(400);
}

TEST_CASE("panels of many columns, in slabs of many rows") {
    Random random(9);
    const auto a = small_integers<double>(random, {300, 2500});
    const auto b = small_integers<double>(random, {2500, 130});
    const pm::Grid grid(oracle::world(), {-1, -1});
    const auto x = pm::distribute(a, pm::blocks({300, 2500}, grid));
    const auto y = pm::distribute(b, pm::cyclic({2500, 130}, grid, {64, 64}));
    CHECK(pv::equals(pm::all_gather(pm::matmul(x, y)), pv::matmul(a, b)));
}

TEST_CASE("a rank sends the panels that others need") {
    const pm::Communicator& world = oracle::world();
    const pm::Grid grid(world, {-1, -1});
    const index_t n = 24 * grid.extents()[0] * grid.extents()[1];
    const pm::Distribution d = pm::blocks({n, n}, grid);
    const auto x = pm::distribute(pv::ones({n, n}), d);
    pm::reset_messages();
    pm::matmul(x, x, d);
    const index_t expected = n * n / world.size() *
                             (grid.extents()[0] - 1 + grid.extents()[1] - 1) *
                             index_t{sizeof(double)};
    CHECK(pm::messages().elements_bytes == expected);
}

TEST_CASE("dot, in any distributions") {
    for (unsigned seed = 0; seed < 20; ++seed) {
        Random random(seed);
        const pv::Shape shape{random.between(0, 40)};
        const auto a = small_integers<double>(random, shape);
        const auto b = small_integers<std::int8_t>(random, shape);
        const auto x = pm::distribute(a, oracle::random_distribution(random, shape));
        const auto y = pm::distribute(b, oracle::random_distribution(random, shape));
        const double expected = pv::dot(a, b);
        CHECK(pm::dot(x, y) == expected);
        CHECK(pm::dot(a, y.global()) == expected);
        CHECK(pm::dot(pv::flip(x.global()), pv::flip(b)) == expected);
        const std::int64_t squares = pm::dot(y, y);
        CHECK(squares == pv::dot(b, b));
        CHECK(static_cast<double>(pm::dot(pm::AnyDistributed(x), y)) == expected);
    }
    const pm::Grid grid(oracle::world());
    const auto x = pm::distribute(pv::ones({4}), pm::blocks({4}, grid));
    const auto y = pm::distribute(pv::ones({4, 2}), pm::blocks({4, 2}, grid));
    CHECK_THROWS_AS(pm::dot(x, pv::ones({5})), pv::ShapeError);
    CHECK_THROWS_AS(pm::dot(y, y), pv::ShapeError);
    CHECK_THROWS_AS(pm::dot(pv::ones({4}), pv::ones({4})), pm::DistributionError);
    const std::complex<float> i(0, 1);
    const auto z = pv::clone(pv::arange(4.F) + i);
    const auto zs = pm::distribute(z, x.distribution());
    CHECK(pm::dot(zs, z) == pv::dot(z, z));
    CHECK(pm::dot(x, zs) == pv::dot(pv::ones({4}), z));
    CHECK(pm::dot(pv::AnyTensor(z), x).as<std::complex<double>>()() == pv::dot(z, pv::ones({4})));
    CHECK_THROWS_AS(pm::dot(pv::AnyTensor(pv::tensor<std::string>({"a", "b", "c", "d"})), x),
                    pv::DtypeError);
}

TEST_CASE("factors that do not fit are refused on all ranks") {
    const pm::Grid grid(oracle::world());
    const auto x = pm::distribute(pv::ones({4, 6}), pm::blocks({4, 6}, grid));
    CHECK_THROWS_AS(pm::matmul(x, x), pv::ShapeError);
    CHECK_THROWS_AS(pm::matmul(x, pv::transpose(x.global()), pm::blocks({4, 5}, grid)),
                    pv::ShapeError);
    CHECK_THROWS_AS(pm::matmul(pv::ones({2, 2}), pv::ones({2, 2})), pm::DistributionError);
    CHECK(pv::equals(
        pm::all_gather(pm::matmul(pv::ones({2, 2}), pv::ones({2, 2}), pm::blocks({2, 2}, grid))),
        pv::full({2, 2}, 2.0)));
}
