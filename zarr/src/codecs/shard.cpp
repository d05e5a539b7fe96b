#include "codecs/shard.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>

namespace purview::inline v0_1::zarr {
namespace {

constexpr std::uint64_t kMissing = std::numeric_limits<std::uint64_t>::max();

/// Elements of a shard, of numbers or texts, and those of its chunks.
class ShardElements {
public:
    ShardElements(DType dtype, ShapeSpan shape, ShapeSpan chunk)
        : is_text_(dtype == kDType<std::string>),
          width_(dtype.size_bytes()),
          shape_(to_shape(shape)),
          chunk_(to_shape(chunk)) {}

    /// Copies the chunk at grid coordinates `at` to its place in the shard, or from there.
    void put(ShapeSpan at, const void* chunk, void* shard) const {
        each_row(at, [&](index_t begin, index_t count, index_t place) {
            copy_row(chunk, begin, count, shard, place);
        });
    }
    void take(ShapeSpan at, const void* shard, void* chunk) const {
        each_row(at, [&](index_t begin, index_t count, index_t place) {
            copy_row(shard, place, count, chunk, begin);
        });
    }
    /// Assigns all elements of a chunk.
    void fill(const FillValue& fill, void* elements) const {
        const index_t count = checked_size(chunk_, "open_zarr");
        if (is_text_)
            std::fill_n(static_cast<std::string*>(elements), count, fill.text);
        else
            for (index_t i = 0; i < count; ++i)
                std::memcpy(static_cast<std::byte*>(elements) + i * width_, fill.bytes.data(),
                            fill.bytes.size());
    }

private:
    /// `row(begin, count, place)`: so many elements from `begin` on in the chunk lie from `place` on in
    /// the shard.
    template <typename Row>
    void each_row(ShapeSpan at, Row row) const {
        const std::size_t rank = shape_.size();
        const index_t length = rank == 0 ? 1 : chunk_[rank - 1];
        const index_t rows = checked_size(chunk_, "open_zarr") / length;
        Shape within(rank, 0);
        for (index_t r = 0; r < rows; ++r) {
            index_t place = 0;
            for (std::size_t k = 0; k < rank; ++k)
                place = place * shape_[k] + at[k] * chunk_[k] + within[k];
            row(r * length, length, place);
            for (std::size_t k = rank; k-- > 1;) {
                if (++within[k - 1] < chunk_[k - 1]) break;
                within[k - 1] = 0;
            }
        }
    }
    void copy_row(const void* from, index_t begin, index_t count, void* to, index_t place) const {
        if (is_text_)
            std::copy_n(static_cast<const std::string*>(from) + begin, count,
                        static_cast<std::string*>(to) + place);
        else
            std::memcpy(static_cast<std::byte*>(to) + place * width_,
                        static_cast<const std::byte*>(from) + begin * width_,
                        static_cast<std::size_t>(count * width_));
    }

