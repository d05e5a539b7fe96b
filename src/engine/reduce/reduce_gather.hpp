#pragma once

#include "engine/gather/gather.hpp"

#include <memory>
#include <optional>
#include <string>

namespace purview::inline v0_1::engine {

/// Sums of whole rows of memory that a gather picks (an embedding bag): rows are added as they are
/// read, at most 128 to a partial sum; partial sums are added pairwise.
class GatheredRows {
public:
    /// None if the sum of each of `groups` equal parts of the row-major order is no such sum.
    static std::optional<GatheredRows> of(const Operand& source, index_t groups);

    void run(void* out) const;
    /// "32 rows added to each of 4096 as they are gathered; …"
    std::string describe() const;

private:
    explicit GatheredRows(DType dtype) : dtype_(dtype) {}

    template <typename T>
    friend class BagSum;

    DType dtype_;
    std::unique_ptr<const GatherPlan> plan_;
    index_t count_ = 0; ///< of bags, one after the other
    index_t rows_ = 0;  ///< of each
};

} // namespace purview::engine
