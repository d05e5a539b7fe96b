// Reductions over distributed tensors, against the same of the whole in memory.

#include "mpi/random_distribution.hpp"
#include "mpi/same_bits.hpp"
#include "support/catch.hpp"

#include <bit>
#include <cmath>
#include <complex>
#include <limits>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::is_everywhere;
using oracle::Random;
using oracle::world;
using pv::index_t;

namespace {

using Values = pv::Tensor<double>;
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInfinity = std::numeric_limits<double>::infinity();

template <typename T>
bool is_close(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
        const T rounding = std::is_same_v<T, float> ? T(1e-5) : T(1e-12);
        return a == b || (std::isnan(a) && std::isnan(b)) ||
               std::abs(a - b) <= rounding * std::max<T>(1, std::abs(b));
    } else {
        return a == b;
    }
}

template <typename X, typename Y>
bool are_close(const X& x, const Y& y) {
    if (!std::ranges::equal(x.shape(), y.shape())) return false;
    const auto a = pv::to_vector(pv::reshape(x, {x.size()}));
    const auto b = pv::to_vector(pv::reshape(y, {y.size()}));
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!is_close(a[i], b[i])) return false;
    return true;
}

/// The norm that `pm::norm` is, called as other functions are.
const auto frobenius = [](const auto& x, const auto&... given) {
    return pv::norm(x, pv::NormOrder::frobenius(), given...);
};

/// Calls `check(over ranks, in memory, has no result of nothing)` for each function.
template <typename Check>
void for_each_function(Check check) {
    check(pm::sum, pv::sum, false);
    check(pm::product, pv::product, false);
    check(pm::mean, pv::mean, false);
    check(pm::variance, pv::variance, false);
    check(pm::sample_variance, pv::sample_variance, false);
    check(pm::standard_deviation, pv::standard_deviation, false);
    check(pm::sample_standard_deviation, pv::sample_standard_deviation, false);
    check(pm::norm, frobenius, false);
    check(pm::min, pv::min, true);
    check(pm::max, pv::max, true);
    check(pm::any_of, pv::any_of, false);
    check(pm::all_of, pv::all_of, false);
    check(pm::count_true, pv::count_true, false);
    check(pm::argmin, pv::argmin, true);
    check(pm::argmax, pv::argmax, true);
}

template <typename E, typename W>
void check_wholes(const E& e, const W& whole) {
    for_each_function([&](const auto& over_ranks, const auto& in_memory, bool needs) {
        if (needs && whole.size() == 0) {
            CHECK_THROWS_AS(over_ranks(e), pv::ShapeError);
            return;
        }
        const auto found = over_ranks(e);
        static_assert(std::is_same_v<decltype(found), decltype(in_memory(whole)) const>);
        CHECK(is_close(found, in_memory(whole)));
        CHECK(is_everywhere(found));
    });
    CHECK(is_close(pm::sum(e, pm::reproducible), pv::exact_sum(whole)));
}

template <typename E, typename W>
void check_over_axes(const E& e, const W& whole, const pv::Shape& axes, bool keep) {
    index_t groups = 1;
    for (index_t a = 0; a < whole.rank(); ++a)
        if (std::ranges::find(axes, a) == axes.end() &&
            std::ranges::find(axes, a - whole.rank()) == axes.end())
            groups *= whole.shape()[static_cast<std::size_t>(a)];
    for_each_function([&](const auto& over_ranks, const auto& in_memory, bool needs) {
        const auto found = [&] {
            return keep ? over_ranks(e, axes, pv::keep_dims) : over_ranks(e, axes);
        };
        if ((!keep && std::ssize(axes) == whole.rank())) {
            CHECK_THROWS_AS(found(), pm::DistributionError);
        } else if (needs && whole.size() == 0 && groups > 0) {
            CHECK_THROWS_AS(found(), pv::ShapeError);
        } else {
            const auto expected =
                keep ? in_memory(whole, axes, pv::keep_dims) : in_memory(whole, axes);
            const auto result = found();
            INFO("in " << to_string(result.distribution()));
            CHECK(are_close(pm::all_gather(result), expected));
        }
    });
}

