#pragma once

#include <purview/functional/unary.hpp>

#include <concepts>

namespace purview {

/// The same operations for elements of other types, where these have them.
struct GenericAbsolute {
    template <typename T>
    auto operator()(const T& x) const -> decltype(abs(x)) {
        return abs(x);
    }
};
struct GenericSquareRoot {
    template <typename T>
    auto operator()(const T& x) const -> decltype(sqrt(x)) {
        return sqrt(x);
    }
};
struct GenericSquare {
    template <typename T>
    auto operator()(const T& x) const -> decltype(x * x) {
        return x * x;
    }
};
struct GenericMinimum {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        return y < x ? y : x;
    }
};
struct GenericMaximum {
    template <std::totally_ordered T>
    T operator()(const T& x, const T& y) const {
        return x < y ? y : x;
    }
};

/// Element-wise negation. Lazy; integers wrap.
template <TensorLike X>
auto operator-(const X& x) {
    return apply_unary<Op::negative, Negate>(x);
}

/// Element-wise magnitude. Lazy; the lowest signed integer wraps to itself.
inline constexpr UnaryFunction<Op::absolute, GenericAbsolute> abs;
/// Element-wise square root: float64 for integers, NaN for negatives. Lazy, correctly rounded.
inline constexpr UnaryFunction<Op::square_root, GenericSquareRoot> sqrt;
/// Element-wise square. Lazy.
inline constexpr UnaryFunction<Op::square, GenericSquare> sq;

/// The smaller of two, element-wise, broadcasting; NaN if either is. Lazy. (`min` reduces.)
inline constexpr BinaryFunction<Op::minimum, GenericMinimum> minimum;
/// The larger of two, element-wise, broadcasting; NaN if either is. Lazy. (`max` reduces.)
inline constexpr BinaryFunction<Op::maximum, GenericMaximum> maximum;

} // namespace purview
