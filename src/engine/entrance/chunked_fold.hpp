#pragma once

#include <purview/evaluation/work.hpp>

#include "engine/realise/chunk_states.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace purview::inline v0_1::engine {

/// A fold of an expression over arrays of chunks, cell by cell.
class ChunkedFold {
public:
    /// Whether it can be done so: for built-in types, sums and products also of complex numbers. Asked
    /// once; the source has to outlive this.
    bool find(const work::Fold& fold, const Operand& source);
    /// Sums are not divided.
    void run(std::byte* out) const;
    std::string describe() const { return parts_.describe(reducer_->state_bytes()); }

private:
    const Operand* source_ = nullptr;
    index_t groups_ = 0;
    std::unique_ptr<const Reducer> reducer_;
    ChunkedParts parts_;
};

} // namespace purview::engine
