#include "named_support.hpp"

#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <vector>

// Computed indexes that are a few runs of progressions, against a naive loop.

namespace index_runs_test {

namespace {

using oracle::Random;
using pv::index_t;

using Indexes = pv::DimTensor<index_t>;
using Condition = pv::DimTensor<bool>;

/// A random formula of a coordinate, and the same as a function of a number.
struct Formula {
    Indexes formula;
    std::function<index_t(index_t)> value;
};
struct Test {
    Condition formula;
    std::function<bool(index_t)> value;
};

Indexes constant(index_t value) {
    return pv::DimTensor<index_t>(pv::DimOperand(pv::constant_operand(value), {}));
}

class Formulas {
public:
    Formulas(Random& random, const pv::Dim& dim, index_t size)
        : random_(random), dim_(dim), size_(size) {}

    /// Up to six runs: rising, falling, resting; of one index or none; reversed, repeated.
    Formula of_runs() {
        Formula all = line();
        for (index_t more = random_.between(0, 5); more > 0; --more) {
            const index_t end = random_.between(-1, size_ + 1);
            all = choice({dim_ + 0 < end, [=](index_t t) { return t < end; }}, line(), all);
        }
        return all;
    }

    /// Any operations.
    Formula of_depth(int depth) {
        if (depth == 0) return line();
        const Formula x = of_depth(depth - 1);
        const Formula y = of_depth(static_cast<int>(random_.between(0, depth - 1)));
        const index_t divisor = random_.between(1, size_ + 2);
        switch (random_.between(0, 8)) {
        case 0: return {x.formula + y.formula, [=](index_t t) { return x.value(t) + y.value(t); }};
        case 1: return {x.formula - y.formula, [=](index_t t) { return x.value(t) - y.value(t); }};
        case 2: return {-x.formula, [=](index_t t) { return -x.value(t); }};
        case 3: return {pv::abs(x.formula), [=](index_t t) { return std::abs(x.value(t)); }};
        case 4:
            return {pv::minimum(x.formula, y.formula),
                    [=](index_t t) { return std::min(x.value(t), y.value(t)); }};
        case 5:
            return {pv::maximum(x.formula, y.formula),
                    [=](index_t t) { return std::max(x.value(t), y.value(t)); }};
        case 6: return {x.formula % divisor, [=](index_t t) { return x.value(t) % divisor; }};
        case 7: return {x.formula * y.formula, [=](index_t t) { return x.value(t) * y.value(t); }};
        default: return choice(test(x, y), of_depth(depth - 1), line());
        }
    }

    /// What keeps it in the range of an axis.
    static Formula within(const Formula& x, index_t extent) {
        return {pv::minimum(pv::maximum(x.formula, -extent), extent - 1),
                [=](index_t t) { return std::clamp(x.value(t), -extent, extent - 1); }};
    }

private:
    Formula line() {
        const index_t step = random_.between(0, 3) == 0 ? random_.between(-3, 3) : 1;
        const index_t first = random_.between(-size_, size_);
        if (random_.between(0, 3) == 0) return {constant(first), [=](index_t) { return first; }};
        return {Indexes(dim_ * step + 0) + first, [=](index_t t) { return first + step * t; }};
    }
    Formula choice(const Test& test, const Formula& x, const Formula& y) const {
        return {pv::where(test.formula, x.formula, y.formula),
                [=](index_t t) { return test.value(t) ? x.value(t) : y.value(t); }};
    }
    Test test(const Formula& x, const Formula& y) {
        const Test both{x.formula < y.formula, [=](index_t t) { return x.value(t) < y.value(t); }};
        switch (random_.between(0, 7)) {
        case 0:
            return {x.formula <= y.formula, [=](index_t t) { return x.value(t) <= y.value(t); }};
        case 1: return {x.formula > y.formula, [=](index_t t) { return x.value(t) > y.value(t); }};
        case 2:
            return {x.formula >= y.formula, [=](index_t t) { return x.value(t) >= y.value(t); }};
        case 3:
            return {x.formula == y.formula, [=](index_t t) { return x.value(t) == y.value(t); }};
        case 4:
            return {x.formula != y.formula, [=](index_t t) { return x.value(t) != y.value(t); }};
        case 5:
            return {!both.formula || x.formula == 0,
                    [=](index_t t) { return !both.value(t) || x.value(t) == 0; }};
        case 6:
            return {both.formula && y.formula > 1,
                    [=](index_t t) { return both.value(t) && y.value(t) > 1; }};
        default: return both;
        }
    }

