#pragma once

#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/functional/elementwise/number_functions.hpp>
#include <purview/tensor/stage.hpp>

#include <cmath>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ostream>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// A vector of N numbers as one value: a point, a velocity, a colour. Arithmetic is by components,
/// unrolled, without nodes and memory: where a tensor of three elements costs tens of nanoseconds,
/// this costs what the additions do. It is an element type: a `Tensor<small<double, 3>>` is an
/// array of points in memory, point after point, with the arithmetic of points. No range, so that it
/// is never taken for an array of its components. Integers wrap, and a division by an integer zero
/// throws `ArithmeticError`, as in tensors.
///
///     pv::small<double, 3> p{1, 2, 3}, q{0, 1, 0};
///     double far = (p - q).norm();
///     auto distances = pv::emap([](const auto& a, const auto& b) { return (a - b).norm(); }, ps, qs);
///     auto points = pv::structs<pv::small<double, 3>>(xs, ys, zs); // of columns
///     auto centre = pv::mean(pv::components(points), 0);           // faster than mean(points)
template <typename T, std::size_t N>
    requires(std::is_arithmetic_v<T>&& N > 0)
struct small {
    using value_type = T;

    T elements[N];

    /// Zeros.
    constexpr small() noexcept : elements{} {}
    /// One number, N times.
    template <std::convertible_to<T> X>
        requires(N > 1)
    constexpr explicit small(X value) noexcept : elements{} {
        for (T& x : elements) x = static_cast<T>(value);
    }
    template <std::convertible_to<T>... X>
        requires(sizeof...(X) == N)
    constexpr explicit(N == 1) small(X... x) noexcept : elements{static_cast<T>(x)...} {}

    static constexpr std::size_t size() noexcept { return N; }
    constexpr T& operator[](std::size_t i) noexcept {
        PURVIEW_ASSERT(i < N);
        return elements[i];
    }
    constexpr const T& operator[](std::size_t i) const noexcept {
        PURVIEW_ASSERT(i < N);
        return elements[i];
    }

    /// The sum of products of components.
    constexpr T dot(const small& other) const noexcept {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return static_cast<T>((... + wrapping(product_of(elements[I], other.elements[I]))));
        }
        (kEach);
    }
    /// The sum of squares of components.
    constexpr T squared_norm() const noexcept { return dot(*this); }
    /// The Euclidean length; float for float, else double. The root of `squared_norm`, and infinite
    /// where squares overflow: `pv::norm` is for those.
    auto norm() const noexcept {
        using F = std::conditional_t<std::floating_point<T>, T, double>;
        return std::sqrt(static_cast<F>(squared_norm()));
    }
    /// The vector of length 1 in this direction; NaN for the vector 0.
    small normalized() const noexcept requires std::floating_point<T> { return *this / norm(); }
    /// The cross product.
    constexpr small cross(const small& b) const noexcept requires(N == 3) {
        const small& a = *this;
        const auto component = [&](std::size_t i, std::size_t j) {
            return difference_of(product_of(a[i], b[j]), product_of(a[j], b[i]));
        };
        return {component(1, 2), component(2, 0), component(0, 1)};
    }
    /// `f` of each component.
    template <typename F>
    constexpr auto map(const F& f) const {
        return [&]<std::size_t... I>(std::index_sequence<I...>) {
            return small<std::decay_t<decltype(f(elements[0]))>, N>(f(elements[I])...);
        }
        (kEach);
    }

    friend constexpr bool operator==(const small&, const small&) = default;
    friend constexpr small operator-(const small& a) noexcept {
        return a.map(
            [](T x) { return std::floating_point<T> ? static_cast<T>(-x) : difference_of(0, x); });
    }

#define PURVIEW_SMALL_OPERATOR(OPERATOR, FUNCTION)                                          \
 friend constexpr small operator OPERATOR(const small& a, const small& b) {                 \
  return [&]<std::size_t... I>(std::index_sequence<I...>) {                                 \
   return small(FUNCTION(a.elements[I], b.elements[I])...);                                 \
  }                                                                                         \
  (kEach);                                                                                  \
 }                                                                                          \
 friend constexpr small operator OPERATOR(const small& a, std::type_identity_t<T> b) {      \
  return a OPERATOR small(b);                                                               \
 }                                                                                          \
 friend constexpr small operator OPERATOR(std::type_identity_t<T> a, const small& b) {      \
  return small(a) OPERATOR b;                                                               \
 }                                                                                          \
 constexpr small& operator OPERATOR##=(const small& b) { return *this = *this OPERATOR b; } \
 constexpr small& operator OPERATOR##=(T b) { return *this = *this OPERATOR b; }
    PURVIEW_SMALL_OPERATOR(+, sum_of)
    PURVIEW_SMALL_OPERATOR(-, difference_of)
    PURVIEW_SMALL_OPERATOR(*, product_of)
    PURVIEW_SMALL_OPERATOR(/, quotient_of)
#undef PURVIEW_SMALL_OPERATOR

    friend std::ostream& operator<<(std::ostream& out, const small& x) {
        for (std::size_t i = 0; i < N; ++i) out << (i == 0 ? "(" : ", ") << +x.elements[i];
        return out << ")";
    }

