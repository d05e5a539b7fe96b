#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/base/checked.hpp>
#include <purview/base/range_concepts.hpp>
#include <purview/dtype/canonical.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/promote.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/reader/buffer.hpp>
#include <purview/reader/canonical_reader.hpp>
#include <purview/reader/source.hpp>
#include <purview/tensor/shape_check.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Whether a type is a vector of numbers, of which most is known without asking what a range is.
template <typename R>
inline constexpr bool kIsVectorOfNumbers = false;
template <typename V>
    requires(std::is_arithmetic_v<V>)
inline constexpr bool kIsVectorOfNumbers<std::vector<V>> = true;

/// The nesting depth of ranges: 2 for a vector of vectors of numbers.
template <typename R>
inline constexpr std::size_t kNesting = 0;
template <typename V>
    requires(std::is_arithmetic_v<V>)
inline constexpr std::size_t kNesting<std::vector<V>> = 1;
template <typename R>
    requires(!std::is_arithmetic_v<R> && !kIsVectorOfNumbers<R> && std::ranges::input_range<R> &&
             !std::same_as<std::remove_cvref_t<R>, std::string>)
inline constexpr std::size_t kNesting<R> = 1 + kNesting<std::ranges::range_value_t<R>>;

template <typename R>
struct InnermostValue {
    using type = R;
};
template <typename V>
    requires(std::is_arithmetic_v<V>)
struct InnermostValue<std::vector<V>> {
    using type = V;
};
template <typename R>
    requires((kNesting<R>) > 0 && !kIsVectorOfNumbers<R>)
struct InnermostValue<R> {
    using type = typename InnermostValue<std::ranges::range_value_t<R>>::type;
};

/// The order in which a new tensor's elements lie in memory.
enum class Order : std::uint8_t { row_major, column_major };

/// `operand_over` as a tensor.
template <ElementType T, ReadWritable<T> B>
MutableTensor<T> over(std::shared_ptr<B> buffer, Dimensions dims) {
    return MutableTensor<T>(operand_over(std::move(buffer), std::move(dims)));
}

/// New memory in row-major or column-major order: value-initialised, or of indeterminate elements
/// where the type is built-in.
template <typename T>
Operand new_memory(ShapeSpan shape, Order order, bool initialized) {
    Dimensions dims =
        order == Order::row_major ? Dimensions::row_major(shape) : Dimensions::column_major(shape);
    const index_t size = dims.size();
    return operand_over(
        allocate_buffer_for<T>(size, initialized,
                               initialized ? "allocate_buffer" : "allocate_uninitialized_buffer"),
        std::move(dims));
}

/// New uninitialised memory: built-in types are indeterminate, others default-constructed. O(1) for
/// built-in types. Throws `ShapeError`.
template <ElementType V = double>
MutableTensor<Canonical<V>> empty(AxisValues shape, Order order = Order::row_major) {
    using T = Canonical<V>;
    return MutableTensor<T>(new_memory<T>(shape, order, false));
}

/// New memory with padding: a tensor of `shape` within an allocation of `size` >= `shape`, whose
/// row-major strides it has. Value-initialised, including the padding. Throws `ShapeError`.
template <ElementType V = double>
MutableTensor<Canonical<V>> padded(AxisValues shape, AxisValues size) {
    using T = Canonical<V>;
    Dimensions dims = Dimensions::padded(shape, size);
    return over<T>(allocate_buffer<T>(checked_size(size, "padded")), std::move(dims));
}

/// New memory filled with one value. O(size); fresh zeroed memory is not written again for zeros.
/// If the type is given, as in `full<std::uint8_t>({3}, n)`, throws `CastError` if the number does
/// not fit.
template <ElementType V>
MutableTensor<Canonical<V>> full(AxisValues shape, V value, Order order = Order::row_major) {
    using T = Canonical<V>;
    MutableTensor<T> result = empty<T>(shape, order);
    assign(constant_operand(static_cast<T>(std::move(value)), shape), result.operand());
    return result;
}
template <ElementType T, ConvertedTo<Canonical<T>> V>
    requires(!std::same_as<T, V>)
MutableTensor<Canonical<T>> full(AxisValues shape, V value, Order order = Order::row_major) {
    return full<Canonical<T>>(shape, converted<Canonical<T>>(value), order);
}
/// New memory filled with one text, which is stored as strings.
PURVIEW_EXPORT MutableTensor<std::string> full(AxisValues shape, const char* text,
                                               Order order = Order::row_major);
