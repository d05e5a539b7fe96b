#include <support/catch.hpp>

#include "codecs/shard.hpp"
#include "metadata/array_metadata.hpp"

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <span>
#include <string>
#include <vector>

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;

// What chunks are encoded to decodes to the same elements, for each codec, type, order and form of shard.
namespace encode_test {
namespace {

const std::string kWhere = "here";

Json::Value json(const std::string& text) {
    return pv::zarr::parse_json(std::as_bytes(std::span(text)), kWhere);
}

/// An array of [12 8 4] in one chunk.
pv::zarr::ArrayMetadata format_3(const std::string& type, const std::string& codecs,
                                 const std::string& fill = "0") {
    return pv::zarr::metadata_of_format_3(
        json(R"({"zarr_format": 3, "node_type": "array", "shape": [12, 8, 4], "data_type": )" +
             type +
             R"(, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [12, 8, 4]}},
             "chunk_key_encoding": {"name": "default"}, "fill_value": )" +
             fill + ", \"codecs\": [" + codecs + "]}"),
        kWhere);
}
pv::zarr::ArrayMetadata format_2(const std::string& type, const std::string& rest) {
    return pv::zarr::metadata_of_format_2(
        json(
            R"({"zarr_format": 2, "shape": [12, 8, 4], "chunks": [12, 8, 4], "fill_value": 0, "dtype": ")" +
            type + "\"" + rest + "}"),
        Json::Value(Json::objectValue), kWhere);
}

/// Elements of small numbers in the first bytes; some of the chunks in them are all zeros.
std::vector<std::byte> numbers(const pv::zarr::ArrayMetadata& array) {
    const auto width = static_cast<std::size_t>(array.codecs.type.dtype.size_bytes());
    const auto count = static_cast<std::size_t>(pv::checked_size(array.chunk, "test"));
    std::vector<std::byte> elements(count * width);
    for (std::size_t i = 0; i < count; ++i)
        if (i / 4 % 8 < 4 || i > 200)
            elements[i * width] = array.codecs.type.dtype == pv::boolean
                                      ? std::byte(i % 3 == 0)
                                      : static_cast<std::byte>(i * 37 % 101);
    return elements;
}
std::vector<std::string> texts(const pv::zarr::ArrayMetadata& array) {
    std::vector<std::string> result(
        static_cast<std::size_t>(pv::checked_size(array.chunk, "test")));
    for (std::size_t i = 0; i < result.size(); ++i)
        if (i / 4 % 8 < 4 || i > 200) result[i] = std::to_string(i * 37 % 101);
    return result;
}

std::vector<std::byte> encoded(const pv::zarr::ArrayMetadata& array) {
    if (array.codecs.type.dtype == pv::kDType<std::string>)
        return array.codecs.encode(texts(array).data(), array.chunk, kWhere);
    return array.codecs.encode(numbers(array).data(), array.chunk, kWhere);
}

bool is_kept(const pv::zarr::ArrayMetadata& array) {
    const std::vector<std::byte> bytes = encoded(array);
    if (std::ssize(bytes) > array.codecs.most_encoded(array.chunk, kWhere)) return false;
    if (array.codecs.type.dtype == pv::kDType<std::string>) {
        std::vector<std::string> decoded(texts(array).size());
        array.codecs.decode(bytes, array.chunk, decoded.data(), kWhere);
        return decoded == texts(array);
    }
    std::vector<std::byte> decoded(numbers(array).size());
    array.codecs.decode(bytes, array.chunk, decoded.data(), kWhere);
    return decoded == numbers(array);
}

const std::vector<std::string> kTypes{
    "\"bool\"",
    "\"int8\"",
    "\"int16\"",
    "\"int32\"",
    "\"int64\"",
    "\"uint8\"",
    "\"uint16\"",
    "\"uint32\"",
    "\"uint64\"",
    "\"float16\"",
    "\"float32\"",
    "\"float64\"",
    "\"bfloat16\"",
    "\"complex64\"",
    "\"complex128\"",
    R"({"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}})",
    R"({"name": "numpy.timedelta64", "configuration": {"unit": "s", "scale_factor": 1}})"};
const std::vector<std::string> kTextTypes{
    "\"string\"", R"({"name": "null_terminated_bytes", "configuration": {"length_bytes": 3}})",
    R"({"name": "fixed_length_utf32", "configuration": {"length_bytes": 12}})"};
