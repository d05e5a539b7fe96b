#pragma once

#include "format/tables.hpp"

#include <purview/base/index.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1::ipc {

/// Bytes of an array, and what keeps them.
struct Bytes {
    std::span<const std::byte> bytes{};
    Owner owner{};
};

/// The bytes that a compressed buffer stands for: it begins with how many they are, or -1 where it is not compressed after all.
/// Throws `FormatError`, also for more than `most` bytes.
Bytes decompressed(std::span<const std::byte> buffer, format::Codec codec, index_t most);

/// A buffer compressed, as `decompressed` reads it.
std::vector<std::byte> compressed(std::span<const std::byte> bytes, format::Codec codec);

/// How many bytes of text so many elements have, by their offsets of 4 or 8 bytes, which are one more.
index_t last_offset(const void* offsets, index_t length, index_t width);

} // namespace purview::ipc
