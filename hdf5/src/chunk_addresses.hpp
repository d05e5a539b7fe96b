#pragma once

#include <purview/base/index.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <hdf5.h>

namespace purview::inline v0_1::hdf5 {

/// Where the chunks of a dataset lie in its file, so that they are read without libhdf5, by many threads at once.
class ChunkAddresses {
public:
    struct Place {
        index_t number; ///< row-major in the grid of chunks
        haddr_t address;
        hsize_t bytes;
        std::uint32_t mask; ///< bit i: it did not go through filter i
    };

    /// Nothing where finding them would take longer than it gains: up to HDF5 1.12.2 each is looked for from the first
    /// on, O(n²) for n of them, so of at most 512; else of at most four million. Under the library's lock.
    static std::optional<ChunkAddresses> of(hid_t dataset, ShapeSpan shape, ShapeSpan chunk,
                                            const std::string& where);

    /// Null where the chunk was never written. O(log n).
    const Place* find(index_t number) const noexcept;

private:
    std::vector<Place> places_; ///< in order of their numbers
};

} // namespace purview::hdf5