const std::vector<std::string> kCompressors{
    "",
    R"(, {"name": "zstd", "configuration": {"level": 3, "checksum": true}})",
    R"(, {"name": "gzip", "configuration": {"level": 9}})",
    R"(, {"name": "crc32c"})",
    R"(, {"name": "numcodecs.lz4", "configuration": {"acceleration": 7}})",
    R"(, {"name": "numcodecs.zlib", "configuration": {"level": 1}})",
    R"(, {"name": "zstd", "configuration": {"level": -5}}, {"name": "crc32c"})"};

std::string bytes_codec(const std::string& endian = "little") {
    return R"({"name": "bytes", "configuration": {"endian": ")" + endian + "\"}}";
}
/// How elements of the type become bytes.
std::string serializer(const std::string& type, const std::string& endian = "little") {
    return type == "\"string\"" ? "{\"name\": \"vlen-utf8\"}" : bytes_codec(endian);
}
std::string shard(const std::string& chunk, const std::string& inner,
                  const std::string& location = "end",
                  const std::string& index = bytes_codec() + R"(, {"name": "crc32c"})") {
    return R"({"name": "sharding_indexed", "configuration": {"chunk_shape": )" + chunk +
           ", \"codecs\": [" + inner + "], \"index_codecs\": [" + index +
           "], \"index_location\": \"" + location + "\"}}";
}
const std::string kTransposed = R"({"name": "transpose", "configuration": {"order": [2, 0, 1]}}, )";

std::vector<std::string> all_types() {
    std::vector<std::string> types = kTypes;
    types.insert(types.end(), kTextTypes.begin(), kTextTypes.end());
    return types;
}
std::string fill_of(const std::string& type) {
    const bool is_text = std::find(kTextTypes.begin(), kTextTypes.end(), type) != kTextTypes.end();
    return type == "\"bool\"" ? "false" : is_text ? "\"\"" : "0";
}

TEST_CASE("elements of each type are kept in both byte orders, transposed, and in shards") {
    for (const std::string& type : all_types())
        for (const std::string endian : {"little", "big"})
            for (const std::string& codecs :
                 {serializer(type, endian), kTransposed + serializer(type, endian),
                  shard("[4, 4, 2]", serializer(type, endian)),
                  shard("[4, 4, 2]", kTransposed + serializer(type, endian))}) {
                INFO(type << ": " << codecs);
                CHECK(is_kept(format_3(type, codecs, fill_of(type))));
            }
}

TEST_CASE("each codec keeps elements, and texts") {
    for (const std::string& codec : kCompressors)
        for (const std::string type : {"\"int16\"", "\"float64\"", "\"bool\"", "\"string\""}) {
            INFO(type << codec);
            CHECK(is_kept(format_3(type, serializer(type) + codec, fill_of(type))));
            CHECK(is_kept(format_3(type, shard("[4, 4, 2]", serializer(type) + codec) + codec,
                                   fill_of(type))));
        }
    for (const std::string name : {"blosclz", "lz4", "lz4hc", "zlib", "zstd"})
        for (const std::string shuffle : {"noshuffle", "shuffle", "bitshuffle"}) {
            const std::string codec = R"(, {"name": "blosc", "configuration": {"cname": ")" + name +
                                      R"(", "clevel": 5, "shuffle": ")" + shuffle +
                                      R"(", "typesize": 4, "blocksize": 0}})";
            INFO(codec);
            const pv::zarr::ArrayMetadata array = format_3("\"int32\"", bytes_codec() + codec);
            CHECK(is_kept(array));
            // As its header says: by this compressor, this shuffle, elements of 4 bytes.
            const std::vector<std::byte> bytes = encoded(array);
            CHECK(bytes[3] == std::byte{4});
            const auto flags = static_cast<int>(bytes[2]);
            CHECK((flags & 5) == (shuffle == "shuffle" ? 1 : shuffle == "bitshuffle" ? 4 : 0));
            CHECK(flags >> 5 == (name == "blosclz" ? 0
                                 : name == "zlib"  ? 3
                                 : name == "zstd"  ? 4
                                                   : 1));
        }
}

