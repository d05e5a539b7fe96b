#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_operation.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>

#include <purview/functional/applied/computation.hpp>
#include <purview/functional/applied/explain.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/maths.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/functional/reductions/statistics.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/slices.hpp>

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

namespace take_test {

namespace {

using namespace oracle;
using Catch::Matchers::ContainsSubstring;

/// Indexes into an axis of `extent`, of some integer type, in memory, seen through views or computed.
template <typename I>
Twin<I> random_indexes(Random& random, const Coordinates& shape, index_t extent) {
    Oracle<I> naive = Oracle<I>::make(shape, [&](const Coordinates&) {
        const bool negative = std::is_signed_v<I> && random.one_in(3);
        return static_cast<I>(negative ? random.between(-extent, -1)
                                       : random.between(0, extent - 1));
    });
    pv::Tensor<I> real = pv::tensor(std::vector<I>(naive.values), shape);
    switch (random.between(0, 4)) {
    case 0: real = pv::clone(real | pv::transpose) | pv::transpose; break; // columns lie together
    case 1: real = real + I{0}; break;
    case 2:
        real = pv::Tensor<I>(pv::reshape(pv::clone(pv::reshape(real, {-1}) | pv::flip), shape) |
                             pv::flip);
        break;
    case 3: {
        const auto values = std::make_shared<const Oracle<I>>(naive);
        real = pv::compute_tensor(shape, [values](pv::ShapeSpan at) -> I {
            return values->at(Coordinates(at.begin(), at.end()));
        });
        break;
    }
    default: break;
    }
    return {real, naive, "indexes" + text(shape)};
}

Coordinates random_index_shape(Random& random) {
    Coordinates shape(static_cast<std::size_t>(random.between(0, 2)));
    for (index_t& extent : shape) extent = random.one_in(40) ? 0 : random.between(1, 5);
    return shape;
}

std::size_t wrapped(index_t index, index_t extent) {
    return static_cast<std::size_t>(index < 0 ? index + extent : index);
}

template <typename T, typename I>
Oracle<T> naive_take(const Oracle<T>& x, const Oracle<I>& indexes, std::size_t axis) {
    Coordinates shape = x.shape;
    const auto at = shape.begin() + static_cast<std::ptrdiff_t>(axis);
    shape.insert(shape.erase(at), indexes.shape.begin(), indexes.shape.end());
    return x.view(shape, [&](const Coordinates& g) {
        const auto first = g.begin() + static_cast<std::ptrdiff_t>(axis);
        const auto last = first + static_cast<std::ptrdiff_t>(indexes.rank());
        Coordinates from(g.begin(), first);
        from.push_back(static_cast<index_t>(
            wrapped(static_cast<index_t>(indexes.at(Coordinates(first, last))), x.shape[axis])));
        from.insert(from.end(), last, g.end());
        return from;
    });
}

template <typename T>
Twin<T> random_tensor(Random& random) {
    Twin<T> x;
    do {
        x = random_source<T>(random, random.shape());
        for (index_t steps = random.between(0, 2); steps > 0; --steps)
            if (random.one_in(3) && x.naive.rank() < 6)
                random_operation(random, x);
            else
                random_view(random, x.real, x.naive, x.name);
    } while (x.naive.rank() == 0 || x.naive.size() == 0 || x.naive.rank() > 5);
    return x;
}

template <typename T, typename I>
void check_take(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Twin<T> x = random_tensor<T>(random);
    INFO(x.name);
    const std::size_t axis = random.axis_of(x.naive.shape);
    const auto indexes = random_indexes<I>(random, random_index_shape(random), x.naive.shape[axis]);
    INFO(indexes.name << " along " << axis);
    x.real = pv::take(x.real, indexes.real, static_cast<index_t>(axis));
    x.naive = naive_take(x.naive, indexes.naive, axis);
    expect_same(random, x.real, x.naive);
    for (index_t steps = random.between(0, 3); steps > 0; --steps)
        if (random.one_in(3) && x.naive.rank() < 7)
            random_operation(random, x);
        else
            random_view(random, x.real, x.naive, x.name);
    INFO(x.name);
    expect_same(random, x.real, x.naive);
}

/// Like a table of rows, with whole numbers.
template <typename T>
pv::MutableTensor<T> table_of(index_t rows, index_t width) {
    pv::MutableTensor<T> table = pv::empty<T>({rows, width});
    for (index_t i = 0; i < table.size(); ++i) table.storage()(i) = static_cast<T>(i % 97 - 48);
    return table;
}

} // namespace

TEST_CASE("take agrees with nested loops: any source, any indexes, any views of both") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed) {
        check_take<double, std::int64_t>(seed);
        check_take<std::int32_t, std::int32_t>(100'000 + seed);
        check_take<std::uint8_t, std::uint8_t>(200'000 + seed);
    }
}

TEST_CASE(
    "take of take agrees with nested loops: along other axes, along the same, of views between") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed) {
        INFO("seed " << seed);
        Random random(300'000 + seed);
        Twin<double> x = random_tensor<double>(random);
        for (index_t takes = random.between(2, 3); takes > 0 && x.naive.rank() < 6; --takes) {
            if (x.naive.size() == 0 || x.naive.rank() == 0) break;
            const std::size_t axis = random.axis_of(x.naive.shape);
            auto indexes = random_indexes<std::int64_t>(random, random_index_shape(random),
                                                        x.naive.shape[axis]);
            INFO(indexes.name << " along " << axis << " of " << x.name);
            // Computed indexes, too.
            const pv::Tensor<std::int64_t> list =
                random.one_in(3) ? pv::Tensor<std::int64_t>(indexes.real + std::int64_t{0})
                                 : indexes.real;
            x.real = pv::take(x.real, list, static_cast<index_t>(axis));
            x.naive = naive_take(x.naive, indexes.naive, axis);
            if (random.one_in(4)) random_view(random, x.real, x.naive, x.name);
        }
        expect_same(random, x.real, x.naive);
    }
}

