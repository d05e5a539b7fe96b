#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/evaluation/statistics.hpp>
#include <purview/expression/reduce.hpp>

#include <limits>
#include <type_traits>

namespace purview::inline v0_1::mpi {

/// The lesser or the greater of two numbers; NaN wins.
template <Extreme extreme>
struct Chosen {
    static constexpr Reduction kFold =
        extreme == Extreme::least ? Reduction::minimum : Reduction::maximum;
    template <typename T>
    static constexpr T nothing() {
        constexpr bool kIsLeast = extreme == Extreme::least;
        if constexpr (std::is_floating_point_v<T>)
            return kIsLeast ? kInfiniteNumber<T> : -kInfiniteNumber<T>;
        else
            return kIsLeast ? std::numeric_limits<T>::max() : std::numeric_limits<T>::lowest();
    }
    template <typename T>
    static constexpr T kNothing = nothing<T>();
    template <typename T>
    static bool is_better(T x, T than) {
        if (than != than) return false;
        return x != x || (extreme == Extreme::least ? x < than : than < x);
    }
    template <typename T>
    static T joined(T a, T b) {
        return is_better(b, a) ? b : a;
    }
};

} // namespace purview
