#include "chunk_filters.hpp"

#include "filters.hpp"
#include "io/chunk_decoders.hpp"
#include "library.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <memory>
#include <utility>

namespace purview::inline v0_1::hdf5 {
namespace {

constexpr H5Z_filter_t kLzf = 32000;
constexpr H5Z_filter_t kBlosc = 32001;
constexpr H5Z_filter_t kZstd = 32015;

using FilterName = std::array<char, 64>;

struct KnownFilter {
    H5Z_filter_t id;
    const char* name;
    bool is_decoded; ///< here; the others by libhdf5
};
constexpr std::array<KnownFilter, 17> kKnownFilters{{{H5Z_FILTER_DEFLATE, "gzip", true},
                                                     {H5Z_FILTER_SHUFFLE, "shuffle", true},
                                                     {H5Z_FILTER_FLETCHER32, "fletcher32", true},
                                                     {kLzf, "lzf", true},
                                                     {kBlosc, "blosc", true},
                                                     {kZstd, "zstd", true},
                                                     {H5Z_FILTER_SZIP, "szip", false},
                                                     {H5Z_FILTER_NBIT, "nbit", false},
                                                     {H5Z_FILTER_SCALEOFFSET, "scaleoffset", false},
                                                     // Of plugins, by The HDF Group's register.
                                                     {307, "bzip2", false},
                                                     {32004, "lz4", false},
                                                     {32008, "bitshuffle", false},
                                                     {32013, "zfp", false},
                                                     {32017, "sz", false},
                                                     {32019, "jpeg", false},
                                                     {32024, "sz3", false},
                                                     {32026, "blosc2", false}}};

/// Null for others.
const KnownFilter* known_filter(H5Z_filter_t id) {
    const auto* const found = std::find_if(kKnownFilters.begin(), kKnownFilters.end(),
                                           [&](const KnownFilter& k) { return k.id == id; });
    return found == kKnownFilters.end() ? nullptr : found;
}

/// What a file calls a filter, where that can be shown.
std::string shown(const FilterName& name, H5Z_filter_t id) {
    const std::string result = name.data();
    const bool is_plain =
        std::all_of(result.begin(), result.end(), [](char c) { return c >= ' ' && c <= '~'; });
    return is_plain && !result.empty() ? result : fmt::format("filter {}", id);
}

/// How many bytes have been written; less than none where that fails.
index_t decode_one(H5Z_filter_t id, index_t width, std::span<const std::byte> in,
                   std::span<std::byte> out) {
    std::size_t used = 0; // what follows is left, as HDF5 does
    const char* damage = nullptr;
    switch (id) {
    case H5Z_FILTER_DEFLATE: return chunks::decode_deflated(false, in, out, used);
    case H5Z_FILTER_SHUFFLE: return chunks::unshuffle(in, width, out);
    case H5Z_FILTER_FLETCHER32: return check_fletcher32(in, out);
    case kLzf: return decode_lzf(in, out);
    case kBlosc: return chunks::decode_blosc(in, out);
    default: return chunks::decode_zstd(in, out, damage);
    }
}

} // namespace

ChunkFilters::ChunkFilters(hid_t properties, const std::string& where) {
    const int count = checked(::H5Pget_nfilters(properties), where);
    for (int i = 0; i < count; ++i) {
        std::array<unsigned, 16> values{};
        std::size_t value_count = values.size();
        FilterName name{};
        unsigned flags = 0;
        unsigned config = 0;
        const H5Z_filter_t id =
            checked(::H5Pget_filter2(properties, static_cast<unsigned>(i), &flags, &value_count,
                                     values.data(), name.size() - 1, name.data(), &config),
                    where);
        const KnownFilter* const known = known_filter(id);
        Filter filter{id, index_t{values[0]}, known != nullptr ? known->name : shown(name, id)};
        are_known_ = are_known_ && known != nullptr && known->is_decoded &&
                     (id != H5Z_FILTER_SHUFFLE || (value_count > 0 && filter.width > 0));
        names_ += (names_.empty() ? "" : ", ") + filter.name;
        filters_.push_back(std::move(filter));
    }
    are_known_ = are_known_ && count <= 32; // as many as a mask has bits
}

std::string ChunkFilters::missing() const {
    std::string result;
    for (const Filter& filter : filters_) {
        const KnownFilter* const known = known_filter(filter.id);
        if ((known == nullptr || !known->is_decoded) && ::H5Zfilter_avail(filter.id) <= 0)
            result +=
                fmt::format("{}'{}' ({})", result.empty() ? "" : ", ", filter.name, filter.id);
    }
    return result;
}

index_t ChunkFilters::most_of(const Filter& filter, index_t decoded) {
    if (filter.id == H5Z_FILTER_SHUFFLE) return decoded;
    if (decoded > std::numeric_limits<index_t>::max() / 2 - 65536)
        return std::numeric_limits<index_t>::max() / 2;
    return filter.id == H5Z_FILTER_FLETCHER32 ? decoded + 4 : decoded + decoded / 16 + 65536;
}

index_t ChunkFilters::most_encoded(index_t decoded) const {
    for (const Filter& filter : filters_) decoded = most_of(filter, decoded);
    return decoded;
}

void ChunkFilters::decode(std::span<const std::byte> encoded, std::uint32_t mask,
                          std::span<std::byte> out, const std::string& where) const {
    std::vector<std::pair<const Filter*, index_t>> steps; // and the most bytes that each was given
    index_t bytes = std::ssize(out);
    for (std::size_t i = 0; i < filters_.size(); ++i) {
        if ((mask >> i & 1U) != 0) continue;
        steps.emplace_back(&filters_[i], bytes);
        bytes = most_of(filters_[i], bytes);
    }
    std::unique_ptr<std::byte[]> last; // what `encoded` lies in
    for (std::size_t k = steps.size(); k-- > 0;) {
        const auto [filter, most] = steps[k];
        std::unique_ptr<std::byte[]> room;
        std::span<std::byte> to = out;
        if (k > 0) {
            room = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(most));
            to = {room.get(), static_cast<std::size_t>(most)};
        }
        const index_t count = decode_one(filter->id, filter->width, encoded, to);
        if (count < 0)
            throw FormatError(fmt::format("{}: {}: {} bytes are damaged, or decode to more than {}",
                                          where, filter->name, encoded.size(), most));
        encoded = to.first(static_cast<std::size_t>(count));
        last = std::move(room);
    }
    if (encoded.size() != out.size())
        throw FormatError(fmt::format("{}: decodes to {} bytes, and a chunk has {}", where,
                                      encoded.size(), out.size()));
    if (steps.empty()) std::copy(encoded.begin(), encoded.end(), out.begin());
}

} // namespace purview::hdf5
