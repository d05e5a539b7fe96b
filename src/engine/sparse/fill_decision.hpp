#pragma once

#include <purview/expression/elementwise.hpp>

#include <boost/container/small_vector.hpp>

#include <array>
#include <cstddef>
#include <optional>
#include <span>

namespace purview::inline v0_1::engine {

/// The decision that the fill of one operand alone is the fill of an operation, and where the
/// operation can differ from it.
struct FillDecision {
    std::size_t fill_of; ///< the operand whose fill becomes that of the operation
    /// The operation can differ from its fill where any of these operands stores an entry, …
    boost::container::small_vector<std::size_t, 2> united = {};
    /// … or where both of these store one, …
    std::optional<std::array<std::size_t, 2>> intersected = std::nullopt;
    /// … or where one of these stores a float that is not finite.
    boost::container::small_vector<std::size_t, 2> not_finite = {};
};

/// Whether some fill decides an operation.
bool may_be_decided(const Elementwise& operation) noexcept;

/// The decision for an operation on such operands. Nothing where the operation can
/// differ from its fill wherever any operand stores an entry; with a dense operand: everywhere.
/// Decisive are a 0 in a product, true in a disjunction, the least integer in a minimum, a
/// condition that chooses one side, and equal fills of both sides.
std::optional<FillDecision> decision_of(const Elementwise& operation,
                                        std::span<const Sparsity> operands);

/// Whether two fills are the same: zeros of different signs are not, NaNs are. False for types
/// without `==`.
bool same_fill(DType dtype, const void* a, const void* b);
/// The same of operands; false where a fill is not known.
bool same_fill(const Sparsity& a, const Sparsity& b);

} // namespace purview::engine
