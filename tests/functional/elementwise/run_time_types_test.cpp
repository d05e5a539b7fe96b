#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace run_time_types_test {

// A type that is known at run time, in the same place for every operation.

namespace {

namespace pv = purview;

/// One type, one shape, equal elements, NaN where there is NaN.
bool same(const pv::AnyTensor& a, const pv::AnyTensor& b) {
    if (a.dtype() != b.dtype() || a.shape() != b.shape()) return false;
    const pv::Tolerance exact{.relative = 0, .absolute = 0, .nan_equal = true};
    const auto numbers = [](const pv::AnyTensor& x) { return pv::cast<double>(x); };
    return pv::all_of(pv::close_to(numbers(a), numbers(b), exact));
}

template <typename T>
pv::MutableTensor<T> numbers() {
    return pv::clone(pv::tensor({{3, 1, 2, 7}, {0, 5, 4, 1}, {7, 1, 7, 6}}) |
                     pv::unchecked_cast<T>);
}

// Functions for the library to call, which compiles them for every type that is known at run time.
constexpr auto kTwiceTheLast = [](const auto& window) { return window(-1) * 2; };
constexpr auto kTwiceTheFirst = [](const auto& rows) { return rows(0) * 2; };
constexpr auto kSum = [](const auto& lane) { return pv::sum(lane); };
constexpr auto kFlip = [](const auto& lane) { return pv::flip(lane, {0}); };

/// The element types of integers: what is done with them is what is done with float64, and is exact.
constexpr pv::DType kIntegers[] = {pv::boolean, pv::int8,   pv::int16,  pv::int32, pv::int64,
                                   pv::uint8,   pv::uint16, pv::uint32, pv::uint64};

pv::AnyTensor as_dtype(const pv::AnyTensor& x, pv::DType dtype) {
    return pv::AnyTensor(pv::cast_operand(x.operand(), dtype, pv::Op::wrapping_cast));
}

pv::AnyTensor numbers_of(pv::DType dtype) {
    return pv::clone(as_dtype(numbers<std::int32_t>(), dtype));
}

bool is_unsigned(pv::DType dtype) {
    return dtype == pv::uint8 || dtype == pv::uint16 || dtype == pv::uint32 || dtype == pv::uint64;
}

/// The type of a result, from that of the integers it is of.
enum class Result { same, sum, real, index, doubled, boolean };

pv::DType dtype_of(Result result, pv::DType dtype) {
    switch (result) {
    case Result::sum: return is_unsigned(dtype) ? pv::uint64 : pv::int64;
    case Result::real: return pv::float64;
    case Result::index: return pv::int64;
    case Result::doubled: // as C++ does
        return dtype == pv::uint32 || dtype == pv::uint64 ? dtype
                                                          : pv::promote(dtype, pv::int32, "2 * x");
    case Result::boolean: return pv::boolean;
    default: return dtype;
    }
}

/// What convolutions are taken with, and what covariances are of, beside a tensor.
template <typename T>
pv::Tensor<T> taps_of(const pv::Tensor<T>&) {
    return pv::clone(pv::tensor({1, 2, 3}) | pv::unchecked_cast<T>);
}
pv::AnyTensor taps_of(const pv::AnyTensor& x) { return as_dtype(pv::tensor({1, 2, 3}), x.dtype()); }
pv::Tensor<double> squares_of(const pv::AnyTensor& x) {
    return pv::clone(pv::sq(pv::cast<double>(x) * 1.5) + 1);
}

/// A matrix, and for what can do with any shape a view of it and one without rows.
template <typename X>
std::vector<X> shapes_of(const X& x, bool any_shape) {
    if (!any_shape) return {x};
    return {x, X(pv::transpose(x)), X(x(pv::range(0, 0)))};
}

/// `f` of a tensor is what it is of the same tensor known at run time.
template <typename T, typename F>
void check_typed(const char* name, bool any_shape, F f) {
    INFO(name << " of " << pv::kDType<T>.name());
    for (const auto& x : shapes_of(pv::Tensor<T>(numbers<T>()), any_shape))
        CHECK(same(f(x), f(pv::AnyTensor(x))));
}

/// `f` of a tensor is what it is of the same numbers, in float64 whose type is known at run time too; of bools only where
/// they have it.
template <typename F>
void check_integers(const char* name, bool any_shape, F f, Result result, bool of_bools) {
    for (const pv::DType dtype : kIntegers) {
        if (dtype == pv::boolean && !of_bools) continue;
        INFO(name << " of " << dtype.name());
        for (const pv::AnyTensor& x : shapes_of(numbers_of(dtype), any_shape))
            CHECK(same(f(x), as_dtype(f(as_dtype(x, pv::float64)), dtype_of(result, dtype))));
    }
}

} // namespace

