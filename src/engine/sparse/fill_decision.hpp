#pragma once

#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace purview::engine {

/// What is known of an operand where it stores nothing.
struct OperandFill {
    bool is_dense = false;           ///< it has no fill
    const Constant* value = nullptr; ///< null: it cannot be told, or is none
    bool is_constant = false;        ///< it stores nothing anywhere
};

/// Why an operation is what the fill of one operand makes of it, whatever the others are, but at some indexes.
struct FillDecision {
    std::size_t fill_of; ///< the operand whose fill is that of the operation
    /// Operands where it may differ: at what is stored in any of these, …
    boost::container::small_vector<std::size_t, 2> united = {};
    /// … or in both of these, …
    std::optional<std::array<std::size_t, 2>> met = std::nullopt;
    /// … or as a float that is not finite in one of these.
    boost::container::small_vector<std::size_t, 2> not_finite = {};
};

/// Whether `decision_of` has to be asked about an operation.
bool may_be_decided(const Elementwise& operation) noexcept;

/// The decision for an operation on operands of such fills; none where all that is stored counts, and for one with a
/// dense operand: where every element does. Those of 0 in a product, of true in a disjunction, of the least number in
/// a minimum; a condition's that chooses one side; those of two sides that are equal.
std::optional<FillDecision> decision_of(const Elementwise& operation,
                                        std::span<const OperandFill> fills);

/// Whether two elements that are fills are one: zeros of different signs are two, and NaN is like NaN. Of types without `==`
/// nobody knows.
bool same_fill(DType dtype, const void* a, const void* b);

/// An operation on constants as a constant; as it is where another one is below, or computing it throws: the error
/// belongs to whoever reads it.
Operand computed_constant(Operand operation);

} // namespace purview::engine
