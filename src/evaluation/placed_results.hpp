#pragma once

#include <purview/expression/node.hpp>

#include "reader/parted_records.hpp"

#include <cstdint>
#include <span>

namespace purview::inline v0_1 {

/// Results that become known in another order than their own, and need not fit in memory: each is written to a temporary
/// file with those near it, part by part of all results, which are put in order in the end. One write and one read of
/// index and result. Throws as `TemporaryFile` does.
class PlacedResults {
public:
    /// `size` results, each of which is added once.
    PlacedResults(const char* what, DType dtype, index_t size);

    /// The results at these indexes, elements of a trivial type.
    void add(std::span<const std::int64_t> indexes, const void* results);
    /// All of them in order, as `large_results` of the source. The last call.
    Operand take(const Operand& source, ShapeSpan shape);

private:
    void put_in_order(RecordReader records, std::byte* to) const;

    const char* what_;
    DType dtype_;
    index_t size_;
    int bits_;              ///< of the indexes in a part
    PartedRecords records_; ///< index and result
};

} // namespace purview
