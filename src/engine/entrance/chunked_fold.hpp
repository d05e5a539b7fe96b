#pragma once

#include <purview/evaluation/work.hpp>

#include "engine/boxes/chunked_parts.hpp"
#include "engine/folds/fold_kind.hpp"
#include "engine/ways/way.hpp"

#include <cstddef>
#include <string>

namespace purview::inline v0_1::engine {

/// A fold of an expression over arrays of chunks, cell by cell.
class ChunkedFold {
public:
    /// Whether it can be done so: for built-in types, and sums of complex numbers. Asked once; the
    /// source has to outlive this.
    bool find(const work::Fold& fold, const Operand& source);
    /// Cells are folded by the ways that are allowed. Sums are not divided.
    void run(Ways allowed, std::byte* out) const;
    std::string tell() const { return parts_.tell(bytes_); }

private:
    Reduction reduction_ = Reduction::sum;
    const FoldKind* kind_ = nullptr; ///< of complex numbers: of their parts, two in each result
    index_t bytes_ = 0;              ///< of a result
    ChunkedParts parts_;
};

} // namespace purview::engine
