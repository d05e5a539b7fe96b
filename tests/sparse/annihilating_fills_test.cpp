#include "mixed_kinds.hpp"

#include <support/rounds.hpp>

#include <limits>
#include <optional>
#include <type_traits>

namespace annihilating_fills_test {

// Sparse with dense is sparse where the fill decides, whatever is dense; and every element is that
// of the dense twin.

namespace {

using namespace oracle;

template <typename T>
std::vector<T> deciding_fills() {
    if constexpr (std::same_as<T, bool>)
        return {false, true};
    else
        return {0, 1, static_cast<T>(-1), std::numeric_limits<T>::lowest(),
                std::numeric_limits<T>::max()};
}

/// `f(x, y)`, with the sparse one on the left or on the right.
template <typename T, typename F, typename G>
void run_operation(const char* name, F f, G decides, bool on_the_right = true) {
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        Random random(seed);
        const Coordinates shape = random.shape();
        const std::vector<T> fills = deciding_fills<T>();
        const T fill = fills[static_cast<std::size_t>(random.between(0, std::ssize(fills) - 1))];
        const auto x = random_sparse<T>(random, shape, fill);
        const auto y =
            random_dense<T>(random, random.one_in(2) ? shape : random.broadcastable(shape));
        INFO(name << " with fill " << +fill << ", seed " << seed << ", of " << x.name);
        // A single element may be a constant.
        if (pv::storage_kind_of(*y.operand().node) <= pv::Kind::sparse) continue;
        const index_t stored = pv::sparse_pairs(x.real)->stored();
        // A copy of which all is stored need not have the fill.
        const bool sparse = decides(pv::sparse_pairs(x.real)->fill());
        const bool broadcast = pv::Shape(x.real.shape()) != pv::Shape((f(x.real, y)).shape());
        const auto most = broadcast ? std::nullopt : std::optional(stored);
        expect_twins<T>(f(x.real, y), f(pv::to_dense(x.real), y), sparse, most);
        if (on_the_right) expect_twins<T>(f(y, x.real), f(y, pv::to_dense(x.real)), sparse, most);
    }
}

template <typename T>
void run_operations() {
    using X = pv::Tensor<T>;
    const auto is_zero = [](T fill) { return fill == T{}; };
    const auto is_ones = [](T fill) { return fill == static_cast<T>(-1); };
    run_operation<T>(
        "*", [](const X& x, const X& y) -> X { return x * y; }, is_zero);
    run_operation<T>(
        "&", [](const X& x, const X& y) -> X { return x & y; }, is_zero);
    run_operation<T>(
        "|", [](const X& x, const X& y) -> X { return x | y; }, is_ones);
    run_operation<T>(
        "<<", [](const X& x, const X& y) -> X { return x << y; }, is_zero, false);
    run_operation<T>(
        ">>", [](const X& x, const X& y) -> X { return x >> y; }, is_zero, false);
    run_operation<T>(
        "minimum", [](const X& x, const X& y) -> X { return pv::minimum(x, y); },
        [](T fill) { return fill == std::numeric_limits<T>::lowest(); });
    run_operation<T>(
        "maximum", [](const X& x, const X& y) -> X { return pv::maximum(x, y); },
        [](T fill) { return fill == std::numeric_limits<T>::max(); });
    run_operation<T>(
        "+", [](const X& x, const X& y) -> X { return x + y; }, [](T) { return false; });
    run_operation<T>(
        "^", [](const X& x, const X& y) -> X { return x ^ y; }, [](T) { return false; });
}

/// A side of a choice, and what its fill is, if it has one.
template <typename T>
struct Side {
    pv::Tensor<T> real;
    pv::Tensor<T> dense;
    std::optional<T> fill;
    bool stores = false;
};

template <typename T>
Side<T> random_side(Random& random, const Coordinates& shape, T fill) {
    switch (random.between(0, 2)) {
    case 0: {
        const auto x = random_sparse<T>(random, shape, fill);
        return {x.real, pv::to_dense(x.real), pv::sparse_pairs(x.real)->fill(), true};
    }
    case 1: {
        const pv::Tensor<T> x = pv::const_tensor(fill, shape);
        return {x, pv::full(shape, fill), fill};
    }
    default: {
        const pv::Tensor<T> x = random_dense<T>(random, shape);
        return {x, pv::clone(x), std::nullopt};
    }
    }
}

/// A single element may be a constant, and a constant of elements that are no numbers a reader.
template <typename T>
bool is_as_said(const Side<T>& side) {
    return (pv::storage_kind_of(*side.real.operand().node) <= pv::Kind::sparse) ==
           side.fill.has_value();
}

template <typename T>
void run_choices(unsigned count) {
    for (unsigned seed = 0; seed < count; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Coordinates shape = random.shape();
        const auto condition = random_side<bool>(random, shape, random.one_in(2));
        const T fill = random_fill<T>(random);
        const auto x = random_side<T>(random, shape, fill);
        const auto y =
            random_side<T>(random, shape, random.one_in(2) ? fill : random_fill<T>(random));
        if (!condition.stores && !x.stores && !y.stores) continue;
        if (!is_as_said(condition) || !is_as_said(x) || !is_as_said(y)) continue;
        const auto& taken = condition.fill.value_or(true) ? x : y;
        const bool all = condition.fill && x.fill && y.fill;
        const bool equal = x.fill && y.fill && same<T>(*x.fill, *y.fill);
        // Of elements that are no numbers, where is a function like any other.
        const bool expected =
            all || (pv::BuiltinType<T> && ((condition.fill && taken.fill) || equal));
        const pv::Tensor<T> real = pv::where(condition.real, x.real, y.real);
        const pv::Tensor<T> dense = pv::where(condition.dense, x.dense, y.dense);
        // What is lazily dense of sparse operands may come to be sparse, with constants beside it.
        const bool decided = pv::is_sparse(real);
        if (count_of(shape) > 0 && expected) REQUIRE(decided);
        if (!expected) REQUIRE_FALSE(decided);
        expect_twins<T>(real, dense, decided);
    }
}

using Numbers = pv::Tensor<std::int64_t>;
using Bools = pv::Tensor<bool>;

} // namespace