/// New memory filled with one float, which has to be finite: `NAN` and `INFINITY` of <cmath> are
/// floats, where float64 is meant. Throws `DtypeError` for these, and says to write
/// `full<double>({2, 3}, NAN)`.
PURVIEW_EXPORT MutableTensor<float> full(AxisValues shape, float value,
                                         Order order = Order::row_major);
template <ElementType V = double>
MutableTensor<Canonical<V>> zeros(AxisValues shape, Order order = Order::row_major) {
    using T = Canonical<V>;
    return MutableTensor<T>(new_memory<T>(shape, order, true));
}
template <ElementType V = double>
MutableTensor<Canonical<V>> ones(AxisValues shape, Order order = Order::row_major) {
    return full<V>(shape, V{1}, order);
}

// The name of a type, or a value, behind the shape: refused in one sentence.

#define PURVIEW_BEHIND_SHAPE \
 "the element type stands in angle brackets, zeros<float>({2, 3}), and a value in full({2, 3}, value)"
#define PURVIEW_REFUSE_BEHIND_SHAPE(FUNCTION) \
 template <typename V = double, typename O>   \
  requires(!std::same_as<O, Order>)           \
 PURVIEW_REFUSED(PURVIEW_BEHIND_SHAPE, FUNCTION(AxisValues, const O&));
PURVIEW_REFUSE_BEHIND_SHAPE(empty)
PURVIEW_REFUSE_BEHIND_SHAPE(zeros)
PURVIEW_REFUSE_BEHIND_SHAPE(ones)
#undef PURVIEW_REFUSE_BEHIND_SHAPE
#undef PURVIEW_BEHIND_SHAPE

// The same of extents one by one: `zeros(2, 3)`, `ones<float>(4)`.

template <ElementType T = double, IndexInteger... I>
    requires(sizeof...(I) > 0)
MutableTensor<T> empty(I... extents) { return empty<T>(AxisValues{extents...}); }
template <ElementType T = double, IndexInteger... I>
    requires(sizeof...(I) > 0)
MutableTensor<T> zeros(I... extents) { return zeros<T>(AxisValues{extents...}); }
template <ElementType T = double, IndexInteger... I>
    requires(sizeof...(I) > 0)
MutableTensor<T> ones(I... extents) { return ones<T>(AxisValues{extents...}); }

/// Refused in one sentence.
template <typename T = void, IndexInteger I, typename... V>
    requires(std::is_void_v<T>)
PURVIEW_REFUSED("the shape is a list, and the value stands behind it: full({2, 3}, value)",
                full(I, const V&...));

/// A tensor of rank 0 with one number.
template <typename V>
    requires(std::is_arithmetic_v<V>)
auto tensor(V value) { return full<V>(AxisValues(), value); }

/// The identity matrix `[n, n]`. O(n²).
template <ElementType V = double>
MutableTensor<Canonical<V>> eye(index_t n) {
    using T = Canonical<V>;
    const Shape shape{n, n};
    MutableTensor<T> result = zeros<T>(shape);
    for (index_t i = 0; i < n; ++i) result(i, i) = T{1};
    return result;
}

/// The memory of a vector, taken over, in a shape of as many elements.
template <typename T>
Operand taken_over(std::vector<T>&& values, ShapeSpan shape) {
    return operand_over(buffer_from_vector(std::move(values)), Dimensions::row_major(shape));
}

/// Takes over the numbers of a vector without a copy, as shape `[n]`. O(1).
template <ElementType T>
    requires(kNesting<T> == 0)
MutableTensor<Canonical<T>> tensor(std::vector<T>&& values) {
    const index_t n = std::ssize(values);
    return MutableTensor<Canonical<T>>(taken_over(std::move(values), ShapeSpan(&n, 1)));
}

/// Takes over the numbers of a vector without a copy, in `shape`. O(1). Throws `ShapeError` unless
/// it has as many elements as the vector.
template <ElementType T>
    requires(kNesting<T> == 0)
MutableTensor<Canonical<T>> tensor(std::vector<T>&& values, AxisValues shape) {
    check_element_count("tensor", shape, std::ssize(values));
    return MutableTensor<Canonical<T>>(taken_over(std::move(values), shape));
}

/// A copy of the elements of a range, in `shape`. Throws `ShapeError` unless that has as many
/// elements as the range.
template <typename R>
    requires(!TensorLike<R> && std::is_lvalue_reference_v<R> && std::ranges::input_range<R> &&
             kNesting<std::remove_cvref_t<R>> == 1)
auto tensor(R&& range, AxisValues shape) {
    using T = Canonical<std::ranges::range_value_t<R>>;
    std::vector<T> values;
    for (auto&& value : range) values.push_back(static_cast<T>(value));
    return tensor(std::move(values), shape);
}

