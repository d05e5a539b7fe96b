#pragma once

#include "codecs/shard.hpp"
#include "metadata/array_metadata.hpp"

#include <purview/base/index.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/zarr/store.hpp>

#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

namespace purview::inline v0_1::zarr {

/// The chunks of an array in a store. Where its chunks are shards alone, those in them, to the
/// innermost, are the chunks.
class StoredChunks {
public:
    /// `writable`: the store again, if chunks may be written. `where`: what errors begin with: the store
    /// and the array.
    StoredChunks(std::shared_ptr<const Store> store, std::shared_ptr<Store> writable,
                 std::string path, ArrayMetadata array, std::string where);

    const ArrayMetadata& metadata() const noexcept { return array_; }
    ChunkGrid grid() const { return {array_.shape, chunk_}; }
    /// Assigns the elements of a chunk; false where the store has none. Throws `FormatError`.
    bool read(ShapeSpan at, void* out) const;
    /// Tells the store that the chunk is going to be read.
    void will_read(ShapeSpan at) const;
    /// Of the store.
    int concurrency() const noexcept { return store_->concurrency(); }

    /// What is written at once, and is a value of the store: shards where there are any, else chunks.
    ChunkGrid written_grid() const { return {array_.shape, array_.chunk}; }
    bool read_whole(ShapeSpan at, void* out) const;
    /// Throw `ReadOnlyError`, and what the store does.
    void write(ShapeSpan at, const void* elements) const;
    void erase(ShapeSpan at) const;

private:
    /// What is read of one key.
    struct Part {
        std::string key;
        index_t begin;
        index_t bytes; ///< -1: all, and the key may be missing
    };
    /// Where a chunk lies, how it is encoded, and as what shape.
    struct Located {
        Part part;
        const CodecChain* chain;
        Shape shape;
    };
    /// What was read of a chunk: its encoded bytes, or, where these are those of its elements, nothing,
    /// as they lie there already.
    struct Fetched {
        Store::Bytes encoded;
        bool is_plain = false;
    };
    /// The index of a shard, or of one within it; null: there is no shard.
    struct KnownIndex {
        std::string key;
        index_t begin;       ///< where in the value the shard begins
        index_t bytes;       ///< its length; -1: all
        index_t known_bytes; ///< its length, also then; -1 where the store does not tell
        std::optional<std::string> version; ///< of the value, before it was read
        std::shared_ptr<const ShardIndex> words;
    };

    std::optional<Located> locate(const Store& from, ShapeSpan at,
                                  std::optional<std::string>& version) const;
    Part part_at(ShapeSpan at) const;
    KnownIndex index_of(const Store& from, const Sharding& sharding, ShapeSpan shard,
                        const Part& part) const;
    void forget_indexes(const std::string& key) const;
    bool fetch(const Store& from, const Located& chunk, void* out, Fetched& fetched) const;
    void decode(const Located& chunk, const Fetched& fetched, void* out) const;
    Store& writable() const;
    std::string where_of(const std::string& key) const;

    std::shared_ptr<const Store> store_;
    std::shared_ptr<Store> writable_;
    std::string path_;
    ArrayMetadata array_;
    std::string where_;
    Shape chunk_;
    mutable std::mutex mutex_;
    mutable std::list<KnownIndex> indexes_; ///< of shards that were read last, the latest first
};

} // namespace purview::zarr
