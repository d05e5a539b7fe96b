#include "chunk_addresses.hpp"

#include "library.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace purview::inline v0_1::hdf5 {
namespace {

#if H5_VERSION_GE(1, 14, 0)
constexpr hsize_t kMostChunks = hsize_t{1} << 22;
#else
constexpr hsize_t kMostChunks = 512;
#endif

/// The number of the chunk that begins at these coordinates; -1 where there is none, as a damaged file may say.
index_t number_of(const hsize_t* begin, ShapeSpan shape, ShapeSpan chunk) {
    index_t number = 0;
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const auto extent = static_cast<hsize_t>(chunk[axis]);
        if (begin[axis] >= static_cast<hsize_t>(shape[axis]) || begin[axis] % extent != 0)
            return -1;
        number = number * ((shape[axis] + chunk[axis] - 1) / chunk[axis]) +
                 static_cast<index_t>(begin[axis] / extent);
    }
    return number;
}

#if H5_VERSION_GE(1, 14, 0)
struct Found {
    ShapeSpan shape;
    ShapeSpan chunk;
    std::vector<ChunkAddresses::Place>* places;
};
int add(const hsize_t* begin, unsigned mask, haddr_t address, hsize_t bytes, void* data) {
    const Found& found = *static_cast<const Found*>(data);
    try {
        found.places->push_back({number_of(begin, found.shape, found.chunk), address, bytes, mask});
    } catch (...) {
        return -1;
    }
    return 0;
}
#endif

} // namespace

std::optional<ChunkAddresses> ChunkAddresses::of(hid_t dataset, ShapeSpan shape, ShapeSpan chunk,
                                                 const std::string& where) {
    const Handle space = opened(::H5Dget_space(dataset), where);
    hsize_t count = 0;
    checked(::H5Dget_num_chunks(dataset, space.id(), &count), where);
    if (count > kMostChunks) return std::nullopt;
    ChunkAddresses result;
#if H5_VERSION_GE(1, 14, 0)
    Found found{shape, chunk, &result.places_};
    checked(::H5Dchunk_iter(dataset, H5P_DEFAULT, add, &found), where);
#else
    std::array<hsize_t, H5S_MAX_RANK> begin{};
    for (hsize_t i = 0; i < count; ++i) {
        Place place{};
        checked(::H5Dget_chunk_info(dataset, space.id(), i, begin.data(), &place.mask,
                                    &place.address, &place.bytes),
                where);
        place.number = number_of(begin.data(), shape, chunk);
        result.places_.push_back(place);
    }
#endif
    std::ranges::sort(result.places_, {}, &Place::number);
    return result;
}

const ChunkAddresses::Place* ChunkAddresses::find(index_t number) const noexcept {
    const auto place = std::ranges::lower_bound(places_, number, {}, &Place::number);
    return place == places_.end() || place->number != number ? nullptr : &*place;
}

} // namespace purview::hdf5
