#include "stored_dataset.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

namespace purview::inline v0_1::hdf5 {
namespace {

using Extents = std::array<hsize_t, H5S_MAX_RANK>;

/// What is read at once of an array that has no chunks.
constexpr index_t kBoxBytes = index_t{1} << 20;

Handle space_of(hid_t dataset, const std::string& where) {
    return opened(::H5Dget_space(dataset), where);
}

/// Throws unless elements and bytes of such a shape can be counted.
Shape checked_shape(std::span<const hsize_t> extents, index_t width, const std::string& where) {
    Shape shape;
    index_t bytes = width;
    for (const hsize_t extent : extents) {
        shape.push_back(static_cast<index_t>(extent));
        const bool is_long = extent > static_cast<hsize_t>(std::numeric_limits<index_t>::max());
        if (is_long || (extent > 0 && __builtin_mul_overflow(bytes, shape.back(), &bytes)))
            throw FormatError(fmt::format("{}: an extent is {}: more elements than can be counted",
                                          where, extent));
    }
    return shape;
}

Shape shape_of(hid_t dataset, index_t width, const std::string& where) {
    const Handle space = space_of(dataset, where);
    if (::H5Sget_simple_extent_type(space.id()) == H5S_NULL)
        throw FormatError(fmt::format("{}: has neither shape nor elements", where));
    Extents extents{};
    const int rank =
        checked(::H5Sget_simple_extent_dims(space.id(), extents.data(), nullptr), where);
    return checked_shape(std::span(extents).first(static_cast<std::size_t>(rank)), width, where);
}

/// Whole rows, as many as are read at once.
Shape box_of(const Shape& shape, index_t width) {
    Shape box = shape;
    index_t left = std::max<index_t>(1, kBoxBytes / width);
    for (std::size_t axis = shape.size(); axis-- > 0;) {
        box[axis] = std::clamp<index_t>(shape[axis], 1, left);
        left = std::max<index_t>(1, left / box[axis]);
    }
    return box;
}

} // namespace

StoredDataset::StoredDataset(Handle dataset, const OpenFile& file, std::string where)
    : dataset_(std::move(dataset)),
      properties_(opened(::H5Dget_create_plist(dataset_.id()), where)),
      where_(std::move(where)),
      type_(element_type(opened(::H5Dget_type(dataset_.id()), where_).id(), where_)),
      filters_(properties_.id(), where_),
      shape_(shape_of(dataset_.id(), std::max(type_.bytes, type_.dtype.size_bytes()), where_)) {
    read_properties(properties_.id(), file.mapped);
    read_fill(properties_.id());
    hsize_t before = 1; // which libhdf5 adds to addresses, or not, by its version
    const Handle owner = opened(::H5Iget_file_id(dataset_.id()), where_);
    checked(::H5Pget_userblock(opened(::H5Fget_create_plist(owner.id()), where_).id(), &before),
            where_);
    if (before == 0 && file.read && *file.read) file_ = file.read;
}

void StoredDataset::read_properties(hid_t properties, const MappedFile& file) {
    const H5D_layout_t layout = checked(::H5Pget_layout(properties), where_);
    const index_t width = std::max(type_.bytes, type_.dtype.size_bytes());
    const bool is_raw = type_.is_plain && type_.encoding != Encoding::variable_texts;
    if (layout == H5D_CHUNKED) {
        Extents extents{};
        const int rank = checked(::H5Pget_chunk(properties, H5S_MAX_RANK, extents.data()), where_);
        const auto known = std::span(extents).first(static_cast<std::size_t>(rank));
        if (known.size() != shape_.size() || std::count(known.begin(), known.end(), 0) > 0)
            throw FormatError(
                fmt::format("{}: its chunks have another rank, or no elements", where_));
        chunk_ = checked_shape(known, width, where_);
        unsigned options = 0;
        checked(::H5Pget_chunk_opts(properties, &options), where_);
        // With any option, chunks at the end of an axis are stored in another way.
        is_decoded_here_ = is_raw && filters_.are_known() && options == 0;
    } else {
        chunk_ = box_of(shape_, width);
    }
    for (const index_t extent : chunk_) chunk_elements_ *= extent;

    const bool is_whole = layout == H5D_CONTIGUOUS && ::H5Pget_external_count(properties) == 0;
    const index_t elements = checked_size(shape_, "open_hdf5");
    if (!is_whole || !is_raw || type_.encoding != Encoding::numbers || elements == 0 ||
        (type_.swapped && type_.ordered > 1))
        return;
    const haddr_t offset = ::H5Dget_offset(dataset_.id());
    const auto bytes = static_cast<haddr_t>(elements * type_.bytes);
    const auto end = static_cast<haddr_t>(file.size_bytes());
    // Where it does not lie in the file, libhdf5 says what is wrong.
    if (::H5Dget_storage_size(dataset_.id()) >= bytes && offset <= end && bytes <= end - offset)
        mapped_at_ = static_cast<index_t>(offset);
}

void StoredDataset::read_fill(hid_t properties) {
    const bool is_text = type_.dtype == kDType<std::string>;
    if (!is_text) fill_bytes_.resize(static_cast<std::size_t>(type_.dtype.size_bytes()));
    void* const place = is_text ? static_cast<void*>(&fill_text_) : fill_bytes_.data();
    H5D_fill_value_t defined = H5D_FILL_VALUE_UNDEFINED;
    checked(::H5Pfill_value_defined(properties, &defined), where_);
    if (defined == H5D_FILL_VALUE_USER_DEFINED)
        read_converted(type_, 1, place, where_, [&](void* to) {
            return ::H5Pget_fill_value(properties, type_.memory.id(), to);
        });
}

std::string StoredDataset::where_of(ShapeSpan at) const {
    return fmt::format("{}, chunk {}", where_, to_string(at));
}

/// Of an element: of a text of any length where it lies, a length, an address and a number.
hsize_t StoredDataset::width_in_file(const std::string& where) const {
    if (type_.encoding != Encoding::variable_texts)
        return ::H5Tget_size(opened(::H5Dget_type(dataset_.id()), where).id());
    const Handle file = opened(::H5Iget_file_id(dataset_.id()), where);
    std::size_t address_bytes = 0;
    std::size_t size_bytes = 0;
    checked(::H5Pget_sizes(opened(::H5Fget_create_plist(file.id()), where).id(), &address_bytes,
                           &size_bytes),
            where);
    return 4 + address_bytes + 4;
}

// Of a chunk without filters libhdf5 reads as many bytes as a chunk has, or as many as an old index says, into memory
// for the others; it tells the lengths of them all together.
void StoredDataset::require_whole_chunks(const std::string& where) const {
    if (are_whole_ || !filters_.is_empty()) return;
    if (checked(::H5Pget_layout(properties_.id()), where) == H5D_CHUNKED) {
        hsize_t count = 0;
        checked(::H5Dget_num_chunks(dataset_.id(), space_of(dataset_.id(), where).id(), &count),
                where);
        const hsize_t stored = ::H5Dget_storage_size(dataset_.id());
        const hsize_t bytes = static_cast<hsize_t>(chunk_elements_) * width_in_file(where);
        if (stored != count * bytes)
            throw FormatError(fmt::format("{}: the {} chunks of the array have {} bytes, and each "
                                          "of them has {}",
                                          where, count, stored, bytes));
    }
    are_whole_ = true;
}

void StoredDataset::read_box(ShapeSpan at, void* out) const {
    const std::string where = where_of(at);
    const std::size_t rank = shape_.size();
    Extents begin{};
    Extents count{};
    Extents room{};
    Extents zeros{};
    for (std::size_t axis = 0; axis < rank; ++axis) {
        const index_t first = at[axis] * chunk_[axis];
        begin[axis] = static_cast<hsize_t>(first);
        count[axis] = static_cast<hsize_t>(std::min(chunk_[axis], shape_[axis] - first));
        room[axis] = static_cast<hsize_t>(chunk_[axis]);
    }
    const Library library;
    require_whole_chunks(where);
    Handle from;
    Handle to;
    if (rank > 0) {
        from = space_of(dataset_.id(), where);
        to = opened(::H5Screate_simple(static_cast<int>(rank), room.data(), nullptr), where);
        const auto select = [&](const Handle& space, const Extents& first) {
            checked(::H5Sselect_hyperslab(space.id(), H5S_SELECT_SET, first.data(), nullptr,
                                          count.data(), nullptr),
                    where);
        };
        select(from, begin);
        select(to, zeros);
    }
    try {
        read_converted(type_, chunk_elements_, out, where, [&](void* place) {
            return ::H5Dread(dataset_.id(), type_.memory.id(), rank > 0 ? to.id() : H5S_ALL,
                             rank > 0 ? from.id() : H5S_ALL, H5P_DEFAULT, place);
        });
    } catch (const FormatError& error) {
        const std::string missing = filters_.missing();
        if (missing.empty()) throw;
        throw FormatError(fmt::format("{}; libhdf5 has no filter {}", error.what(), missing));
    }
}

bool StoredDataset::has_addresses() const {
    if (state_ == Addresses::unknown) {
        const Library library;
        if (state_ == Addresses::unknown) {
            if (file_) addresses_ = ChunkAddresses::of(dataset_.id(), shape_, chunk_, where_);
            state_ = addresses_ ? Addresses::known : Addresses::none;
        }
    }
    return state_ == Addresses::known;
}

bool StoredDataset::detach(index_t most_chunks) {
    if (!is_decoded_here_ || !file_) return false;
    const Library library;
    hsize_t count = 0;
    checked(::H5Dget_num_chunks(dataset_.id(), space_of(dataset_.id(), where_).id(), &count),
            where_);
    if (count > static_cast<hsize_t>(most_chunks) || !has_addresses()) return false;
    path_ = file_->path();
    file_.reset();
    dataset_ = Handle();
    properties_ = Handle();
    return true;
}

void StoredDataset::require_length(hsize_t stored, ShapeSpan at) const {
    const index_t bytes = chunk_elements_ * type_.bytes;
    if (stored > static_cast<hsize_t>(filters_.most_encoded(bytes)))
        throw FormatError(fmt::format("{}: has {} bytes, more than such a chunk has at most",
                                      where_of(at), stored));
}

StoredDataset::EncodedChunk StoredDataset::encoded_at_address(ShapeSpan at) const {
    index_t number = 0;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis)
        number = number * ((shape_[axis] + chunk_[axis] - 1) / chunk_[axis]) + at[axis];
    const ChunkAddresses::Place* const place = addresses_->find(number);
    if (place == nullptr || place->bytes == 0) return {};
    require_length(place->bytes, at);
    const auto file = file_ ? file_ : std::make_shared<const file::ReadFile>(where_, path_);
    if (!*file) throw FormatError(fmt::format("{}: there is no such file any more", where_));
    const auto end = static_cast<haddr_t>(file->size_bytes());
    if (place->address > end || place->bytes > end - place->address)
        throw FormatError(fmt::format("{}: its {} bytes at {} lie beyond the {} of the file",
                                      where_of(at), place->bytes, place->address, end));
    EncodedChunk result;
    result.bytes = static_cast<std::size_t>(place->bytes);
    result.mask = place->mask;
    result.memory = std::make_unique_for_overwrite<std::byte[]>(result.bytes);
    file->read(static_cast<index_t>(place->address), {result.memory.get(), result.bytes});
    return result;
}