TEST_CASE("take_along_axis agrees with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(1000U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Twin<float> x = random_tensor<float>(random);
        INFO(x.name);
        const std::size_t axis = random.axis_of(x.naive.shape);
        Coordinates shape = x.naive.shape;
        for (index_t& extent : shape)
            if (random.one_in(4)) extent = 1;
        shape[axis] = random.between(0, 4);
        const auto indexes = random_indexes<std::int16_t>(random, shape, x.naive.shape[axis]);
        Coordinates result = x.naive.shape;
        result[axis] = shape[axis];
        const Oracle<std::int16_t> wide = indexes.naive.expand(result);
        const Oracle<float> naive = x.naive.view(result, [&](Coordinates g) {
            g[axis] = static_cast<index_t>(wrapped(wide.at(g), x.naive.shape[axis]));
            return g;
        });
        expect_same(random, pv::take_along_axis(x.real, indexes.real, static_cast<index_t>(axis)),
                    naive);
    }
}

TEST_CASE("take at several axes links the indexes, and puts their axes first") {
    for (unsigned seed = 0; seed < oracle::rounds(500U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        Twin<double> x = random_tensor<double>(random);
        while (x.naive.rank() < 2) x = random_tensor<double>(random);
        const Coordinates axes = random.permutation(x.naive.rank());
        const auto a0 = static_cast<std::size_t>(axes[0]);
        const auto a1 = static_cast<std::size_t>(axes[1]);
        const auto i = random_indexes<std::int64_t>(random, {3, 1}, x.naive.shape[a0]);
        const auto j = random_indexes<std::uint32_t>(random, {4}, x.naive.shape[a1]);
        Coordinates shape{3, 4};
        for (std::size_t a = 0; a < x.naive.rank(); ++a)
            if (a != a0 && a != a1) shape.push_back(x.naive.shape[a]);
        const Oracle<double> naive = x.naive.view(shape, [&](const Coordinates& g) {
            Coordinates from;
            std::size_t next = 2;
            for (std::size_t a = 0; a < x.naive.rank(); ++a)
                from.push_back(
                    a == a0 ? static_cast<index_t>(wrapped(i.naive.at({g[0], 0}), x.naive.shape[a]))
                    : a == a1 ? static_cast<index_t>(j.naive.at({g[1]}))
                              : g[next++]);
            return from;
        });
        expect_same(random, pv::take(x.real, {axes[0], axes[1]}, i.real, j.real), naive);
    }
}

TEST_CASE("take: shapes, a flat source, a stage, types known at run time") {
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    const auto indexes = pv::tensor({2, 0, -1, -3});
    CHECK(pv::to_nested<2>(pv::take(x, indexes, 1)) ==
          std::vector<std::vector<double>>{{3, 1, 3, 1}, {6, 4, 6, 4}});
    CHECK(pv::to_nested<2>(x | pv::take(pv::tensor({1, 1}), 0)) ==
          std::vector<std::vector<double>>{{4, 5, 6}, {4, 5, 6}});
    CHECK(pv::to_vector(pv::take(x, pv::tensor({5, -6}))) == std::vector<double>{6, 1});
    CHECK(pv::to_vector(x | pv::take_along_axis(pv::tensor({{2}, {0}}), 1)) ==
          std::vector<double>{3, 4});
    const pv::AnyTensor any = pv::take(pv::AnyTensor(x), pv::AnyTensor(indexes), 1);
    CHECK(any.dtype() == pv::float64);
    CHECK(any.shape() == pv::Shape{2, 4});
    CHECK(pv::take(x, pv::Tensor<std::int64_t>(pv::const_tensor(std::int64_t{1}, {})), 0).shape() ==
          pv::Shape{3});
    // Elements of any type.
    const auto words = pv::tensor({"a", "b", "c"});
    CHECK(pv::to_vector(pv::take(words, pv::tensor({2, 1, 1}), 0)) ==
          std::vector<std::string>{"c", "b", "b"});
    CHECK(pv::to_vector(pv::take(words | pv::rotate({1}), pv::tensor({0}), 0)) ==
          std::vector<std::string>{"c"});
}

TEST_CASE("take is lazy: later writes are seen, to the source and to the indexes") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto indexes = pv::tensor({0, 1});
    const auto taken = pv::take(x, indexes, 0) * 10;
    CHECK(pv::to_vector(taken) == std::vector<double>{10, 20});
    x(0) = 7;
    indexes(1) = 2;
    CHECK(pv::to_vector(taken) == std::vector<double>{70, 30});
    // Nothing is read before: an index out of range is found then.
    const auto late = pv::take(x, pv::tensor({5}), 0);
    CHECK_THROWS_AS(pv::to_vector(late), pv::IndexError);
}

