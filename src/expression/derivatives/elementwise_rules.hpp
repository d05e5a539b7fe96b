#pragma once

#include "expression/derivatives/slope.hpp"
#include "expression/derivatives/zero_orders.hpp"
#include "expression/node_map.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace purview::inline v0_1::derivatives {

/// An operation and a derivative `g`, of its shape behind any leading axes: backwards that of the
/// result by each of its elements; forwards that of the operand.
struct Differentiated {
    const Elementwise& operation;
    const Slope& g;
    const NodeSet& depends; ///< the nodes that depend on what is differentiated by
    const ZeroOrders& zero_orders;
    bool forwards;
    bool is_summed; ///< the result is what a sum adds up
    Numbers numbers{type_of_derivatives(operation.dtype())};

    /// An operand of the operation; and its result.
    Operand x(std::size_t number = 0) const { return operation.operand(number); }
    Operand result() const {
        return {NodePtr(&operation), Dimensions::row_major(operation.shape())};
    }
    bool depends_on(std::size_t number) const {
        return depends.contains(operation.inputs()[number].node.get());
    }
    /// `g` times `d`, made of the operand `number`.
    Slope scaled(const Operand& d, std::size_t number) const {
        return depends_on(number) ? g.times(d) : g.weighted(d, forwards);
    }
};

/// `g` times the derivative of the operation by its operand `number`, an operation that is applied
/// to each element, so that it is the same backwards and forwards. Nothing where the derivative is 0
/// everywhere. Throws `DtypeError` for complex numbers, and `SymbolError` for a function that has no
/// derivative.
std::optional<Slope> derivative(const Differentiated& of, std::size_t number);

/// How an operation vanishes (zero_orders.hpp): by what its result is of its operands.
enum class Zeros : std::uint8_t {
    unknown,
    nowhere,    ///< it is positive
    of_operand, ///< as the operand does
    of_absolute,
    of_square,
    of_root,
    of_length, ///< as a norm
    of_sum,    ///< or an extreme
    of_product,
    of_quotient,
    of_choice,
    of_power
};
Zeros zeros_of(Op op) noexcept;

/// Whether an operation of finite numbers, or its derivative, may be infinite or NaN, other than by the
/// overflow of sums and products.
bool has_ends(const Elementwise& operation) noexcept;

/// Whether the derivative by some operand is not 0 everywhere.
bool has_derivative(const Elementwise& operation) noexcept;

} // namespace purview::derivatives