TEST_CASE("Operations along an axis take types known at run time") {
    const auto check_of = [](const char* name, Result result, auto f, bool any_shape,
                             bool of_bools) {
        check_typed<std::int32_t>(name, any_shape, f);
        check_typed<float>(name, any_shape, f);
        check_typed<double>(name, any_shape, f);
        check_integers(name, any_shape, f, result, of_bools);
    };
    const auto check = [&](const char* name, Result result, auto f) {
        check_of(name, result, f, true, true);
    };
    const auto check_numbers = [&](const char* name, Result result, auto f) {
        check_of(name, result, f, true, false);
    };
    const auto check_matrix = [&](const char* name, Result result, auto f) {
        check_of(name, result, f, false, true);
    };
    const auto keys = pv::tensor({1, 2, 4});
    check("rolling sum", Result::sum,
          [](const auto& t) { return pv::fixed_rolling_window(t, 3, pv::sum); });
    check("rolling mean", Result::real,
          [](const auto& t) { return pv::fixed_rolling_window(t, 2, pv::mean, 0); });
    check("rolling max", Result::same,
          [](const auto& t) { return t | pv::fixed_rolling_window(2, pv::max, 0); });
    check("rolling variance", Result::real,
          [](const auto& t) { return pv::fixed_rolling_window(t, 3, pv::sample_variance, 0); });
    check("rolling argmin", Result::index,
          [](const auto& t) { return pv::fixed_rolling_window(t, 3, pv::argmin); });
    check("rolling median", Result::real,
          [](const auto& t) { return pv::fixed_rolling_window(t, 3, pv::median); });
    check("rolling function", Result::doubled,
          [](const auto& t) { return pv::fixed_rolling_window(t, 2, kTwiceTheLast, 0); });
    check("expanding product", Result::sum,
          [](const auto& t) { return pv::expanding_window(t, pv::product); });
    check("expanding mean", Result::real,
          [](const auto& t) { return pv::expanding_window(t, pv::mean, 0); });
    check("expanding deviation", Result::real,
          [](const auto& t) { return t | pv::expanding_window(pv::standard_deviation); });
    check_matrix("variable sum", Result::sum, [&](const auto& t) {
        return pv::variable_rolling_window(t, keys, 2, pv::sum, 0);
    });
    check_matrix("variable mean, stage", Result::real, [&](const auto& t) {
        return t | pv::variable_rolling_window(pv::AnyTensor(keys), 1.5, pv::mean, 0);
    });
    check_matrix("variable median", Result::real, [&](const auto& t) {
        return pv::variable_rolling_window(t, pv::AnyTensor(keys), 2, pv::median, 0);
    });
    check_numbers("convolve1d", Result::sum, [](const auto& t) {
        return pv::convolve1d(t, taps_of(t), 0, {pv::ConvolveMode::same});
    });
    check_numbers("correlate1d", Result::sum, [](const auto& t) {
        return t | pv::correlate1d(pv::AnyTensor(taps_of(t)), {pv::ConvolveMode::full});
    });
    check("gaussian1d", Result::real, [](const auto& t) { return pv::gaussian1d(t, 1.5, 0); });
    check("downsample", Result::same, [](const auto& t) { return pv::downsample(t, 2, 0); });
    check_numbers("diff1d", Result::same, [](const auto& t) { return pv::diff1d(t, 0); });
    check_numbers("diff1d, twice", Result::same,
                  [](const auto& t) { return t | pv::diff1d(1, 2); });
    check("pad", Result::same, [](const auto& t) { return pv::pad(t, {{1, 2}, {0, 1}}); });
    check("crop and pad", Result::same, [](const auto& t) {
        return t | pv::pad({{0, 0}, {0, 1}}, pv::PadMode::constant, 1);
    });
    check("reduce_axis", Result::sum, [](const auto& t) { return pv::reduce_axis(kSum, t); });
    check("map_axis", Result::same, [](const auto& t) { return t | pv::map_axis(kFlip, 0); });
    check_matrix("gradient1d", Result::real,
                 [](const auto& t) { return pv::gradient1d(t, 0.5, 0); });
    check_matrix("is_outlier", Result::boolean,
                 [](const auto& t) { return pv::is_outlier(t, 0.25); });
    check_matrix("random_like", Result::real, [](const auto& t) { return pv::random_like(t, 5); });
    for (const int axis : {0, 1}) {
        check_matrix("covariance", Result::real,
                     [&](const auto& t) { return pv::covariance(t, squares_of(t), axis); });
        check_matrix("pearson", Result::real,
                     [&](const auto& t) { return t | pv::pearson(squares_of(t), axis); });
    }
}

