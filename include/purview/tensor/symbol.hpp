#pragma once

#include <purview/expression/symbol.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/result_handle.hpp>

#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>

namespace purview {

template <ElementType T>
class Symbol;
template <ElementType T>
class ScalarSymbol;

/// How symbols propagate: what is made of a symbol and anything else is a symbol.
struct SymbolKind {
    static constexpr int kStrength = 1;
    template <ElementType T>
    using Handle = Symbol<T>;
    using BesideTensor = SymbolKind;
    template <ElementType T>
    using Scalar = ScalarSymbol<T>;
    static constexpr bool kFoldsLater = true;
    static constexpr bool kIsWeak = false;
};
/// What is made of scalar symbols and numbers alone is a scalar symbol.
struct ScalarSymbolKind {
    static constexpr int kStrength = 1;
    template <ElementType T>
    using Handle = ScalarSymbol<T>;
    using BesideTensor = SymbolKind;
    template <ElementType T>
    using Scalar = ScalarSymbol<T>;
    static constexpr bool kFoldsLater = true;
    static constexpr bool kIsWeak = true;
};

/// A symbol whose element type is known only at run time: what all symbols have in common. A symbol stands
/// for the elements of a tensor while a computation is traced. It has a type and a shape, and every
/// operation takes it; asking it for an element does not compile, or throws `SymbolError`.
class PURVIEW_EXPORT AnySymbol : public TensorHandle {
public:
    explicit AnySymbol(Operand operand) noexcept : TensorHandle(std::move(operand)) {}

    /// Whether this is a symbol with a role, or a view of one; false for what operations on symbols give.
    bool has_role() const noexcept { return symbol_of(operand()) != nullptr; }
    /// Throws `SymbolError` for what operations on symbols give.
    Role role() const;
    /// Empty for a symbol without a name, and for what operations on symbols give.
    std::string name() const;

    /// The flags of the role (see `RoleFlags`); all false without one.
    bool is_constant() const noexcept { return flags().constant; }
    bool is_persistent() const noexcept { return flags().persistent; }
    bool is_trainable() const noexcept { return flags().trainable; }
    bool is_input() const noexcept { return flags().input; }

    /// The value that a constant, persistent or variable owns; a constant's can only be read. Throws
    /// `SymbolError` for what owns none.
    AnyTensor value() const;
    /// Replaces the value: the next call of any computation over this symbol sees it. Not to be run
    /// during one. Throws `ReadOnlyError` for a constant, `SymbolError` for what owns no value, `DtypeError`
    /// and `ShapeError` for another type or shape.
    void update(const AnyTensor& value) const;

    /// This symbol with its static type. Throws `DtypeError`.
    template <ElementType T>
    Symbol<T> as() const;

private:
    RoleFlags flags() const noexcept {
        const SymbolNode* const symbol = symbol_of(operand());
        return symbol == nullptr ? RoleFlags{} : flags_of(symbol->role());
    }
};

/// A tensor that stands in the function that a computation traces.
template <ElementType T>
class Symbol : public AnySymbol {
public:
    using value_type = T;
    using HandleKind = SymbolKind;

    explicit Symbol(Operand operand) noexcept : AnySymbol(std::move(operand)) {
        PURVIEW_ASSERT(dtype() == kDType<T>);
    }

    /// A view; with an integer for every axis, one element, as a scalar symbol. See `TensorIndex`.
    template <IndexLike... I>
    auto operator()(const I&... indexes) const {
        Operand view = select_operand(
            operand(), std::array<TensorIndex, sizeof...(I)>{TensorIndex(indexes)...});
        if constexpr ((IndexInteger<I> && ...)) {
            check_rank("indexing a symbol", view.dims.rank(), 0);
            return ScalarSymbol<T>(std::move(view));
        } else {
            return Symbol(std::move(view));
        }
    }
#ifdef __cpp_multidimensional_subscript
    template <IndexLike... I>
    auto operator[](const I&... indexes) const {
        return (*this)(indexes...);
    }
#endif

    MutableTensor<T> value() const { return MutableTensor<T>(AnySymbol::value().operand()); }

    // A symbol has no elements: call the computation.
    void begin() const = delete;
    void end() const = delete;
    void read(index_t index) const = delete;
    void item() const = delete;
};

/// A number that stands in the function that a computation traces: a symbol of rank 0. Reductions over
/// everything give one, and so do operations on scalar symbols and numbers. Like a number, it takes the
/// type of a tensor that it is combined with.
template <ElementType T>
class ScalarSymbol : public Symbol<T> {
public:
    using HandleKind = ScalarSymbolKind;

    explicit ScalarSymbol(Operand operand) noexcept : Symbol<T>(std::move(operand)) {
        PURVIEW_ASSERT(this->rank() == 0);
    }

    using AnySymbol::update;
    void update(const std::type_identity_t<T>& value) const {
        AnySymbol::update(AnyTensor(constant_operand<T>(value)));
    }
};

template <ElementType T>
Symbol<T> AnySymbol::as() const {
    if (dtype() != kDType<T>) throw_dtype_mismatch("as", kDType<T>, dtype());
    return Symbol<T>(operand());
}

template <typename X>
concept SymbolLike = std::derived_from<std::remove_cvref_t<X>, AnySymbol>;

/// Prints type, shape and role: there are no elements.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AnySymbol& symbol);

/// The elements that a tensor has now, as a symbol that nothing can change: computations may compute what
/// depends on constants alone when they are built. O(size).
template <TypedTensor X>
Symbol<typename X::value_type> constant(const X& value, std::string name = {}) {
    using T = typename X::value_type;
    Operand own = tensor(value).operand();
    own.node = make_node<Leaf>(static_cast<const Leaf&>(*own.node).shared_reader());
    return Symbol<T>(symbol_operand(Role::constant, std::move(own), std::move(name)));
}
/// A symbol with a copy of the tensor's elements, kept between calls, and changed by `update`. O(size).
template <TypedTensor X>
Symbol<typename X::value_type> persistent(const X& value, std::string name = {}) {
    return Symbol<typename X::value_type>(
        symbol_operand(Role::persistent, tensor(value).operand(), std::move(name)));
}
/// The same, and trainable: `variables` lists it.
template <TypedTensor X>
Symbol<typename X::value_type> variable(const X& value, std::string name = {}) {
    return Symbol<typename X::value_type>(
        symbol_operand(Role::variable, tensor(value).operand(), std::move(name)));
}

/// Numbers with a role.
template <typename V>
    requires std::is_arithmetic_v<V> ScalarSymbol<Canonical<V>> constant(V value,
                                                                         std::string name = {}) {
        return ScalarSymbol<Canonical<V>>(
            constant(full<Canonical<V>>({}, value), std::move(name)).operand());
    }
template <typename V>
    requires std::is_arithmetic_v<V> ScalarSymbol<Canonical<V>> persistent(V value,
                                                                           std::string name = {}) {
        return ScalarSymbol<Canonical<V>>(
            persistent(full<Canonical<V>>({}, value), std::move(name)).operand());
    }
template <typename V>
    requires std::is_arithmetic_v<V> ScalarSymbol<Canonical<V>> variable(V value,
                                                                         std::string name = {}) {
        return ScalarSymbol<Canonical<V>>(
            variable(full<Canonical<V>>({}, value), std::move(name)).operand());
    }

} // namespace purview