StoredDataset::EncodedChunk StoredDataset::encoded_by_library(ShapeSpan at) const {
    EncodedChunk result;
    Extents begin{};
    for (std::size_t axis = 0; axis < shape_.size(); ++axis)
        begin[axis] = static_cast<hsize_t>(at[axis] * chunk_[axis]);
    hsize_t stored = 0;
    const Library library;
    if (::H5Dget_chunk_storage_size(dataset_.id(), begin.data(), &stored) < 0) {
        // Up to 1.10 that is an error where the chunk was never written.
        const std::string reason = error_message();
        if (reason.find("not allocated") == std::string::npos)
            throw FormatError(fmt::format("{}: {}", where_of(at), reason));
        return result;
    }
    if (stored == 0) return result;
    require_length(stored, at);
    result.bytes = static_cast<std::size_t>(stored);
    if (filters_.is_empty()) return result; // they are read by read_box
    result.memory = std::make_unique_for_overwrite<std::byte[]>(result.bytes);
    if (::H5Dread_chunk(dataset_.id(), H5P_DEFAULT, begin.data(), &result.mask,
                        result.memory.get()) < 0)
        throw_library_error(where_of(at));
    return result;
}

bool StoredDataset::read(ShapeSpan at, void* out) const {
    if (!is_decoded_here_) {
        read_box(at, out);
        return true;
    }
    const index_t bytes = chunk_elements_ * type_.bytes;
    require_memory(type_, chunk_elements_, where_of(at));
    const bool is_direct = has_addresses();
    const EncodedChunk chunk = is_direct ? encoded_at_address(at) : encoded_by_library(at);
    if (chunk.bytes == 0) return false;
    if (filters_.is_empty() && !is_direct) {
        read_box(at, out);
        return true;
    }
    const std::span<const std::byte> in{chunk.memory.get(), chunk.bytes};
    if (type_.encoding == Encoding::texts) {
        std::vector<std::byte> raw(static_cast<std::size_t>(bytes));
        filters_.decode(in, chunk.mask, raw, where_of(at));
        elements_of_bytes(type_, type_.swapped, raw, chunk_elements_, out);
        return true;
    }
    const std::span<std::byte> raw{static_cast<std::byte*>(out), static_cast<std::size_t>(bytes)};
    filters_.decode(in, chunk.mask, raw, where_of(at));
    elements_of_bytes(type_, type_.swapped, raw, chunk_elements_, out);
    return true;
}

} // namespace purview::hdf5