TEMPLATE_TEST_CASE("fills decide operations with dense integers", "", std::int8_t, std::uint8_t,
                   std::int16_t, std::uint16_t, std::int32_t, std::uint32_t, std::int64_t,
                   std::uint64_t) {
    run_operations<TestType>();
}

TEST_CASE("fills decide operations with dense bools") {
    const auto is_false = [](bool fill) { return !fill; };
    const auto is_true = [](bool fill) { return fill; };
    run_operation<bool>(
        "&&", [](const Bools& x, const Bools& y) -> Bools { return x && y; }, is_false);
    run_operation<bool>(
        "||", [](const Bools& x, const Bools& y) -> Bools { return x || y; }, is_true);
    run_operation<bool>(
        "&", [](const Bools& x, const Bools& y) -> Bools { return x & y; }, is_false);
    run_operation<bool>(
        "|", [](const Bools& x, const Bools& y) -> Bools { return x | y; }, is_true);
    run_operation<bool>(
        "minimum", [](const Bools& x, const Bools& y) -> Bools { return pv::minimum(x, y); },
        is_false);
    run_operation<bool>(
        "maximum", [](const Bools& x, const Bools& y) -> Bools { return pv::maximum(x, y); },
        is_true);
}

TEST_CASE("fills decide what where chooses: float64") { run_choices<double>(400); }
TEST_CASE("fills decide what where chooses: uint8") { run_choices<std::uint8_t>(300); }
TEST_CASE("fills decide what where chooses: bool") { run_choices<bool>(200); }
TEST_CASE("fills decide what where chooses: string") { run_choices<std::string>(300); }

TEST_CASE("zeros of different signs are different fills") {
    const auto x = pv::sparse_tensor<double>({4}, {1}, {5.}, -0.);
    const auto condition = pv::tensor({true, true, false, false});
    CHECK_FALSE(pv::is_sparse(pv::where(condition, x, 0.)));
    CHECK(std::signbit(pv::where(condition, x, 0.)(0)));
    const auto chosen = pv::where(condition, x, -0.);
    REQUIRE(pv::is_sparse(chosen));
    CHECK(std::signbit(pv::clone(chosen)(3)));
}

