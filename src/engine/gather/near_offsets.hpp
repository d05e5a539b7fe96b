#pragma once

#include "engine/kernels/table/near_indexes.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Offsets of elements that many rows are read at, made ready for the kernel `copy_near`: for each
/// vector of offsets, where the elements that it is picked from begin, and a byte for each offset.
/// What is read around the elements lies between the least offset and the largest one, or as far
/// behind that as the element that is read with it.
class NearOffsets {
public:
    /// `size`: of the elements, in bytes. `vector_bytes`: as `KernelTable::near_bytes`. Nothing if
    /// the kernels do not pick such elements from vectors, or if too many offsets are far from
    /// those beside them.
    static std::optional<NearOffsets> find(std::span<const index_t> offsets, index_t size,
                                           std::size_t vector_bytes);

    /// `offsets`: those that were passed to `find`.
    NearIndexes with(const index_t* offsets) const noexcept {
        return {offsets, starts_.data(), lanes_.data()};
    }

private:
    std::vector<index_t> starts_;
    std::vector<std::uint8_t> lanes_;
};

} // namespace purview::engine