    bool is_text_;
    index_t width_;
    Shape shape_;
    Shape chunk_;
};

/// The next place of a grid, row-major.
void advance(Shape& at, ShapeSpan counts) {
    for (std::size_t k = counts.size(); k-- > 0;) {
        if (++at[k] < counts[k]) return;
        at[k] = 0;
    }
}

} // namespace

ShardIndex::ShardIndex(const Sharding& sharding, index_t count, std::span<const std::byte> encoded,
                       const std::string& where)
    : bytes_(index_bytes(sharding, count)), is_at_end_(sharding.index_at_end) {
    // All its codecs keep a length: nothing is taken for an index that is not there.
    if (std::ssize(encoded) != bytes_)
        throw FormatError(fmt::format("{}: a shard has {} bytes of an index of {}", where,
                                      encoded.size(), bytes_));
    words_.resize(static_cast<std::size_t>(2 * count));
    const std::span<std::byte> bytes = std::as_writable_bytes(std::span(words_));
    decode_bytes(sharding.index_codecs, encoded, bytes, where + ", its index");
    if (sharding.index_swapped)
        for (std::uint64_t& word : words_) word = __builtin_bswap64(word);
}

std::optional<ShardEntry> ShardIndex::entry(index_t number, index_t most, index_t shard,
                                            const std::string& where) const {
    const std::uint64_t offset = words_[static_cast<std::size_t>(2 * number)];
    const std::uint64_t bytes = words_[static_cast<std::size_t>(2 * number + 1)];
    if (offset == kMissing && bytes == kMissing) return {};
    constexpr auto kMost = static_cast<std::uint64_t>(std::numeric_limits<index_t>::max() / 2);
    if (offset > kMost || bytes > static_cast<std::uint64_t>(most))
        throw FormatError(fmt::format("{}: chunk {} of the shard has {} bytes from byte {} on, and "
                                      "it has {} at most",
                                      where, number, bytes, offset, most));
    const ShardEntry entry{static_cast<index_t>(offset), static_cast<index_t>(bytes)};
    if (shard >= 0 && entry.offset > shard - entry.bytes)
        throw FormatError(fmt::format("{}: chunk {} of the shard has {} bytes from byte {} on, and "
                                      "the shard {}",
                                      where, number, bytes, offset, shard));
    const index_t index_begin = is_at_end_ ? shard - bytes_ : 0;
    if ((!is_at_end_ || shard >= 0) && entry.bytes > 0 && entry.offset < index_begin + bytes_ &&
        entry.offset + entry.bytes > index_begin)
        throw FormatError(fmt::format("{}: chunk {} of the shard has {} bytes from byte {} on, and "
                                      "the index lies there, {} bytes from byte {} on",
                                      where, number, bytes, offset, bytes_, index_begin));
    return entry;
}

Shape chunks_of_shard(const Sharding& sharding, ShapeSpan shard) {
    Shape counts = to_shape(shard);
    for (std::size_t k = 0; k < counts.size(); ++k) counts[k] /= sharding.chunk[k];
    return counts;
}

index_t index_bytes(const Sharding& sharding, index_t count) {
    return most_encoded(sharding.index_codecs, 16 * count);
}

index_t most_of_shard(const Sharding& sharding, ShapeSpan shard, const std::string& where) {
    const index_t count = checked_size(chunks_of_shard(sharding, shard), "open_zarr");
    index_t bytes = 0;
    if (__builtin_mul_overflow(count, sharding.inner.most_encoded(sharding.chunk, where) + 64,
                               &bytes) ||
        bytes > std::numeric_limits<index_t>::max() / 4)
        throw FormatError(fmt::format("{}: a shard of shape {} has more bytes than can be counted",
                                      where, to_string(shard)));
    return bytes;
}

void decode_shard(const CodecChain& chain, std::span<const std::byte> shard, ShapeSpan shape,
                  void* out, const std::string& where) {
    const Sharding& sharding = *chain.shards;
    Shape stored = to_shape(shape);
    for (std::size_t k = 0; k < chain.order.size(); ++k)
        stored[k] = shape[static_cast<std::size_t>(chain.order[k])];
    const Shape counts = chunks_of_shard(sharding, stored);
    const index_t count = checked_size(counts, "open_zarr");
    const index_t length = index_bytes(sharding, count);
    if (length > std::ssize(shard))
        throw FormatError(
            fmt::format("{}: a shard of {} bytes has no index of {}", where, shard.size(), length));
    const auto size = static_cast<std::size_t>(length);
    const ShardIndex index(sharding, count,
                           sharding.index_at_end ? shard.last(size) : shard.first(size), where);
    const bool is_text = chain.type.dtype == kDType<std::string>;
    if (is_text && !chain.order.empty())
        throw FormatError(
            fmt::format("{}: shards of texts that are transposed are not read", where));
    const index_t width = is_text ? 0 : chain.type.dtype.size_bytes();
    const auto elements = static_cast<std::size_t>(checked_size(sharding.chunk, "open_zarr"));
    std::vector<std::byte> numbers(elements * static_cast<std::size_t>(width));
    std::vector<std::string> texts(is_text ? elements : 0);
    std::vector<std::byte> untransposed(
        chain.order.empty() ? 0
                            : static_cast<std::size_t>(width * checked_size(shape, "open_zarr")));
    void* const chunk = is_text ? static_cast<void*>(texts.data()) : numbers.data();
    void* const target = chain.order.empty() ? out : untransposed.data();
    index_t fill_bytes = 0; // of texts, each of which has a copy
    if (is_text && (__builtin_mul_overflow(std::ssize(sharding.fill.text),
                                           checked_size(shape, "open_zarr"), &fill_bytes) ||
                    fill_bytes > most_on_the_way()))
        throw MemoryLimitError(fmt::format(
            "{}: {} elements that are a fill of {} bytes are more than the memory "
            "limit, {} bytes",
            where, checked_size(shape, "open_zarr"), sharding.fill.text.size(), memory_limit()));
    const ShardElements places(chain.type.dtype, stored, sharding.chunk);
    const index_t most = sharding.inner.most_encoded(sharding.chunk, where);
    Shape at(counts.size(), 0);
    for (index_t i = 0; i < count; ++i) {
        const std::optional<ShardEntry> entry = index.entry(i, most, std::ssize(shard), where);
        if (!entry) {
            places.fill(sharding.fill, chunk);
        } else {
            sharding.inner.decode(shard.subspan(static_cast<std::size_t>(entry->offset),
                                                static_cast<std::size_t>(entry->bytes)),
                                  sharding.chunk, chunk, where);
        }
        places.put(at, chunk, target);
        advance(at, counts);
    }
    if (!chain.order.empty())
        permute_elements(untransposed.data(), shape, chain.order, width,
                         static_cast<std::byte*>(out));
}

std::vector<std::byte> encode_shard(const Sharding& sharding, DType dtype, const void* elements,
                                    ShapeSpan shape, const std::string& where) {
    const Shape counts = chunks_of_shard(sharding, shape);
    const index_t count = checked_size(counts, "save_zarr");
    const index_t per_chunk = checked_size(sharding.chunk, "save_zarr");
    const bool is_text = dtype == kDType<std::string>;
    const auto size = static_cast<std::size_t>(per_chunk);
    std::vector<std::byte> numbers(is_text ? 0
                                           : size * static_cast<std::size_t>(dtype.size_bytes()));
    std::vector<std::string> texts(is_text ? size : 0);
    void* const chunk = is_text ? static_cast<void*>(texts.data()) : numbers.data();
    const ShardElements places(dtype, shape, sharding.chunk);
    std::vector<std::byte> shard(
        static_cast<std::size_t>(sharding.index_at_end ? 0 : index_bytes(sharding, count)));
    std::vector<std::uint64_t> words(static_cast<std::size_t>(2 * count), kMissing);
    Shape at(counts.size(), 0);
    for (std::size_t i = 0; i < words.size(); i += 2, advance(at, counts)) {
        places.take(at, elements, chunk);
        if (are_fill(sharding.fill, chunk, per_chunk, dtype)) continue;
        const std::vector<std::byte> encoded = sharding.inner.encode(chunk, sharding.chunk, where);
        words[i] = shard.size();
        words[i + 1] = encoded.size();
        shard.insert(shard.end(), encoded.begin(), encoded.end());
    }
    if (sharding.index_swapped)
        for (std::uint64_t& word : words) word = __builtin_bswap64(word);
    const std::vector<std::byte> index =
        encode_bytes(sharding.index_codecs, std::as_bytes(std::span(words)), where);
    if (sharding.index_at_end)
        shard.insert(shard.end(), index.begin(), index.end());
    else
        std::copy(index.begin(), index.end(), shard.begin());
    return shard;
}

} // namespace purview::zarr
