#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <hdf5.h>

namespace purview::inline v0_1::hdf5 {

/// What a dataset's chunks went through, in this order, when they were written.
class ChunkFilters {
public:
    /// Of a dataset's creation properties. Under the library's lock.
    ChunkFilters(hid_t properties, const std::string& where);

    /// Whether all of them can be undone here.
    bool are_known() const noexcept { return are_known_; }
    /// `shuffle, gzip`
    const std::string& names() const noexcept { return names_; }
    bool is_empty() const noexcept { return filters_.empty(); }
    /// Those that neither this nor libhdf5 has: `'bitshuffle' (32008)`. Under the library's lock.
    std::string missing() const;
    /// The most bytes that they make of so many. Saturates.
    index_t most_encoded(index_t decoded) const;
    /// Fills `out` with what a chunk decodes to; bit i of `mask`: it did not go through filter i. Throws
    /// `FormatError` beginning with `where` where it is damaged or has another length.
    void decode(std::span<const std::byte> encoded, std::uint32_t mask, std::span<std::byte> out,
                const std::string& where) const;

private:
    struct Filter {
        H5Z_filter_t id;
        index_t width; ///< what shuffle was told
        std::string name;
    };
    static index_t most_of(const Filter& filter, index_t decoded);

    std::vector<Filter> filters_;
    bool are_known_ = true;
    std::string names_;
};

} // namespace purview::hdf5
