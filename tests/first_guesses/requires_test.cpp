// What must not compile (tests/must_not_compile) is not there for `requires` either.
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <support/catch.hpp>

#include <chrono>
#include <complex>
#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <tuple>
#include <vector>

namespace requires_test {

namespace pv = purview;

template <typename X, typename Y>
concept can_add = requires(const X& x, const Y& y) {
    x + y;
};
template <typename X, typename Y>
concept can_subtract = requires(const X& x, const Y& y) {
    x - y;
};
template <typename X, typename Y>
concept can_compare = requires(const X& x, const Y& y) {
    x < y;
};
template <typename X, typename Y>
concept can_join_conditions = requires(const X& x, const Y& y) {
    x&& y;
};
template <typename X, typename Y>
concept can_shift = requires(const X& x, const Y& y) {
    x << y;
};
template <typename X, typename Y>
concept can_xor = requires(const X& x, const Y& y) {
    x ^ y;
};
template <typename X>
concept can_negate = requires(const X& x) {
    !x;
};
template <typename X, typename Y>
concept can_add_in_place = requires(X x, const Y& y) {
    x += y;
};
template <typename X, typename Y>
concept can_multiply_in_place = requires(X x, const Y& y) {
    x *= y;
};
template <typename X, typename Y>
concept can_set_bits_in_place = requires(X x, const Y& y) {
    x |= y;
};
template <typename X, typename... I>
concept can_index = requires(const X& x, const I&... indexes) {
    x(indexes...);
};
template <typename X, typename V>
concept can_write = requires(const X& x, const V& values) {
    x(0, pv::all) = values;
};
template <typename X, typename V>
concept can_write_element = requires(const X& x, const V& value) {
    x(0) = value;
};
template <typename F, typename... A>
concept can_call = requires(const F& function, A&&... arguments) {
    function(static_cast<A&&>(arguments)...);
};
template <typename... A>
concept can_cat = requires(const A&... arguments) {
    pv::cat(arguments...);
};
template <typename... A>
concept can_assign = requires(const A&... arguments) {
    pv::assign(arguments...);
};
template <typename... A>
concept can_add_to = requires(const A&... arguments) {
    pv::add_to(arguments...);
};
template <typename... A>
concept can_make = requires(A&&... arguments) {
    pv::tensor(static_cast<A&&>(arguments)...);
};
template <typename... A>
concept can_make_zeros = requires(const A&... arguments) {
    pv::zeros(arguments...);
};
template <typename... A>
concept can_make_full = requires(const A&... arguments) {
    pv::full(arguments...);
};
template <typename X>
concept can_be_a_tensor = requires(const X& x) {
    pv::as_tensor(x);
};
template <typename X, typename... A>
concept can_split = requires(const X& x, const A&... arguments) {
    pv::split(x, arguments...);
};
template <typename R>
concept can_be_read = requires(R&& range) {
    pv::as_reader(static_cast<R&&>(range));
};
template <typename R>
concept can_be_borrowed = requires(R&& range) {
    pv::borrow(static_cast<R&&>(range));
    pv::borrow_reader(static_cast<R&&>(range));
};
template <typename... A>
concept can_wrap = requires(const A&... arguments) {
    pv::wrap(arguments...);
};

using Floats = pv::Tensor<double>;
using Writable = pv::MutableTensor<double>;
using Integers = pv::MutableTensor<std::int64_t>;
using Naturals = pv::Tensor<std::uint64_t>;
using Bools = pv::Tensor<bool>;
using Strings = pv::Tensor<std::string>;
using Dates = pv::Tensor<std::chrono::sys_days>;
using Numbers = std::vector<double>;
using Words = std::vector<std::string>;
using Stage = decltype(pv::sum(0));

// Operators.
static_assert(can_add<Floats, Floats> && can_add<Floats, int> && can_add<Floats, Numbers>);
static_assert(can_add<Strings, Strings> && can_add<Strings, const char*>);
static_assert(!can_add<Floats, const char*> && !can_add<Floats, Strings>);
static_assert(!can_add<Strings, int> && !can_add<Floats, Words>);
static_assert(!can_add<Integers, Naturals> && can_add<Integers, Integers>);
static_assert(can_subtract<Floats, Floats> && !can_subtract<Bools, Bools>);
static_assert(can_subtract<Dates, Dates> && !can_add<Dates, Dates>);
static_assert(can_compare<Floats, int> && !can_compare<Floats, Strings>);
static_assert(can_join_conditions<Bools, Bools> && !can_join_conditions<Integers, Bools>);
static_assert(can_negate<Bools> && !can_negate<Strings>);
static_assert(can_shift<Integers, int> && !can_shift<Floats, int>);
static_assert(can_xor<Integers, int> && !can_xor<Floats, int>);
static_assert(!can_add<Stage, Floats> && !can_add<Floats, Stage> && !can_compare<Stage, int>);
static_assert(!can_add<Stage, Stage> && !std::equality_comparable<Stage>);

// Operators that write.
static_assert(can_add_in_place<Writable&, int> && can_add_in_place<Writable&, Numbers>);
static_assert(!can_add_in_place<Floats&, int> && !can_add_in_place<Writable&, const char*>);
static_assert(can_multiply_in_place<Integers&, int> && !can_multiply_in_place<Integers&, double>);
static_assert(can_set_bits_in_place<Integers&, int> && !can_set_bits_in_place<Writable&, int>);
static_assert(can_write<Writable, double> && can_write<Writable, Floats>);
static_assert(!can_write<Floats, double>);
static_assert(can_write_element<Writable, int> && !can_write_element<Writable, const char*>);
static_assert(!can_write_element<Writable, Floats>);

// Functions that write.
using Copy = decltype(pv::copy);
using Fill = decltype(pv::fill);
static_assert(can_call<Copy, Floats, Writable> && !can_call<Copy, Floats, Floats>);
static_assert(!can_call<Copy, Floats>);
static_assert(can_call<Fill, Writable, double> && !can_call<Fill, Floats, double>);
static_assert(can_assign<Writable, double> && !can_assign<Floats, double>);
static_assert(can_add_to<Writable, double> && !can_add_to<Floats, double>);

// Functions.
static_assert(can_call<decltype(pv::sqrt), Floats> && !can_call<decltype(pv::sqrt), Strings>);
static_assert(can_call<decltype(pv::pow), Floats, int> &&
              !can_call<decltype(pv::pow), Strings, int>);
static_assert(!can_call<decltype(pv::all), Bools>);
static_assert(can_call<decltype(pv::slice), Floats, int> &&
              !can_call<decltype(pv::slice), int, int>);
static_assert(can_split<Floats, int, std::vector<int>> && !can_split<Floats, int>);
static_assert(can_be_a_tensor<Numbers> && !can_be_a_tensor<double>);

// Functions of elements.
using Where = decltype(pv::where);
static_assert(can_call<Where, Bools, Floats, int> && can_call<Where, Bools, Numbers, Floats>);
static_assert(!can_call<Where, Bools> && !can_call<Where, Integers, int, int>);
static_assert(!can_call<Where, Bools, Floats, const char*> && can_call<Where, int, double>);
using LogAddExp = decltype(pv::logaddexp);
static_assert(can_call<LogAddExp, Floats, Numbers> && can_call<LogAddExp, int, double>);
static_assert(!can_call<LogAddExp, Strings, Strings> && !can_call<LogAddExp, Integers, Naturals>);
using CloseTo = decltype(pv::close_to);
static_assert(can_call<CloseTo, Numbers, Floats, pv::Tolerance> && can_call<CloseTo, Floats>);
static_assert(!can_call<CloseTo, Strings, Strings> && !can_call<CloseTo, Integers, Naturals>);
static_assert(can_call<decltype(pv::quot), Numbers, int> &&
              !can_call<decltype(pv::quot), Strings, Strings>);
static_assert(can_call<decltype(pv::clamp), Numbers, int, Floats> &&
              !can_call<decltype(pv::clamp), Strings, int, int>);
static_assert(!can_call<decltype(pv::abs), bool> && !can_call<decltype(pv::pow), Words, int>);
static_assert(can_call<decltype(pv::outer), Numbers, Numbers> &&
              !can_call<decltype(pv::outer), Words, Numbers>);
static_assert(!can_call<decltype(pv::get_significand), Words>);
static_assert(can_call<decltype(pv::nan_to_num), Numbers, pv::NanToNumOptions> &&
              !can_call<decltype(pv::nan_to_num), Strings>);
static_assert(can_call<decltype(pv::to_lower), Words> && !can_call<decltype(pv::to_lower), Floats>);
static_assert(can_call<decltype(pv::contains), Words, const char*> &&
              !can_call<decltype(pv::contains), Words, int>);
static_assert(can_call<decltype(pv::replace_all), Words, const char*, const char*> &&
              !can_call<decltype(pv::replace_all), Numbers, const char*, const char*>);

// Times.
using Days = std::vector<std::chrono::sys_days>;
using Waits = pv::Tensor<std::chrono::seconds>;
using Fractions = pv::Tensor<std::chrono::duration<double>>;
using Ticking = pv::Tensor<std::chrono::steady_clock::time_point>;
using std::chrono::months;
static_assert(can_call<decltype(pv::year_of), Days> && !can_call<decltype(pv::year_of), Waits>);
static_assert(can_call<decltype(pv::hour_of), Waits> && !can_call<decltype(pv::hour_of), Ticking> &&
              !can_call<decltype(pv::hour_of), Fractions>);
static_assert(can_call<decltype(pv::floor_time<months>), Dates> &&
              !can_call<decltype(pv::floor_time<months>), Waits>);
static_assert(can_call<decltype(pv::epoch<months>), Days> &&
              !can_call<decltype(pv::epoch<months>), Waits>);
static_assert(!can_call<decltype(pv::epoch<std::chrono::hours>), Fractions>);
using Between = decltype(pv::between<months>);
static_assert(can_call<Between, Days, Dates> && !can_call<Between, Waits, Waits>);
static_assert(!can_call<decltype(pv::between<std::chrono::seconds>), Dates, Waits>);
static_assert(can_call<decltype(pv::plus_months), Days, int> &&
              !can_call<decltype(pv::plus_months), Waits, int> &&
              !can_call<decltype(pv::plus_months), Days, double> &&
              !can_call<decltype(pv::plus_months), Days, Bools>);
static_assert(can_call<decltype(pv::month_start), Days> &&
              !can_call<decltype(pv::month_start), Ticking>);
static_assert(can_call<decltype(pv::dates), Integers, int, int> &&
              !can_call<decltype(pv::dates), Floats, int, int> &&
              !can_call<decltype(pv::dates), Integers, bool, int>);
using Range = decltype(pv::time_range);
using std::chrono::sys_days;
static_assert(can_call<Range, sys_days, sys_days, std::chrono::days>);
static_assert(!can_call<Range, sys_days, sys_days, months>);
static_assert(!can_call<Range, sys_days, std::chrono::sys_seconds, std::chrono::days>);

// Statistics and random choices.
using Symbols = pv::Symbol<double>;
using Percentile = decltype(pv::percentile);
static_assert(can_call<Percentile, Floats, int> && can_call<Percentile, Dates, int, int>);
static_assert(can_call<Percentile, Numbers, std::vector<double>, pv::QuantileMethod>);
static_assert(!can_call<Percentile, Strings, int> && !can_call<Percentile, Symbols, int>);
static_assert(can_call<decltype(pv::median), Floats> && !can_call<decltype(pv::median), Symbols>);
static_assert(!can_call<decltype(pv::quartiles), Symbols>);
static_assert(!can_call<decltype(pv::moment), Symbols, int>);
static_assert(!can_call<decltype(pv::is_outlier), Strings>);
static_assert(!can_call<decltype(pv::descriptive_statistics), Strings>);
static_assert(can_call<decltype(pv::histogram), Numbers, int> &&
              !can_call<decltype(pv::histogram), Strings>);
static_assert(can_call<decltype(pv::bincount), Integers> &&
              !can_call<decltype(pv::bincount), Floats>);
using Pearson = decltype(pv::pearson);
static_assert(can_call<Pearson, Floats, Numbers> && can_call<Pearson, Floats, Integers, int>);
static_assert(!can_call<Pearson, Floats, Strings> && !can_call<Pearson, Floats, Symbols>);
static_assert(!can_call<decltype(pv::covariance_matrix), Symbols>);
using Reduce = decltype(pv::group_by_reduce);
using Sum = decltype(pv::sum);
static_assert(can_call<Reduce, Words, Floats, Sum> && can_call<Reduce, Integers, Numbers, Sum>);
static_assert(!can_call<Reduce, Sum, Floats, Floats> && !can_call<Reduce, Floats, Floats>);
static_assert(!can_call<Reduce, Symbols, Floats, Sum> && !can_call<Reduce, Floats, Symbols, Sum>);
using GroupSize = decltype(pv::group_size);
static_assert(can_call<Reduce, Words, Strings, GroupSize> &&
              !can_call<Reduce, Words, Strings, decltype(pv::mean)>);
static_assert(!can_call<Reduce, Integers, Dates, Sum>);
static_assert(can_call<Reduce, Integers, Dates, decltype(pv::min)>);
static_assert(!can_call<Reduce, Integers, Strings, decltype(pv::median)>);
static_assert(!can_call<Reduce, Integers, Floats, decltype(pv::sort)>);
static_assert(can_call<decltype(pv::group_by), Words> && !can_call<decltype(pv::group_by), double>);
static_assert(!can_call<decltype(pv::group_by), Symbols>);
static_assert(!can_call<decltype(pv::arggroup), Symbols>);
static_assert(!can_call<decltype(pv::arggroup), pv::Tensor<std::complex<double>>>);
static_assert(can_call<decltype(pv::choice), Numbers, int, int> &&
              !can_call<decltype(pv::choice), Numbers, int>);
static_assert(can_call<decltype(pv::sample), Floats, int, int> &&
              !can_call<decltype(pv::sample), Floats, int>);
static_assert(can_call<decltype(pv::dropout), Floats, double, int> &&
              !can_call<decltype(pv::dropout), Integers, double, int>);
static_assert(!can_call<decltype(pv::colorize), Strings, pv::Gradient>);

// Functions along axes.
struct Point {
    double x, y;
    bool operator==(const Point&) const = default;
};
using Points = std::vector<Point>;
static_assert(can_call<decltype(pv::cumsum), Words> && !can_call<decltype(pv::cumsum), Points>);
static_assert(!can_call<decltype(pv::cumsum), const char*>);
static_assert(!can_call<decltype(pv::cumsum), Floats, int, bool>);
static_assert(can_call<decltype(pv::sort), Dates> && !can_call<decltype(pv::sort), Points>);
static_assert(!can_call<decltype(pv::unique), Points>);
static_assert(!can_call<decltype(pv::diff1d), Bools> && !can_call<decltype(pv::diff1d), Strings>);
static_assert(can_call<decltype(pv::ranks), Floats> && !can_call<decltype(pv::ranks), Strings>);
static_assert(can_call<decltype(pv::arg_min_n), Numbers, int> &&
              !can_call<decltype(pv::arg_min_n), Strings, int>);
static_assert(!can_call<decltype(pv::argpartition), Strings, int>);
static_assert(!can_call<decltype(pv::topk), Words, int>);
static_assert(!can_call<decltype(pv::searchsorted), Floats, Words>);
static_assert(!can_call<decltype(pv::convolve1d), Strings, Numbers>);

// Views, and arrays that are joined.
static_assert(can_call<decltype(pv::transpose), Floats, int, int>);
static_assert(can_call<decltype(pv::reshape), Numbers, int> &&
              !can_call<decltype(pv::reshape), int, Floats>);
static_assert(!can_call<decltype(pv::transpose), Strings, const char*>);
static_assert(can_call<decltype(pv::flip), Floats, int> &&
              !can_call<decltype(pv::flip), Floats, double>);
static_assert(can_call<decltype(pv::concat), Floats, Floats, int>);
static_assert(!can_call<decltype(pv::concat), Floats, double> &&
              !can_call<decltype(pv::concat), int, Floats, Floats>);
using List = std::vector<pv::AnyTensor>;
static_assert(can_call<decltype(pv::concat), List, int> &&
              !can_call<decltype(pv::concat), List, pv::Dim>);
using NamedFloats = decltype(std::declval<Floats>()(pv::Dim("i")));
using NamedStrings = decltype(std::declval<Strings>()(pv::Dim("i")));
static_assert(can_cat<NamedFloats, NamedFloats, pv::Axes, pv::Dim> &&
              !can_cat<NamedFloats, NamedStrings, pv::Axes, pv::Dim>);
static_assert(can_cat<NamedFloats, NamedFloats, pv::Dim, pv::Dim> &&
              !can_cat<NamedFloats, NamedStrings, pv::Dim, pv::Dim>);
using Mode = pv::PadMode;
static_assert(can_call<decltype(pv::pad), Floats, int, Mode, double> &&
              can_call<decltype(pv::pad), Strings, int, Mode, const char*>);
static_assert(!can_call<decltype(pv::pad), Floats, int, Mode, const char*> &&
              !can_call<decltype(pv::pad), Numbers, int, Mode, Numbers> &&
              !can_call<decltype(pv::pad), Floats, int, Mode, Point>);
static_assert(can_call<decltype(pv::dot), Floats, Numbers> &&
              !can_call<decltype(pv::dot), Strings, Strings> &&
              !can_call<decltype(pv::matmul), Points, Points>);

// Indexes.
static_assert(can_index<Floats, int, pv::All> && can_index<Floats, std::vector<int>, pv::All>);
static_assert(!can_index<Floats, int, double> && !can_index<Floats, std::string, int>);

// Making.
static_assert(can_make<Numbers> && can_make<double> && !can_make<std::string>);
static_assert(!can_make<int, int, int> && !can_make<Numbers, int, int>);
static_assert(!can_make<const double*, pv::Shape> &&
              !can_make<const double*, pv::Shape, pv::Shape>);
static_assert(can_make_zeros<pv::Shape> && can_make_zeros<int, int>);
static_assert(!can_make_zeros<std::tuple<int, int>> && !can_make_zeros<pv::Shape, std::string>);
static_assert(can_make_full<pv::Shape, double> && !can_make_full<int, int, double>);
static_assert(!std::constructible_from<Floats, int, int>);
static_assert(!std::constructible_from<Writable, int, int>);

// Memory.
static_assert(can_be_read<Numbers> && !can_be_read<Numbers&> && !can_be_read<std::span<double>>);
static_assert(can_be_borrowed<Numbers&> && !can_be_borrowed<Numbers>);
static_assert(can_wrap<double*, pv::Shape, std::shared_ptr<double[]>>);
static_assert(!can_wrap<double*, pv::Shape> && !can_wrap<double*, pv::Shape, double*>);

TEST_CASE("Arguments that are no constants are as good as constants") {
    std::vector<double> values{1, 2, 3};
    std::vector<int> list{0, 2};
    auto [i] = pv::dims("i");
    auto x = pv::tensor({1., 2., 3.});
    static_assert(requires { pv::take(x(i), list, i); });
    CHECK(pv::to_vector(pv::take(x(i), list, i)) == std::vector<double>{1, 3});
    CHECK(pv::to_vector(pv::take(values, list)) == std::vector<double>{1, 3});
    static_assert(requires { pv::weighted_histogram(values, values); });
    CHECK(pv::sum(pv::weighted_histogram(values, values).heights) == 6);
    CHECK(pv::sum(pv::weighted_histogram(x, values).heights) == 6);
    CHECK(pv::sum((x | pv::weighted_histogram(values, 2)).heights) == 6);
}

TEST_CASE("A generic function can ask whether tensors have an operation") {
    const auto sum_or_zero = [](const auto& x, const auto& y) {
        if constexpr (can_add<decltype(x), decltype(y)>)
            return (x + y)(0);
        else
            return 0.;
    };
    const Floats x = pv::tensor({1., 2.});
    CHECK(sum_or_zero(x, 1) == 2);
    CHECK(sum_or_zero(x, "a") == 0);
}

} // namespace requires_test
