#pragma once

#include <purview/tensor/create.hpp>

#include <concepts>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <vector>

namespace purview::inline v0_1 {

/// A number in a literal with integers of several types; becomes int64.
struct IntegerLiteral {
    index_t value;
    template <std::integral I>
        requires(!std::same_as<I, bool>)
    IntegerLiteral(I integer) : value(checked_cast<index_t>(static_cast<Canonical<I>>(integer))) {}
};

/// A number in a literal with numbers of several types; becomes float64.
struct RealLiteral {
    double value;
    template <typename A>
        requires std::is_arithmetic_v<A> RealLiteral(A number)
            : value(static_cast<double>(number)) {}
};

/// The element type of a literal of values of type V.
template <typename V>
struct LiteralElement {
    using type = Canonical<V>;
    static type get(const V& value) { return static_cast<type>(value); }
};
template <>
struct LiteralElement<const char*> {
    using type = std::string;
    static type get(const char* value) { return value; }
};
template <ElementType T>
struct LiteralElement<Element<T>> {
    using type = T;
    static type get(const Element<T>& value) { return value; }
};
template <>
struct LiteralElement<IntegerLiteral> {
    using type = index_t;
    static type get(const IntegerLiteral& value) { return value.value; }
};
template <>
struct LiteralElement<RealLiteral> {
    using type = double;
    static type get(const RealLiteral& value) { return value.value; }
};

/// Reads nested lists in one pass. The first list at each depth gives the extent of that axis.
template <typename V>
class LiteralReader {
public:
    using T = typename LiteralElement<V>::type;

    template <typename List>
    static MutableTensor<T> read(const List& list) {
        LiteralReader reader;
        reader.descend(list, 0);
        return tensor(std::move(reader.values_), AxisValues(reader.shape_));
    }

private:
    template <typename Entry>
    void descend(const std::initializer_list<Entry>& list, std::size_t depth) {
        // After an empty first list, the extents of deeper axes stay 0: all lists there are empty,
        // or it is ragged.
        if (shape_.size() <= depth) shape_.push_back(static_cast<index_t>(list.size()));
        if (static_cast<std::size_t>(shape_[depth]) != list.size())
            throw_ragged(depth, shape_[depth], static_cast<index_t>(list.size()));
        if constexpr (!std::same_as<Entry, V>)
            if (list.size() == 0 && shape_.size() == depth + 1) shape_.push_back(0);
        for (const Entry& entry : list) {
            if constexpr (std::same_as<Entry, V>)
                values_.push_back(LiteralElement<V>::get(entry));
            else
                descend(entry, depth + 1);
        }
    }

    Shape shape_;
    std::vector<T> values_;
};

/// The elements of `flat` in another shape.
template <ElementType T>
MutableTensor<T> reshaped_literal(const MutableTensor<T>& flat, ShapeSpan shape) {
    return MutableTensor<T>(Operand{flat.operand().node, Dimensions::row_major(shape)});
}

/// The tensor of nested lists, or a compile-time error with a message if no tensor can hold them.
template <typename V, typename List>
auto read_literal(const List& list) {
    using T = typename LiteralElement<V>::type;
    static_assert(!kIsTensor<V> && kNesting<T> == 0,
                  "tensors and arrays in braces are joined: stack({x, y}), concat({x, y})");
    static_assert(kIsTensor<V> || kHasOperatorEqual<T>,
                  "elements of tensors are compared: give the struct an operator==, as in "
                  "bool operator==(const S&) const = default;");
    if constexpr (ElementType<T> && kNesting<T> == 0) return LiteralReader<V>::read(list);
}

/// A new tensor from nested braces, of rank 1 to 4: `tensor({{1., 2.}, {3., 4.}})`. Integers of
/// several types become int64, numbers of several types float64, string literals `std::string`.
/// `tensor<T>({…})` sets the type. Throws `ShapeError` for ragged rows.
///
/// (The lists are spelled out because clang deduces nothing through an alias of
/// `initializer_list`.)
template <typename V>
auto tensor(std::initializer_list<V> values) {
    return read_literal<V>(values);
}
template <typename V>
auto tensor(std::initializer_list<std::initializer_list<V>> values) {
    return read_literal<V>(values);
}
template <typename V>
auto tensor(std::initializer_list<std::initializer_list<std::initializer_list<V>>> values) {
    return read_literal<V>(values);
}
template <typename V>
auto tensor(
    std::initializer_list<std::initializer_list<std::initializer_list<std::initializer_list<V>>>>
        values) {
    return read_literal<V>(values);
}

/// `tensor({1, 2, 3, 4}, {2, 2})`: a new tensor of these elements in a given shape. Throws
/// `ShapeError` unless that has as many elements.
template <typename V>
auto tensor(std::initializer_list<V> values, AxisValues shape) {
    check_element_count("tensor", shape, static_cast<index_t>(values.size()));
    return reshaped_literal(read_literal<V>(values), shape);
}

template <typename V, IndexInteger... I>
    requires(sizeof...(I) > 0)
PURVIEW_REFUSED("the shape of values is a list: tensor({1, 2, 3, 4}, {2, 2})",
                tensor(std::initializer_list<V>, I...));

// Literals of several types, from which no type is deduced: the overloads for integers are
// preferred because they are not templates.
using IntegerList = std::initializer_list<IntegerLiteral>;
PURVIEW_EXPORT MutableTensor<index_t> tensor(IntegerList values);
PURVIEW_EXPORT MutableTensor<index_t> tensor(std::initializer_list<IntegerList> values);
PURVIEW_EXPORT MutableTensor<index_t>
tensor(std::initializer_list<std::initializer_list<IntegerList>> values);
PURVIEW_EXPORT MutableTensor<index_t>
tensor(std::initializer_list<std::initializer_list<std::initializer_list<IntegerList>>> values);
template <std::same_as<RealLiteral> V = RealLiteral>
MutableTensor<double> tensor(std::initializer_list<std::type_identity_t<V>> values) {
    return read_literal<V>(values);
}
template <std::same_as<RealLiteral> V = RealLiteral>
MutableTensor<double>
tensor(std::initializer_list<std::initializer_list<std::type_identity_t<V>>> values) {
    return read_literal<V>(values);
}
template <std::same_as<RealLiteral> V = RealLiteral>
MutableTensor<double>
tensor(std::initializer_list<std::initializer_list<std::initializer_list<std::type_identity_t<V>>>>
           values) {
    return read_literal<V>(values);
}
template <std::same_as<RealLiteral> V = RealLiteral>
MutableTensor<double>
tensor(std::initializer_list<
       std::initializer_list<std::initializer_list<std::initializer_list<std::type_identity_t<V>>>>>
           values) {
    return read_literal<V>(values);
}

/// Values of any types in braces. (What is of numbers, or of one type, is a better match.)
struct AnyLiterals {
    struct Value {
        template <typename V>
        Value(const V&) {}
    };
    AnyLiterals(std::initializer_list<Value>) {}
    AnyLiterals(std::initializer_list<std::initializer_list<Value>>) {}
};
/// Refused in one sentence.
template <std::same_as<AnyLiterals> V = AnyLiterals>
PURVIEW_REFUSED("the elements of a tensor are of one type, or all numbers: tensor({1., 2.}), "
                "tensor({\"a\", \"b\"})",
                tensor(const std::type_identity_t<V>&));

} // namespace purview