TEMPLATE_TEST_CASE("Arguments of types known at compile time and at run time", "", std::int32_t,
                   float, double) {
    const pv::Tensor<TestType> x = numbers<TestType>();
    const auto taps = taps_of(x);
    const auto typed = pv::convolve1d(x, taps, 0, {pv::ConvolveMode::same});
    CHECK(same(typed, pv::convolve1d(pv::AnyTensor(x), taps, 0, {pv::ConvolveMode::same})));
    CHECK(same(typed, pv::convolve1d(x, pv::AnyTensor(taps), 0, {pv::ConvolveMode::same})));
    const TestType value = x(1, 1);
    CHECK(pv::index_of(pv::AnyTensor(x), value) == pv::index_of(x, value));
    CHECK((pv::AnyTensor(x) | pv::last_index_of(value)) == pv::last_index_of(x, value));
    const auto sorted = pv::sort(pv::reshape(x, {-1}));
    CHECK(pv::binary_search(pv::AnyTensor(sorted), value) == pv::binary_search(sorted, value));
    CHECK((sorted | pv::binary_search(value)).found);
    CHECK((pv::AnyTensor(x) | pv::outlier_fences).upper == pv::outlier_fences(x).upper);
}

TEST_CASE("Figures of types known at run time are those of float64") {
    CHECK_THROWS_AS(pv::diff1d(numbers_of(pv::boolean)), pv::DtypeError);
    for (const pv::AnyTensor& x : shapes_of(numbers_of(pv::boolean), true)) {
        const auto ones = pv::tensor({true, true, true});
        const auto convolved = pv::convolve1d(x, ones, 0, {pv::ConvolveMode::same});
        const auto correlated = x | pv::correlate1d(pv::AnyTensor(ones), {pv::ConvolveMode::full});
        const pv::AnyTensor counts = as_dtype(x, pv::int64);
        CHECK(same(convolved, pv::convolve1d(counts, pv::ones({3}) | pv::cast<std::int64_t>, 0,
                                             {pv::ConvolveMode::same})));
        CHECK(same(correlated,
                   counts | pv::correlate1d(pv::AnyTensor(pv::ones({3}) | pv::cast<std::int64_t>),
                                            {pv::ConvolveMode::full})));
    }
    for (const pv::DType dtype : kIntegers) {
        INFO(dtype.name());
        const pv::AnyTensor x = numbers_of(dtype);
        const auto twin = pv::clone(pv::cast<double>(x));
        const double value = twin(1, 1);
        const auto sought = static_cast<std::uint8_t>(value);
        CHECK(pv::index_of(x, sought) == pv::index_of(twin, value));
        CHECK((x | pv::last_index_of(sought)) == pv::last_index_of(twin, value));
        const pv::AnyTensor sorted = pv::sort(pv::reshape(x, {-1}));
        const auto sorted_twin = pv::sort(pv::reshape(twin, {-1}));
        CHECK(pv::binary_search(sorted, sought) == pv::binary_search(sorted_twin, value));
        CHECK((sorted | pv::binary_search(sought)).found);
        CHECK((x | pv::outlier_fences).upper == pv::outlier_fences(twin).upper);
    }
}

