#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <vector>

/// The extremes of times and their places, of static and of run-time type, are those of loops: NaT wins, the first of
/// several, or is left out (numpy.min, numpy.argmax of datetime64; pandas skipna).
namespace time_extremes_test {

namespace {

namespace pv = purview;
using namespace std::chrono;
using oracle::index_t;
using oracle::Random;

template <typename T>
using Count = decltype((T() - T()).count());

/// Few counts, so that there are equal ones, and those next to the ends of their type.
template <typename T>
T random_time(Random& random, bool may_be_nat) {
    using C = Count<T>;
    using D = decltype(T() - T());
    if (may_be_nat && random.between(0, 2) == 0) return pv::nat_value<T>();
    if constexpr (std::is_integral_v<C>) {
        const C ends[] = {std::numeric_limits<C>::max(),
                          static_cast<C>(std::numeric_limits<C>::max() - 1),
                          static_cast<C>(std::numeric_limits<C>::min() + 1)};
        if (random.between(0, 5) == 0) return T(D(ends[random.between(0, 2)]));
    }
    return T(D(static_cast<C>(random.between(0, 4))));
}

/// The place of an extreme; nothing where all are left out.
template <typename T>
std::optional<index_t> place(const std::vector<T>& x, bool least, bool last, bool skips) {
    std::optional<index_t> best;
    for (index_t i = 0; i < std::ssize(x); ++i) {
        const T& each = x[static_cast<std::size_t>(i)];
        if (skips && pv::is_nat_value(each)) continue;
        if (!best) {
            best = i;
            continue;
        }
        const T& held = x[static_cast<std::size_t>(*best)];
        const bool is_equal = pv::is_nat_value(each) ? pv::is_nat_value(held) : each == held;
        const bool is_better = !pv::is_nat_value(held) &&
                               (pv::is_nat_value(each) || (least ? each < held : held < each));
        if (is_better || (last && is_equal)) best = i;
    }
    return best;
}

/// The elements over which axes of a row-major cube are reduced, of each result.
template <typename T>
std::vector<std::vector<T>> groups_of(const std::vector<T>& x, const pv::Shape& shape,
                                      const std::vector<index_t>& axes) {
    std::vector<index_t> kept;
    for (index_t a = 0; a < 3; ++a)
        if (std::ranges::find(axes, a) == axes.end()) kept.push_back(a);
    std::vector<index_t> order = kept;
    order.insert(order.end(), axes.begin(), axes.end());
    const auto extent = [&](index_t a) { return shape[static_cast<std::size_t>(a)]; };
    const index_t strides[] = {extent(1) * extent(2), extent(2), 1};
    std::size_t groups = 1;
    for (const index_t a : kept) groups *= static_cast<std::size_t>(extent(a));
    std::vector<std::vector<T>> result(groups);
    index_t at[3];
    index_t number = 0;
    for (at[0] = 0; at[0] < extent(order[0]); ++at[0])
        for (at[1] = 0; at[1] < extent(order[1]); ++at[1])
            for (at[2] = 0; at[2] < extent(order[2]); ++at[2]) {
                index_t index = 0;
                for (std::size_t k = 0; k < 3; ++k) index += at[k] * strides[order[k]];
                result[static_cast<std::size_t>(number++) * groups / x.size()].push_back(
                    x[static_cast<std::size_t>(index)]);
            }
    return result;
}

template <typename R, typename X>
std::vector<R> values(const X& x) {
    if constexpr (std::is_same_v<X, pv::AnyTensor>)
        return pv::to_vector(x.template as<R>());
    else
        return pv::to_vector(x);
}

template <typename T>
void check_equal(const std::vector<T>& x, const std::vector<T>& y) {
    CHECK(std::ranges::equal(x, y, [](const T& a, const T& b) {
        return a == b || (pv::is_nat_value(a) && pv::is_nat_value(b));
    }));
}

/// One reduction of an array over some axes, against loops.
template <typename T, typename X, typename Values, typename Places>
void check_one(const X& x, const std::vector<std::vector<T>>& groups, bool least, bool last,
               bool skips, Values extremes, Places places) {
    INFO("least " << least << " last " << last << " skips " << skips);
    std::vector<std::int64_t> found;
    std::vector<T> extreme;
    bool is_known = true;
    for (const std::vector<T>& group : groups) {
        const std::optional<index_t> at = place(group, least, last, skips);
        is_known &= at.has_value();
        found.push_back(at.value_or(0));
        extreme.push_back(at ? group[static_cast<std::size_t>(*at)] : pv::nat_value<T>());
    }
    if (!last) check_equal(values<T>(extremes(x)), extreme);
    if (is_known)
        CHECK(values<std::int64_t>(places(x)) == found);
    else
        CHECK_THROWS_WITH(places(x), Catch::Matchers::Contains(": all elements of a part are"));
}

template <typename T, typename X>
void check_array(const X& x, const std::vector<T>& elements, const pv::Shape& shape) {
    const std::vector<std::vector<index_t>> chosen = {{0}, {1}, {2}, {0, 2}, {2, 1}, {1, 0, 2}};
    for (const std::vector<index_t>& named : chosen) {
        const auto groups = groups_of(elements, shape, named);
        const pv::Axes axes(named);
        const auto check = [&](bool skips, const auto&... nan) {
            const auto one = [&](bool least, bool last, const auto& extreme, const auto& place) {
                check_one<T>(
                    x, groups, least, last, skips,
                    [&](const X& y) { return extreme(y, axes, nan...); },
                    [&](const X& y) { return place(y, axes, nan...); });
            };
            one(true, false, pv::min, pv::argmin);
            one(false, false, pv::max, pv::argmax);
            one(true, true, pv::min, pv::argmin_last);
            one(false, true, pv::max, pv::argmax_last);
        };
        check(false);
        check(true, pv::skip_nan);
    }
}

template <typename T>
void check_times(bool with_nat) {
    for (int seed = 0; seed < 3; ++seed) {
        Random random(static_cast<unsigned>(seed));
        const pv::Shape shape = {3, random.between(1, 5), random.between(1, 40)};
        INFO("seed " << seed << ", element " << pv::kDType<T>.name() << ", " << shape[1] << " x "
                     << shape[2]);
        std::vector<T> x;
        for (index_t i = 0; i < shape[0] * shape[1] * shape[2]; ++i)
            x.push_back(random_time<T>(random, with_nat));
        if (with_nat && seed == 2) // a group of NaT alone
            std::fill_n(x.begin(), shape[1] * shape[2], pv::nat_value<T>());
        const auto t = pv::reshape(pv::tensor(std::vector(x)), shape);
        check_array<T>(t, x, shape);
        check_array<T>(pv::AnyTensor(t), x, shape);
        check_array<T>(pv::AnyTensor(pv::transpose(pv::clone(pv::transpose(t)))), x, shape);
        check_array<T>(pv::AnyTensor(pv::chunked(t, {2, 2, 7})), x, shape);
    }
}

} // namespace

TEST_CASE("min, max, argmin and argmax of times are loops'") {
    check_times<sys_days>(true);
    check_times<local_time<milliseconds>>(false);
    check_times<nanoseconds>(true);
    check_times<duration<std::int32_t>>(true);
    check_times<duration<std::int16_t>>(true);
    check_times<duration<std::int8_t, std::ratio<7, 3>>>(true);
    check_times<duration<double>>(true);
    check_times<duration<float>>(true);
    check_times<duration<std::uint32_t>>(false);
    check_times<duration<std::uint8_t>>(false);
}

TEST_CASE("times of run-time type: with_index, groups, first and last as of static type") {
    const auto none = pv::nat_value<sys_days>();
    const auto day = [](int count) { return sys_days(days(count)); };
    const auto rows = pv::tensor({{day(3), none, day(5)},
                                  {none, day(5), day(2)},
                                  {none, none, none},
                                  {day(1), day(2), day(1)}});
    const pv::AnyTensor any(rows);
    const auto days_of = [](const pv::AnyTensor& x) { return pv::to_vector(x.as<sys_days>()); };
    using Places = std::vector<std::int64_t>;
    const auto greatest = pv::max_with_index(any, 1);
    CHECK(days_of(greatest.values) == std::vector{none, none, none, day(2)});
    CHECK(pv::to_vector(greatest.indexes) == Places{1, 0, 0, 1});
    const auto least = pv::min_with_index(any(pv::range(0, 2)), 1, pv::skip_nan);
    CHECK(days_of(least.values) == std::vector{day(3), day(2)});
    CHECK(pv::to_vector(least.indexes) == Places{0, 2});
    CHECK(pv::to_vector(pv::argmax_last(any, 1).as<std::int64_t>()) == Places{1, 0, 2, 1});

    for (const index_t axis : {0, 1}) {
        CHECK(days_of(pv::first(any, axis, pv::skip_nan)) ==
              pv::to_vector(pv::first(rows, axis, pv::skip_nan)));
        CHECK(days_of(pv::last(any, axis, pv::skip_nan)) ==
              pv::to_vector(pv::last(rows, axis, pv::skip_nan)));
    }
    CHECK(pv::to_vector(pv::first(rows, 1, pv::skip_nan)) ==
          std::vector{day(3), day(5), none, day(1)});
    CHECK(pv::to_vector(pv::last(rows, 1, pv::skip_nan)) ==
          std::vector{day(5), day(2), none, day(1)});

    const auto keys = pv::clone(pv::arange(12) / 3);
    const pv::AnyTensor flat(pv::reshape(rows, {12}));
    const auto grouped = [&](const auto& by) {
        return std::get<1>(pv::group_by_reduce(keys, flat, by));
    };
    CHECK(days_of(grouped(pv::max)) == std::vector{none, none, none, day(2)});
    CHECK(days_of(grouped(pv::min)) == std::vector{none, none, none, day(1)});
    CHECK(days_of(grouped(pv::max(pv::skip_nan))) == std::vector{day(5), day(5), none, day(2)});
    CHECK(days_of(grouped(pv::min(pv::skip_nan))) == std::vector{day(3), day(2), none, day(1)});
    CHECK(pv::to_vector(grouped(pv::argmax).as<std::int64_t>()) == Places{1, 0, 0, 1});
    CHECK(pv::to_vector(grouped(pv::argmin).as<std::int64_t>()) == Places{1, 0, 0, 0});

    // Strings have no NaT to be left out.
    const pv::AnyTensor names(pv::tensor(std::vector<std::string>{"fig", "plum", "apple"}));
    CHECK(pv::argmax(names, pv::skip_nan).item<std::int64_t>() == 1);
}

TEST_CASE("maximum and minimum of times of run-time type are those of static type") {
    const auto check = []<typename T>(std::type_identity<T>) {
        Random random(7);
        std::vector<T> x, y;
        for (int i = 0; i < 60; ++i) {
            x.push_back(random_time<T>(random, true));
            y.push_back(random_time<T>(random, true));
        }
        const auto a = pv::tensor(std::vector(x));
        const auto b = pv::tensor(std::vector(y));
        check_equal(values<T>(pv::maximum(pv::AnyTensor(a), b)), pv::to_vector(pv::maximum(a, b)));
        check_equal(values<T>(pv::minimum(pv::AnyTensor(a), b)), pv::to_vector(pv::minimum(a, b)));
        for (const T& each : {x[0], y[1], pv::nat_value<T>()})
            check_equal(values<T>(pv::maximum(pv::AnyTensor(a), each)),
                        pv::to_vector(pv::maximum(a, each)));
    };
    check(std::type_identity<sys_days>{});
    check(std::type_identity<nanoseconds>{});
    check(std::type_identity<duration<std::int8_t>>{});
    check(std::type_identity<duration<double>>{});
}

TEST_CASE("sum of durations of run-time type is that of static type") {
    const auto none = pv::nat_value<milliseconds>();
    const auto rows = pv::tensor({{3ms, none, 5ms}, {1ms, -5ms, 2ms}, {none, none, none}});
    const pv::AnyTensor any(rows);
    const auto sums = [](const pv::AnyTensor& x) { return pv::to_vector(x.as<milliseconds>()); };
    for (const index_t axis : {0, 1}) {
        CHECK(sums(pv::sum(any, axis)) == pv::to_vector(pv::sum(rows, axis)));
        CHECK(sums(pv::sum(any, axis, pv::skip_nan)) ==
              pv::to_vector(pv::sum(rows, axis, pv::skip_nan)));
    }
    CHECK(pv::sum(any).item<milliseconds>() == none);
    CHECK(pv::sum(any, pv::skip_nan).item<milliseconds>() == 6ms);
    CHECK(sums(pv::sum(pv::AnyTensor(pv::chunked(rows, {1, 2})), 1, pv::skip_nan)) ==
          std::vector{8ms, -2ms, 0ms});
    CHECK(sums(pv::sum(any(pv::range(0, 0)), 0)) == std::vector(3, 0ms));
    CHECK_THROWS_AS(pv::sum(pv::AnyTensor(pv::tensor({sys_days(days(1))}))), pv::DtypeError);
    CHECK_THROWS_AS(pv::product(any), pv::DtypeError);
}

} // namespace time_extremes_test