/// Some of the axes, in any order, some of them from the end.
pv::Shape random_axes(Random& random, index_t rank) {
    pv::Shape axes;
    for (index_t a = 0; a < rank; ++a)
        if (random.one_in(2)) axes.push_back(random.one_in(3) ? a - rank : a);
    if (axes.empty()) axes.push_back(random.between(0, rank - 1));
    random.shuffle(axes);
    return axes;
}

pv::Shape shape_to_reduce(Random& random) {
    pv::Shape shape;
    for (index_t left = random.between(1, 3); left > 0; --left)
        shape.push_back(random.one_in(12) ? 0 : random.between(1, 9));
    return shape;
}

/// Changes an expression over ranks and its twin in memory alike: halos, views, another order.
void random_step(Random& random, Values& over_ranks, Values& in_memory) {
    const index_t rank = in_memory.rank();
    const auto both = [&](auto f) {
        over_ranks = Values(f(over_ranks));
        in_memory = pv::clone(Values(f(in_memory)));
    };
    switch (random.between(0, 5)) {
    case 0: {
        pv::Shape amounts;
        for (index_t a = 0; a < rank; ++a) amounts.push_back(random.between(-2, 2));
        return both([&](const Values& x) { return x - 0.5 * pv::rotate(x, amounts); });
    }
    case 1: {
        pv::Shape axes;
        for (index_t a = 0; a < rank; ++a) axes.push_back(a);
        random.shuffle(axes);
        return both([&](const Values& x) { return pv::transpose(x, axes); });
    }
    case 2: return both([](const Values& x) { return x(pv::range(1, {}, 2), pv::ellipsis); });
    case 3: return both([](const Values& x) { return pv::flip(x, {0}) * 2.0; });
    case 4: return both([](const Values& x) { return pv::concat(x, -x, 0); });
    default: return both([](const Values& x) { return pv::where(x > 1.0, x, 1.0 + x * 0.25); });
    }
}

} // namespace

TEST_CASE("random expressions are reduced to what they are in memory") {
    for (unsigned seed = 0; seed < 60; ++seed) {
        Random random(seed);
        const pv::Shape shape = shape_to_reduce(random);
        const auto values = oracle::random_values(random, shape);
        const auto x = pm::distribute(values, oracle::random_distribution(random, shape));
        Values e = x.global();
        Values whole = values;
        for (index_t steps = random.between(0, 3); steps > 0; --steps)
            random_step(random, e, whole);
        const pv::Shape axes = random_axes(random, whole.rank());
        const bool keep = random.one_in(2);
        INFO("seed " << seed << ": " << to_string(x.distribution()) << ", of "
                     << to_string(whole.shape()) << " over " << to_string(axes)
                     << (keep ? ", kept" : ""));
        check_wholes(e, whole);
        check_over_axes(e, whole, axes, keep);
    }
}

TEST_CASE("elements of all types are reduced to the types of functions in memory") {
    const auto reduces = [&]<typename T>(T) {
        Random random(sizeof(T));
        const pv::Shape shape{7, 5};
        for (int round = 0; round < 3; ++round) {
            const auto whole = pv::zeros<T>(shape);
            for (auto&& value : whole) value = static_cast<T>(random.between(0, 5));
            const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
            check_wholes(x, whole);
            check_over_axes(x, whole, {0}, false);
            check_over_axes(x, whole, {1}, true);
        }
    };
    reduces(bool{});
    reduces(std::int8_t{});
    reduces(std::int16_t{});
    reduces(int{});
    reduces(index_t{});
    reduces(std::uint8_t{});
    reduces(std::uint32_t{});
    reduces(std::uint64_t{});
    reduces(float{});
    reduces(double{});
    // Extreme integers, and sums that wrap.
    const auto extremes = pv::tensor<index_t>({std::numeric_limits<index_t>::max(), 3,
                                               std::numeric_limits<index_t>::lowest(), -5,
                                               std::numeric_limits<index_t>::max(), 2});
    check_wholes(pm::distribute(extremes, pm::blocks({6}, pm::Grid(world()))), extremes);
    // Halves are computed with as floats; types known at run time.
    const auto whole = pv::clone(pv::cast<pv::Half>(pv::arange(12.0) / 4.0));
    const auto halves = pm::distribute(whole, pm::blocks({12}, pm::Grid(world())));
    CHECK(pm::sum(halves) == pv::sum(whole));
    static_assert(std::is_same_v<decltype(pm::sum(halves)), float>);
    const pm::AnyDistributed any = pm::distribute(pv::arange(12.0), halves.distribution());
    CHECK(double(pm::sum(any)) == 66.);
    CHECK(index_t(pm::argmax(any)) == 11);
    CHECK(pm::sum(any, 0, pv::keep_dims).dtype() == pv::float64);
}