TEST_CASE("take: errors say what, where and which values") {
    const auto x = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    const auto message = [&](auto call) -> std::string {
        try {
            call();
        } catch (const pv::Error& error) {
            return error.what();
        }
        return "nothing was thrown";
    };
    const auto read = [](const auto& taken) { (void)pv::clone(taken); };
    CHECK(message([&] {
              read(pv::take(x, pv::tensor({0, 3}), 1));
          }) == "take: index 3 is out of range for axis 1 of size 3");
    CHECK(message([&] { read(pv::take(x, pv::tensor({-3}), 0)); }) ==
          "take: index -3 is out of range for axis 0 of size 2");
    CHECK(message([&] { read(pv::take_along_axis(x, pv::tensor({{4}}), 1)); }) ==
          "take_along_axis: index 4 is out of range for axis 1 of size 3");
    const auto huge = pv::tensor(std::vector<std::uint64_t>{~std::uint64_t{0}});
    CHECK_THROWS_AS(read(pv::take(x, huge, 0)), pv::IndexError);
    CHECK_THROWS_AS(read(pv::take(x, pv::tensor({std::numeric_limits<std::int64_t>::min()}), 0)),
                    pv::IndexError);
    CHECK_THROWS_AS(read(pv::take(pv::zeros<double>({0, 2}), pv::tensor({0}), 0)), pv::IndexError);
    CHECK(pv::take(pv::zeros<double>({0, 2}), pv::zeros<int>({0}), 0).size() == 0);
    CHECK(message([&] { (void)pv::take(x, pv::tensor({0}), 2); }) ==
          "take: axis 2 is out of range for rank 2");
    CHECK(message([&] {
              (void)pv::take(x, {0, 0}, pv::tensor({0}), pv::tensor({0}));
          }) == "take: axis 0 is given twice");
    CHECK_THROWS_AS(pv::take(pv::AnyTensor(x), pv::AnyTensor(x), 0), pv::DtypeError);
    CHECK_THROWS_AS(pv::take_along_axis(x, pv::tensor({0}), 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::take_along_axis(x, pv::zeros<int>({3, 1}), 1), pv::ShapeError);
}

TEST_CASE("take: many in each other are evaluated one by one") {
    auto chain = pv::Tensor<int>(pv::tensor({1, 2, 0}));
    for (int i = 0; i < 51; ++i) chain = pv::take(pv::tensor({1, 2, 0}), chain, 0);
    CHECK(pv::to_vector(chain) == std::vector<int>{1, 2, 0});
    for (int i = 0; i < 5'000; ++i) chain = pv::take(chain, pv::tensor({1, 2, 0}), 0);
    CHECK(pv::to_vector(chain) == std::vector<int>{0, 1, 2});
}

TEMPLATE_TEST_CASE("Sums of gathered rows", "", float, double, std::int64_t, std::int32_t,
                   std::uint8_t) {
    using T = TestType;
    Random random(5);
    for (const index_t width : {1, 3, 4, 16, 37, 64, 150})
        for (const index_t length : {1, 2, 31, 128, 129, 700, 3000}) {
            const index_t batch = length > 500 ? 3 : 70;
            INFO(width << " wide, " << length << " rows in each of " << batch);
            const auto table = table_of<T>(500, width);
            const auto ids = random_indexes<std::int64_t>(random, {batch, length}, 500);
            const auto taken = pv::take(table, ids.real, 0);
            const auto sums = pv::sum(taken, 1);
            const auto counted = pv::sum(pv::cast<std::int64_t>(taken), 1);
            REQUIRE(sums.shape() == pv::Shape{batch, width});
            const std::vector<T> elements = pv::to_vector(table);
            std::vector<std::int64_t> expected;
            for (index_t b = 0; b < batch; ++b) {
                std::vector<std::int64_t> row(static_cast<std::size_t>(width), 0);
                for (index_t s = 0; s < length; ++s) {
                    const std::size_t first =
                        wrapped(ids.naive.at({b, s}), 500) * static_cast<std::size_t>(width);
                    for (std::size_t f = 0; f < row.size(); ++f)
                        row[f] += static_cast<std::int64_t>(elements[first + f]);
                }
                expected.insert(expected.end(), row.begin(), row.end());
            }
            CHECK(pv::to_vector(pv::cast<std::int64_t>(sums)) == expected);
            CHECK(pv::to_vector(counted) == expected);
        }
}

TEST_CASE("Sums of gathered rows over other axes, and of views of them") {
    const auto table = table_of<double>(50, 24);
    Random random(9);
    const auto ids = random_indexes<std::int32_t>(random, {4, 5, 6}, 50);
    const auto taken = pv::take(table, ids.real, 0);
    const auto whole = pv::clone(taken);
    for (const auto& axes : std::vector<pv::Shape>{
             {0}, {1}, {2}, {3}, {0, 1}, {0, 2}, {1, 2}, {1, 3}, {0, 1, 2}, {0, 1, 2, 3}})
        CHECK(pv::to_vector(pv::sum(taken, axes)) == pv::to_vector(pv::sum(whole, axes)));
    const auto view = taken | pv::flip({1}) | pv::select(pv::all, pv::all, 2, pv::range(3, 20));
    CHECK(pv::to_vector(pv::sum(view, 1)) == pv::to_vector(pv::sum(pv::clone(view), 1)));
    CHECK_THAT(pv::explain(pv::sum, taken, 1), ContainsSubstring("added to each of"));
    CHECK_THROWS_AS(pv::sum(pv::take(table, pv::const_tensor(50, {70, 3}), 0), 1), pv::IndexError);
    CHECK(pv::to_vector(pv::sum(pv::take(table, pv::zeros<int>({3, 0}), 0), 1)) ==
          std::vector<double>(72, 0.0));
}

TEST_CASE("Reductions and statistics of what is gathered") {
    const auto table = table_of<double>(300, 70);
    Random random(11);
    const auto ids = random_indexes<std::int64_t>(random, {9, 40}, 300);
    const auto taken = pv::take(table, ids.real, 0);
    const auto whole = pv::clone(taken);
    for (const index_t axis : {0, 1, 2}) {
        CHECK(pv::to_vector(pv::argmax(taken, axis)) == pv::to_vector(pv::argmax(whole, axis)));
        CHECK(pv::to_vector(pv::min(taken, axis)) == pv::to_vector(pv::min(whole, axis)));
        const auto variances = pv::variance(taken, axis);
        const auto expected = pv::variance(whole, axis);
        CHECK(pv::max(pv::abs(variances - expected)) < 1e-9);
    }
    CHECK(pv::argmin(taken) == pv::argmin(whole));
    CHECK(pv::count_true(taken > 3.0) == pv::count_true(whole > 3.0));
    CHECK(pv::sum(taken) == pv::sum(whole));
}

TEST_CASE("copies from and to what a gather reads") {
    const auto x = pv::tensor({1., 2., 3., 4.});
    pv::copy(pv::take(x, pv::tensor({3, 2, 1, 0}), 0), x);
    CHECK(pv::to_vector(x) == std::vector<double>{4, 3, 2, 1});
    const auto i = pv::tensor({2, 0, 1});
    pv::copy(pv::take(i, i, 0), i); // as indexes
    CHECK(pv::to_vector(i) == std::vector<int>{1, 2, 0});
    CHECK(pv::may_overlap(pv::take(x, i, 0).operand(), x.operand()));
    CHECK(pv::may_overlap(pv::take(x, i, 0).operand(), i.operand()));
}

TEST_CASE("computations keep gathers") {
    const auto table = table_of<double>(10, 3);
    const auto c = pv::computation(
        [&](const auto& weights) {
            return pv::sum(pv::take(weights * 2.0 + 1.0, pv::tensor({1, 3, -1}), 0), 0);
        },
        pv::spec<double>({10, 3}));
    CHECK(pv::to_vector(c(table)) ==
          pv::to_vector(pv::sum(pv::take(table * 2.0 + 1.0, pv::tensor({1, 3, -1}), 0), 0)));
}

TEST_CASE("computations gather from what each call is given") {
    const auto c = pv::computation(
        [&](const auto& x, const auto& indexes) { return pv::take(x, indexes, 0) * 2.0; },
        pv::spec<double>({3}), pv::spec<std::int64_t>({2}));
    for (int call = 0; call < 40; ++call) {
        const auto x = pv::tensor({1.0 * call, 2.0, 3.0});
        const std::int64_t other = call % 3;
        const auto indexes = pv::tensor(std::vector<std::int64_t>{0, other});
        CHECK(pv::to_vector(c(x, indexes)) == std::vector<double>{2.0 * call, 2 * x(other)});
    }
}

TEST_CASE("explain shows a gather") {
    const auto table = table_of<float>(10, 64);
    const auto text = pv::explain(pv::take(table, pv::zeros<int>({4, 5}), 0) * 2.0F);
    CHECK_THAT(text, ContainsSubstring("gather [4 5 64] from memory"));
    CHECK_THAT(
        text, ContainsSubstring("rows of 64 that lie in one piece, at indexes computed in blocks"));
}

} // namespace take_test
