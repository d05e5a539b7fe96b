#pragma once

// What reducers are tried on, wherever elements lie: random arrays, their groups by nested loops, and what comes of them.
#include <support/catch.hpp>
#include <support/oracle.hpp>
#include <support/random_choice.hpp>
#include <support/reducer_table.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace oracle {

/// Elements in row-major order of a shape. float64 holds them; sums of them and of their squares are exact.
struct Elements {
    Coordinates shape;
    std::vector<double> values;
    purview::DType dtype;
};
/// At most 480, many of them equal; of floats, some NaN in every other array.
Elements random_elements(Random& random, Coordinates shape, purview::DType dtype);
/// Of rank 1 to 3, now and then of many elements, or without any.
Coordinates shape_to_reduce(Random& random);
Coordinates small_shape(Random& random);

/// The groups of elements over axes, in row-major order of the axes that are kept.
std::vector<std::vector<double>> groups_over(const Elements& x, const Coordinates& axes);
/// The windows of so many elements of the last axis, of which an element is the last: the first one is repeated before it.
/// Of 0: all up to there.
std::vector<std::vector<double>> trailing_windows(const Elements& x, index_t width);

/// Results, or the name of the error that was thrown instead.
struct Outcome {
    std::vector<double> results;
    std::string error;
};
Outcome refusal(const char* error);
/// Groups by a policy for NaN.
struct ReducedGroups {
    std::vector<Group> groups;
    bool refused; ///< as there is a NaN in the array
};
ReducedGroups by_policy(const Elements& x, const std::vector<std::vector<double>>& groups,
                        purview::NanRule nan);
Outcome expected_outcome(const ReducerRow& row, const ReducedGroups& groups);
/// How they differ: in errors, or in results by more than rounding, of float32 in the sixth digit; or nothing.
std::string difference(const Outcome& found, const Outcome& expected, purview::DType dtype);

template <typename N>
    requires std::is_arithmetic_v<N> std::vector<double> numbers_of(N number) {
        return {static_cast<double>(number)};
    }
std::vector<double> numbers_of(const purview::AnyTensor& results);
inline std::vector<double> numbers_of(const purview::AnyScalar& number) {
    return numbers_of(purview::AnyTensor(number));
}
template <purview::TypedTensor X>
std::vector<double> numbers_of(const X& results) {
    return numbers_of(purview::AnyTensor(results.operand()));
}

/// What `f` returns, as numbers, or throws.
template <typename F>
Outcome outcome_of(F f) {
    Outcome outcome;
    try {
        outcome.results = f();
    } catch (const purview::KindError&) {
        outcome.error = "KindError";
    } catch (const purview::ShapeError&) {
        outcome.error = "ShapeError";
    } catch (const purview::ArithmeticError&) {
        outcome.error = "ArithmeticError";
    } catch (const purview::Error& error) {
        outcome.error = error.what();
    }
    return outcome;
}

inline constexpr purview::NanRule kNanRules[]{purview::NanRule::keep, purview::NanRule::skip,
                                              purview::NanRule::refuse};
/// Calls `f` with a policy for NaN.
template <typename F>
auto with_policy(purview::NanRule nan, F f) {
    switch (nan) {
    case purview::NanRule::skip: return f(purview::skip_nan);
    case purview::NanRule::refuse: return f(purview::throw_nan);
    case purview::NanRule::keep: break;
    }
    return f(purview::keep_nan);
}

/// A copy in memory.
template <typename T>
purview::MutableTensor<T> in_memory(const Elements& x) {
    const auto made = purview::empty<T>(purview::Shape(x.shape.begin(), x.shape.end()));
    for (std::size_t i = 0; T & each : purview::as_span(made)) each = static_cast<T>(x.values[i++]);
    return made;
}

} // namespace oracle