TEST_CASE("views are reduced where their elements lie") {
    const auto whole = pv::clone(pv::reshape(pv::arange(1200.), {40, 30}));
    for (const pm::Grid& grid :
         {pm::Grid(world()), pm::Grid(world(), {1, -1}), pm::Grid(world(), {-1, -1})}) {
        const auto x = pm::distribute(whole, pm::blocks({40, 30}, grid));
        const auto y = pm::distribute(pv::flip(whole), pm::blocks({40, 30}, grid));
        const pv::Tensor<double> all = x.global();
        const pv::Tensor<double> others = y.global();
        INFO(to_string(x.distribution()));
        const auto inside = [](const auto& a) { return a(pv::range(1, -1), pv::range(1, -1)); };
        const auto sends = [&](auto reduce) {
            pm::reset_messages();
            reduce();
            return pm::messages().elements_bytes;
        };
        index_t rounds = 0;
        while (1 << rounds < world().size()) ++rounds;
        const auto numbers = [&](index_t sent) { return sent <= 8 * rounds; };
        double sum = 0;
        CHECK(numbers(sends([&] { sum = pm::sum(inside(all) * inside(others)); })));
        CHECK(sum == pv::sum(inside(whole) * inside(pv::flip(whole))));
        CHECK(numbers(sends([&] { sum = pm::sum(all(17, pv::all)); })));
        CHECK(sum == pv::sum(whole(17, pv::all)));
        CHECK(numbers(sends([&] { sum = pm::sum(all(pv::all, 29) * 2.0); })));
        CHECK(sum == 2 * pv::sum(whole(pv::all, 29)));
        CHECK(numbers(
            sends([&] { sum = pm::sum(all(pv::all, pv::new_axis, pv::range(3, 20, 4))); })));
        CHECK(sum == pv::sum(whole(pv::all, pv::range(3, 20, 4))));
        if (grid.extents().size() == 1 || grid.extents()[0] == 1) {
            CHECK(numbers(sends([&] { sum = pm::sum(pv::transpose(all)); })));
            CHECK(sum == pv::sum(whole));
        }
        // Over axes: a rank has what its elements are reduced to.
        const index_t kept = grid.extents()[0] == world().size() ? 0 : 1;
        if (grid.extents()[0] == world().size() || grid.extents()[0] == 1) {
            pm::Distributed<double> sums = x;
            CHECK(sends([&] { sums = pm::sum(inside(all), 1 - kept); }) == 0);
            CHECK(pv::equals(pm::all_gather(sums), pv::sum(inside(whole), 1 - kept)));
        }
    }
}