TEST_CASE("levels are those of the metadata") {
    const auto length = [](const std::string& codec) {
        return encoded(format_3("\"int64\"", bytes_codec() + ", " + codec)).size();
    };
    CHECK(length(R"({"name": "gzip", "configuration": {"level": 0}})") >
          length(R"({"name": "gzip", "configuration": {"level": 9}})"));
    CHECK(length(R"({"name": "zstd", "configuration": {"level": -100000}})") >
          length(R"({"name": "zstd", "configuration": {"level": 19}})"));
    CHECK(length(R"({"name": "zstd", "configuration": {"level": 3, "checksum": true}})") ==
          length(R"({"name": "zstd", "configuration": {"level": 3, "checksum": false}})") + 4);
    // What no codec knows is not what decides whether an array can be read, or written.
    CHECK(length(R"({"name": "zstd", "configuration": {"level": 3000}})") ==
          length(R"({"name": "zstd", "configuration": {"level": 3}})"));
    CHECK(length(R"({"name": "zstd", "configuration": {"level": "high"}})") ==
          length(R"({"name": "zstd"})"));
}

TEST_CASE(
    "shards with the index at either place, nested, and without the chunks that are all fill") {
    const std::string inner = bytes_codec() + R"(, {"name": "zstd"})";
    for (const std::string location : {"start", "end"})
        for (const std::string& index :
             {bytes_codec(), bytes_codec("big"), bytes_codec() + R"(, {"name": "crc32c"})"}) {
            const pv::zarr::ArrayMetadata array =
                format_3("\"int16\"", shard("[4, 4, 2]", inner, location, index));
            CHECK(is_kept(array));
            const std::vector<std::byte> whole = encoded(array);
            const std::size_t length = 12 * 16 + (index.ends_with("\"crc32c\"}") ? 4 : 0);
            const std::span bytes(whole);
            const pv::zarr::ShardIndex places(
                *array.codecs.shards, 12,
                location == "end" ? bytes.last(length) : bytes.first(length), kWhere);
            index_t missing = 0;
            for (index_t i = 0; i < 12; ++i)
                missing += places.entry(i, 1 << 20, std::ssize(whole), kWhere) ? 0 : 1;
            CHECK(missing == 2); // of the first four rows, the last four columns
        }
    for (const std::string& nested :
         {shard("[6, 4, 4]", shard("[3, 4, 2]", inner)),
          shard("[6, 4, 4]", shard("[3, 4, 2]", inner, "start"), "start"),
          kTransposed + shard("[2, 6, 4]", kTransposed + shard("[2, 2, 3]", inner))})
        CHECK(is_kept(format_3("\"int32\"", nested)));
    // A shard of nothing but fill is an index; whoever stores chunks leaves it out.
    const pv::zarr::ArrayMetadata array =
        format_3("\"int32\"", shard("[4, 4, 2]", inner, "end", bytes_codec()), "7");
    const std::vector<std::int32_t> sevens(384, 7);
    CHECK(pv::zarr::are_fill(array.fill, sevens.data(), 384, pv::int32));
    CHECK(array.codecs.encode(sevens.data(), array.chunk, kWhere) ==
          std::vector<std::byte>(12 * 16, std::byte{0xff}));
    std::vector<std::int32_t> other = sevens;
    for (const std::size_t place : {0U, 1U, 200U, 383U}) {
        other[place] = 8;
        CHECK(!pv::zarr::are_fill(array.fill, other.data(), 384, pv::int32));
        other[place] = 7;
    }
    CHECK(pv::zarr::are_fill(array.fill, other.data(), 384, pv::int32));
}

