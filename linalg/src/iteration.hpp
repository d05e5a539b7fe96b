#pragma once

#include "vector_passes.hpp"

#include <purview/linalg/iterative.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <utility>

namespace purview::inline v0_1::linalg {

template <typename T>
struct Vector {
    explicit Vector(ShapeSpan shape) : tensor(empty<T>(shape)), data(as_span(tensor).data()) {}
    const Operand& operand() const noexcept { return tensor.operand(); }

    MutableTensor<T> tensor;
    T* data;
};

/// A real scale, as `V`, elements or lanes of them, is multiplied by it.
template <typename T>
T scalar(double value) {
    return T(static_cast<typename PartOfComplex<T>::type>(value));
}
template <typename T>
T scalar(const std::complex<double>& value) {
    using P = typename PartOfComplex<T>::type;
    return T(static_cast<P>(value.real()), static_cast<P>(value.imag()));
}

/// The largest part of an element; NaN is passed over.
template <typename T>
double largest_part(std::span<const T> b) {
    double most = 0;
    for (const T& element : b)
        most = std::max(
            {most, std::abs(double(std::real(element))), std::abs(double(std::imag(element)))});
    return most;
}
/// Over all parts of a vector; without `parts` this is all of it.
inline double largest_over(const JoinedParts* parts, double own) {
    return parts != nullptr ? parts->largest(own) : own;
}
/// Sums, in place; a complex number is two real ones.
template <typename W>
void add_over(const JoinedParts* parts, std::span<W> sums) {
    if (parts != nullptr)
        parts->add({reinterpret_cast<double*>(sums.data()), sums.size_bytes() / sizeof(double)});
}
/// The negative exponent of the largest part: times 2 to that, no square of a residual that matters overflows or vanishes.
inline int scaling_of(double most) {
    return most == 0 || !std::isfinite(most) ? 0 : -std::ilogb(most);
}

/// conj(x) · y
template <typename T>
Wide<T> inner_product(index_t n, const T* x, const T* y) {
    return sums_over<T, 1>(n, 2, [=]<typename V>(index_t i, V* sums) {
        sums[0] += conjugate_times(load<V>(x + i), load<V>(y + i));
    })[0];
}
template <typename T>
double real_dot(index_t n, const T* x, const T* y) {
    return std::real(inner_product(n, x, y));
}
template <typename T>
double norm_of(index_t n, const T* x) {
    return std::sqrt(real_dot(n, x, x));
}
/// y += a x
template <typename T>
void add_scaled(index_t n, T* y, T a, const T* x) {
    pass_over<T>(n, 3, [=]<typename V>(index_t i) {
        store(y + i, load<V>(y + i) + times(a, load<V>(x + i)));
    });
}
/// y = a x + c y; |y|²
template <typename T>
Wide<T> combined_square(index_t n, T* y, T a, const T* x, T c) {
    return sums_over<T, 1>(n, 3, [=]<typename V>(index_t i, V* sums) {
        const V sum = times(a, load<V>(x + i)) + times(c, load<V>(y + i));
        store(y + i, sum);
        sums[0] += conjugate_times(sum, sum);
    })[0];
}
/// y = a x + c y; the norm of y
template <typename T>
double combine(index_t n, T* y, T a, const T* x, T c) {
    return std::sqrt(std::real(combined_square(n, y, a, x, c)));
}
/// to = a x
template <typename T>
void scale_to(index_t n, T* to, T a, const T* x) {
    pass_over<T>(n, 2, [=]<typename V>(index_t i) { store(to + i, times(a, load<V>(x + i))); });
}

/// Why a method's steps have ended.
enum class Ended : std::uint8_t {
    reached,  ///< the residual is small, by its recurrence, or there were `most` steps
    restarts, ///< to go on from the residual itself
    breaks    ///< there is no next step
};

/// A system that is solved by steps. A method begins with x and its residual, and leaves x; then the residual is computed anew,
/// and, if it is not as small as the method thought, the method begins again.
template <typename T>
struct Iteration {
    const IterativeRequest& request;
    const char* what;
    index_t n;        ///< elements of the residual: of this part
    index_t unknowns; ///< of all parts
    double scale;     ///< the norm of the right side
    double goal;      ///< that of a residual which is small enough
    index_t most;     ///< steps
    Vector<T> x, r;   ///< r = b - A x
    double norm = 0;
    index_t done = 0;
    std::string reason = {}; ///< why it breaks
    bool found = false;      ///< what `lsmr` looks for

    Vector<T> vector() const { return Vector<T>(r.tensor.shape()); }
    void multiply(const Vector<T>& from, Vector<T>& to) const {
        request.matrix->apply(from.operand(), to.operand());
    }
    bool has_preconditioner() const noexcept { return request.preconditioner != nullptr; }
    /// What a preconditioner makes of `from`, in `to`; without one `from` itself.
    const Vector<T>& preconditioned(const Vector<T>& from, Vector<T>& to) const {
        if (!has_preconditioner()) return from;
        request.preconditioner->apply(from.operand(), to.operand());
        return to;
    }
    /// A vector for what is preconditioned, if anything is.
    Vector<T> vector_if_preconditioned() const {
        return has_preconditioner() ? vector() : Vector<T>(Shape{0});
    }

    // Sums over vectors, of which there may be parts elsewhere: all that a method knows of them.
    template <std::size_t S>
    std::array<Wide<T>, S> joined(std::array<Wide<T>, S> sums) const {
        add_over<Wide<T>>(request.parts, sums);
        return sums;
    }
    template <std::size_t S, typename F>
    std::array<Wide<T>, S> sums(int arrays, const F& f) const {
        return joined(sums_over<T, S>(n, arrays, f));
    }
    /// conj(a) · b
    Wide<T> inner_product(const T* a, const T* b) const {
        return joined<1>({linalg::inner_product(n, a, b)})[0];
    }
    double real_dot(const T* a, const T* b) const { return std::real(inner_product(a, b)); }
    double norm_of(const T* a) const { return std::sqrt(real_dot(a, a)); }
    /// b = by a + of b; the norm of b
    double combine(T* b, T by, const T* a, T of) const {
        return std::sqrt(std::real(joined<1>({combined_square(n, b, by, a, of)})[0]));
    }
    /// b -= by a; the norm of b
    double subtract_scaled(T* b, T by, const T* a) const { return combine(b, -by, a, T(1)); }

    /// After a step: whether it is the last one.
    bool is_last(double residual) {
        ++done;
        if (request.on_iteration) request.on_iteration(done, residual / scale);
        return !(residual > goal) || !std::isfinite(residual) || done >= most;
    }
    Ended breaks(std::string why) {
        reason = std::move(why);
        return Ended::breaks;
    }
    /// Calls `step()` at most so many times, as long as it returns true.
    template <typename F>
    void steps(index_t count, const F& step) const {
        watched_steps(what, std::min(count, most - done), [&](index_t) { return step(); });
    }
};

template <typename T>
Ended cg_steps(Iteration<T>& s);
template <typename T>
Ended minres_steps(Iteration<T>& s);
template <typename T>
Ended bicgstab_steps(Iteration<T>& s);
template <typename T>
Ended gmres_steps(Iteration<T>& s);
/// Ends by itself: where it has reached its tolerance, which is not that of the residual alone.
template <typename T>
Ended lsmr_steps(Iteration<T>& s);

#define PURVIEW_EACH_VECTOR_TYPE(MACRO) \
 MACRO(float)                           \
 MACRO(double)                          \
 MACRO(std::complex<float>)             \
 MACRO(std::complex<double>)

} // namespace purview::linalg
