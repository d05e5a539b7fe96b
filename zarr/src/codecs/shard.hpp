#pragma once

#include "codecs/codec_chain.hpp"

#include <functional>
#include <optional>

namespace purview::inline v0_1::zarr {

/// Where a smaller chunk lies in its shard; nothing: it is missing.
struct ShardEntry {
    index_t offset = 0;
    index_t bytes = 0;
};

/// Where each smaller chunk of a shard lies.
class ShardIndex {
public:
    /// Of what the index of a shard is encoded to.
    ShardIndex(const Sharding& sharding, index_t count, std::span<const std::byte> encoded,
               const std::string& where);

    /// Throws `FormatError` beginning with `where` for an entry that claims more than `most` bytes, some
    /// of the index, or some beyond the `shard` bytes of the shard; -1: these are not known.
    std::optional<ShardEntry> entry(index_t number, index_t most, index_t shard,
                                    const std::string& where) const;
    index_t memory_bytes() const noexcept { return std::ssize(words_) * 8; }

private:
    index_t bytes_; ///< of the index in the shard
    bool is_at_end_;
    std::vector<std::uint64_t> words_;
};

/// Smaller chunks along each axis of a shard, and how many they are.
Shape chunks_of_shard(const Sharding& sharding, ShapeSpan shard);
/// The bytes of the index of a shard of so many chunks.
index_t index_bytes(const Sharding& sharding, index_t count);
/// The most bytes of a shard of this (stored) shape.
index_t most_of_shard(const Sharding& sharding, ShapeSpan shard, const std::string& where);

/// Assigns the elements of a whole shard, those of missing chunks from `fill`.
void decode_shard(const CodecChain& chain, std::span<const std::byte> shard, ShapeSpan shape,
                  void* out, const std::string& where);
/// The bytes of a shard of these elements, row-major in the (stored) shape; smaller chunks that are all
/// fill are missing.
std::vector<std::byte> encode_shard(const Sharding& sharding, DType dtype, const void* elements,
                                    ShapeSpan shape, const std::string& where);

} // namespace purview::zarr
