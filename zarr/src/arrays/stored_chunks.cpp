#include "arrays/stored_chunks.hpp"

#include "stores/store_keys.hpp"

#include "reader/chunk_cache.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace purview::inline v0_1::zarr {
namespace {

/// A value that was read whole, as a store of any key.
class OneValue final : public Store {
public:
    explicit OneValue(Bytes bytes) : bytes_(std::move(bytes)) {}
    std::optional<Bytes> get(const std::string&) const override { return bytes_; }
    std::optional<Bytes> get(const std::string&, ByteRange range) const override {
        const auto [begin, bytes] = range_within(range, std::ssize(bytes_));
        return Bytes(bytes_.begin() + begin, bytes_.begin() + begin + bytes);
    }
    std::optional<index_t> size(const std::string&) const override { return std::ssize(bytes_); }
    std::vector<std::string> list(const std::string&) const override { return {}; }

private:
    Bytes bytes_;
};

} // namespace

StoredChunks::StoredChunks(std::shared_ptr<const Store> store, std::shared_ptr<Store> writable,
                           std::string path, ArrayMetadata array, std::string where)
    : store_(std::move(store)),
      writable_(std::move(writable)),
      path_(std::move(path)),
      array_(std::move(array)),
      where_(std::move(where)),
      chunk_(array_.chunk) {
    for (const CodecChain* chain = &array_.codecs; chain->has_parts();
         chain = &chain->shards->inner)
        chunk_ = chain->shards->chunk;
}

std::string StoredChunks::where_of(const std::string& key) const {
    return fmt::format("{}, chunk '{}'", where_, key);
}

StoredChunks::KnownIndex StoredChunks::index_of(const Store& from, const Sharding& sharding,
                                                ShapeSpan shard, const Part& part) const {
    const bool is_kept = &from == store_.get();
    if (is_kept) {
        const std::lock_guard lock(mutex_);
        for (auto known = indexes_.begin(); known != indexes_.end(); ++known)
            if (known->key == part.key && known->begin == part.begin &&
                known->bytes == part.bytes) {
                indexes_.splice(indexes_.begin(), indexes_, known);
                return *known;
            }
    }
    const index_t count = checked_size(chunks_of_shard(sharding, shard), "open_zarr");
    const index_t bytes = index_bytes(sharding, count);
    Store::ByteRange range{0, bytes};
    if (part.bytes >= 0) {
        if (bytes > part.bytes)
            throw FormatError(fmt::format("{}: a shard of {} bytes has no index of {}",
                                          where_of(part.key), part.bytes, bytes));
        range.offset = sharding.index_at_end ? part.begin + part.bytes - bytes : part.begin;
    } else if (sharding.index_at_end) {
        range.offset = -bytes;
    }
    if (bytes > most_on_the_way())
        throw MemoryLimitError(
            fmt::format("{}: an index of {} bytes is more than the memory limit, {} bytes",
                        where_of(part.key), bytes, memory_limit()));
    KnownIndex index{part.key, part.begin, part.bytes, part.bytes, from.version(part.key), nullptr};
    const std::optional<Store::Bytes> encoded = from.get(part.key, range);
    if (!encoded) return index;
    if (part.bytes < 0) index.known_bytes = from.size(part.key).value_or(-1);
    index.words = std::make_shared<const ShardIndex>(sharding, count, *encoded, where_of(part.key));
    if (!is_kept || !index.version) return index;
    constexpr index_t kMostKept = index_t{1} << 22;
    const std::lock_guard lock(mutex_);
    indexes_.push_front(index);
    index_t kept = 0;
    for (auto known = indexes_.begin(); known != indexes_.end();) {
        kept += known->words->memory_bytes();
        known = kept > kMostKept && known != indexes_.begin() ? indexes_.erase(known)
                                                              : std::next(known);
    }
    return index;
}

void StoredChunks::forget_indexes(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    std::erase_if(indexes_, [&](const KnownIndex& known) { return known.key == key; });
}

StoredChunks::Part StoredChunks::part_at(ShapeSpan at) const {
    Shape place = to_shape(at);
    for (std::size_t k = 0; k < place.size(); ++k) place[k] = at[k] * chunk_[k] / array_.chunk[k];
    return {joined_key(path_, array_.keys.key(place)), 0, -1};
}

/// From the outermost shard to the chunk; nothing where one of them is missing.
std::optional<StoredChunks::Located>
StoredChunks::locate(const Store& from, ShapeSpan at, std::optional<std::string>& version) const {
    Located chunk{part_at(at), &array_.codecs, array_.chunk};
    auto& [part, chain, shape] = chunk;
    while (chain->has_parts()) {
        const Sharding& sharding = *chain->shards;
        const KnownIndex index = index_of(from, sharding, shape, part);
        // Indexes of one shard that were not read of one value: what is there now is neither.
        if (chain == &array_.codecs)
            version = index.version;
        else if (index.version != version)
            version.reset();
        if (!version) return std::nullopt;
        if (index.words == nullptr) return std::nullopt;
        const Shape counts = chunks_of_shard(sharding, shape);
        index_t number = 0;
        for (std::size_t k = 0; k < counts.size(); ++k)
            number = number * counts[k] + at[k] * chunk_[k] / sharding.chunk[k] % counts[k];
        const std::string where = where_of(part.key);
        const index_t most = sharding.inner.most_encoded(sharding.chunk, where);
        const std::optional<ShardEntry> entry =
            index.words->entry(number, most, index.known_bytes, where);
        if (!entry) return std::nullopt;
        part.begin += entry->offset;
        part.bytes = entry->bytes;
        shape = sharding.chunk;
        chain = &sharding.inner;
    }
    return chunk;
}