TEMPLATE_TEST_CASE("NaN is skipped, or refused, wherever it lies", "", float, double) {
    for (unsigned seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const pv::Shape shape{random.between(1, 8), random.between(1, 8)};
        const auto whole =
            pv::clone(pv::cast<TestType>(oracle::random_values(random, shape) * 4.0));
        const bool all = random.one_in(8);
        const TestType special[] = {TestType(kNaN), TestType(kInfinity), TestType(-kInfinity), 0};
        for (auto&& value : whole) {
            if (all || random.one_in(3)) value = TestType(kNaN);
            if (random.one_in(9)) value = special[random.between(0, 3)];
        }
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        INFO("seed " << seed << ": " << to_string(x.distribution()));
        const index_t axis = random.between(0, 1);
        const auto twice = x.global() * TestType(2);
        const auto in_memory_twice = pv::clone(whole * TestType(2));
        const auto numbers = [&](auto... axes) {
            return pv::count_true(in_memory_twice == in_memory_twice, axes...);
        };
        for_each_function([&](const auto& over_ranks, const auto& in_memory, bool) {
            constexpr bool kIsPlace = std::is_same_v<std::remove_cvref_t<decltype(over_ranks)>,
                                                     std::remove_cvref_t<decltype(pm::argmin)>> ||
                                      std::is_same_v<std::remove_cvref_t<decltype(over_ranks)>,
                                                     std::remove_cvref_t<decltype(pm::argmax)>>;
            if (kIsPlace && numbers() == 0) {
                CHECK_THROWS_AS(over_ranks(twice, pv::skip_nan), pv::ShapeError);
            } else {
                const auto found = over_ranks(twice, pv::skip_nan);
                CHECK(is_close(found, in_memory(in_memory_twice, pv::skip_nan)));
                CHECK(is_everywhere(found));
            }
            if (kIsPlace && pv::any_of(numbers(axis) == 0)) {
                CHECK_THROWS_AS(over_ranks(twice, axis, pv::keep_dims, pv::skip_nan), pv::Error);
            } else {
                const auto found = over_ranks(twice, {axis}, pv::keep_dims, pv::skip_nan);
                CHECK(are_close(pm::all_gather(found),
                                in_memory(in_memory_twice, axis, pv::keep_dims, pv::skip_nan)));
            }
            if (numbers() == whole.size()) {
                CHECK(is_close(over_ranks(twice, pv::throw_nan), in_memory(in_memory_twice)));
                return;
            }
            std::string expected;
            try {
                in_memory(in_memory_twice, pv::throw_nan);
            } catch (const pv::ArithmeticError& error) {
                expected = error.what();
            }
            CHECK_THROWS_WITH(over_ranks(twice, pv::throw_nan), expected);
            CHECK_THROWS_AS(over_ranks(twice, 0, pv::keep_dims, pv::throw_nan),
                            pv::ArithmeticError);
        });
        CHECK(is_close(pm::sum(twice, pm::reproducible, pv::skip_nan),
                       pv::exact_sum(in_memory_twice, pv::skip_nan)));
    }
    // Numbers that are no floats have none; complex ones no policy.
    const pm::Distribution d = pm::blocks({5}, pm::Grid(world()));
    const auto integers = pm::distribute(pv::arange(5), d);
    CHECK(pm::sum(integers, pv::skip_nan) == 10);
    CHECK(pm::argmax(integers, pv::throw_nan) == 4);
    CHECK_THROWS_AS(
        pm::sum(pm::distribute(pv::zeros<std::complex<TestType>>({5}), d), pv::skip_nan),
        pv::DtypeError);
    const pm::AnyDistributed any =
        pm::distribute(pv::tensor<TestType>({1, TestType(kNaN), 3, 4, 5}), d);
    CHECK(TestType(pm::mean(any, pv::skip_nan)) == TestType(3.25));
}

TEMPLATE_TEST_CASE("products whose parts are far from 1", "", float, double, std::complex<double>) {
    // A rank's part by itself overflows, another's vanishes; the whole is 1.
    const index_t n = 2000;
    const auto i = pv::arange<index_t>(n);
    const auto x = pv::clone(pv::cast<TestType>(pv::where(i < n / 2, 1e5, 1e-5)));
    const pm::Grid grid(world(), {world().size()});
    for (const pm::Distribution& d : {pm::blocks({n}, grid), pm::cyclic({n}, grid, {1})}) {
        const TestType found = pm::product(pm::distribute(x, d));
        CHECK(std::abs(found - TestType(1)) < 1e-3);
        CHECK(is_everywhere(found));
        const TestType with_zero = pm::product(pm::distribute(pv::where(i == 7, TestType(), x), d));
        CHECK(with_zero == TestType());
    }
}