TEST_CASE("Groups of types known at run time") {
    const auto keys = pv::tensor({2, 1, 2, 0, 1, 2}) | pv::cast<std::int16_t> | pv::clone;
    const auto reduced = [](const auto& k, const auto& v) {
        return pv::group_by_reduce(k, v, pv::sum, pv::mean, pv::max, pv::group_size, pv::median,
                                   kTwiceTheFirst);
    };
    const auto all_same = [](const auto& a, const auto& b) {
        return std::apply(
            [&](const auto&... x) {
                return std::apply([&](const auto&... y) { return (same(x, y) && ...); }, b);
            },
            a);
    };
    const auto check_typed = [&](const auto& values) {
        const auto typed = reduced(keys, values);
        CHECK(all_same(typed, reduced(pv::AnyTensor(keys), values)));
        CHECK(all_same(typed, reduced(keys, pv::AnyTensor(values))));
        CHECK(all_same(pv::unordered_group_by_reduce(keys, values, pv::product),
                       pv::AnyTensor(keys) |
                           pv::unordered_group_by_reduce(pv::AnyTensor(values), pv::product)));
    };
    const auto numbers = pv::tensor({0, 1, 3, 1, 0, 2});
    check_typed(numbers | pv::cast<std::int64_t> | pv::clone);
    check_typed(numbers | pv::cast<float> | pv::clone);
    check_typed(numbers | pv::cast<double> | pv::clone);
    for (const pv::DType dtype : {pv::boolean, pv::int8, pv::uint16}) {
        INFO(dtype.name());
        const pv::AnyTensor values = pv::clone(as_dtype(numbers, dtype));
        const auto check = [&](const auto& found, const auto& expected) {
            const Result results[] = {Result::sum,   Result::real, Result::same,
                                      Result::index, Result::real, Result::doubled};
            CHECK(same(std::get<0>(found), std::get<0>(expected)));
            [&]<std::size_t... k>(std::index_sequence<k...>) {
                const auto agrees = [&](const auto& x, const auto& y, Result result) {
                    CHECK(same(x, as_dtype(y, dtype_of(result, dtype))));
                };
                (agrees(std::get<k + 1>(found), std::get<k + 1>(expected), results[k]), ...);
            }
            (std::make_index_sequence<std::tuple_size_v<std::decay_t<decltype(found)>> - 1>());
        };
        const auto twin = pv::clone(pv::cast<double>(values));
        check(reduced(keys, values), reduced(keys, twin));
        check(pv::AnyTensor(keys) | pv::unordered_group_by_reduce(values, pv::product),
              pv::unordered_group_by_reduce(keys, twin, pv::product));
    }
}

TEST_CASE("What types known at run time cannot do is a DtypeError") {
    const pv::AnyTensor words = pv::tensor({"a", "b"});
    CHECK_THROWS_AS(pv::fixed_rolling_window(words, 2, pv::sum), pv::DtypeError);
    CHECK_THROWS_AS(pv::expanding_window(words, pv::mean), pv::DtypeError);
    CHECK_THROWS_AS(pv::variable_rolling_window(words, pv::tensor({1, 2}), 1, pv::sum),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::variable_rolling_window(pv::ones({2}), words, 1, pv::sum), pv::DtypeError);
    CHECK_THROWS_AS(pv::convolve1d(words, pv::ones({2})), pv::DtypeError);
    CHECK_THROWS_AS(pv::convolve1d(pv::ones({2}), words), pv::DtypeError);
    CHECK_THROWS_AS(pv::gaussian1d(words, 1), pv::DtypeError);
    CHECK_THROWS_AS(pv::diff1d(words), pv::DtypeError);
    CHECK_THROWS_AS(pv::gradient1d(words), pv::DtypeError);
    CHECK_THROWS_AS(pv::pad(words, 1, pv::PadMode::constant, 7), pv::DtypeError);
    CHECK_THROWS_AS(pv::group_by_reduce(words, words, pv::sum), pv::DtypeError);
    CHECK_THROWS_AS(pv::group_by_reduce(pv::tensor({1, 2}), words, pv::sum), pv::DtypeError);
    CHECK_THROWS_AS(pv::covariance(words, words, 0), pv::DtypeError);
    CHECK_THROWS_AS(pv::index_of(words, 1), pv::DtypeError);
    CHECK_THROWS_AS(pv::dropout(pv::AnyTensor(pv::tensor({1, 2})), 0.5, 1), pv::DtypeError);
    const auto of_doubles = [](const pv::Tensor<double>& lane) { return pv::sum(lane); };
    CHECK_THROWS_AS(pv::reduce_axis(of_doubles, pv::AnyTensor(pv::tensor({1, 2}))), pv::DtypeError);
    CHECK(pv::reduce_axis(of_doubles, pv::AnyTensor(pv::ones({2}))).item<double>() == 2);
    CHECK(pv::downsample(words, 5).shape() == pv::Shape{2});
}

} // namespace run_time_types_test