bool StoredChunks::fetch(const Store& from, const Located& chunk, void* out,
                         Fetched& fetched) const {
    const auto& [part, chain, shape] = chunk;
    const std::string where = where_of(part.key);
    const index_t most = chain->most_encoded(shape, where);
    const bool is_whole = part.bytes < 0;
    fetched.is_plain = chain->is_plain() && (is_whole || part.bytes == most);
    std::optional<index_t> got;
    if (fetched.is_plain) {
        const std::span bytes(static_cast<std::byte*>(out), static_cast<std::size_t>(most));
        got = from.get_into(part.key, part.begin, bytes);
        if (got && !is_whole) got = std::min(*got, part.bytes);
    } else {
        // Texts of any length, and what filters make longer, may have more bytes than memory may hold.
        const index_t asked = is_whole ? most + 1 : part.bytes;
        const index_t held = most_on_the_way();
        auto encoded = from.get(part.key, {part.begin, std::min(asked, held + 1)});
        if (encoded && std::ssize(*encoded) > held)
            throw MemoryLimitError(
                fmt::format("{}: more than {} bytes are more than the memory limit, {} bytes",
                            where, held, memory_limit()));
        if (encoded) {
            got = std::ssize(*encoded);
            fetched.encoded = *std::move(encoded);
        }
    }
    if (!got && is_whole) return false;
    count_stored_bytes(got.value_or(0));
    if (is_whole && *got > most)
        throw FormatError(fmt::format(
            "{}: has more than the {} bytes that such a chunk has at most", where, most));
    if (!is_whole && got != part.bytes)
        throw FormatError(
            fmt::format("{}: {} bytes from byte {} on lie beyond the end of the shard", where,
                        part.bytes, part.begin));
    if (fetched.is_plain && *got < most)
        throw FormatError(fmt::format("{}: decodes to {} bytes, and it has {}", where, *got, most));
    return true;
}

void StoredChunks::decode(const Located& chunk, const Fetched& fetched, void* out) const {
    const auto& [part, chain, shape] = chunk;
    const std::string where = where_of(part.key);
    if (!fetched.is_plain) return chain->decode(fetched.encoded, shape, out, where);
    const auto most = static_cast<std::size_t>(chain->most_encoded(shape, where));
    elements_of_bytes(chain->type, {static_cast<std::byte*>(out), most},
                      checked_size(shape, "open_zarr"), out, where);
}

bool StoredChunks::read(ShapeSpan at, void* out) const {
    if (!array_.codecs.has_parts()) return read_whole(at, out);
    // Of a shard that is replaced while it is read, the index and the chunk have to be of one value.
    const std::string key = part_at(at).key;
    for (int attempt = 0; attempt < 4; ++attempt) {
        std::optional<std::string> version;
        const auto is_replaced = [&] {
            return !version || (!version->empty() && store_->version(key) != version);
        };
        Fetched fetched;
        std::optional<Located> chunk;
        try {
            chunk = locate(*store_, at, version);
            if (chunk && !fetch(*store_, *chunk, out, fetched)) chunk.reset();
        } catch (const FormatError&) {
            if (!is_replaced()) throw;
        }
        if (!version) break;
        if (!is_replaced()) {
            if (chunk) decode(*chunk, fetched, out);
            return chunk.has_value();
        }
        forget_indexes(key);
    }
    std::optional<Store::Bytes> shard = store_->get(key);
    if (!shard) return false;
    const OneValue value(*std::move(shard));
    std::optional<std::string> version;
    const std::optional<Located> chunk = locate(value, at, version);
    Fetched fetched;
    if (!chunk || !fetch(value, *chunk, out, fetched)) return false;
    decode(*chunk, fetched, out);
    return true;
}

bool StoredChunks::read_whole(ShapeSpan at, void* out) const {
    const Located chunk{
        {joined_key(path_, array_.keys.key(at)), 0, -1}, &array_.codecs, array_.chunk};
    Fetched fetched;
    if (!fetch(*store_, chunk, out, fetched)) return false;
    decode(chunk, fetched, out);
    return true;
}

void StoredChunks::write(ShapeSpan at, const void* elements) const {
    const std::string key = joined_key(path_, array_.keys.key(at));
    const Store::Bytes encoded = array_.codecs.encode(elements, array_.chunk, where_of(key));
    writable().put(key, encoded);
    forget_indexes(key);
}

void StoredChunks::erase(ShapeSpan at) const {
    const std::string key = joined_key(path_, array_.keys.key(at));
    writable().erase(key);
    forget_indexes(key);
}

Store& StoredChunks::writable() const {
    if (writable_ == nullptr)
        throw ReadOnlyError(fmt::format("{}: is opened for reading alone", where_));
    return *writable_;
}

void StoredChunks::will_read(ShapeSpan at) const {
    // Where in a shard it lies is known only by reading its index: of shards, the index.
    const Part part = part_at(at);
    if (!array_.codecs.has_parts())
        return store_->will_get(part.key, {0, std::numeric_limits<index_t>::max()});
    const Sharding& sharding = *array_.codecs.shards;
    const index_t bytes =
        index_bytes(sharding, checked_size(chunks_of_shard(sharding, array_.chunk), "open_zarr"));
    store_->will_get(part.key, {sharding.index_at_end ? -bytes : 0, bytes});
}

} // namespace purview::zarr