TEST_CASE("format 2: both orders, compressors and filters") {
    for (const std::string type :
         {"|b1", "<i2", ">i2", "<f8", ">c16", "<M8[s]", "|S3", "<U3", ">U3"})
        for (const std::string order : {"C", "F"}) {
            INFO(type << order);
            CHECK(is_kept(format_2(type, R"(, "compressor": null, "order": ")" + order + "\"")));
        }
    for (const std::string codec :
         {R"({"id": "zlib", "level": 1})", R"({"id": "gzip", "level": 1})",
          R"({"id": "zstd", "level": 1})", R"({"id": "lz4", "acceleration": 1})",
          R"({"id": "crc32c"})", R"({"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": -1})",
          R"({"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2, "blocksize": 0})"})
        CHECK(is_kept(format_2("<i4", ", \"compressor\": " + codec)));
    for (const std::string& filters :
         {std::string(R"({"id": "shuffle", "elementsize": 4})"),
          std::string(R"({"id": "delta", "dtype": "<i4"})"),
          std::string(R"({"id": "delta", "dtype": "<i4", "astype": "<i2"})"),
          std::string(R"({"id": "delta", "dtype": ">i4", "astype": ">i8"})"),
          std::string(R"({"id": "delta", "dtype": "<i4"}, {"id": "shuffle", "elementsize": 4})")})
        CHECK(is_kept(format_2(filters.find('>') == std::string::npos ? "<i4" : ">i4",
                               R"(, "compressor": {"id": "zlib", "level": 1}, "filters": [)" +
                                   filters + "]")));
    for (const int width : {1, 2, 3, 4, 8, 12, 16, 24, 256}) // of any elements
        CHECK(is_kept(format_2(
            "<c16", R"(, "compressor": null, "filters": [{"id": "shuffle", "elementsize": )" +
                        std::to_string(width) + "}]")));
    CHECK(is_kept(
        format_2("|O", R"(, "compressor": {"id": "zstd"}, "filters": [{"id": "vlen-utf8"}])")));
}

TEST_CASE("filters whose numbers would be others cannot be written") {
    for (
        const std::string filter :
        {R"({"id": "delta", "dtype": "<f8"})",
         R"({"id": "delta", "dtype": "<f8", "astype": "<i2"})",
         R"({"id": "fixedscaleoffset", "dtype": "<f8", "astype": "<i2", "scale": 10, "offset": 5})"}) {
        const pv::zarr::ArrayMetadata array =
            format_2("<f8", ", \"compressor\": null, \"filters\": [" + filter + "]");
        CHECK_THROWS_AS(array.codecs.require_encoder(kWhere), pv::ReadOnlyError);
        CHECK_THROWS_AS(encoded(array), pv::ReadOnlyError);
        CHECK_THROWS_WITH(encoded(array), ContainsSubstring("cannot be written"));
    }
    const pv::zarr::ArrayMetadata array = format_2(
        "<i4",
        R"(, "compressor": null, "filters": [{"id": "delta", "dtype": "<i4", "astype": "|i1"}])");
    std::vector<std::int32_t> elements(384);
    std::iota(elements.begin(), elements.end(), 0);
    CHECK(array.codecs.encode(elements.data(), array.chunk, kWhere).size() == 384);
    elements[7] = 1000;
    CHECK_THROWS_AS(array.codecs.encode(elements.data(), array.chunk, kWhere), pv::CastError);
    CHECK_THROWS_WITH(array.codecs.encode(elements.data(), array.chunk, kWhere),
                      ContainsSubstring("1000 behind 6"));
}

TEST_CASE("texts that would be read as others are refused") {
    const auto encode = [](std::size_t type, const std::string& text) {
        const pv::zarr::ArrayMetadata array =
            format_3(kTextTypes[type], serializer(kTextTypes[type]), "\"\"");
        std::vector<std::string> all(384);
        all[5] = text;
        const std::vector<std::byte> bytes = array.codecs.encode(all.data(), array.chunk, kWhere);
        std::vector<std::string> decoded(384);
        array.codecs.decode(bytes, array.chunk, decoded.data(), kWhere);
        return decoded[5] == text;
    };
    for (const std::size_t type : {0U, 1U, 2U}) CHECK(encode(type, "abc"));
    CHECK(encode(0, "long enough for any text"));
    CHECK(encode(0, std::string("zero\0", 5)));
    for (const std::string text : {"é", "€", "😀", "aé😀"}) {
        CHECK(encode(0, text));
        CHECK(encode(2, text));
    }
    CHECK(encode(1, "\xff"));
    CHECK_THROWS_WITH(encode(1, "four"), ContainsSubstring("text 5 has 4 bytes, and an element 3"));
    CHECK_THROWS_AS(encode(2, "four"), pv::CastError);
    CHECK_THROWS_AS(encode(1, std::string("a\0", 2)), pv::CastError);
    CHECK_THROWS_AS(encode(2, std::string("a\0", 2)), pv::CastError);
    for (const std::string text :
         {"\xff", "\xc0\x80", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\x80"})
        for (const std::size_t type : {0U, 2U}) {
            CHECK_THROWS_AS(encode(type, text), pv::CastError);
            CHECK_THROWS_WITH(encode(type, text), ContainsSubstring("text 5 is no UTF-8"));
        }
}

} // namespace
} // namespace encode_test