    Random& random_;
    pv::Dim dim_;
    index_t size_;
};

/// A table of rows and columns, in one of many forms.
template <typename T>
pv::Tensor<T> random_table(Random& random, std::vector<T>& values, index_t rows, index_t columns) {
    const pv::Shape shape{rows, columns};
    for (index_t k = 0; k < rows * columns; ++k)
        values.push_back(static_cast<T>(random.between(0, 3) == 0 ? 0 : random.between(0, 97)));
    const auto seen = [&](auto view) {
        return pv::Tensor<T>(view(pv::clone(view(pv::Tensor<T>(pv::tensor(values, shape))))));
    };
    switch (random.between(0, 6)) {
    case 0: return seen([](const auto& x) { return x | pv::flip; });
    case 1: return seen([](const auto& x) { return x | pv::transpose; });
    case 2: return pv::clone(pv::tensor(values, shape) | pv::rotate({1, 2})) | pv::rotate({-1, -2});
    case 3:
        return pv::cast<T>(
            pv::where(pv::tensor(values, shape) != T{}, pv::tensor(values, shape), T{}));
    case 4: return pv::to_sparse(pv::tensor(values, shape));
    case 5:
        return pv::chunked(pv::tensor(values, shape),
                           {std::min<index_t>(rows, 3), std::min<index_t>(columns, 4)});
    default: return pv::tensor(values, shape);
    }
}

template <typename T>
void check(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    // Large ones are read as pieces.
    const bool large = random.between(0, 3) == 0;
    const index_t rows = random.between(1, large ? 60 : 9);
    const index_t columns = random.between(1, large ? 60 : 9);
    const index_t height = large ? random.between(30, 70) : random.between(0, 12);
    const index_t width = large ? random.between(35, 70) : random.between(0, 12);
    const pv::Dim y("y", height);
    const pv::Dim z("z", width);
    std::vector<T> values;
    const pv::Tensor<T> table = random_table<T>(random, values, rows, columns);
    const auto formula = [&](const pv::Dim& dim, index_t size, index_t extent) {
        Formulas formulas(random, dim, std::max<index_t>(size, 1));
        const Formula any = random.between(0, 1) == 0
                                ? formulas.of_runs()
                                : formulas.of_depth(static_cast<int>(random.between(1, 3)));
        return random.between(0, 4) == 0 ? any : Formulas::within(any, extent);
    };
    // Both axes may be read along one dim.
    const bool along_both = random.between(0, 4) > 0;
    const Formula row = formula(y, height, rows);
    const Formula column = along_both ? formula(z, width, columns) : formula(y, height, columns);
    std::vector<T> expected;
    bool outside = false;
    for (index_t g = 0; g < height; ++g)
        for (index_t h = 0; h < width; ++h) {
            const index_t r = row.value(g);
            const index_t c = column.value(along_both ? h : g);
            const bool inside = r >= -rows && r < rows && c >= -columns && c < columns;
            outside = outside || !inside;
            if (inside)
                expected.push_back(values[static_cast<std::size_t>(
                    (r < 0 ? r + rows : r) * columns + (c < 0 ? c + columns : c))]);
        }
    const pv::DimTensor<T> over_dims = table(row.formula, column.formula);
    // A second tensor, as otherwise a dim that no index has would be missing.
    const pv::DimTensor<T> blank = pv::zeros<T>({height, width})(y, z);
    const pv::Tensor<T> gathered = pv::where(blank == T{}, over_dims, blank) | pv::order(y, z);
    if (outside) {
        CHECK_THROWS_AS(pv::to_vector(gathered), pv::IndexError);
        return;
    }
    CHECK(pv::to_vector(gathered) == expected);
    if (position_of(y, pv::dims(over_dims)) < 0 || position_of(z, pv::dims(over_dims)) < 0) return;
    const pv::Tensor<T> alone = over_dims | pv::order(y, z);
    CHECK(pv::to_vector(alone) == expected);
    CHECK(pv::to_vector(pv::clone(alone | pv::flip) | pv::flip) == expected);
    if (height > 0 && width > 0) CHECK(alone.read(height * width - 1) == expected.back());
}

} // namespace

TEST_CASE("indexes of a few runs are those of a loop") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed) {
        check<double>(seed);
        check<std::int16_t>(10000 + seed);
        check<bool>(20000 + seed);
        check<float>(30000 + seed);
    }
}

