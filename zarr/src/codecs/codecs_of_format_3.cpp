// Defines codecs/codec_chain.hpp.
#include "codecs/codec_chain.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <bit>

namespace purview::inline v0_1::zarr {
namespace {

/// Shards within shards, at most.
constexpr int kMaxNesting = 4;

bool is_swapped(const Json::Value& endian, const std::string& where) {
    const std::string text = text_of(endian, "endian", where);
    if (text != "little" && text != "big")
        throw FormatError(
            fmt::format("{}: endian {} is neither 'little' nor 'big'", where, npy::quoted(text)));
    return (text == "little") != (std::endian::native == std::endian::little);
}

/// `order` of the transposed axes put behind `before`: which axis of the array each is.
std::vector<int> transposed(const std::vector<int>& before, const Json::Value& order,
                            std::size_t rank, const std::string& where) {
    const std::vector<index_t> axes = extents_of(order, "order of transpose", 0, where);
    std::vector<index_t> sorted = axes;
    std::sort(sorted.begin(), sorted.end());
    std::vector<int> result;
    for (std::size_t k = 0; k < axes.size(); ++k) {
        if (axes.size() != rank || sorted[k] != static_cast<index_t>(k))
            throw FormatError(fmt::format("{}: transpose: {} is no order of {} axes", where,
                                          npy::quoted(json_text(order)), rank));
        const auto axis = static_cast<std::size_t>(axes[k]);
        result.push_back(before.empty() ? static_cast<int>(axis) : before[axis]);
    }
    if (axes.size() != rank)
        throw FormatError(fmt::format("{}: transpose: {} is no order of {} axes", where,
                                      npy::quoted(json_text(order)), rank));
    return result;
}

CodecChain chain_of(const Json::Value& codecs, StoredType type, const FillValue& fill,
                    ShapeSpan chunk, int depth, const std::string& where);

std::shared_ptr<const Sharding> sharding_of(const Json::Value& configuration, StoredType type,
                                            const FillValue& fill, ShapeSpan chunk, int depth,
                                            const std::string& where) {
    if (depth == kMaxNesting)
        throw FormatError(fmt::format("{}: shards are nested more than {} deep", where, depth));
    auto result = std::make_shared<Sharding>();
    const std::vector<index_t> inner =
        extents_of(member(configuration, "chunk_shape", where), "chunk_shape", 1, where);
    result->chunk = Shape(inner.begin(), inner.end());
    for (std::size_t k = 0; k < inner.size() || inner.size() != chunk.size(); ++k)
        if (inner.size() != chunk.size() || chunk[k] % inner[k] != 0)
            throw FormatError(fmt::format("{}: chunks of shape {} do not divide a shard of {}",
                                          where, to_string(result->chunk), to_string(chunk)));
    result->fill = fill;
    result->inner = chain_of(member(configuration, "codecs", where), type, fill, result->chunk,
                             depth + 1, where);
    // The index is an array of 64-bit numbers, of known length.
    StoredType words;
    words.dtype = uint64;
    const Json::Value& listed = configuration["index_codecs"];
    if (!listed.isNull()) {
        const CodecChain index = chain_of(listed, words, {}, Shape{1, 2}, kMaxNesting, where);
        for (const auto& codec : index.bytes)
            if (!codec->is_fixed())
                throw FormatError(fmt::format("{}: index_codecs: {} gives no fixed length", where,
                                              codec->name()));
        if (!index.order.empty())
            throw FormatError(fmt::format("{}: index_codecs: transpose is not understood", where));
        result->index_codecs = index.bytes;
        result->index_swapped = index.type.swapped;
    }
    const Json::Value& location = configuration["index_location"];
    const std::string place =
        location.isNull() ? std::string("end") : text_of(location, "index_location", where);
    if (place != "start" && place != "end")
        throw FormatError(fmt::format("{}: index_location {} is neither 'start' nor 'end'", where,
                                      npy::quoted(place)));
    result->index_at_end = place == "end";
    return result;
}

CodecChain chain_of(const Json::Value& codecs, StoredType type, const FillValue& fill,
                    ShapeSpan chunk, int depth, const std::string& where) {
    constexpr Json::ArrayIndex kMostCodecs = 16;
    if (!codecs.isArray() || codecs.empty() || codecs.size() > kMostCodecs)
        throw FormatError(fmt::format("{}: codecs are no list of 1 to {}", where, kMostCodecs));
    CodecChain chain;
    chain.type = type;
    bool has_bytes = false;
    for (const Json::Value& codec : codecs) {
        const NamedPart part = named_part(codec, "a codec", where);
        const std::string& name = part.name;
        const bool makes_bytes =
            name == "bytes" || name == "vlen-utf8" || name == "sharding_indexed";
        if (has_bytes && (makes_bytes || name == "transpose"))
            throw FormatError(
                fmt::format("{}: codec {} may not follow one that makes bytes of elements", where,
                            npy::quoted(name)));
        if (!makes_bytes && !has_bytes && name != "transpose")
            throw FormatError(
                fmt::format("{}: codec {} follows no codec that makes bytes of elements", where,
                            npy::quoted(name)));
        const bool has_length = type.encoding == Encoding::lengths;
        if ((name == "bytes" && has_length) || (name == "vlen-utf8" && !has_length))
            throw FormatError(fmt::format("{}: codec '{}' is not for {} of these", where, name,
                                          type.dtype.name()));
        if (name == "bytes") {
            const Json::Value& endian = part.configuration["endian"];
            chain.type.swapped = !endian.isNull() && is_swapped(endian, where);
            if (endian.isNull() && type.ordered > 1)
                throw FormatError(fmt::format("{}: codec 'bytes' has no endian", where));
        } else if (name == "sharding_indexed") {
            Shape stored = to_shape(chunk);
            for (std::size_t k = 0; k < chain.order.size(); ++k)
                stored[k] = chunk[static_cast<std::size_t>(chain.order[k])];
            chain.shards = sharding_of(part.configuration, type, fill, stored, depth, where);
        } else if (name == "transpose") {
            chain.order = transposed(chain.order, member(part.configuration, "order", where),
                                     chunk.size(), where);
        } else if (!makes_bytes) {
            chain.bytes.push_back(
                compressor(name, part.configuration, std::max<index_t>(1, type.bytes), where));
        }
        has_bytes = has_bytes || makes_bytes;
        chain.names += chain.names.empty() ? name : fmt::format(", {}", name);
    }
    if (!has_bytes) throw FormatError(fmt::format("{}: no codec makes bytes of elements", where));
    if (std::is_sorted(chain.order.begin(), chain.order.end())) chain.order.clear();
    if (chain.shards != nullptr) chain.names += fmt::format(" ({})", chain.shards->inner.names);
    return chain;
}

} // namespace

CodecChain codecs_of_format_3(const Json::Value& codecs, const StoredType& type,
                              const FillValue& fill, ShapeSpan chunk, const std::string& where) {
    return chain_of(codecs, type, fill, chunk, 0, where);
}

} // namespace purview::zarr
