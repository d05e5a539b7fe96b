#include <support/catch.hpp>

#include "metadata/new_metadata.hpp"

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>
#include <span>
#include <string>
#include <vector>

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using pv::index_t;
using pv::Shape;
using pv::ZarrCodec;
using pv::ZarrOptions;

// The metadata of new arrays says to a reader what it was made of.
namespace new_metadata_test {
namespace {

const std::string kWhere = "here";

pv::zarr::ArrayMetadata made(const Shape& shape, pv::DType dtype, const ZarrOptions& options) {
    return pv::zarr::metadata_of(pv::zarr::metadata_texts(shape, dtype, options, kWhere), kWhere);
}

/// The fill that a reader takes from what is written of `value`.
template <typename T>
T fill(int format, const T& value) {
    const pv::zarr::ArrayMetadata array =
        made({4}, pv::kDType<T>, {.fill = pv::ZarrFill(value), .format = format});
    CHECK(array.codecs.type.dtype == pv::kDType<T>);
    T result{};
    REQUIRE(array.fill.bytes.size() == sizeof(T));
    std::memcpy(static_cast<void*>(&result), array.fill.bytes.data(), sizeof(T));
    return result;
}

TEST_CASE("fills of each type are read as they were given") {
    constexpr double kInfinite = std::numeric_limits<double>::infinity();
    for (const int format : {2, 3}) {
        CHECK(fill(format, true));
        CHECK(!fill(format, false));
        CHECK(fill<std::int8_t>(format, -128) == -128);
        CHECK(fill<std::uint16_t>(format, 65535) == 65535);
        CHECK(fill(format, std::numeric_limits<std::int64_t>::min()) ==
              std::numeric_limits<std::int64_t>::min());
        CHECK(fill(format, std::numeric_limits<std::uint64_t>::max()) ==
              std::numeric_limits<std::uint64_t>::max());
        CHECK(fill(format, 0.1F) == 0.1F);
        CHECK(fill(format, 0.1) == 0.1);
        CHECK(std::signbit(fill(format, -0.0)));
        CHECK(fill(format, 5e-324) == 5e-324);
        CHECK(std::isnan(fill(format, std::nan(""))));
        CHECK(fill(format, kInfinite) == kInfinite);
        CHECK(fill(format, -kInfinite) == -kInfinite);
        CHECK(static_cast<float>(fill(format, pv::Half(0.5F))) == 0.5F);
        CHECK(std::isnan(static_cast<float>(fill(format, pv::Half(std::nanf(""))))));
        const auto complex = fill(format, std::complex<double>(-kInfinite, 0.1));
        CHECK(complex == std::complex<double>(-kInfinite, 0.1));
        CHECK(std::isnan(fill(format, std::complex<float>(1, std::nanf(""))).imag()));
        using std::chrono::milliseconds;
        using std::chrono::sys_seconds;
        CHECK(fill(format, milliseconds(-7)) == milliseconds(-7));
        CHECK(fill(format, milliseconds::min()) == milliseconds::min()); // NaT
        CHECK(fill(format, sys_seconds(std::chrono::seconds(5))) ==
              sys_seconds(std::chrono::seconds(5)));
        const pv::zarr::ArrayMetadata texts =
            made({4}, pv::kDType<std::string>, {.fill = "none", .format = format});
        CHECK(texts.fill.text == "none");
        CHECK(texts.codecs.type.encoding == pv::zarr::Encoding::lengths);
        // Nothing given: zeros.
        CHECK(made({4}, pv::float64, {.format = format}).fill.bytes == std::vector<std::byte>(8));
        CHECK(made({4}, pv::kDType<std::string>, {.format = format}).fill.text.empty());
    }
    CHECK(static_cast<float>(fill(3, pv::BFloat16(-2))) == -2);
    // Of another type: converted with checks; a tensor of one element.
    CHECK(made({4}, pv::int16, {.fill = 7.0}).fill.bytes[0] == std::byte{7});
    CHECK(made({4}, pv::int16, {.fill = pv::tensor({7})}).fill.bytes[0] == std::byte{7});
    CHECK_THROWS_AS(made({4}, pv::int16, {.fill = 1e9}), pv::CastError);
    CHECK_THROWS_AS(made({4}, pv::uint8, {.fill = 256}), pv::CastError);
    CHECK_THROWS_AS(made({4}, pv::float64, {.fill = "text"}), pv::DtypeError);
    CHECK_THROWS_AS(made({4}, pv::kDType<std::string>, {.fill = 1}), pv::DtypeError);
    CHECK_THROWS_AS(made({4}, pv::int16, {.fill = pv::tensor({7, 8})}), pv::ShapeError);
}

TEST_CASE("chunks, shards, names, attributes and codecs are those of the options") {
    ZarrOptions options{.chunks = {4, 8},
                        .shards = {8, 24},
                        .codecs = {ZarrCodec::blosc("lz4", 9, pv::Shuffle::bits),
                                   ZarrCodec::zstd(1), ZarrCodec::crc32c()},
                        .dimension_names = {"time", ""},
                        .attributes = pv::Attributes({}, R"({"units": "K", "none": NaN})")};
    const pv::zarr::ArrayMetadata sharded = made({100, 0}, pv::float32, options);
    CHECK(sharded.shape == Shape{100, 0});
    CHECK(sharded.chunk == Shape{8, 24});
    REQUIRE(sharded.codecs.has_parts());
    CHECK(sharded.codecs.shards->chunk == Shape{4, 8});
    CHECK(sharded.codecs.names == "sharding_indexed (bytes, blosc, zstd, crc32c)");
    CHECK(sharded.codecs.shards->index_codecs.size() == 1);
    CHECK(sharded.dimension_names == std::vector<std::string>{"time", ""});
    CHECK(sharded.attributes["units"] == "K");
    CHECK(std::isnan(sharded.attributes["none"].asDouble()));
    CHECK(sharded.keys.key(Shape{1, 2}) == "c/1/2");

    const auto names = [&](std::vector<ZarrCodec> codecs, pv::DType dtype, int format) {
        return made({4}, dtype, {.codecs = std::move(codecs), .format = format}).codecs.names;
    };
    CHECK(names({}, pv::int8, 3) == "bytes");
    CHECK(names({}, pv::int8, 2) == "none");
    CHECK(names({ZarrCodec::lz4(3)}, pv::int8, 3) == "bytes, numcodecs.lz4");
    CHECK(names({ZarrCodec::lz4(3)}, pv::int8, 2) == "lz4");
    CHECK(names({ZarrCodec::zlib(), ZarrCodec::gzip()}, pv::int8, 3) ==
          "bytes, numcodecs.zlib, gzip");
    CHECK(names({ZarrCodec::zlib()}, pv::kDType<std::string>, 2) == "vlen-utf8, zlib");
    CHECK(names({ZarrCodec::zstd()}, pv::kDType<std::string>, 3) == "vlen-utf8, zstd");

    const pv::zarr::ArrayMetadata old =
        made({7, 5}, pv::int16, {.chunks = {7, 9}, .dimension_names = {"y", "x"}, .format = 2});
    CHECK(old.chunk == Shape{7, 9});
    CHECK(old.dimension_names == std::vector<std::string>{"y", "x"});
    CHECK(old.keys.key(Shape{1, 2}) == "1.2");
    const auto texts = pv::zarr::metadata_texts(Shape{7, 5}, pv::int16, {.format = 2}, kWhere);
    REQUIRE(texts.size() == 2);
    CHECK(texts[0].first == ".zarray");
    CHECK(texts[1] == std::pair<std::string, std::string>(".zattrs", "{}"));
    // A scalar is one chunk.
    CHECK(made({}, pv::float64, {}).chunk.empty());
    CHECK(made({}, pv::float64, {}).keys.key({}) == "c");
    CHECK(made({}, pv::float64, {.format = 2}).keys.key({}) == "0");
}

TEST_CASE("attributes are written as values by name") {
    const pv::Attributes attributes{{"units", "K"},
                                    {"scale_factor", 0.1},
                                    {"count", 3},
                                    {"range", {0, 2.5}},
                                    {"quote\"\\\n", "é\t"}};
    CHECK(attributes.number("count") == 3.0);
    CHECK(attributes.json() == R"({"count": 3, "quote\"\\\u000a": "é\u0009", "range": [0, 2.5], )"
                               R"("scale_factor": 0.1, "units": "K"})");
    CHECK(pv::Attributes{{"none", std::nan("")}, {"far", -HUGE_VAL}}.json() ==
          R"({"far": -Infinity, "none": NaN})");
    const auto array =
        made({4}, pv::int8, {.attributes = {{"units", std::string("K")}, {"x", 2.5F}}});
    CHECK(array.attributes["units"] == "K");
    CHECK(array.attributes["x"] == 2.5);
    CHECK(made({4}, pv::int8, {}).attributes.empty());
}

TEST_CASE("options that fit no array are refused") {
    const auto refuses = []<typename E>(std::type_identity<E>, const ZarrOptions& options,
                                        const std::string& what, pv::DType dtype = pv::int32) {
        INFO(what);
        CHECK_THROWS_AS(made({10, 20}, dtype, options), E);
        CHECK_THROWS_WITH(made({10, 20}, dtype, options), ContainsSubstring(what));
        CHECK_THROWS_WITH(made({10, 20}, dtype, options), ContainsSubstring("here"));
    };
    constexpr std::type_identity<pv::ShapeError> kShape;
    constexpr std::type_identity<pv::FormatError> kFormat;
    refuses(kShape, {.chunks = {4}}, "chunks of shape [4] do not fit an array of shape [10 20]");
    refuses(kShape, {.chunks = {4, 0}}, "chunks of shape [4 0]");
    refuses(kShape, {.chunks = {4, 4}, .shards = {8, 6}}, "no multiple of chunks of [4 4]");
    refuses(kShape, {.shards = {8}}, "shards of shape [8]");
    refuses(kShape, {.shards = {-8, 8}}, "shards of shape [-8 8]");
    refuses(kShape, {.dimension_names = {"x"}}, "1 dimension_names");
    refuses(kFormat, {.shards = {8, 8}, .format = 2}, "format 2 has no shards");
    refuses(kFormat, {.codecs = {ZarrCodec::zstd(), ZarrCodec::crc32c()}, .format = 2},
            "one codec");
    refuses(kFormat, {.format = 4}, "format 4");
    refuses(kFormat, {.attributes = pv::Attributes({}, "[1]")}, "attributes");
    refuses(kFormat, {.attributes = pv::Attributes({}, "{")}, "attributes");
    constexpr std::type_identity<pv::DtypeError> kDtype;
    refuses(kDtype, {}, "here", pv::kDType<std::chrono::duration<int>>);
    refuses(kDtype, {.format = 2}, "here", pv::bfloat16);
    CHECK_THROWS_AS(ZarrCodec::zstd(23), pv::FormatError);
    CHECK_THROWS_WITH(ZarrCodec::gzip(10),
                      ContainsSubstring("gzip: level 10 is outside of [0, 9]"));
    CHECK_THROWS_AS(ZarrCodec::zlib(-1), pv::FormatError);
    CHECK_THROWS_AS(ZarrCodec::lz4(0), pv::FormatError);
    CHECK_THROWS_AS(ZarrCodec::blosc("zstd", 10), pv::FormatError);
    CHECK_THROWS_WITH(ZarrCodec::blosc("snappier"), ContainsSubstring("'snappier'"));
}

TEST_CASE("chunks that are not given are about 2 MiB, as cubic as the shape allows") {
    using pv::zarr::default_chunks;
    CHECK(default_chunks(Shape{512, 512, 512}, 8) == Shape{64, 64, 64});
    CHECK(default_chunks(Shape{1 << 20, 1 << 20}, 8) == Shape{512, 512});
    CHECK(default_chunks(Shape{1 << 20, 4, 1 << 20}, 8) == Shape{256, 4, 256});
    CHECK(default_chunks(Shape{10, 20}, 8) == Shape{10, 20});
    CHECK(default_chunks(Shape{1 << 30}, 1) == Shape{1 << 21});
    CHECK(default_chunks(Shape{}, 8).empty());
    CHECK(default_chunks(Shape{0, 512, 512}, 8) == Shape{64, 64, 64});
    CHECK(default_chunks(Shape{0}, 4) == Shape{1 << 19});
    CHECK(default_chunks(Shape{5}, 1 << 22) == Shape{1});
    for (const int bytes : {1, 2, 4, 8, 16, 32}) {
        const Shape chunk = default_chunks(Shape{3000, 7, 1 << 14, 900, 0}, bytes);
        index_t size = bytes;
        for (const index_t extent : chunk) size *= extent;
        CHECK(size <= 1 << 21);
        CHECK(size > 1 << 20);
    }
    // In a shard, they divide it.
    CHECK(made({1000, 1000}, pv::float64, {.shards = {1000, 998}}).codecs.shards->chunk ==
          Shape{500, 499});
}

TEST_CASE("another shape leaves the rest of the metadata as it is") {
    const auto reshaped = [](const std::string& text, const Shape& shape) {
        return pv::zarr::with_shape(std::as_bytes(std::span(text)), shape, kWhere);
    };
    CHECK(
        reshaped(R"({"a": "é [1]", "shape": [1,
        2], "x": 0.10, "y": NaN, "z": 123456789012345678901234567890})",
                 {30, 4}) ==
        R"({"a": "é [1]", "shape": [30,4], "x": 0.10, "y": NaN, "z": 123456789012345678901234567890})");
    CHECK(reshaped(R"({"attributes": {"shape": [7]}, "shape":[]})", {}) ==
          R"({"attributes": {"shape": [7]}, "shape":[]})");
    for (const int format : {2, 3}) {
        auto texts = pv::zarr::metadata_texts(Shape{4, 5}, pv::float32, {.format = format}, kWhere);
        texts[0].second = reshaped(texts[0].second, {9, 5});
        CHECK(pv::zarr::metadata_of(texts, kWhere).shape == Shape{9, 5});
    }
    CHECK_THROWS_AS(reshaped("{}", {1}), pv::FormatError);
    CHECK_THROWS_AS(reshaped("[", {1}), pv::FormatError);
}

} // namespace
} // namespace new_metadata_test
