#include <support/catch.hpp>

#include <purview/dims.hpp>
#include <purview/purview.hpp>

#include <atomic>
#include <bit>
#include <cstdint>
#include <random>
#include <vector>

namespace gathers_of_leaves_test {

namespace pv = purview;
using pv::index_t;

using Random = std::mt19937;

index_t below(Random& random, index_t n) {
    return std::uniform_int_distribution<index_t>(0, n - 1)(random);
}

pv::MutableTensor<double> numbers(Random& random, const pv::Shape& shape) {
    auto x = pv::empty<double>(shape);
    for (auto element : x) element = std::uniform_real_distribution<double>(-2, 2)(random);
    return x;
}

/// A leaf, a view of one, one that is broadcast, a number, or operations on them.
pv::Tensor<double> expression(Random& random, index_t rows, index_t columns, int depth) {
    const pv::Shape shape{rows, columns};
    if (depth == 0) {
        switch (below(random, 6)) {
        case 0: return pv::transpose(numbers(random, {columns, rows}), {1, 0});
        case 1: return pv::flip(numbers(random, shape), 0);
        case 2: return numbers(random, {columns}) | pv::broadcast({rows, columns});
        case 3: return numbers(random, {rows, 1}) | pv::broadcast({rows, columns});
        case 4: return numbers(random, {1, 1}) | pv::broadcast({rows, columns});
        default: return numbers(random, shape);
        }
    }
    const auto x = expression(random, rows, columns, depth - 1);
    switch (below(random, 6)) {
    case 0: return x * expression(random, rows, columns, depth - 1);
    case 1: return x - 0.5;
    case 2: return pv::sqrt(pv::abs(x));
    case 3: return pv::where(x > 0., x, expression(random, rows, columns, depth - 1));
    case 4: return x + x * x;
    default: return pv::cast<double>(pv::cast<float>(x)) + numbers(random, shape);
    }
}

pv::MutableTensor<std::int64_t> indexes(Random& random, const pv::Shape& shape, index_t extent) {
    auto at = pv::empty<std::int64_t>(shape);
    for (auto element : at) element = below(random, 2 * extent) - extent;
    return at;
}

bool same_bits(double a, double b) {
    return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b);
}

template <typename Element>
void check_equal(const pv::Tensor<double>& taken, const pv::Shape& shape, Element element) {
    REQUIRE(pv::Shape(taken.shape().begin(), taken.shape().end()) == shape);
    const std::vector<double> got = pv::to_vector(pv::reshape(pv::clone(taken), {-1}));
    for (std::size_t i = 0; i < got.size(); ++i) {
        INFO("element " << i);
        REQUIRE(same_bits(got[i], element(static_cast<index_t>(i))));
    }
}

index_t wrapped(index_t index, index_t extent) { return index < 0 ? index + extent : index; }

