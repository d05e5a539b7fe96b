#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace purview::inline v0_1::hdf5 {

// Decoders of chunks. They read and write no byte outside of what they are given, whatever that is, and return how
// many bytes they have written, or -1 where the encoded ones are damaged or decode to more than `out` has room for.

/// The first bytes of all elements of `width` bytes, then the second ones, …; what is left over behind them.
index_t unshuffle(std::span<const std::byte> in, index_t width, std::span<std::byte> out);
/// The bytes without the checksum behind them.
index_t check_fletcher32(std::span<const std::byte> in, std::span<std::byte> out);
/// h5py's filter 32000, which is LibLZF.
index_t decode_lzf(std::span<const std::byte> in, std::span<std::byte> out);
index_t decode_zlib(std::span<const std::byte> in, std::span<std::byte> out);
index_t decode_zstd(std::span<const std::byte> in, std::span<std::byte> out);
index_t decode_blosc(std::span<const std::byte> in, std::span<std::byte> out);

/// The sum that HDF5 stores behind a chunk, over 16 bits at a time.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

} // namespace purview::hdf5
