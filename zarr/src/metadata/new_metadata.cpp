#include "metadata/new_metadata.hpp"

#include "io/npy_descr.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/assembly/create_like.hpp>
#include <purview/tensor/write_values.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <string_view>

namespace purview::inline v0_1::zarr {
namespace {

Json::Value named(const std::string& name) {
    Json::Value part(Json::objectValue);
    part["name"] = name;
    return part;
}

Json::Value list_of(ShapeSpan extents) {
    Json::Value list(Json::arrayValue);
    for (const index_t extent : extents) list.append(Json::Int64{extent});
    return list;
}

/// The codec that makes bytes of elements in format 3.
Json::Value bytes_part(const StoredType& type) {
    if (type.encoding == Encoding::lengths) return named("vlen-utf8");
    Json::Value part = named("bytes");
    if (type.ordered > 1) part["configuration"]["endian"] = "little";
    return part;
}

/// A codec as either format tells it.
Json::Value codec_part(const ZarrCodec& codec, const StoredType& type, int format) {
    const std::string& name = codec.name();
    Json::Value how(Json::objectValue);
    if (name == "blosc") {
        constexpr const char* kWords[] = {"noshuffle", "shuffle", "bitshuffle"};
        const auto shuffle = static_cast<int>(codec.shuffle());
        how["cname"] = codec.compressor();
        how["clevel"] = codec.level();
        how["shuffle"] = format == 3 ? Json::Value(kWords[shuffle]) : Json::Value(shuffle);
        how["blocksize"] = 0;
        if (format == 3) how["typesize"] = Json::Int64{std::max<index_t>(1, type.bytes)};
    } else if (name != "crc32c") {
        how[name == "lz4" ? "acceleration" : "level"] = codec.level();
        if (name == "zstd" && format == 3) how["checksum"] = false;
    }
    if (format == 2) {
        how["id"] = name;
        return how;
    }
    Json::Value part = named(name == "lz4" || name == "zlib" ? "numcodecs." + name : name);
    if (!how.empty()) part["configuration"] = how;
    return part;
}

Json::Value codecs_part(const StoredType& type, const ZarrOptions& options, ShapeSpan chunk) {
    Json::Value codecs(Json::arrayValue);
    codecs.append(bytes_part(type));
    for (const ZarrCodec& codec : options.codecs) codecs.append(codec_part(codec, type, 3));
    if (options.shards.empty()) return codecs;
    Json::Value shard = named("sharding_indexed");
    Json::Value& how = shard["configuration"];
    how["chunk_shape"] = list_of(chunk);
    how["codecs"] = codecs;
    StoredType words;
    words.dtype = uint64;
    how["index_codecs"].append(bytes_part(words));
    how["index_codecs"].append(named("crc32c"));
    how["index_location"] = "end";
    Json::Value result(Json::arrayValue);
    result.append(shard);
    return result;
}

/// `<M8[ns]` in format 2; in format 3 a name, or an object with a unit.
Json::Value type_part(DType dtype, int format, const std::string& where) {
    if (dtype == kDType<std::string>) return format == 3 ? "string" : "|O";
    if (format == 3 && dtype == bfloat16) return "bfloat16";
    const std::string descr = npy::format_descr(dtype, where);
    const std::size_t unit = descr.find('[');
    if (format == 2) return descr;
    if (unit == std::string::npos) return std::string(dtype.name());
    Json::Value part = named(descr[1] == 'M' ? "numpy.datetime64" : "numpy.timedelta64");
    part["configuration"]["unit"] = descr.substr(unit + 1, descr.size() - unit - 2);
    part["configuration"]["scale_factor"] = 1;
    return part;
}

FillValue fill_value_of(const ZarrOptions& options, DType dtype, const std::string& where) {
    FillValue fill;
    fill.bytes.resize(static_cast<std::size_t>(dtype.size_bytes()));
    if (dtype == kDType<std::string>) fill.bytes.clear();
    if (!options.fill) {
        // A fill of format 2 is what xarray takes for missing; where none was said, none is written.
        fill.is_defined = options.format != 2;
        return fill;
    }
    const AnyTensor& value = options.fill->value();
    if (value.size() != 1)
        throw ShapeError(fmt::format("{}: a fill of shape {} is not one element", where,
                                     to_string(value.shape())));
    if (dtype == kDType<std::string>) {
        if (value.dtype() != dtype)
            throw DtypeError(
                fmt::format("{}: a fill of {} is no text", where, value.dtype().name()));
        read_all(value.operand(), &fill.text);
        return fill;
    }
    const AnyTensor one = new_tensor("save_zarr", dtype, Shape(value.shape()), true);
    write_values(value.operand(), one.operand());
    read_all(one.operand(), fill.bytes.data());
    return fill;
}

/// Throws unless `extents` are one for each axis, from 1 on.
void require_extents(ShapeSpan extents, const char* what, ShapeSpan shape,
                     const std::string& where) {
    if (extents.size() != shape.size() ||
        std::any_of(extents.begin(), extents.end(), [](index_t extent) { return extent < 1; }))
        throw ShapeError(fmt::format("{}: {} of shape {} do not fit an array of shape {}", where,
                                     what, to_string(extents), to_string(shape)));
}

/// The shape of chunks; where they are not given, one that divides the shards.
Shape chunk_of(const ZarrOptions& options, ShapeSpan shape, DType dtype, const std::string& where) {
    if (!options.shards.empty()) require_extents(options.shards, "shards", shape, where);
    Shape chunk = options.chunks;
    if (chunk.empty() && !shape.empty()) {
        chunk = default_chunks(options.shards.empty() ? shape : ShapeSpan(options.shards),
                               dtype.size_bytes());
        for (std::size_t k = 0; k < options.shards.size(); ++k)
            while (options.shards[k] % chunk[k] != 0) --chunk[k];
    }
    require_extents(chunk, "chunks", shape, where);
    for (std::size_t k = 0; k < options.shards.size(); ++k)
        if (options.shards[k] % chunk[k] != 0)
            throw ShapeError(fmt::format("{}: shards of shape {} are no multiple of chunks of {}",
                                         where, to_string(options.shards), to_string(chunk)));
    return chunk;
}

/// Throws for chunks that a codec cannot take: when they are made, not once they were computed.
void require_small_chunks(const ZarrOptions& options, const StoredType& type, ShapeSpan chunk,
                          const std::string& where) {
    if (type.encoding == Encoding::lengths) return; // known when they are there
    const index_t count = checked_size(chunk, "save_zarr");
    for (const ZarrCodec& codec : options.codecs) {
        constexpr index_t kMostOfBlosc = std::numeric_limits<std::int32_t>::max() - 16;
        constexpr index_t kMostOfLz4 = 0x7E000000;
        if (codec.name() != "blosc" && codec.name() != "lz4") continue;
        const index_t most = codec.name() == "blosc" ? kMostOfBlosc : kMostOfLz4;
        if (count > most / std::max<index_t>(1, type.bytes))
            throw FormatError(fmt::format(
                "{}: {} takes {} bytes at most, and chunks of shape {} have {} elements "
                "of {} bytes",
                where, codec.name(), most, to_string(chunk), count, type.bytes));
    }
}

std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text));
}

} // namespace