TEST_CASE("what is taken of random expressions is what the expressions hold", "[functional]") {
    const unsigned seed = GENERATE(range(0u, 60u));
    Random random(seed);
    const index_t rows = below(random, 40) + 1;
    const index_t columns = below(random, 5) == 0 ? 20 : below(random, 6) + 1;
    const auto x = expression(random, rows, columns, static_cast<int>(below(random, 3)) + 1);
    const std::vector<double> whole = pv::to_vector(pv::reshape(pv::clone(x), {-1}));
    const auto at = [&](index_t row, index_t column) {
        return whole[static_cast<std::size_t>(wrapped(row, rows) * columns +
                                              wrapped(column, columns))];
    };
    const index_t n = below(random, 3) == 0 ? below(random, 3) : below(random, 3 * rows);
    CAPTURE(seed, rows, columns, n);
    const auto i = indexes(random, {n}, rows);
    const auto j = indexes(random, {n}, columns);
    const auto vi = pv::to_vector(i);
    const auto vj = pv::to_vector(j);
    const auto of = [](const auto& list, index_t k) { return list[static_cast<std::size_t>(k)]; };

    SECTION("rows") {
        const auto element = [&](index_t k) { return at(of(vi, k / columns), k % columns); };
        check_equal(pv::take(x, i, 0), {n, columns}, element);
        check_equal(pv::take(x, pv::cast<std::int32_t>(i), 0), {n, columns}, element);
        check_equal(pv::take(x, i + 0, 0), {n, columns}, element);
        check_equal(pv::take(x, i, 0) * 2., {n, columns},
                    [&](index_t k) { return element(k) * 2.; });
    }
    SECTION("columns, and both") {
        check_equal(pv::take(x, j, 1), {rows, n},
                    [&](index_t k) { return at(k / n, of(vj, k % n)); });
        check_equal(pv::take(x, {0, 1}, i, j), {n},
                    [&](index_t k) { return at(of(vi, k), of(vj, k)); });
    }
    SECTION("of all elements, a part of it, and what is taken of that") {
        const auto flat = indexes(random, {n, 2}, rows * columns);
        const auto vf = pv::to_vector(pv::reshape(flat, {-1}));
        const auto taken = pv::take(x, flat);
        check_equal(taken, {n, 2}, [&](index_t k) {
            return whole[static_cast<std::size_t>(wrapped(of(vf, k), rows * columns))];
        });
        if (n > 1)
            check_equal(taken(pv::range(1, n), 1), {n - 1}, [&](index_t k) {
                return whole[static_cast<std::size_t>(
                    wrapped(of(vf, 2 * (k + 1) + 1), rows * columns))];
            });
        if (n > 0)
            check_equal(pv::take(taken + 1., pv::tensor({0, -1, 0}), 0), {3, 2}, [&](index_t k) {
                const index_t row = k / 2 == 1 ? n - 1 : 0;
                return whole[static_cast<std::size_t>(
                           wrapped(of(vf, 2 * row + k % 2), rows * columns))] +
                       1.;
            });
    }
    SECTION("along an axis") {
        const auto along = indexes(random, {n, columns}, rows);
        const auto va = pv::to_vector(pv::reshape(along, {-1}));
        check_equal(pv::take_along_axis(x, along, 0), {n, columns},
                    [&](index_t k) { return at(of(va, k), k % columns); });
    }
    SECTION("lists and masks") {
        check_equal(x(i, pv::all), {n, columns},
                    [&](index_t k) { return at(of(vi, k / columns), k % columns); });
        check_equal(x(pv::all, j), {rows, n}, [&](index_t k) { return at(k / n, of(vj, k % n)); });
        std::vector<double> chosen;
        for (const double v : whole)
            if (v > 0.25) chosen.push_back(v);
        check_equal(x(x > 0.25), {std::ssize(chosen)}, [&](index_t k) { return of(chosen, k); });
        double total = 0;
        for (const double v : chosen) total += v;
        CHECK(pv::sum(x(x > 0.25)) == Catch::Approx(total).margin(1e-9));
    }
    SECTION("folds") {
        double total = 0;
        for (index_t k = 0; k < n; ++k) total += at(of(vi, k), of(vj, k));
        CHECK(pv::sum(pv::take(x, {0, 1}, i, j)) == Catch::Approx(total).margin(1e-9));
    }
    SECTION("over dims") {
        auto [k, c] = pv::dims("k", "c");
        check_equal(x(i(k), c) | pv::order(k, c), {n, columns},
                    [&](index_t e) { return at(of(vi, e / columns), e % columns); });
    }
}

TEST_CASE("a few elements of a computed tensor are computed, and no others", "[functional]") {
    std::atomic<index_t> calls = 0;
    const index_t n = 20000;
    const auto x = pv::arange(static_cast<double>(n));
    const auto costly = pv::emap(
        [&](double v) {
            ++calls;
            return v + 1;
        },
        x);
    const auto of = [&](const auto& evaluate) {
        calls = 0;
        evaluate();
        return calls.load();
    };
    const auto few = (pv::arange(100) * 173) | pv::clone;
    CHECK(of([&] { pv::clone(pv::take(costly * 2., few)); }) == 100);
    CHECK(of([&] { pv::sum(pv::take(costly, few)); }) == 100);
    CHECK(of([&] { pv::to_vector(pv::take(costly + costly, few)); }) == 100);
    CHECK(of([&] { pv::clone((costly * 2.)(few)); }) == 100);
    CHECK(of([&] { pv::sum((costly * 2.)(x < 100.)); }) == 100);
    SECTION("and each once, where all are taken again and again") {
        const auto often = pv::clone(pv::arange(8 * n) % 500);
        CHECK(of([&] { pv::clone(pv::take(costly * 2., often)); }) <= n);
    }
}

