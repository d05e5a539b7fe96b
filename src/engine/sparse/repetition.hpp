#pragma once

#include <purview/expression/elementwise.hpp>

#include "engine/sparse/source.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace purview::inline v0_1::engine {

/// A strided view without the axes along which it repeats elements (`distinct`), and the view of
/// its elements that repeats them.
struct Repetition {
    Dimensions distinct;
    Dimensions repeating;
};
std::optional<Repetition> repetition_of(const Dimensions& view);

/// An operation at the entries of an operand that a view repeats, where its other operands are
/// their fills: computed once for each entry, however often it is repeated. Results are numbers or
/// bools.
class RepeatedOperand {
public:
    /// `others` are the fills of the operands, constants; that of number `operand` is not read.
    RepeatedOperand(const Elementwise& operation, std::vector<Operand> others, std::size_t operand,
                    const SparseSource& source);

    /// Whether every element of the operand is stored, and there is one.
    bool are_all() const noexcept { return positions_.are_all; }
    /// The result at more than half of the entries, or, if none is, at one of them; null if there
    /// is no entry.
    const void* most_frequent() const;
    /// The positions of the entries where the result is not `fill`; zeros of both signs are the
    /// same.
    std::vector<index_t> differing(const void* fill) const;

private:
    index_t count() const noexcept { return positions_.end - positions_.begin; }

    DType dtype_;
    SparseSource::Positions positions_;
    ElementBlock results_;
};

} // namespace purview::engine
