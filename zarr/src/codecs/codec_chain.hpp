#pragma once

#include "codecs/bytes_codec.hpp"
#include "text/stored_type.hpp"

#include <purview/base/index.hpp>

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1::zarr {

struct Sharding;

/// How the elements of a chunk became bytes: axes in another order, elements as bytes or as a shard of
/// smaller chunks, bytes as others.
struct CodecChain {
    StoredType type; ///< in the byte order of the bytes
    std::vector<int>
        order; ///< of the stored axes: which axis of the chunk each is; empty: as they are
    std::shared_ptr<const Sharding> shards; ///< null: elements one after the other
    BytesCodecs bytes;
    std::string names; ///< `bytes, zstd`: what users are told

    /// The most bytes that a chunk of this shape has. Throws `FormatError` where they are more than an index counts.
    index_t most_encoded(ShapeSpan shape, const std::string& where) const;
    /// Assigns the elements of a chunk, row-major, to constructed elements at `out`. Throws
    /// `FormatError` beginning with `where` for bytes that no such chunk is encoded to.
    void decode(std::span<const std::byte> encoded, ShapeSpan shape, void* out,
                const std::string& where) const;
    /// What the elements of a chunk, row-major, are encoded to: `decode` gives them again. Throws
    /// `CastError` beginning with `where` for texts that are longer than the type has, or no UTF-8.
    std::vector<std::byte> encode(const void* elements, ShapeSpan shape,
                                  const std::string& where) const;
    /// Throws `ReadOnlyError` where chunks of this kind cannot be encoded, naming the codec.
    void require_encoder(const std::string& where) const;
    /// Whether the bytes of a chunk are its elements, but for what `elements_of_bytes` does in place.
    bool is_plain() const noexcept {
        return shards == nullptr && order.empty() && bytes.empty() &&
               (type.encoding == Encoding::numbers || type.encoding == Encoding::booleans);
    }
    /// Whether smaller chunks can be read without the rest of their shard.
    bool has_parts() const noexcept { return shards != nullptr && order.empty() && bytes.empty(); }
};

/// A chunk that consists of smaller ones, any of which may be missing, and an index of them.
struct Sharding {
    Shape chunk;      ///< of the smaller ones
    CodecChain inner; ///< of each of them
    FillValue fill;   ///< the elements of those that are missing
    BytesCodecs index_codecs;
    bool index_at_end = true;
    bool index_swapped = false; ///< in the other byte order than this machine's
};

/// The elements that lie as texts or numbers in raw bytes, as they are in memory; in place where
/// `raw` is `out`.
void elements_of_bytes(const StoredType& type, std::span<std::byte> raw, index_t count, void* out,
                       const std::string& where);

/// The raw bytes that such elements lie as.
std::vector<std::byte> bytes_of_elements(const StoredType& type, const void* elements,
                                         index_t count, const std::string& where);

/// Elements of `width` bytes, whose axis k is axis `order[k]` of `shape`, in the order of that shape.
void permute_elements(const std::byte* stored, ShapeSpan shape, std::span<const int> order,
                      index_t width, std::byte* out);

/// Codecs as format 3 lists them, of chunks of this shape; as format 2 has them: `order`, `filters` and `compressor`. Throw `FormatError`.
CodecChain codecs_of_format_3(const Json::Value& codecs, const StoredType& type,
                              const FillValue& fill, ShapeSpan chunk, const std::string& where);
CodecChain codecs_of_format_2(const Json::Value& array, StoredType type, ShapeSpan chunk,
                              const std::string& where);

} // namespace purview::zarr