private:
    static constexpr std::make_index_sequence<N> kEach{};

    /// Integers are computed with as unsigned ones of at least 32 bits, which wrap.
    static constexpr auto wrapping(T x) noexcept {
        if constexpr (kIsInteger<T>)
            return static_cast<std::common_type_t<std::make_unsigned_t<T>, unsigned>>(x);
        else
            return x;
    }
    static constexpr T sum_of(T a, T b) noexcept {
        return static_cast<T>(wrapping(a) + wrapping(b));
    }
    static constexpr T difference_of(T a, T b) noexcept {
        return static_cast<T>(wrapping(a) - wrapping(b));
    }
    static constexpr T product_of(T a, T b) noexcept {
        return static_cast<T>(wrapping(a) * wrapping(b));
    }
    static constexpr T quotient_of(T a, T b) {
        if constexpr (std::integral<T>)
            if (b == T{}) throw_division_by_zero("small");
        if constexpr (std::signed_integral<T>)
            if (b == -1) return difference_of(0, a);
        return static_cast<T>(a / b);
    }
};
template <typename T, typename... U>
small(T, U...) -> small<std::common_type_t<T, U...>, 1 + sizeof...(U)>;

template <typename S>
inline constexpr bool kIsSmall = false;
template <typename T, std::size_t N>
inline constexpr bool kIsSmall<small<T, N>> = true;

/// The Dimensions of groups of `count` elements that lie side by side along the last axis, if the
/// operand is in memory and the steps of the other axes are multiples of it; else nothing. Throws
/// `ShapeError` unless the last axis has `count` elements.
PURVIEW_EXPORT std::optional<Dimensions> grouped_dimensions(const Operand& x, index_t count);
/// The Dimensions of the `count` parts of `bytes` bytes of each element, along a new last axis, if
/// the operand is in memory at strides; else nothing.
PURVIEW_EXPORT std::optional<Dimensions> ungrouped_dimensions(const Operand& x, index_t bytes,
                                                              index_t count);
/// Element i along the last axis.
PURVIEW_EXPORT Operand component_operand(const Operand& x, std::size_t i);
[[noreturn]] PURVIEW_EXPORT void throw_not_side_by_side(const Operand& x, index_t count);

/// Component i: for structured bindings.
template <std::size_t I, typename T, std::size_t N>
constexpr const T& get(const small<T, N>& x) noexcept {
    return x.elements[I];
}
template <std::size_t I, typename T, std::size_t N>
constexpr T& get(small<T, N>& x) noexcept {
    return x.elements[I];
}

/// The tensor of vectors of N components of a tensor whose last axis has N elements.
template <std::size_t N>
struct SmallVectorsFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <TypedTensor X>
        requires(!HasDims<X> && std::is_arithmetic_v<OperandElement<X>>)
    auto operator()(const X& x) const {
        using T = OperandElement<X>;
        using S = small<T, N>;
        constexpr auto kCount = static_cast<index_t>(N);
        const Operand operand = operand_as<T>(x);
        if (const auto dims = grouped_dimensions(operand, kCount)) {
            const Leaf& leaf = *leaf_of(operand);
            const index_t begin = operand.dims.base() % kCount;
            return PartOf<X, S>(
                Operand(memory_as<S>(leaf, begin * index_t{sizeof(T)},
                                     (leaf.size() - begin) / kCount, index_t{sizeof(S)}),
                        *dims));
        }
        if constexpr (WritableHandle<X>) {
            throw_not_side_by_side(operand, kCount);
        } else {
            return [&]<std::size_t... I>(std::index_sequence<I...>) {
                return map_elements(
                    FunctionName("small_vectors"), [](auto... each) { return S(each...); },
                    Tensor<T>(component_operand(operand, I))...);
            }
            (std::make_index_sequence<N>());
        }
    }
};
/// `small_vectors<3>(x)`, `x | small_vectors<3>`: the tensor of `small<T, 3>` of a tensor whose last
/// axis has 3 elements. Where these lie side by side in memory a view, writable where `x` is; else
/// lazy, and of a tensor to be written an error. O(1). Throws `ShapeError`. Of one column for each
/// component: `structs<small<T, 3>>(xs, ys, zs)`.
template <std::size_t N>
inline constexpr SmallVectorsFunction<N> small_vectors;

struct ComponentsFunction : RefusedArguments, PipelineStage {
    using RefusedArguments::operator();
    template <TypedTensor X>
        requires(!HasDims<X> && kIsSmall<OperandElement<X>>)
    auto operator()(const X& x) const {
        using S = OperandElement<X>;
        using T = typename S::value_type;
        constexpr auto kCount = static_cast<index_t>(S::size());
        const Operand operand = operand_as<S>(x);
        if (const auto dims = ungrouped_dimensions(operand, sizeof(T), kCount)) {
            const Leaf& leaf = *leaf_of(operand);
            const index_t step = leaf.memory().stride_bytes / index_t{sizeof(T)};
            const index_t count = leaf.size() == 0 ? 0 : (leaf.size() - 1) * step + kCount;
            return PartOf<X, T>(Operand(memory_as<T>(leaf, 0, count, index_t{sizeof(T)}), *dims));
        }
        if constexpr (WritableHandle<X>) {
            throw_not_side_by_side(operand, kCount);
        } else {
            std::vector<Tensor<T>> each;
            for (std::size_t i = 0; i < S::size(); ++i)
                each.push_back(map_elements(
                    FunctionName("components", i), [i](const S& one) { return one[i]; }, x));
            return stack(each, -1);
        }
    }
};
/// `components(x)`, `x | components`: the components of a tensor of `small` vectors, along a new last
/// axis: the inverse of `small_vectors`. Of memory a view, writable where `x` is; else lazy. O(1).
inline constexpr ComponentsFunction components;

} // namespace purview

template <typename T, std::size_t N>
struct std::tuple_size<purview::small<T, N>> : std::integral_constant<std::size_t, N> {};
template <std::size_t I, typename T, std::size_t N>
struct std::tuple_element<I, purview::small<T, N>> {
    using type = T;
};