TEST_CASE("gathers of leaves look at every index, and read what is written later", "[functional]") {
    auto x = pv::arange(1000.);
    auto row = pv::ones({1});
    const auto at = pv::tensor({3, -1, 3});
    const auto taken = pv::take(x * row, at);
    CHECK(pv::to_vector(taken) == std::vector<double>{3, 999, 3});
    x(3) = 50;
    row(0) = 2;
    CHECK(pv::to_vector(taken) == std::vector<double>{100, 1998, 100});
    CHECK_THROWS_AS(pv::clone(pv::take(x * row, pv::tensor({0, 1000}))), pv::IndexError);
    CHECK_THROWS_WITH(pv::clone(pv::take(x * row, pv::tensor({0, 1000}))),
                      Catch::Matchers::ContainsSubstring(
                          "take: index 1000 is out of range for axis 0 of size 1000"));
    // All of them are broadcast.
    const auto wide = (row | pv::broadcast({8})) * 2.;
    CHECK_THROWS_AS(pv::clone(pv::take(wide, pv::tensor({0, 8}))), pv::IndexError);
    CHECK(pv::to_vector(pv::take(wide, pv::tensor({7, -8}))) == std::vector<double>{4, 4});
    const auto none = pv::zeros({0});
    CHECK_THROWS_AS(pv::clone(pv::take(none * row, pv::tensor({0}))), pv::IndexError);
    CHECK(pv::take(none * row, pv::zeros<std::int64_t>({0})).size() == 0);
    CHECK(pv::clone(pv::take(none * row, pv::zeros<std::int64_t>({0}))).size() == 0);
    SECTION("into what it reads") {
        auto y = pv::arange(100.);
        pv::copy(pv::take(y * 2., pv::arange(100) * -1 - 1), y);
        for (index_t i = 0; i < 100; ++i) REQUIRE(y(i) == 2. * static_cast<double>(99 - i));
    }
    SECTION("conversions that are checked name the element that does not fit") {
        auto big = pv::arange(1000.);
        big(7) = 300;
        CHECK_THROWS_WITH(pv::clone(pv::take(pv::cast<std::uint8_t>(big), pv::tensor({1, 7}))),
                          Catch::Matchers::ContainsSubstring("300 at index 7"));
    }
}

TEST_CASE("what is taken of sparse and dense together", "[functional]") {
    auto dense = pv::arange(400.);
    auto filled = pv::zeros({400});
    for (index_t i = 0; i < 400; i += 7) filled(i) = static_cast<double>(i) / 3;
    const auto sparse = pv::to_sparse(filled);
    const auto at = pv::tensor({0, 7, 8, -1, 7, 392, 0});
    const std::vector<double> want = pv::to_vector(pv::take(pv::clone(filled * dense), at));
    CHECK(pv::to_vector(pv::take(sparse * dense, at)) == want);
    CHECK(pv::to_vector((sparse * dense)(at)) == want);
    const std::vector<double> sums = pv::to_vector(pv::take(pv::clone(filled + dense), at));
    CHECK(pv::to_vector(pv::take(sparse + dense, at)) == sums);
}

TEST_CASE("lists are taken from where they come: vectors of any integers, moved, and tensors",
          "[functional]") {
    const auto x = pv::arange(50.) * 3.;
    const std::vector<double> want{12, 0, 147, 12};
    CHECK(pv::to_vector(x(std::vector<index_t>{4, 0, -1, 4})) == want);
    CHECK(pv::to_vector(x(std::vector<short>{4, 0, -1, 4})) == want);
    CHECK(pv::to_vector(x(std::vector<long long>{4, 0, -1, 4})) == want);
    CHECK(pv::to_vector(x(pv::indexes({4, 0, -1, 4}))) == want);
    std::vector<index_t> list{4, 0, -1, 4};
    CHECK(pv::to_vector(x(pv::indexes(list))) == want);
    CHECK(list.size() == 4);
    CHECK(pv::to_vector(x(pv::indexes(std::move(list)))) == want);
    std::vector<index_t> large(1000);
    for (std::size_t i = 0; i < large.size(); ++i) large[i] = static_cast<index_t>(i * 7 % 50);
    const auto taken = x(large);
    large.assign(1000, 49); // kept when the index was made
    for (index_t i = 0; i < 1000; ++i) REQUIRE(taken(i) == 3. * static_cast<double>(i * 7 % 50));
    CHECK_THROWS_AS(x(std::vector<index_t>{0, 50}), pv::IndexError);
    CHECK_THROWS_AS(x(std::vector<index_t>{-51, 0}), pv::IndexError);
    CHECK(x(std::vector<index_t>{}).size() == 0);
}

