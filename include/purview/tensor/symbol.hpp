#pragma once

#include <purview/expression/symbol.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/index_calls.hpp>
#include <purview/tensor/result_handle.hpp>

#include <iosfwd>
#include <string>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

template <ElementType T>
class Symbol;
template <ElementType T>
class ScalarSymbol;

/// The kind of symbols: an operation on a symbol and anything else gives a symbol.
struct SymbolKind {
    static constexpr int kStrength = 1;
    template <ElementType T>
    using Handle = Symbol<T>;
    using BesideTensor = SymbolKind;
    template <ElementType T>
    using Scalar = ScalarSymbol<T>;
    static constexpr bool kDefersReductions = true;
    static constexpr bool kIsWeak = false;
};
/// The kind of scalar symbols: an operation on scalar symbols and numbers alone gives a scalar
/// symbol.
struct ScalarSymbolKind {
    static constexpr int kStrength = 1;
    template <ElementType T>
    using Handle = ScalarSymbol<T>;
    using BesideTensor = SymbolKind;
    template <ElementType T>
    using Scalar = ScalarSymbol<T>;
    static constexpr bool kDefersReductions = true;
    static constexpr bool kIsWeak = true;
};

/// A symbol whose element type is known only at run time; the base of all symbols. A symbol stands
/// for the elements of a tensor while a computation is traced. It has a type and a shape, and every
/// operation accepts it; asking it for an element does not compile, or throws `SymbolError`.
class PURVIEW_EXPORT AnySymbol : public TensorHandle {
public:
    explicit AnySymbol(Operand operand) noexcept : TensorHandle(std::move(operand)) {}

    /// The operand, if it reads symbols. Throws `SymbolError` otherwise.
    static Operand traced(Operand operand);

    /// Whether this is a symbol with a role, or a view of one; false for results of operations on
    /// symbols.
    bool has_role() const noexcept { return symbol_of(operand()) != nullptr; }
    /// Throws `SymbolError` for results of operations on symbols.
    Role role() const;
    /// Empty for a symbol without a name, and for results of operations on symbols.
    std::string name() const;

    /// The flags of the role (see `RoleFlags`); all false without one.
    bool is_constant() const noexcept { return flags().constant; }
    bool is_persistent() const noexcept { return flags().persistent; }
    bool is_trainable() const noexcept { return flags().trainable; }
    bool is_input() const noexcept { return flags().input; }

    /// The value that a constant, persistent or variable symbol owns; read-only for a constant.
    /// Throws `SymbolError` for a symbol that owns no value.
    AnyTensor value() const;
    /// Replaces the value; later calls of any computation over this symbol use the new one. Must
    /// not run at the same time as such a call. Throws `ReadOnlyError` for a constant,
    /// `SymbolError` for a symbol that owns no value, `DtypeError` and `ShapeError` for another
    /// type or shape.
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

/// A symbol of element type T, which stands for a tensor in the function that a computation traces.
template <ElementType T>
class Symbol : public AnySymbol, public IndexCalls<Symbol<T>> {
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
    using IndexCalls<Symbol>::operator();
    /// `x(i, k)`: with Dims, a tensor with dims, of which operations are traced as of symbols.
    template <typename... I>
        requires IndexedByDims<Symbol, I...>
    auto operator()(const I&... indexes) const { return index_tensor(*this, indexes...); }
#ifdef __cpp_multidimensional_subscript
    template <typename... I>
        requires requires(const Symbol& x, const I&... indexes) { x(indexes...); }
    auto operator[](const I&... indexes) const { return (*this)(indexes...); }
#endif

    MutableTensor<T> value() const { return MutableTensor<T>(AnySymbol::value().operand()); }

    /// What `if`, `while` and `std::max` ask for: refused.
    template <std::same_as<bool> B>
    explicit operator B() const {
        static_assert(
            !std::same_as<B, bool>,
            "if (x > 0), while (x < y), std::max(x, y): a symbol has no elements while it "
            "is traced; where(x > 0, a, b) chooses for each element, and maximum(x, y), "
            "minimum(x, y) and clamp compare");
        return false;
    }

    // Deleted: a symbol has no elements before the computation is called.
    void begin() const = delete;
    void end() const = delete;
    void read(index_t index) const = delete;
    void item() const = delete;
};

/// A symbol of rank 0, which stands for a number in the function that a computation traces.
/// Reductions over all axes give one, and so do operations on scalar symbols and numbers. Like a
/// number, it takes the type of a tensor that it is combined with.
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

/// Prints type, shape and role, as a symbol has no elements.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const AnySymbol& symbol);

/// A symbol with the present elements of a tensor, which never change: results that depend on
/// constants alone may be computed when a computation is built. O(size).
template <TypedTensor X>
Symbol<typename X::value_type> constant(const X& value, std::string name = {}) {
    using T = typename X::value_type;
    Operand own = tensor(value).operand();
    own.node = make_node<Leaf>(static_cast<const Leaf&>(*own.node).shared_reader());
    return Symbol<T>(symbol_operand(Role::constant, std::move(own), std::move(name)));
}
/// A symbol with a copy of the tensor's elements, kept between calls, and changed by `update`.
/// O(size).
template <TypedTensor X>
Symbol<typename X::value_type> persistent(const X& value, std::string name = {}) {
    return Symbol<typename X::value_type>(
        symbol_operand(Role::persistent, tensor(value).operand(), std::move(name)));
}
/// A trainable symbol with a copy of the tensor's elements, kept between calls, and changed by
/// `update`: `variables` lists it. O(size).
template <TypedTensor X>
Symbol<typename X::value_type> variable(const X& value, std::string name = {}) {
    return Symbol<typename X::value_type>(
        symbol_operand(Role::variable, tensor(value).operand(), std::move(name)));
}

/// A symbol of rank 0 with a number that never changes.
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
