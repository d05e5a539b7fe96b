#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace purview::inline v0_1::hdf5 {

// Decoders of chunks of this format alone, as those of io/chunk_decoders.hpp; -1 where the bytes are damaged, too.

/// The bytes without the checksum behind them.
index_t check_fletcher32(std::span<const std::byte> in, std::span<std::byte> out);
/// h5py's filter 32000, which is LibLZF.
index_t decode_lzf(std::span<const std::byte> in, std::span<std::byte> out);

/// The sum that HDF5 stores behind a chunk, over 16 bits at a time.
std::uint32_t fletcher32(std::span<const std::byte> bytes) noexcept;

} // namespace purview::hdf5