TEMPLATE_TEST_CASE("complex numbers", "", float, double) {
    using Complex = std::complex<TestType>;
    Random random(3);
    for (int round = 0; round < 12; ++round) {
        const pv::Shape shape = shape_to_reduce(random);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto parts = oracle::random_values(random, shape);
        // Of magnitude 1: products neither overflow nor vanish.
        const auto z = pv::clone(pv::exp(pv::cast<Complex>(parts) * Complex(0, 1)));
        const auto x = pm::distribute(z, d);
        const auto is_near = [](Complex a, Complex b) {
            return is_close(a.real(), b.real()) && is_close(a.imag(), b.imag());
        };
        const auto check = [&](const auto& over_ranks, const auto& in_memory) {
            const Complex found = over_ranks(x);
            static_assert(std::is_same_v<decltype(over_ranks(x)), Complex>);
            CHECK(is_near(found, in_memory(z)));
            CHECK(is_everywhere(found));
            CHECK(
                is_near(over_ranks(pm::AnyDistributed(x)).template as<Complex>()(), in_memory(z)));
            const auto axis = random.between(0, z.rank() - 1);
            const auto along = pm::all_gather(over_ranks(x, axis, pv::keep_dims));
            const auto expected = in_memory(z, axis, pv::keep_dims);
            CHECK(are_close(pv::real(along), pv::real(expected)));
            CHECK(are_close(pv::imag(along), pv::imag(expected)));
        };
        check(pm::sum, pv::sum);
        check(pm::product, pv::product);
        if (z.size() > 0) check(pm::mean, pv::mean);
        CHECK(pm::sum(x, pm::reproducible) == pv::exact_sum(z));
        CHECK(pm::sum(pv::conj(x.global()), pm::reproducible) == std::conj(pv::exact_sum(z)));
    }
    const Complex mine(TestType(world().rank()), 1);
    const auto ranks = static_cast<TestType>(world().size());
    CHECK(pm::all_sum(mine, world()) == Complex(ranks * (ranks - 1) / 2, ranks));
    const auto sums = pm::all_sum(pv::full({3}, mine), world());
    CHECK(pv::equals(sums, pv::full({3}, Complex(ranks * (ranks - 1) / 2, ranks))));
    const pm::AnyDistributed points =
        pm::distribute(pv::full({4}, mine), pm::blocks({4}, pm::Grid(world())));
    CHECK_THROWS_AS(pm::min(points), pv::DtypeError);
    CHECK_THROWS_AS(pm::variance(points, 0), pv::DtypeError);
}

TEST_CASE("NaN, infinities and equal elements, wherever they lie") {
    for (unsigned seed = 0; seed < 40; ++seed) {
        Random random(seed);
        const pv::Shape shape{random.between(1, 8), random.between(1, 8)};
        const auto whole = oracle::random_values(random, shape);
        for (auto&& value : whole) value = static_cast<double>(random.between(-2, 2));
        const double special[] = {kNaN, kInfinity, -kInfinity, 0.0};
        for (index_t left = random.between(0, 3); left > 0; --left)
            whole(random.between(0, shape[0] - 1), random.between(0, shape[1] - 1)) =
                special[random.between(0, 3)];
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        INFO("seed " << seed << ": " << to_string(x.distribution()));
        const auto same = [](double a, double b) {
            return a == b || (std::isnan(a) && std::isnan(b));
        };
        check_wholes(x, whole);
        CHECK(pm::argmin(x) == pv::argmin(whole));
        CHECK(same(pm::min(x), pv::min(whole)));
        CHECK(same(pm::max(x), pv::max(whole)));
        for (const index_t axis : {0, 1}) check_over_axes(x, whole, {axis}, random.one_in(2));
        check_over_axes(x, whole, {1, 0}, true); // places in the order in which axes are named
    }
}

TEST_CASE("float sums: the same bits on all ranks, in each run, for any number of threads") {
    const index_t n = 300;
    const auto values = pv::clone(pv::sin(pv::reshape(pv::arange(double(n * n)), {n, n})) * 1e3);
    const auto x = pm::distribute(values, pm::blocks({n, n}, pm::Grid(world())));
    const auto e = pv::sq(x.global()) - pv::rotate(x.global(), {1, 2});
    const auto whole = pv::clone(pv::sq(values) - pv::rotate(values, {1, 2}));
    const int threads = pv::threads();
    const double sum = pm::sum(e);
    const double spread = pm::variance(e);
    const auto rows = pm::sum(e, 0);
    CHECK(is_everywhere(sum));
    CHECK(is_everywhere(spread));
    CHECK(std::abs(sum - pv::sum(whole)) <= 1e-12 * std::abs(sum));
    CHECK(std::abs(spread - pv::variance(whole)) <= 1e-12 * spread);
    for (const int count : {1, 2, 3}) {
        pv::set_threads(count);
        CHECK(std::bit_cast<std::uint64_t>(pm::sum(e)) == std::bit_cast<std::uint64_t>(sum));
        CHECK(std::bit_cast<std::uint64_t>(pm::variance(e)) ==
              std::bit_cast<std::uint64_t>(spread));
        CHECK(pv::equals(pm::sum(e, 0).local(), rows.local()));
    }
    pv::set_threads(threads);
}

