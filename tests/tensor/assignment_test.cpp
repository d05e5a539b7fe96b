#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/writable_view.hpp>

#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/compound_assignment.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/slices.hpp>

#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

namespace assignment_test {

// Assignment is NumPy's: a name is rebound, a subscript is written, in place where it says `x += y`.

namespace {

using namespace oracle;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::all;
using Vector = std::vector<double>;

template <typename T>
std::vector<T> combined(char op, const std::vector<T>& x, const std::vector<T>& y) {
    std::vector<T> results;
    for (std::size_t i = 0; i < x.size(); ++i)
        results.push_back(static_cast<T>(op == '+'   ? x[i] + y[i]
                                         : op == '-' ? x[i] - y[i]
                                                     : x[i] * y[i]));
    return results;
}

/// What loops over the view would do, element after element.
template <typename T>
void accumulate(WritableView<T>& w, const std::vector<T>& values, int sign) {
    for (std::size_t i = 0; i < values.size(); ++i) {
        T& element = w.model[static_cast<std::size_t>(w.positions.values[i])];
        element = static_cast<T>(element + sign * values[i]);
    }
}

template <typename T>
void write(Random& random, WritableView<T>& w, bool each_alone) {
    const auto whole = [&] { return w.view(pv::ellipsis); };
    const auto source = random_source<T>(random, random.broadcastable(w.positions.shape));
    const std::vector<T> values = source.naive.expand(w.positions.shape).values;
    const T value = random.element<T>();
    switch (random.between(0, 8)) {
    case 0:
        w.name += " = value";
        whole() = value;
        set(w, std::vector<T>(w.positions.values.size(), value));
        break;
    case 1:
        w.name += " = " + source.name;
        whole() = source.real;
        set(w, values);
        break;
    case 2:
        w.name += " += " + source.name;
        if (random.one_in(2))
            w.view += source.real;
        else
            whole() += source.real;
        accumulate(w, values, 1);
        break;
    case 3:
        w.name += " -= " + source.name;
        w.view -= source.real;
        accumulate(w, values, -1);
        break;
    case 4:
        w.name += " *= " + source.name;
        if (!each_alone) {
            REQUIRE_THROWS_AS(w.view *= source.real, pv::ReadOnlyError);
            break;
        }
        w.view *= source.real;
        set(w, combined('*', current(w), values));
        break;
    case 5: { // of itself: overlaps everywhere
        Coordinates axes;
        for (int a = 0; a < w.view.rank(); ++a)
            if (random.one_in(2)) axes.push_back(a);
        Coordinates amounts(w.positions.rank());
        for (index_t& amount : amounts) amount = random.between(-3, 3);
        w.name += " = or += its flip" + text(axes) + " rotate" + text(amounts);
        const Oracle<T> before{w.positions.shape, current(w)};
        const std::vector<T> turned = before.flip(axes).rotate(amounts).values;
        if (random.one_in(2)) {
            whole() = w.view | pv::flip(axes) | pv::rotate(amounts);
            set(w, turned);
        } else {
            w.view += w.view | pv::flip(axes) | pv::rotate(amounts);
            accumulate(w, turned, 1);
        }
        break;
    }
    case 6: { // an expression of itself, and a number
        w.name += " = itself * 2 - value";
        const std::vector<T> before = current(w);
        whole() = w.view + w.view - value;
        std::vector<T> results;
        for (const T v : before) results.push_back(static_cast<T>(static_cast<T>(v + v) - value));
        set(w, results);
        break;
    }
    case 7: { // at run time
        w.name += " AnyTensor += " + source.name;
        pv::AnyTensor any = w.view;
        any += pv::AnyTensor(source.real);
        accumulate(w, values, 1);
        any(pv::ellipsis) = source.real;
        set(w, values);
        break;
    }
    default: { // a name
        pv::MutableTensor<T> x = w.view;
        const std::vector<T> before = current(w);
        x = x + w.view;
        REQUIRE(same_values(pv::to_vector(x), combined('+', before, before)));
        REQUIRE((x.empty() || !pv::may_overlap(x, w.view)));
        x(pv::ellipsis) = value; // does not reach the old memory
        x = w.view;              // names that again
        REQUIRE((x.empty() || pv::may_overlap(x, w.view)));
        break;
    }
    }
}

template <typename T>
void run_assignments(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        auto w = random_writable_view<T>(random);
        const std::set<index_t> distinct(w.positions.values.begin(), w.positions.values.end());
        const bool each_alone = distinct.size() == w.positions.values.size();
        for (int i = 0; i < 3; ++i) write(random, w, each_alone);
        INFO(w.name);
        REQUIRE(same_values(pv::to_vector(w.root), w.model));
    }
}

} // namespace

