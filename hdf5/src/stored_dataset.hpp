#pragma once

#include "chunk_addresses.hpp"
#include "chunk_filters.hpp"
#include "element_type.hpp"

#include "io/read_file.hpp"

#include <purview/io/stored_array.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/reader/mapped_file.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::hdf5 {

/// A file by all that arrays are read by.
struct OpenFile {
    MappedFile mapped;
    std::shared_ptr<const file::ReadFile> read;
};

/// An array of a file, in the chunks that it is read in.
class StoredDataset {
public:
    /// Throws `FormatError` and `DtypeError`, both beginning with `where`.
    StoredDataset(Handle dataset, const OpenFile& file, std::string where);

    const ElementType& type() const noexcept { return type_; }
    const Shape& shape() const noexcept { return shape_; }
    const Shape& chunk() const noexcept { return chunk_; }
    const std::string& codecs() const noexcept { return filters_.names(); }
    hid_t id() const noexcept { return dataset_.id(); }
    /// Where in the mapped file the elements lie, as they lie in memory; -1 where they do not.
    index_t mapped_at() const noexcept { return mapped_at_; }
    /// The bytes of an element that was never written, or the text.
    const std::vector<std::byte>& fill_bytes() const noexcept { return fill_bytes_; }
    const std::string& fill_text() const noexcept { return fill_text_; }

    /// See `hdf5::detach`.
    bool detach(index_t most_chunks);
    /// Assigns the elements of a chunk; false where it was never written. Throws `FormatError`.
    bool read(ShapeSpan at, void* out) const;

private:
    void read_properties(hid_t properties, const MappedFile& file);
    void read_fill(hid_t properties);
    void read_box(ShapeSpan at, void* out) const;
    /// The bytes of a chunk as they are stored, none where it was never written, and which filters they did not go through.
    struct EncodedChunk {
        std::unique_ptr<std::byte[]> memory;
        std::size_t bytes = 0;
        std::uint32_t mask = 0;
    };
    bool has_addresses() const;
    EncodedChunk encoded_at_address(ShapeSpan at) const;
    EncodedChunk encoded_by_library(ShapeSpan at) const;
    void require_length(hsize_t stored, ShapeSpan at) const;
    hsize_t width_in_file(const std::string& where) const;
    void require_whole_chunks(const std::string& where) const;
    std::string where_of(ShapeSpan at) const;

    Handle dataset_;
    Handle properties_;
    std::string where_;
    ElementType type_;
    ChunkFilters filters_;
    Shape shape_;
    Shape chunk_;
    index_t chunk_elements_ = 1;
    bool is_decoded_here_ = false;
    mutable bool are_whole_ =
        false; ///< of chunks that went through no filter: known to have their lengths
    std::shared_ptr<const file::ReadFile>
        file_;           ///< none where addresses are not counted from its begin
    std::string path_{}; ///< of one that is opened when it is read
    enum class Addresses : std::uint8_t { unknown, known, none };
    mutable std::atomic<Addresses> state_{Addresses::unknown};
    mutable std::optional<ChunkAddresses> addresses_;
    index_t mapped_at_ = -1;
    std::vector<std::byte> fill_bytes_;
    std::string fill_text_;
};

} // namespace purview::hdf5
