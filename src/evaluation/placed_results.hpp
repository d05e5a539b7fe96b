#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <memory>
#include <span>

namespace purview::inline v0_1 {

/// Results that become known in another order than their own, and need not fit in memory: each is written to a temporary
/// file with those near it, part by part of all results, which are put in order in the end. One write and one read of
/// index and result. Throws as `TemporaryFile` does.
class PlacedResults {
public:
    /// `size` results, each of which is added once.
    PlacedResults(const char* what, DType dtype, index_t size);
    PlacedResults(const PlacedResults&) = delete;
    PlacedResults& operator=(const PlacedResults&) = delete;
    ~PlacedResults();

    /// The results at these indexes, elements of a trivial type.
    void add(std::span<const std::int64_t> indexes, const void* results);
    /// All of them in order, as `large_results` of the source. The last call.
    Operand take(const Operand& source, ShapeSpan shape);

private:
    class Parts;
    std::unique_ptr<Parts> parts_;
};

} // namespace purview
