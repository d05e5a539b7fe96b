#pragma once

#include <purview/evaluation/sparse_evaluation.hpp>

#include <cstdint>
#include <optional>

namespace purview::inline v0_1::engine {

/// A sparse factor of floats `T`, or of integers (or bools) as wide as the unsigned `T`, as pairs
/// whose fill is 0: those of its buffer, if it shows these as they are, else evaluated ones.
template <typename T>
class SparseFactor {
public:
    /// Nothing where the fill is not 0, so that products of elements that are not stored matter
    /// too, and where views repeat more entries than may be stored. O(1), or what evaluating it
    /// takes.
    static std::optional<SparseFactor> of(const Operand& operand);
    /// Nothing too where they do not lie in a buffer in this order. O(1).
    static std::optional<SparseFactor> in_memory(const Operand& operand);

    index_t stored() const noexcept { return stored_; }
    /// Row-major, ascending, each once.
    const index_t* index() const noexcept { return index_; }
    const T* value() const noexcept { return value_; }

private:
    SparseFactor() = default;

    index_t stored_ = 0;
    const index_t* index_ = nullptr;
    const T* value_ = nullptr;
    std::optional<SparseEvaluation> evaluated_; ///< empty if the pairs are those of the operand's
                                                ///< buffer
    BufferPtr<T> values_;
};

/// The types of factors: those of floats, and one for all integers of a width.
#define PURVIEW_FOR_FACTORS(F) \
 F(std::uint8_t) F(std::uint16_t) F(std::uint32_t) F(std::uint64_t) F(float) F(double)

} // namespace purview::engine