/// Long enough that it is asked whether neighbours lie close to each other.
template <typename T>
void check_long_lists(index_t apart) {
    constexpr index_t kRows = 9000;
    constexpr index_t kTaken = 5001;
    Random random(static_cast<unsigned>(apart));
    auto x = pv::empty<T>({kRows});
    auto y = pv::empty<T>({kRows});
    for (auto element : x) element = static_cast<T>(below(random, 100));
    for (auto element : y) element = static_cast<T>(below(random, 100)) / T{3};
    // Rising by `apart` at most, or from anywhere.
    auto list = pv::empty<std::int64_t>({kTaken});
    index_t last = 0;
    for (auto element : list) {
        last = apart == 0 ? below(random, kRows) : (last + below(random, apart + 1)) % kRows;
        element = last;
    }
    std::vector<T> product, shifted;
    for (const std::int64_t at : list) {
        product.push_back(static_cast<T>(T(x(at)) * T(y(at))));
        shifted.push_back(static_cast<T>(T(x(at)) + T{1}));
    }
    const auto z = x * y;
    CHECK(pv::to_vector(pv::take(z, list)) == product);
    CHECK(pv::to_vector(z(list)) == product);
    CHECK(pv::to_vector(x(list) * pv::take(y, list)) == product);
    CHECK(pv::to_vector(pv::take(x, list) + T{1}) == shifted);
    CHECK(pv::to_vector(x(list) + T{1}) == shifted);
    const auto held = pv::tensor(product);
    CHECK(pv::sum(pv::take(z, list)) == pv::sum(held));
    CHECK(pv::sum(z(list)) == pv::sum(held));
    CHECK(pv::max(z(list)) == pv::max(held));
    list(kTaken - 1) = kRows;
    CHECK_THROWS_AS(pv::clone(pv::take(z, list)), pv::IndexError);
    CHECK_THROWS_AS(pv::clone(pv::take(x, list) + T{1}), pv::IndexError);
    CHECK_THROWS_AS(z(list), pv::IndexError);
}

TEST_CASE("long lists of neighbours are read as those from anywhere", "[functional]") {
    for (const index_t apart : {0, 1, 3, 40, 500}) {
        CAPTURE(apart);
        check_long_lists<double>(apart);
        check_long_lists<float>(apart);
        check_long_lists<std::uint8_t>(apart);
    }
}

TEST_CASE("rows of several listed operands are folded one by one", "[functional]") {
    Random random(5);
    const index_t rows = 7, columns = 400;
    for (const index_t n : {3, 255, 257, 300, 700, 1500}) {
        CAPTURE(n);
        const auto x = numbers(random, {rows, columns});
        const auto y = numbers(random, {rows, columns});
        const auto at = indexes(random, {n}, columns);
        const auto product = pv::clone(x * y);
        const auto listed = (x * y)(pv::all, at);
        const auto taken = pv::take(x, at, 1) * pv::take(y, at, 1);
        std::vector<double> want(static_cast<std::size_t>(rows), 0.);
        for (index_t r = 0; r < rows; ++r)
            for (index_t k = 0; k < n; ++k)
                want[static_cast<std::size_t>(r)] += product(r, wrapped(at(k), columns));
        for (const auto& sums : {pv::sum(listed, 1), pv::sum(taken, 1)})
            for (index_t r = 0; r < rows; ++r)
                REQUIRE(sums(r) == Catch::Approx(want[static_cast<std::size_t>(r)]).margin(1e-9));
        CHECK(pv::equals(pv::sum(listed, 0), pv::sum(pv::clone(listed), 0)));
        CHECK(pv::equals(pv::sum(taken, 0), pv::sum(pv::clone(taken), 0)));
        CHECK(pv::sum(listed) == pv::sum(pv::clone(listed)));
        CHECK(pv::sum(taken) == pv::sum(pv::clone(taken)));
    }
}

} // namespace gathers_of_leaves_test