TEST_CASE("triangles and diagonals of sparse tensors are sparse where zeros lie around them") {
    for (unsigned seed = 0; seed < oracle::rounds(200U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        Coordinates shape = random.shape();
        if (shape.size() < 2) shape = {random.between(0, 5), random.between(1, 5)};
        const double fill = random_fill<double>(random);
        const index_t offset = random.between(-3, 3);
        const pv::Tensor<double> x = random_sparse<double>(random, shape, fill).real;
        const pv::Tensor<double> dense = pv::to_dense(x);
        // The mask of a single element is a constant.
        const bool is_wide = shape.back() > 1 && shape[shape.size() - 2] > 1;
        const auto sparse = [&](const auto& triangle) {
            return pv::sparse_pairs(x)->fill() == 0 || (!is_wide && pv::is_sparse(triangle));
        };
        const pv::Tensor<double> upper = pv::triu(x, offset), lower = pv::tril(x, offset);
        expect_twins<double>(upper, pv::triu(dense, offset), sparse(upper));
        expect_twins<double>(lower, pv::tril(dense, offset), sparse(lower));
        const pv::Tensor<double> v =
            random_sparse<double>(random, {random.between(1, 9)}, fill).real;
        expect_twins<double>(pv::diag(v, offset), pv::diag(pv::to_dense(v), offset), true);
    }
}

TEST_CASE("what fills decide stands below and above everything else") {
    for (unsigned seed = 0; seed < oracle::rounds(300U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const index_t rows = random.between(1, 6);
        const index_t columns = random.between(1, 6);
        const Coordinates shape{rows, columns};
        const auto sparse = [&](const Coordinates& of) -> Numbers {
            return random_sparse<std::int64_t>(random, of, 0).real;
        };
        const Numbers x = sparse(shape);
        const Numbers y = sparse(shape);
        const Numbers other = random_sparse<std::int64_t>(random, shape, 1).real;
        const Numbers d = random_dense<std::int64_t>(random, shape);
        const Numbers e = random_dense<std::int64_t>(random, {columns});
        const Bools b = random_dense<bool>(random, shape);
        const auto check = [&](const auto& f) {
            const auto real = f(x, y, other);
            const auto dense = f(pv::to_dense(x), pv::to_dense(y), pv::to_dense(other));
            using T = typename std::decay_t<decltype(real)>::value_type;
            expect_twins<T>(real, dense, true);
            REQUIRE(pv::sum(real) == pv::sum(dense));
            const auto sums = pv::sum(real, 0);
            REQUIRE(pv::is_sparse(sums));
            REQUIRE(pv::to_vector(sums) == pv::to_vector(pv::sum(dense, 0)));
            REQUIRE(pv::to_vector(pv::argmax(real, 0)) == pv::to_vector(pv::argmax(dense, 0)));
            REQUIRE(pv::to_vector(pv::argfilter(real)) == pv::to_vector(pv::argfilter(dense)));
            REQUIRE(pv::count_true(real != T{}) == pv::count_true(dense != T{}));
            // To memory, and to pairs of other fills.
            const auto memory = pv::full<T>(shape, T(1));
            pv::copy(real, memory);
            REQUIRE(pv::to_vector(memory) == pv::to_vector(dense));
            const auto pairs = pv::clone(random_sparse<T>(random, shape, T(random.one_in(2))).real);
            pv::copy(real, pairs);
            REQUIRE(pv::to_vector(pairs) == pv::to_vector(dense));
            REQUIRE(pv::to_vector(pv::to_sparse(real, T(1))) == pv::to_vector(dense));
            REQUIRE(pv::to_vector(pv::prune(real)) == pv::to_vector(dense));
        };
        using N = Numbers;
        check(
            [&](const N& p, const N&, const N& q) -> N { return pv::where(p != 0, p * d, 0) + q; });
        check([&](const N& p, const N& q, const N&) -> N { return p * d * e * q; });
        check([&](const N& p, const N& q, const N&) -> N { return (p + q) * d - p * (d + e); });
        check(
            [&](const N& p, const N& q, const N& r) -> N { return (p * d + r) * q * (d + q * e); });
        check([&](const N& p, const N&, const N&) -> N {
            return pv::transpose(pv::transpose(p) * pv::transpose(d)) | pv::rotate({1, 2});
        });
        check([&](const N& p, const N& q, const N& r) -> N {
            return pv::concat({p * d, r, q * d}, 0)(pv::range(rows, 2 * rows)) +
                   pv::concat({p * d, p}, 1)(pv::all, pv::range(0, columns));
        });
        check([&](const N& p, const N& q, const N&) -> N {
            return pv::concat({p * d, q * d}, 0)(pv::range(rows, 2 * rows)) * pv::flip(d);
        });
        check([&](const N& p, const N& q, const N&) -> Bools {
            return !((p == 0) || b) && (q != 0 || p != 0);
        });
        check([&](const N& p, const N& q, const N& r) -> N {
            return pv::where(b, p, q * e) + pv::where(p == 0, r, d);
        });
        check([&](const N& p, const N& q, const N&) -> N {
            return pv::emap([](std::int64_t v) { return 3 * v + 1; }, p * d) * q;
        });
        check([&](const N& p, const N& q, const N& r) -> N {
            const N broadcast = q * e;
            return (broadcast + pv::const_tensor<std::int64_t>(0, shape)) * (r * p) + p * broadcast;
        });
    }
}

} // namespace annihilating_fills_test