TEST_CASE("indexes that go round an axis make a view") {
    const auto is_view = [](const auto& x) {
        const pv::Gather* const gather = pv::gather_of(x.operand());
        REQUIRE(gather != nullptr);
        return gather->view() != nullptr;
    };
    for (const index_t n : {1, 2, 7, 70000}) { // dims of more than 2^16 are no table of indexes
        CAPTURE(n);
        const auto a = counted({n});
        const pv::Dim i("i", n);
        const auto next = a(pv::where(i + 1 < n, i + 1, 0)) | pv::order(i);
        const auto before = a(pv::where(i == 0, n - 1, i - 1)) | pv::order(i);
        const auto remainder = a((i + 1) % n) | pv::order(i);
        const auto reversed = a(n - 1 - pv::where(i + 1 < n, i + 1, 0)) | pv::order(i);
        for (const auto& x : {next, before, remainder, reversed}) CHECK(is_view(x));
        CHECK(equal<double>(next, a | pv::rotate({-1})));
        CHECK(equal<double>(remainder, a | pv::rotate({-1})));
        CHECK(equal<double>(before, a | pv::rotate({1})));
        CHECK(equal<double>(reversed, a | pv::flip | pv::rotate({-1})));
        CHECK(equal<double>(pv::clone(next + before),
                            pv::clone(a | pv::rotate({-1})) + pv::clone(a | pv::rotate({1}))));
    }
    const auto a = counted({7});
    const pv::Dim i("i", 7);
    CHECK_FALSE(is_view(a(pv::minimum(i + 1, 6)) | pv::order(i)));
    const auto many = counted({5000});
    const pv::Dim m("m", 5000);
    const auto nearest = many(pv::minimum(m + 1, 4999)) | pv::order(m);
    CHECK_FALSE(is_view(nearest));
    CHECK(pv::explain(pv::sum, nearest * 2.).find("2 pieces") != std::string::npos);
    CHECK(equal<double>(nearest,
                        pv::concat({many(pv::Range(1, 5000)), many(pv::Range(4999, 5000))})));
    CHECK_FALSE(is_view(a(i * i % 7) | pv::order(i)));
    CHECK_FALSE(is_view(a(pv::where(i + 1 <= 7, i + 1, 0)) | pv::order(i))); // index 7 is outside
    CHECK_FALSE(is_view(a(pv::clone(pv::arange(7))(i)) | pv::order(i)));     // may be written
    // The indexes are where they were when the gather is written to.
    auto written = counted({7});
    pv::assign(written(pv::where(i + 1 < 7, i + 1, 0)), a(i) * 10.);
    CHECK(equal<double>(written, (a | pv::rotate({1})) * 10.));
    // What it reads may change, also while it is assigned to it.
    const auto shifted = written(pv::where(i + 1 < 7, i + 1, 0)) | pv::order(i);
    pv::copy(a, written);
    CHECK(equal<double>(shifted, a | pv::rotate({-1})));
    pv::copy(shifted, written);
    CHECK(equal<double>(written, a | pv::rotate({-1})));
}

} // namespace index_runs_test
