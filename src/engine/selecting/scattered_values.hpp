#pragma once

#include "dtype/element_block.hpp"
#include "engine/run/range_fold.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// The values that a scatter writes, in row-major order. They are read in place, or computed a
/// block at a time between writes, if that can neither throw nor read what is written; else all are
/// computed before the first write.
class ScatteredValues {
public:
    /// `written` is all that may be written, `block` the most elements of one `read`. `source`
    /// outlives this.
    ScatteredValues(const Operand& source, const Operand& written, index_t block);

    /// Whether `read` has the values, as it finds them in place or computes blocks.
    bool is_ready() const noexcept { return memory_ != nullptr || elements_.has_value(); }
    /// Computes all values unless they are ready. Throws what that throws.
    void make_ready();

    /// The elements [begin, begin + count), valid until the next call. Cannot fail. Precondition:
    /// `is_ready()`.
    const std::byte* read(index_t begin, index_t count);

private:
    const Operand& source_;
    const std::byte* memory_ = nullptr; ///< of all values, or null
    index_t size_;
    std::optional<ElementBlock> elements_; ///< all values, or a block of them
    std::optional<RangeStore> compute_;    ///< of a block, unless all are in `memory_`
};

} // namespace purview::engine