Shape default_chunks(ShapeSpan shape, index_t element_bytes) {
    constexpr index_t kBytes = index_t{1} << 21;
    // From the shortest axis on: what one does not take is shared by the others.
    std::vector<std::size_t> axes(shape.size());
    std::iota(axes.begin(), axes.end(), std::size_t{0});
    const auto wanted = [&](std::size_t k) {
        return shape[k] == 0 ? std::numeric_limits<index_t>::max() : shape[k];
    };
    std::stable_sort(axes.begin(), axes.end(),
                     [&](std::size_t a, std::size_t b) { return wanted(a) < wanted(b); });
    Shape chunk(shape.size(), 1);
    auto left =
        static_cast<double>(std::max<index_t>(1, kBytes / std::max<index_t>(1, element_bytes)));
    auto others = static_cast<double>(shape.size());
    for (const std::size_t k : axes) {
        const auto side = static_cast<index_t>(std::pow(left, 1 / others) + 1e-9);
        chunk[k] = std::clamp<index_t>(side, 1, wanted(k));
        left = std::max(1.0, left / static_cast<double>(chunk[k]));
        --others;
    }
    return chunk;
}

MetadataTexts metadata_texts(ShapeSpan shape, DType dtype, const ZarrOptions& options,
                             const std::string& where) {
    const int format = options.format;
    if (format != 2 && format != 3)
        throw FormatError(fmt::format("{}: format {} is neither 2 nor 3", where, format));
    if (format == 2 && (!options.shards.empty() || options.codecs.size() > 1))
        throw FormatError(fmt::format("{}: format 2 has no shards, and one codec at most", where));
    if (!options.dimension_names.empty() && options.dimension_names.size() != shape.size())
        throw ShapeError(fmt::format("{}: {} dimension_names are not one for each axis of shape {}",
                                     where, options.dimension_names.size(), to_string(shape)));
    Json::Value array(Json::objectValue);
    array["zarr_format"] = format;
    const Json::Value name = type_part(dtype, format, where);
    array[format == 3 ? "data_type" : "dtype"] = name;
    const StoredType type =
        format == 3 ? type_of_format_3(name, where) : type_of_format_2(name, where);
    const Shape chunk = chunk_of(options, shape, dtype, where);
    require_small_chunks(options, type, chunk, where);
    array["shape"] = list_of(shape);
    array["fill_value"] = json_of_fill(fill_value_of(options, dtype, where), type);
    Json::Value attributes =
        parse_json(bytes_of(options.attributes.json()), where + ", attributes");
    Json::Value names(Json::arrayValue);
    for (const std::string& axis : options.dimension_names)
        names.append(axis.empty() && format == 3 ? Json::Value() : Json::Value(axis));
    if (format == 2) {
        if (!names.empty()) attributes["_ARRAY_DIMENSIONS"] = names;
        array["chunks"] = list_of(chunk);
        array["dimension_separator"] = ".";
        array["order"] = "C";
        array["filters"] = Json::Value();
        if (type.encoding == Encoding::lengths) {
            array["filters"] = Json::Value(Json::arrayValue);
            array["filters"].append(Json::Value(Json::objectValue))["id"] = "vlen-utf8";
        }
        array["compressor"] = options.codecs.empty()
                                  ? Json::Value()
                                  : codec_part(options.codecs.front(), type, format);
        return {{".zarray", json_text(array)}, {".zattrs", json_text(attributes)}};
    }
    array["node_type"] = "array";
    array["chunk_grid"] = named("regular");
    array["chunk_grid"]["configuration"]["chunk_shape"] =
        list_of(options.shards.empty() ? chunk : options.shards);
    array["chunk_key_encoding"] = named("default");
    array["chunk_key_encoding"]["configuration"]["separator"] = "/";
    array["codecs"] = codecs_part(type, options, chunk);
    if (!names.empty()) array["dimension_names"] = names;
    array["attributes"] = attributes;
    return {{"zarr.json", json_text(array)}};
}

ArrayMetadata metadata_of(const MetadataTexts& texts, const std::string& where) {
    const Json::Value array = parse_json(bytes_of(texts.front().second), where);
    if (texts.size() == 1) return metadata_of_format_3(array, where);
    return metadata_of_format_2(array, parse_json(bytes_of(texts[1].second), where), where);
}

std::string with_shape(std::span<const std::byte> text, ShapeSpan shape, const std::string& where) {
    const Json::Value array = parse_json(text, where);
    const Json::Value& before = member(array, "shape", where);
    std::string result(reinterpret_cast<const char*>(text.data()), text.size());
    // Places are counted behind a byte order mark.
    const std::size_t mark = result.starts_with("\xEF\xBB\xBF") ? 3 : 0;
    const std::size_t begin = mark + static_cast<std::size_t>(before.getOffsetStart());
    const std::size_t end = mark + static_cast<std::size_t>(before.getOffsetLimit());
    return result.replace(begin, end - begin, json_text(list_of(shape)));
}

} // namespace purview::zarr
