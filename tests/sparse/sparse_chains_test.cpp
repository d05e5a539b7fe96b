#include "sparse_support.hpp"

#include <support/rounds.hpp>

namespace sparse_chains_test {

// Views of sparse tensors and operations on them stay sparse, and agree with nested loops.

namespace {

using namespace oracle;

template <typename T>
void random_view_of(Random& random, SparseTwin<T>& x) {
    ViewStep<pv::Tensor<T>, T>(random, x.real, x.naive, x.name).apply();
}

/// A random operation with another sparse tensor of the shape, through a view of its own.
template <typename T>
void random_binary(Random& random, SparseTwin<T>& x) {
    SparseTwin<T> y =
        random_sparse<T>(random, random.broadcastable(x.naive.shape), random_fill<T>(random));
    if (random.one_in(3) && y.naive.rank() > 0) {
        Coordinates amounts(y.naive.rank(), 1);
        y.real = y.real | pv::rotate(amounts);
        y.naive = y.naive.rotate(amounts);
    }
    const auto with = [&](const char* name, pv::Tensor<T> real, auto f) {
        x = {std::move(real),
             map(x.naive, y.naive, [&](T p, T q) { return static_cast<T>(f(p, q)); }),
             x.name + " " + name + " " + y.name};
    };
    if constexpr (std::same_as<T, bool>) {
        if (random.one_in(2))
            with("and", x.real && y.real, [](bool p, bool q) { return p && q; });
        else
            with("or", x.real || y.real, [](bool p, bool q) { return p || q; });
    } else {
        switch (random.between(0, 4)) {
        case 0: return with("+", x.real + y.real, [](T p, T q) { return p + q; });
        case 1: return with("-", x.real - y.real, [](T p, T q) { return p - q; });
        case 2:
            return with("choose", pv::where(x.real < y.real, x.real, y.real),
                        [](T p, T q) { return p < q ? p : q; });
        default: return with("*", x.real * y.real, [](T p, T q) { return p * q; });
        }
    }
}

template <typename T>
void run(unsigned first, unsigned count) {
    for (unsigned seed = first; seed < first + count; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        SparseTwin<T> x = random_sparse<T>(random, random.shape(), random_fill<T>(random));
        const index_t steps = random.between(0, 5);
        for (index_t i = 0; i < steps; ++i) {
            if constexpr (!std::same_as<T, std::string>)
                if (random.one_in(3) && x.naive.rank() < 6) {
                    random_binary(random, x);
                    continue;
                }
            random_view_of(random, x);
        }
        INFO(x.name);
        expect_sparse_twin(random, x.real, x.naive);
    }
}

} // namespace

TEST_CASE("chains over sparse tensors stay sparse and agree: float64") { run<double>(0, 2500); }
TEST_CASE("chains over sparse tensors stay sparse and agree: int32") {
    run<std::int32_t>(10'000, 1500);
}
TEST_CASE("chains over sparse tensors stay sparse and agree: bool") { run<bool>(20'000, 1000); }
TEST_CASE("chains over sparse tensors stay sparse and agree: string") {
    run<std::string>(30'000, 600);
}

TEST_CASE("a product is stored where both are, and where something is not finite") {
    const double inf = std::numeric_limits<double>::infinity();
    const auto x = pv::sparse_tensor<double>({10}, {1, 3, 5}, {2., inf, 4.});
    const auto y = pv::sparse_tensor<double>({10}, {1, 5, 7, 8}, {3., 5., 6., NAN});
    const auto pairs = pv::sparse_pairs(x * y);
    CHECK(std::vector<pv::index_t>(pairs->indexes().begin(), pairs->indexes().end()) ==
          std::vector<pv::index_t>{1, 3, 5, 8});
    CHECK(pairs->read(1) == 6);
    CHECK(std::isnan(pairs->read(3)));
    CHECK(pairs->read(5) == 20);
    CHECK(pairs->read(7) == 0);
    CHECK(std::isnan(pairs->read(8)));
}

TEST_CASE("functions map the fill") {
    const auto x = pv::sparse_tensor<double>({1000}, {7}, {1.});
    const auto y = pv::clone(pv::exp(x) + 1);
    REQUIRE(pv::is_sparse(y));
    CHECK(pv::sparse_pairs(y)->stored() == 1);
    CHECK(pv::sparse_pairs(y)->fill() == 2);
    CHECK(y(7) == Catch::Approx(1 + std::exp(1.)));
    const pv::Tensor<int> casts = pv::cast<int>(y);
    CHECK(pv::sparse_pairs(casts)->fill() == 2);
}

TEST_CASE("pieces of sparse tensors are sparse") {
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const double fill = random_fill<double>(random);
        Coordinates shape{random.between(0, 4), random.between(1, 5)};
        const auto x = random_sparse<double>(random, shape, fill);
        shape[0] = random.between(1, 3);
        const auto y = random_sparse<double>(random, shape, random.one_in(3) ? 2. : fill);
        Oracle<double> both{{x.naive.shape[0] + shape[0], shape[1]}, x.naive.values};
        both.values.insert(both.values.end(), y.naive.values.begin(), y.naive.values.end());
        expect_sparse_twin<double>(random, pv::concat({x.real, y.real}, 0), both);
        expect_sparse_twin<double>(random, pv::transpose(pv::concat({x.real, y.real}, 0)),
                                   both.transpose({1, 0}));
    }
}

TEST_CASE("a tensor of 10^18 elements is a view away") {
    const pv::index_t n = 1'000'000'000;
    std::vector<pv::index_t> rows;
    std::vector<pv::index_t> columns;
    std::vector<double> values;
    for (pv::index_t i = 0; i < 1000; ++i) {
        rows.push_back(i * 999'983 % n);
        columns.push_back((i % 10) * 77'777'777 % n);
        values.push_back(static_cast<double>(i + 1));
    }
    const auto x = pv::from_coo<double>({n, n}, {rows, columns}, values);
    CHECK(x.size() == n * n);
    const auto turned = pv::clone(pv::transpose(x) | pv::rotate({5, -7}));
    REQUIRE(pv::is_sparse(turned));
    CHECK(pv::sparse_pairs(turned)->stored() == 1000);
    CHECK(turned(5 + columns[3], rows[3] - 7) == 4);
    const auto square = pv::clone(x * x);
    CHECK(pv::sparse_pairs(square)->stored() == 1000);
    CHECK(pv::sum(x) == 500'500);
    const auto by_column = pv::sum(x, 0);
    REQUIRE(pv::is_sparse(by_column));
    CHECK(by_column.size() == n);
    CHECK(pv::sparse_pairs(by_column)->stored() == 10);
    CHECK(pv::sum(by_column) == 500'500);
    const auto part = pv::clone(x(pv::range(0, n / 2), pv::all));
    CHECK(pv::is_sparse(part));
    CHECK(pv::max(x) == 1000);
    CHECK(pv::mean(x) == Catch::Approx(500'500 / 1e18));
    CHECK_THROWS_AS(pv::clone(x + pv::tensor({1.})), pv::KindError);
    CHECK_THROWS_AS(pv::sparse_zeros({n, n, n}), pv::ShapeError);
    CHECK(pv::sum(pv::sparse_zeros({n, n})) == 0);
}

} // namespace sparse_chains_test