/// The elements of an operand in new row-major memory; see `tensor`.
template <typename T>
Operand cloned_operand(const Operand& source) {
    if (source.node->reads(Below::sparse)) [[unlikely]] {
        if (is_sparse(source))
            return operand_over(realise_sparse<T>(source, "clone"),
                                Dimensions::row_major(source.dims.max_shape()));
        check_dense_of_sparse("clone", source);
    }
    const ShapeSpan shape = source.dims.max_shape();
    Operand result = source.node->reads(Below::device)
                         ? results_like("clone", source, kDType<T>, shape)
                         : new_memory<T>(shape, Order::row_major, false);
    assign(source, result);
    return result;
}
/// A copy of any tensor's elements in new row-major memory; of a sparse tensor, a sparse copy,
/// O(stored). Throws `KindError` for more than 2³⁰ elements computed from sparse and dense tensors.
template <TypedTensor X>
auto tensor(const X& source) {
    using T = typename X::value_type;
    return MutableTensor<T>(cloned_operand<T>(source.operand()));
}

// Extents one by one, pointers and iterators: refused in one sentence.
template <IndexInteger I, IndexInteger... J>
    requires(sizeof...(J) > 0)
PURVIEW_REFUSED("values make a tensor by tensor({1, 2}), extents by zeros(2, 3)", tensor(I, J...));
template <typename R, IndexInteger... I>
    requires(sizeof...(I) > 0 && !TensorLike<R> && std::ranges::input_range<const R>)
PURVIEW_REFUSED("the shape of values is a list: tensor(values, {2, 3})", tensor(const R&, I...));
template <std::input_iterator P, typename S>
PURVIEW_REFUSED("a tensor is made of a range, not of pointers or iterators: of std::span(pointer, "
                "size), or std::ranges::subrange(first, last)",
                tensor(P, const S&));
template <std::input_iterator P>
PURVIEW_REFUSED("a tensor is made of a range, not of a pointer: of std::span(pointer, size)",
                tensor(P, AxisValues));
template <std::input_iterator P>
PURVIEW_REFUSED("memory with strides makes a tensor by wrap(pointer, shape, strides, owner)",
                tensor(P, AxisValues, AxisValues));

/// A rank-1 tensor over a reader, or over a reader that is also a writer: zero-copy, shared.
template <typename B>
    requires std::derived_from<B, AnyReader>
auto tensor(const std::shared_ptr<B>& reader) {
    if (reader == nullptr) throw_null_source("tensor");
    const index_t n = reader->size();
    return tensor(reader, Dimensions::row_major(ShapeSpan(&n, 1)));
}
template <typename B>
    requires std::derived_from<B, AnyReader>
auto tensor(const std::shared_ptr<B>& reader, AxisValues shape) {
    if (reader == nullptr) throw_null_source("tensor");
    check_element_count("tensor", shape, reader->size());
    return tensor(reader, Dimensions::row_major(shape));
}
/// A tensor over a reader, seen through any `dims`. Throws `ShapeError` when they reach outside of
/// it.
template <typename B>
    requires std::derived_from<B, AnyReader>
auto tensor(const std::shared_ptr<B>& reader, Dimensions dims) {
    if (reader == nullptr) throw_null_source("tensor");
    using T = typename B::value_type;
    check_address_range("tensor", dims, reader->size());
    if constexpr (!std::same_as<T, Canonical<T>>)
        return tensor(canonical_reader(reader), std::move(dims));
    else if constexpr (!std::is_const_v<B> && ReadWritable<B, T>)
        return over<T>(reader, std::move(dims));
    else
        return Tensor<T>(Operand{make_node<Leaf>(reader), std::move(dims)});
}

template <typename T, typename R>
void collect_nested(R&& range, std::size_t depth, Shape& shape, std::vector<T>& values) {
    index_t count = 0;
    const std::size_t known = shape.size();
    if (known <= depth) shape.push_back(0);
    for (auto&& entry : range) {
        ++count;
        if constexpr (kNesting < std::ranges::range_value_t < R >>> 0)
            collect_nested(entry, depth + 1, shape, values);
        else
            values.push_back(static_cast<T>(entry));
    }
    if (known <= depth) {
        shape[depth] = count;
        while (shape.size() < depth + kNesting<R>) shape.push_back(0);
    } else if (shape[depth] != count) {
        throw_ragged(depth, shape[depth], count);
    }
}

/// Text is one element: refused in one sentence.
template <typename X>
    requires(!TensorLike<X> && std::convertible_to<const X&, std::string_view>)
