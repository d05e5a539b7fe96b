#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <string>
#include <string_view>

namespace purview::inline v0_1 {

/// What a symbol stands for (nGraph's table of tensors).
enum class Role : std::uint8_t {
    constant,    ///< known when the computation is built, never written
    placeholder, ///< given at each call
    persistent,  ///< kept between calls, written between them
    variable     ///< persistent, and listed as trainable
};

/// The four flags of a role.
struct RoleFlags {
    bool constant;   ///< immutable: may be inlined and folded
    bool persistent; ///< keeps its place between calls
    bool trainable;  ///< listed by `variables`
    bool input;      ///< its value is passed in at run time

    friend bool operator==(const RoleFlags&, const RoleFlags&) = default;
};

constexpr RoleFlags flags_of(Role role) noexcept {
    return {role == Role::constant, true, role == Role::variable, role == Role::placeholder};
}

/// The name of a role as it is printed: "placeholder".
PURVIEW_EXPORT std::string_view name_of(Role role) noexcept;

/// A node that stands for elements: those that a call binds to its slot (a placeholder), or those
/// of a value that it owns. Its address space is its shape, row-major.
class PURVIEW_EXPORT SymbolNode final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::symbol;
    /// A placeholder: a call replaces it by `bindings[slot]`.
    SymbolNode(DType dtype, ShapeSpan shape, std::size_t slot);
    /// A symbol that owns `value`, a leaf in row-major order without gaps.
    SymbolNode(Role role, Operand value, std::string name);

    Role role() const noexcept { return role_; }
    ShapeSpan shape() const noexcept { return shape_; }
    /// Only of a placeholder.
    std::size_t slot() const noexcept { return slot_; }
    const std::string& name() const noexcept { return name_; }
    /// Only of a symbol that is not a placeholder. Its node is null where the symbol was loaded without
    /// a value, and before it is given one.
    const Operand& value() const noexcept { return value_; }
    /// Gives it its first value, a leaf of its type and shape in row-major order without gaps. Must not
    /// run at the same time as a call of a computation over it.
    void set_first_value(Operand value) const { value_ = std::move(value); }
    /// A symbol without a value.
    SymbolNode(Role role, DType dtype, ShapeSpan shape, std::string name);

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    Role role_;
    Shape shape_;
    std::size_t slot_ = 0;
    std::string name_;
    mutable Operand value_;
};

/// A placeholder as an operand.
PURVIEW_EXPORT Operand placeholder_operand(DType dtype, ShapeSpan shape, std::size_t slot);
/// A symbol that owns its value. Precondition: `value` is a leaf with identity Dimensions.
PURVIEW_EXPORT Operand symbol_operand(Role role, Operand value, std::string name);

/// The symbol of an operand, or null if its node is of another kind.
inline const SymbolNode* symbol_of(const Operand& operand) noexcept {
    return node_as<SymbolNode>(*operand.node);
}

inline bool is_placeholder(const Node& node) noexcept {
    const auto* const symbol = node_as<SymbolNode>(node);
    return symbol != nullptr && symbol->role() == Role::placeholder;
}

/// Throws `SymbolError`: the elements of a symbol or a reduction were asked for outside of a call
/// of the computation. `what`: the function that asked, where it is known.
[[noreturn]] PURVIEW_EXPORT void throw_no_elements(const Node& node, const char* what = nullptr);

} // namespace purview