TEST_CASE("a reproducible sum does not depend on the distribution") {
    for (unsigned seed = 0; seed < 30; ++seed) {
        Random random(seed);
        const pv::Shape shape{random.between(1, 30), random.between(1, 20)};
        const auto whole = oracle::random_values(random, shape);
        for (auto&& value : whole)
            value = std::ldexp(1 + static_cast<double>(random.between(0, 1 << 20)) * 1e-7,
                               static_cast<int>(random.between(-300, 300))) *
                    (random.one_in(2) ? 1 : -1);
        const double sum = pv::exact_sum(whole);
        const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
        CHECK(pm::sum(x, pm::reproducible) == sum);
        CHECK(pm::sum(pv::transpose(x.global()), pm::reproducible) == sum);
        CHECK(pv::equals(pm::all_gather(pm::sum(x, 0, pm::reproducible)), pv::exact_sum(whole, 0)));
        CHECK(pv::equals(pm::all_gather(pm::sum(x, {1}, pv::keep_dims, pm::reproducible)),
                         pv::exact_sum(whole, 1, pv::keep_dims)));
        const auto floats = pv::clone(pv::cast<float>(whole * 1e-200));
        CHECK(pm::sum(pm::distribute(floats, x.distribution()), pm::reproducible) ==
              pv::exact_sum(floats));
    }
}

TEST_CASE("each element of a result lies on the first of the ranks that made it") {
    const index_t ranks = world().size();
    const pm::Grid rows(world());
    const auto owner_of = [](const auto& x, index_t i) {
        for (int rank = 0; rank < world().size(); ++rank) {
            const pm::Box box = x.distribution().box(rank);
            if (box.begin.back() <= i && i < box.end.back()) return rank;
        }
        return -1;
    };
    const auto x = pm::distribute(pv::ones({3 * ranks, 4}), pm::blocks({3 * ranks, 4}, rows));
    CHECK(pm::sum(x, 1).distribution() == pm::blocks({3 * ranks}, rows));
    for (index_t i = 0; i < 4; ++i) CHECK(owner_of(pm::sum(x, 0), i) == 0);
    CHECK(pm::sum(x, 0, pv::keep_dims).distribution().local_shape(0) == pv::Shape{1, 4});
    const auto ones = pm::sum(x, pv::keep_dims);
    CHECK(pv::to_shape(ones.shape()) == pv::Shape{1, 1});
    CHECK(ones.local().size() == (world().rank() == 0 ? 1 : 0));
    const auto y =
        pm::distribute(pv::ones({4, ranks}), pm::blocks({4, ranks}, pm::Grid(world(), {1, -1})));
    for (index_t i = 0; i < ranks; ++i) CHECK(owner_of(pm::sum(y, 0), i) == i);
    for (index_t i = 0; i < 4; ++i) CHECK(owner_of(pm::sum(y, 1), i) == 0);
    if (ranks != 4) return;
    const auto z =
        pm::distribute(pv::ones({2, 2, 2}), pm::blocks({2, 2, 2}, pm::Grid(world(), {2, 1, 2})));
    for (index_t i = 0; i < 2; ++i) {
        CHECK(owner_of(pm::sum(z, {0, 1}), i) == i); // rank 2 i_0 + i_2
        CHECK(owner_of(pm::sum(z, {1, 2}), i) == 2 * i);
        CHECK(owner_of(pm::sum(z, {0, 2}), i) == 0);
    }
}