TEST_CASE("assignments to random views agree with loops: float64") {
    run_assignments<double>(0, 1500);
}
TEST_CASE("assignments to random views agree with loops: int16") {
    run_assignments<std::int16_t>(50'000, 1500);
}

TEST_CASE("a name is rebound") {
    auto x = pv::tensor({1., 2., 3.});
    const auto old = x;
    const auto other = pv::tensor({7., 8.});
    x = other;
    CHECK((pv::shares_storage(x, other) && pv::to_vector(old) == Vector{1, 2, 3}));
    x = old;
    x = x * 2;
    CHECK(pv::to_vector(x) == Vector{2, 4, 6});
    CHECK((pv::to_vector(old) == Vector{1, 2, 3} && !pv::shares_storage(x, old)));
    x(0) = 9; // it is memory
    CHECK(x(0) == 9);
    const pv::Tensor<double> reads = old;
    x = reads; // names a copy: what only reads is not written through x
    x(0) = 5;
    CHECK(old(0) == 1);
    x = old(pv::range(1, 3)); // a view of what can be written is named, as NumPy's
    x(0) = 20;
    CHECK(pv::to_vector(old) == Vector{1, 20, 3});
    x = pv::broadcast(old, {2, 3});
    CHECK((x.shape() == pv::Shape{2, 3} && !x.is_read_only()));
    const auto& itself = x;
    x = itself;
    CHECK(x.shape() == pv::Shape{2, 3});

    pv::Tensor<double> lazy = old + 1; // what only reads names expressions
    lazy = lazy * 2;
    old(0) = 4;
    CHECK(lazy(0) == 10);

    pv::AnyTensor any = old;
    any = any * 2; // and so does a handle of any type
    CHECK((any.is_read_only() && any(0).item<double>() == 8));
}

TEST_CASE("a subscript is written") {
    const auto x = pv::tensor({{0., 1., 2.}, {3., 4., 5.}});
    x(0, all) = 7;
    x(1, pv::range(0, 2)) = pv::tensor({8., 9.});
    CHECK(pv::to_vector(x) == Vector{7, 7, 7, 8, 9, 5});
    x(x > 7) = 0;
    CHECK(pv::to_vector(x) == Vector{7, 7, 7, 0, 0, 5});
    x(0, all) = x(1, all) + 1;
    CHECK(pv::to_vector(x) == Vector{1, 1, 6, 0, 0, 5});
    x(0, all) = x(1, all);
    CHECK(pv::to_vector(x) == Vector{0, 0, 5, 0, 0, 5});
    x(1, all) = x(1, 2);               // an element
    x(0, all) = pv::tensor({1, 2, 3}); // of another type, cast
    CHECK(pv::to_vector(x) == Vector{1, 2, 3, 5, 5, 5});
    x(all, pv::indexes({0, 2})) = x(pv::indexes({1, 0}), pv::indexes({2, 1})); // it overlaps
    CHECK(pv::to_vector(x) == Vector{5, 2, 5, 3, 5, 2});
    pv::transpose(x) = 1; // and so is a view made by a function
    CHECK(pv::to_vector(x) == Vector(6, 1));
    pv::take(x, pv::tensor({0, 2}), 1) = pv::tensor({{1., 2.}, {3., 4.}});
    CHECK(pv::to_vector(x) == Vector{1, 1, 2, 3, 1, 4});
    for (auto row : pv::rows(x)) row += 1;
    pv::rows(x)[0] = 0;
    CHECK(pv::to_vector(x) == Vector{0, 0, 0, 4, 2, 5});

    const auto words = pv::tensor({"a", "b"});
    words(pv::range(0, 1)) = "c";
    words += std::string("!");
    CHECK(pv::to_vector(words) == std::vector<std::string>{"c!", "b!"});
}

TEST_CASE("what is assigned fits, or nothing is written") {
    const auto bytes = pv::tensor(std::vector<std::uint8_t>{1, 2, 3});
    CHECK_THROWS_WITH(bytes(all) = 300, ContainsSubstring("300") && ContainsSubstring("uint8"));
    CHECK_THROWS_AS(bytes(all) = 300LL, pv::CastError);
    CHECK_THROWS_AS(bytes(all) = pv::tensor({1, 2, 300}), pv::CastError);
    CHECK_THROWS_AS(bytes += 256, pv::CastError);
    CHECK_THROWS_WITH(bytes(all) = pv::zeros({2}),
                      ContainsSubstring("assign") && ContainsSubstring("[2]"));
    CHECK_THROWS_WITH(bytes += pv::ones<std::uint8_t>({2, 3}),
                      ContainsSubstring("+=") && ContainsSubstring("[2 3]"));
    CHECK_THROWS_AS(bytes /= std::uint8_t{0}, pv::ArithmeticError);
    const pv::AnyTensor any = bytes;
    CHECK_THROWS_WITH(any *= 0.5, ContainsSubstring("float64") && ContainsSubstring("uint8"));
    CHECK_THROWS_AS(any(pv::range(0, 1)) = 300, pv::CastError);
}

TEST_CASE("in place: everything that names the memory sees it") {
    auto x = pv::tensor({1, 2, 3});
    const auto y = x;
    auto& same = x += 10;
    CHECK((&same == &x && pv::shares_storage(x, y)));
    x -= 1;
    x *= 3;
    x /= 2;
    x %= 8;
    CHECK(pv::to_vector(y) == std::vector<int>{7, 0, 2});
    x |= 8;
    x &= 14;
    x ^= 1;
    x <<= 2;
    x >>= 1;
    CHECK(pv::to_vector(y) == std::vector<int>{30, 18, 22});
    auto row = x(pv::range(0, 2));
    row *= 2;
    CHECK(pv::to_vector(y) == std::vector<int>{60, 36, 22});
    x += x;
    x(pv::range(1, 3)) += x(pv::range(0, 2));
    CHECK(pv::to_vector(y) == std::vector<int>{120, 192, 116});
    auto flags = pv::tensor({true, false});
    flags |= pv::tensor({false, false});
    flags ^= true;
    CHECK(pv::to_vector(flags) == std::vector<bool>{false, true});
    auto floats = pv::ones<float>({2});
    floats *= 2.5;                  // a number is weak
    floats += pv::tensor({1., 2.}); // and float64 is cast
    CHECK(pv::to_vector(floats) == std::vector<float>{3.5F, 4.5F});
    auto signed_zero = pv::tensor({-0.0});
    signed_zero -= 0.0;
    CHECK(std::signbit(static_cast<double>(signed_zero(0))));
}

TEST_CASE("where indexes repeat, the last value stays, and all are added") {
    const auto x = pv::tensor({0., 0., 0.});
    const auto twice = pv::indexes({1, 1, 2});
    x(twice) = pv::tensor({1., 2., 3.});
    CHECK(pv::to_vector(x) == Vector{0, 2, 3});
    x(twice) += pv::tensor({10., 20., 30.});
    CHECK(pv::to_vector(x) == Vector{0, 32, 33});
    x(twice) -= 1;
    CHECK(pv::to_vector(x) == Vector{0, 30, 32});
    pv::take(x, pv::tensor({1, 1})) += 5;
    pv::take(x, pv::tensor({0, 0})) -= pv::tensor({1., 2.});
    CHECK(pv::to_vector(x) == Vector{-3, 40, 32});
    CHECK_THROWS_WITH(x(twice) *= 2,
                      ContainsSubstring("*=") && ContainsSubstring("share an address"));
    CHECK_THROWS_WITH(pv::take(x, pv::tensor({1, 1})) *= 2,
                      ContainsSubstring("*=") && ContainsSubstring("may repeat"));
    const auto bytes = pv::zeros<std::uint8_t>({2});
    pv::take(bytes, pv::tensor({0, 0})) -= 1; // unsigned numbers wrap
    CHECK(pv::to_vector(bytes) == std::vector<std::uint8_t>{254, 0});
}

} // namespace assignment_test
