#include "codecs/codec_chain.hpp"

#include "codecs/shard.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace purview::inline v0_1::zarr {
namespace {

/// Texts of any length: as many bytes for each at most, and for all of them at least.
constexpr index_t kMostTextBytes = 4096;
constexpr index_t kLeastOfTexts = index_t{1} << 24;

/// The bytes of a chunk's elements, before they are compressed; of texts of any length, the most.
index_t bytes_of(const StoredType& type, ShapeSpan shape, const std::string& where) {
    index_t bytes = 0;
    const index_t count = checked_size(shape, "open_zarr");
    const bool has_length = type.encoding == Encoding::lengths;
    if (__builtin_mul_overflow(count, has_length ? kMostTextBytes : type.bytes, &bytes) ||
        bytes > std::numeric_limits<index_t>::max() / 4)
        throw FormatError(fmt::format("{}: a chunk of shape {} has more bytes than can be counted",
                                      where, to_string(shape)));
    return has_length ? bytes + kLeastOfTexts : bytes;
}

Shape stored_shape(ShapeSpan shape, std::span<const int> order) {
    Shape result(shape.begin(), shape.end());
    for (std::size_t k = 0; k < order.size(); ++k)
        result[k] = shape[static_cast<std::size_t>(order[k])];
    return result;
}

/// 0, 1, 2, …
std::vector<index_t> counted(index_t count) {
    std::vector<index_t> numbers(static_cast<std::size_t>(count));
    std::iota(numbers.begin(), numbers.end(), index_t{0});
    return numbers;
}

} // namespace

index_t CodecChain::most_encoded(ShapeSpan shape, const std::string& where) const {
    if (shards != nullptr) return zarr::most_encoded(bytes, most_of_shard(*shards, shape, where));
    return zarr::most_encoded(bytes, bytes_of(type, shape, where));
}

void CodecChain::decode(std::span<const std::byte> encoded, ShapeSpan shape, void* out,
                        const std::string& where) const {
    const index_t count = checked_size(shape, "open_zarr");
    if (shards != nullptr) {
        const Shape stored = stored_shape(shape, order);
        const std::vector<std::byte> shard = decode_at_most(
            bytes, encoded, std::min(most_of_shard(*shards, stored, where), memory_limit()), where);
        decode_shard(*this, shard, shape, out, where);
        return;
    }
    const index_t most = bytes_of(type, shape, where);
    if (type.encoding == Encoding::numbers || type.encoding == Encoding::booleans) {
        const std::span elements(static_cast<std::byte*>(out), static_cast<std::size_t>(most));
        if (order.empty()) {
            decode_bytes(bytes, encoded, elements, where);
            elements_of_bytes(type, elements, count, out, where);
        } else {
            std::vector<std::byte> stored(elements.size());
            decode_bytes(bytes, encoded, stored, where);
            elements_of_bytes(type, stored, count, stored.data(), where);
            permute_elements(stored.data(), shape, order, type.bytes, elements.data());
        }
        return;
    }
    // As strings in memory they are counted, each as one of a few bytes.
    if (type.encoding != Encoding::lengths && most > most_on_the_way())
        throw MemoryLimitError(
            fmt::format("{}: {} bytes of texts are more than the memory limit, {} bytes", where,
                        most, memory_limit()));
    std::vector<std::byte> raw;
    if (type.encoding == Encoding::lengths) {
        raw = decode_at_most(bytes, encoded, std::min(most, memory_limit()), where);
    } else {
        raw.resize(static_cast<std::size_t>(most));
        decode_bytes(bytes, encoded, raw, where);
    }
    auto* const texts = static_cast<std::string*>(out);
    if (order.empty()) {
        elements_of_bytes(type, raw, count, texts, where);
        return;
    }
    std::vector<std::string> stored(static_cast<std::size_t>(count));
    elements_of_bytes(type, raw, count, stored.data(), where);
    // Which text goes where, by their numbers.
    const std::vector<index_t> numbers = counted(count);
    std::vector<index_t> moved(stored.size());
    permute_elements(reinterpret_cast<const std::byte*>(numbers.data()), shape, order,
                     sizeof(index_t), reinterpret_cast<std::byte*>(moved.data()));
    for (std::size_t i = 0; i < moved.size(); ++i)
        texts[i] = std::move(stored[static_cast<std::size_t>(moved[i])]);
}

std::vector<std::byte> CodecChain::encode(const void* elements, ShapeSpan shape,
                                          const std::string& where) const {
    require_encoder(where);
    const index_t count = checked_size(shape, "save_zarr");
    const bool is_text = type.dtype == kDType<std::string>;
    const Shape stored = stored_shape(shape, order);
    std::vector<std::byte> moved;
    std::vector<std::string> moved_texts;
    if (!order.empty()) {
        // Which axis of the stored ones each axis is.
        std::vector<int> places(order.size());
        for (std::size_t k = 0; k < order.size(); ++k)
            places[static_cast<std::size_t>(order[k])] = static_cast<int>(k);
        const index_t width = is_text ? index_t{sizeof(index_t)} : type.bytes;
        moved.resize(static_cast<std::size_t>(count * width));
        if (is_text) {
            const std::vector<index_t> numbers = counted(count);
            std::vector<index_t> from(numbers.size());
            permute_elements(reinterpret_cast<const std::byte*>(numbers.data()), stored, places,
                             width, reinterpret_cast<std::byte*>(from.data()));
            for (const index_t i : from)
                moved_texts.push_back(static_cast<const std::string*>(elements)[i]);
            elements = moved_texts.data();
        } else {
            permute_elements(static_cast<const std::byte*>(elements), stored, places, width,
                             moved.data());
            elements = moved.data();
        }
    }
    if (shards != nullptr || is_text || (type.swapped && type.ordered > 1)) {
        std::vector<std::byte> raw =
            shards != nullptr ? encode_shard(*shards, type.dtype, elements, stored, where)
                              : bytes_of_elements(type, elements, count, where);
        return bytes.empty() ? raw : encode_bytes(bytes, raw, where);
    }
    return encode_bytes(
        bytes,
        {static_cast<const std::byte*>(elements), static_cast<std::size_t>(count * type.bytes)},
        where);
}

void CodecChain::require_encoder(const std::string& where) const {
    for (const auto& codec : bytes)
        if (!codec->can_encode())
            throw ReadOnlyError(
                fmt::format("{}: chunks with codec '{}' cannot be written", where, codec->name()));
    if (shards == nullptr) return;
    if (!order.empty() && type.dtype == kDType<std::string>)
        throw ReadOnlyError(
            fmt::format("{}: shards of texts that are transposed cannot be written", where));
    shards->inner.require_encoder(where);
}

} // namespace purview::zarr