TEST_CASE("along the grid's axis alone: messages are counted") {
    const int ranks = world().size();
    const auto most = static_cast<index_t>(std::bit_width(static_cast<unsigned>(ranks - 1)));
    const auto counted = [&](auto f) {
        pm::collective(world(), [] {}); // no rank is ahead
        pm::reset_messages();
        f();
        return pm::messages();
    };
    const auto x =
        pm::distribute(pv::ones({4 * ranks, 6}), pm::blocks({4 * ranks, 6}, pm::Grid(world())));
    const auto e = pv::sq(x.global() - 1.0);
    pm::sum(e); // plans
    pm::Messages sent = counted([&] { CHECK(pm::sum(e) == 0); });
    CHECK(sent.with_elements <= most);
    CHECK(sent.elements_bytes == 8 * sent.with_elements);
    CHECK(sent.count - sent.with_elements <= 2); // agreements
    sent = counted([&] { pm::sum(e, pm::reproducible); });
    CHECK(sent.with_elements <= most);
    CHECK(sent.elements_bytes == 592 * sent.with_elements);
    sent = counted([&] { pm::sum(e, 1); });
    CHECK(sent.with_elements == 0);
    sent = counted([&] { pm::sum(e, 0); });
    CHECK(sent.with_elements == (world().rank() == 0 ? 0 : 1));
    CHECK(sent.elements_bytes == 48 * sent.with_elements);
    sent = counted([&] { CHECK(pm::all_sum(1, world()) == ranks); });
    CHECK(sent.with_elements <= most);
}

TEST_CASE("bad input, on all ranks or on one") {
    const int ranks = world().size();
    const int rank = world().rank();
    const auto x = pm::distribute(pv::ones({6, 4}), pm::blocks({6, 4}, pm::Grid(world())));
    CHECK_THROWS_AS(pm::sum(x, 2), pv::IndexError);
    CHECK_THROWS_AS(pm::sum(x, -3), pv::IndexError);
    CHECK_THROWS_AS(pm::max(x, {0, 0}), pv::IndexError);
    CHECK_THROWS_AS(pm::argmin(x, {1, -1}), pv::IndexError);
    pv::Dim i;
    CHECK_THROWS_AS(pm::sum(x, i), pv::DimError);
    CHECK_THAT(oracle::thrown<pm::DistributionError>([&] {
                   pm::sum(x, {0, 1});
               }),
               ContainsSubstring("sum(e)"));
    CHECK_THAT(oracle::thrown<pm::DistributionError>([&] {
                   pm::sum(pv::ones({6, 4}));
               }),
               ContainsSubstring("distributed"));
    // A number, and axes beyond those of a grid.
    const Values one = pv::reshape(x.global()(pv::range(2, 3), pv::range(3, 4)), pv::Shape{});
    CHECK(pm::sum(one) == 1.);
    CHECK_THROWS_AS(pm::sum(one, 0), pv::IndexError);
    CHECK(pm::sum(x.global()(2, pv::all)) == 4.);
    if (ranks == 1) return;
    CHECK_THROWS_AS(rank == 0 ? (void)pm::sum(x, 0) : (void)pm::sum(x, 1), pm::DistributionError);
    CHECK_THROWS_AS(rank == 0 ? (void)pm::sum(x) : (void)pm::mean(x), pm::DistributionError);
    CHECK_THROWS_AS(rank == 0 ? (void)pm::sum(x) : (void)pm::sum(x, pm::reproducible),
                    pm::DistributionError);
    CHECK_THROWS_AS(rank == 0 ? (void)pm::sum(x, 5) : (void)pm::sum(x, 1), pv::Error);
    const auto fails = pv::emap(
        [rank](double v) {
            if (rank == 1) throw pv::Error("a bad number");
            return v;
        },
        x.global());
    CHECK_THAT(oracle::thrown<pv::Error>([&] { pm::sum(fails); }),
               ContainsSubstring("rank 1: a bad number"));
    CHECK_THAT(oracle::thrown<pv::Error>([&] { pm::sum(fails, 0); }),
               ContainsSubstring("rank 1: a bad number"));
    CHECK(pm::sum(x) == 24.); // work goes on
}

TEST_CASE("one element, on every rank") {
    Random random(4);
    const pv::Shape shape{5, 7};
    const auto whole = oracle::random_values(random, shape);
    const auto x = pm::distribute(whole, oracle::random_distribution(random, shape));
    const double element = pm::max(x.global()(3, pv::range(4, 5)));
    CHECK(element == whole(3, 4));
    CHECK(is_everywhere(element));
}
