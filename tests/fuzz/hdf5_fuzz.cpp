// Whatever the bytes of an HDF5 chunk and the filters that it went through, decoding fills the chunk or throws a
// `FormatError`. Files are not tried: what they have but for chunks, libhdf5 reads.

#include "chunk_filters.hpp"
#include "filters.hpp"
#include "io/chunk_decoders.hpp"
#include "library.hpp"
#include "memory_file.hpp"

#include <array>
#include <cstdint>
#include <vector>

namespace hdf5 = purview::hdf5;
using fuzz::require;
using fuzz::tried;
using purview::index_t;

namespace {

using Bytes = std::vector<std::byte>;
using BytesSpan = std::span<const std::byte>;

constexpr std::array<H5Z_filter_t, 6> kFilters{
    H5Z_FILTER_DEFLATE, H5Z_FILTER_SHUFFLE, H5Z_FILTER_FLETCHER32, 32000, 32001, 32015};

/// The first number, which is cut off; zero where there is none.
unsigned taken(BytesSpan& bytes) {
    if (bytes.empty()) return 0;
    const auto first = static_cast<unsigned>(bytes.front());
    bytes = bytes.subspan(1);
    return first;
}

/// So many filters as the first number says, each a number of those above; shuffle has its width behind it.
hdf5::ChunkFilters filters_of(BytesSpan& bytes) {
    const hdf5::Library library;
    const hdf5::Handle properties = hdf5::opened(::H5Pcreate(H5P_DATASET_CREATE), "hdf5_fuzz");
    for (unsigned left = taken(bytes) % 5; left > 0; --left) {
        const H5Z_filter_t id = kFilters[taken(bytes) % kFilters.size()];
        const unsigned width = id == H5Z_FILTER_SHUFFLE ? taken(bytes) : 0;
        hdf5::checked(::H5Pset_filter(properties.id(), id, H5Z_FLAG_OPTIONAL, 1, &width), "fuzz");
    }
    return {properties.id(), "hdf5_fuzz"};
}

void check_shuffle(BytesSpan bytes, index_t width) {
    Bytes elements(bytes.size());
    require(purview::chunks::unshuffle(bytes, width, elements) == std::ssize(bytes),
            "all is unshuffled");
    const index_t count = std::ssize(bytes) / width;
    for (index_t i = 0; i < std::ssize(bytes); ++i) {
        const index_t from = i < count * width ? i % width * count + i / width : i;
        require(elements[static_cast<std::size_t>(i)] == bytes[static_cast<std::size_t>(from)],
                "each byte has its place");
    }
}

void check_fletcher32(BytesSpan bytes) {
    Bytes summed(bytes.begin(), bytes.end());
    const std::uint32_t sum = hdf5::fletcher32(bytes);
    for (int i = 0; i < 4; ++i) summed.push_back(static_cast<std::byte>(sum >> 8 * i));
    Bytes out(bytes.size());
    require(hdf5::check_fletcher32(summed, out) == std::ssize(bytes),
            "a sum that is true is taken");
    require(std::equal(bytes.begin(), bytes.end(), out.begin()), "what is summed stays");
    summed.back() ^= std::byte{1};
    require(hdf5::check_fletcher32(summed, out) == -1, "another is not");
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    BytesSpan bytes = std::as_bytes(std::span(data, size));
    const std::size_t length = taken(bytes) * 4;
    const std::uint32_t mask = taken(bytes);
    const hdf5::ChunkFilters filters = filters_of(bytes);
    const auto decoded = [&] {
        Bytes out(length);
        filters.decode(bytes, mask, out, "hdf5_fuzz");
        return out;
    };
    if (filters.are_known()) {
        if (const auto out = tried(decoded))
            require(decoded() == *out, "a chunk is always the same");
    }
    const auto width = static_cast<index_t>(1 + length / 4 % 17);
    check_shuffle(bytes, width);
    check_fletcher32(bytes);
    return 0;
}