PURVIEW_REFUSED("text is one element: tensor({\"abc\"})", tensor(const X&));

/// A copy of the elements of a range, or of nested ranges. Throws `ShapeError` for ragged ones.
template <typename R>
    requires(!TensorLike<R> && std::ranges::input_range<R> &&
             !std::convertible_to<R, std::string_view>)
auto tensor(R&& range) {
    using T = Canonical<typename InnermostValue<std::remove_cvref_t<R>>::type>;
    Shape shape;
    std::vector<T> values;
    collect_nested(range, 0, shape, values);
    return tensor(std::move(values), AxisValues(shape));
}

/// `begin + i * step` for each i, without overflow in between. Of float, double and long double.
template <typename V>
PURVIEW_EXPORT void write_progression(V begin, V step, std::span<Canonical<V>> out);
/// `linspace` in memory.
template <typename V>
PURVIEW_EXPORT void write_linspace(V begin, V end, std::span<V> out);

/// `begin, begin + step, …` up to, not including, `end`, in new memory, of the common type of the
/// arguments; with an infinite step only `begin`. O(size). Throws `ShapeError` for a step of 0.
template <typename A, typename B, typename C = int>
    requires std::is_arithmetic_v<A> && std::is_arithmetic_v<B> && std::is_arithmetic_v<C>
auto arange(A begin, B end, C step = 1) {
    using V = std::common_type_t<A, B, C>;
    using T = Canonical<V>;
    const index_t count =
        arange_count(static_cast<long double>(begin), static_cast<long double>(end),
                     static_cast<long double>(step));
    std::vector<T> values(static_cast<std::size_t>(count));
    if constexpr (std::integral<T>) {
        // Every result lies between `begin` and `end`, but `i * step` may overflow; unsigned, so
        // that it wraps.
        const auto first = static_cast<std::uint64_t>(begin);
        const auto advance = static_cast<std::uint64_t>(step);
        for (std::size_t i = 0; i < values.size(); ++i)
            values[i] = static_cast<T>(first + i * advance);
    } else {
        write_progression(static_cast<V>(begin), static_cast<V>(step), std::span<T>(values));
    }
    return tensor(std::move(values));
}
template <typename A>
    requires std::is_arithmetic_v<A>
auto arange(A end) { return arange<A, A, A>(A{}, end, A{1}); }

/// Refused in one sentence.
template <typename A, typename B, typename C>
    requires(!std::is_arithmetic_v<A> || !std::is_arithmetic_v<B> || !std::is_arithmetic_v<C>)
PURVIEW_REFUSED("arange(begin, end, step) is of numbers, and of their type: arange(0.f, 10.f)",
                arange(const A&, const B&, const C&));

/// `count` numbers from `begin` to `end`, which are among them exactly; between finite ends all are
/// finite. Otherwise NumPy's. Throws `ShapeError` for a negative count.
template <std::floating_point T = double>
MutableTensor<T> linspace(std::type_identity_t<T> begin, std::type_identity_t<T> end,
                          index_t count) {
    if (count < 0) throw_negative_count("linspace", count);
    std::vector<T> values(static_cast<std::size_t>(count));
    write_linspace<T>(begin, end, values);
    return tensor(std::move(values));
}

/// One value at every index of `shape`: O(1), stores one element, read-only.
template <typename V>
Tensor<Canonical<V>> const_tensor(V value, AxisValues shape) {
    return Tensor<Canonical<V>>(
        constant_operand(static_cast<Canonical<V>>(std::move(value)), shape));
}
/// One float at every index of `shape`, which has to be finite unless its type is given, as in
/// `full`.
PURVIEW_EXPORT Tensor<float> const_tensor(float value, AxisValues shape);
PURVIEW_EXPORT Tensor<std::string> const_tensor(const char* text, AxisValues shape);

// What makes tensors of the built-in types and of strings is compiled once, in src/tensor/create.cpp.
#define PURVIEW_TENSORS_OF(what, T)                                          \
 what template PURVIEW_EXPORT Operand new_memory<T>(ShapeSpan, Order, bool); \
 what template PURVIEW_EXPORT Operand cloned_operand<T>(const Operand&);     \
 what template PURVIEW_EXPORT Operand taken_over<T>(std::vector<T>&&, ShapeSpan);
#define PURVIEW_EXTERN_TENSORS(T) PURVIEW_TENSORS_OF(extern, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_TENSORS)
PURVIEW_EXTERN_TENSORS(std::string)
#undef PURVIEW_EXTERN_TENSORS

} // namespace purview
