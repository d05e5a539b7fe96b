#include <support/catch.hpp>
#include <support/stored_chunks.hpp>
#include <support/temporary.hpp>

#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <cstring>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::MemoryLimit;
using pv::index_t;
using temporary::Folder;

// Nothing that a store has is trusted.
namespace malformed_stores_test {
namespace {

void put(pv::Store& store, const std::string& key, std::string_view text) {
    store.put(key, std::as_bytes(std::span(text)));
}

/// Metadata of format 3, with `change` behind what it has, or in place of it.
std::string metadata(std::string_view from = "", std::string_view to = "") {
    std::string text =
        R"({"zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 7,
        "codecs": [{"name": "bytes"}, {"name": "zstd"}], "attributes": {}})";
    if (!from.empty()) text.replace(text.find(from), from.size(), to);
    return text;
}

pv::Tensor<std::uint8_t> opened(const std::string& text, std::string_view chunk = "") {
    const auto store = pv::memory_store();
    put(*store, "zarr.json", text);
    if (!chunk.empty()) put(*store, "c/0", chunk);
    return pv::open_zarr<std::uint8_t>(store);
}

TEST_CASE("missing chunks have the fill") { CHECK(opened(metadata()).read(3) == 7); }

TEST_CASE("malformed metadata is refused") {
    const auto refuses = [](std::string_view from, std::string_view to) {
        INFO(from << " -> " << to);
        CHECK_THROWS_AS(opened(metadata(from, to)), pv::FormatError);
    };
    refuses("[4]", "[-4]");
    refuses("[4]", "[4.5]");
    refuses("[4]", "[9223372036854775807, 9223372036854775807]");
    refuses("\"chunk_shape\": [4]", "\"chunk_shape\": [0]");
    refuses("\"chunk_shape\": [4]", "\"chunk_shape\": [9223372036854775807]");
    refuses("\"chunk_shape\": [4]", "\"chunk_shape\": [2, 2]");
    refuses("\"regular\"", "\"other\"");
    refuses("\"default\"", "\"other\"");
    refuses("\"fill_value\": 7", "\"fill_value\": 256");
    refuses("\"fill_value\": 7", "\"fill_value\": \"NaN\"");
    refuses("\"zstd\"", "\"bz2\"");
    refuses("{\"name\": \"bytes\"}, ", "");
    refuses("\"attributes\": {}", "\"attributes\": {}, \"attributes\": {}");
    refuses("\"attributes\": {}", "\"new\": {\"must_understand\": true}");
    refuses("\"attributes\": {}", std::string(1000, '['));
    refuses("\"attributes\": {}}", "\"attributes\": {}} more");
    CHECK_NOTHROW(opened(metadata("\"attributes\": {}", "\"new\": {\"must_understand\": false}")));
    CHECK_NOTHROW(opened(metadata("\"attributes\": {}", "\"attributes\": {\"a\": NaN}")));
    CHECK_THROWS_AS(opened(metadata("\"uint8\"", "\"r16\"")), pv::DtypeError);
}

TEST_CASE("damaged chunks are refused by every codec") {
    for (const std::string_view codec :
         {"\"zstd\"", "\"gzip\"", "\"blosc\"", "\"crc32c\"", "\"numcodecs.lz4\"", "\"zlib\""}) {
        for (const std::string& chunk :
             {std::string("x"), std::string("damaged chunk"), std::string(70000, '\xff')}) {
            INFO(codec);
            const auto x = opened(metadata("\"zstd\"", codec), chunk);
            CHECK_THROWS_AS(x.read(0), pv::FormatError);
        }
    }
}

TEST_CASE("keys stay in their store") {
    const auto store = pv::memory_store();
    for (const std::string_view key : {"../a", "a/../b", "/a", "a//b", "a/", "", "."})
        CHECK_THROWS_AS(put(*store, std::string(key), "x"), pv::FormatError);
    CHECK_THROWS_AS(put(*store, std::string("a\0b", 3), "x"), pv::FormatError);
    CHECK_THROWS_AS(pv::open_zarr(store, "../a"), pv::FormatError);
}

/// Metadata of format 2, of one chunk.
std::string metadata_2(const std::string& type, const std::string& extent,
                       const std::string& filters, const std::string& compressor = "null") {
    return R"({"zarr_format": 2, "shape": [)" + extent + R"(], "chunks": [)" + extent +
           R"(], "dtype": ")" + type + R"(", "order": "C", "fill_value": null, "filters": [)" +
           filters + R"(], "compressor": )" + compressor + "}";
}

TEST_CASE("differences that are no numbers of the type are read as some") {
    const auto store = pv::memory_store();
    put(*store, ".zarray",
        metadata_2("<i4", "4", R"({"id": "delta", "dtype": "<i4", "astype": "<f8"})"));
    const std::vector<double> differences{7, std::numeric_limits<double>::quiet_NaN(), 1e300,
                                          std::numeric_limits<double>::infinity()};
    store->put("0", std::as_bytes(std::span(differences)));
    const auto x = pv::open_zarr<std::int32_t>(store);
    CHECK(x.read(0) == 7);
    CHECK_NOTHROW(x.read(3));
}

TEST_CASE("what filters make of a chunk is counted without overflow, and takes no more memory") {
    const std::string widens = R"({"id": "delta", "dtype": "|i1", "astype": "<i8"})";
    const auto store = pv::memory_store();
    put(*store, ".zarray", metadata_2("|i1", "1152921504606846976", widens + ", " + widens));
    CHECK(pv::open_zarr(store).size() == index_t{1} << 60);

    std::string filters = widens;
    for (int i = 0; i < 9; ++i) filters += ", " + widens;
    put(*store, ".zarray", metadata_2("|i1", "8", filters, R"({"id": "lz4"})"));
    put(*store, "0", std::string("\0\0\0\x40 and less", 13)); // a GiB is claimed
    const MemoryLimit limit(1 << 20);
    CHECK_THROWS_WITH(pv::open_zarr<std::int8_t>(store).read(0),
                      ContainsSubstring("1073741824 bytes are claimed"));
}

/// Four bytes and where they lie, in a shard whose index is at either end.
std::string shard_of(std::uint64_t offset, bool at_end) {
    const std::uint64_t words[] = {offset, 4};
    const std::string index(reinterpret_cast<const char*>(words), sizeof(words));
    return at_end ? "abcd" + index : index + "abcd";
}

TEST_CASE("a chunk of a shard that lies in the index is refused") {
    const auto sharding = [](const std::string& location, const std::string& inner) {
        return R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [4], "codecs": [)" +
               inner +
               R"(], "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
               "index_location": ")" +
               location + R"("}})";
    };
    const std::string raw = R"({"name": "bytes"})";
    const std::string all = R"({"name": "bytes"}, {"name": "zstd"})";
    for (const bool at_end : {false, true}) {
        const std::string codec = sharding(at_end ? "end" : "start", raw);
        const auto read = [&](std::uint64_t offset) {
            return opened(metadata(all, codec), shard_of(offset, at_end)).read(0);
        };
        const std::uint64_t right = at_end ? 0 : 16;
        CHECK(read(right) == 'a');
        for (const std::uint64_t wrong : {1U, 2U, 4U, 12U, 13U, 15U, 17U, 20U})
            if (at_end ? wrong > 0 : wrong != right) {
                INFO(at_end << " " << wrong);
                CHECK_THROWS_AS(read(wrong), pv::FormatError);
            }
        const std::string nested = sharding("end", codec);
        const auto within = [&](std::uint64_t offset) {
            std::string shard = shard_of(offset, at_end);
            const std::uint64_t words[] = {0, shard.size()};
            shard.append(reinterpret_cast<const char*>(words), sizeof(words));
            return opened(metadata(all, nested), shard).read(0);
        };
        CHECK(within(right) == 'a');
        CHECK_THROWS_WITH(within(at_end ? 2 : 13), ContainsSubstring("the index lies there"));
    }
}

TEST_CASE("texts and indexes that memory may not hold are refused before it is taken") {
    const MemoryLimit limit(1 << 20);
    const auto store = pv::memory_store();
    put(*store, ".zarray", metadata_2("|S4000000", "1000", "", R"({"id": "zlib"})"));
    put(*store, "0", "x");
    CHECK_THROWS_AS(pv::open_zarr<std::string>(store).read(0), pv::MemoryLimitError);
    put(*store, ".zarray", metadata_2("|O", "1000", R"({"id": "vlen-utf8"})"));
    put(*store, "0", std::string(2 << 20, 'x'));
    CHECK_THROWS_AS(pv::open_zarr<std::string>(store).read(0), pv::MemoryLimitError);

    const auto shards = pv::memory_store();
    const std::string sharding =
        R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [1], "codecs": [{"name": "bytes"}]}})";
    std::string text = metadata(R"({"name": "bytes"}, {"name": "zstd"})", sharding);
    text.replace(text.find("\"chunk_shape\": [4]"), 18, "\"chunk_shape\": [1073741824]");
    put(*shards, "zarr.json", text);
    put(*shards, "c/0", std::string(100, 'x'));
    CHECK_THROWS_AS(pv::open_zarr<std::uint8_t>(shards).read(0), pv::MemoryLimitError);
}

TEST_CASE("a fill is not copied more often than memory may hold it") {
    const MemoryLimit limit(1 << 20);
    const auto store = pv::memory_store();
    std::string text = metadata(
        R"({"name": "bytes"}, {"name": "zstd"})",
        R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [4000], "codecs": [{"name": "vlen-utf8"}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}]}}, {"name": "numcodecs.lz4"})");
    text.replace(text.find("\"chunk_shape\": [4]"), 18, "\"chunk_shape\": [4000]");
    text.replace(text.find("\"uint8\""), 7, "\"string\"");
    const std::size_t fill = text.find(": 7,");
    const std::string one_missing = std::string("\x10\0\0\0\xf0\x01", 6) + std::string(16, '\xff');
    text.replace(fill, 4, ": \"" + std::string(100, 'x') + "\",");
    put(*store, "zarr.json", text);
    put(*store, "c/0", one_missing);
    CHECK(pv::open_zarr<std::string>(store).read(3) == std::string(100, 'x'));
    text.replace(fill, 4, ": \"" + std::string(1000, 'x'));
    put(*store, "zarr.json", text);
    CHECK_THROWS_AS(pv::open_zarr<std::string>(store).read(3), pv::MemoryLimitError);
}

TEST_CASE("metadata of too many values is refused") {
    std::string many = "\"attributes\": {\"a\": [1";
    for (int i = 0; i < 1 << 21; ++i) many += ",1";
    CHECK_THROWS_WITH(opened(metadata("\"attributes\": {", many + "]")),
                      ContainsSubstring("values"));
}

TEST_CASE("metadata behind a byte order mark is made longer in its place") {
    const auto store = pv::memory_store();
    put(*store, "zarr.json", "\xEF\xBB\xBF" + metadata());
    pv::append_zarr(store, "", pv::ones<std::uint8_t>({3}));
    CHECK(pv::open_zarr(store).shape() == pv::Shape{7});
    CHECK(pv::sum(pv::open_zarr<std::uint8_t>(store)) == 4 * 7 + 3);
}

TEST_CASE("overwriting removes no files but those of the array") {
    const Folder folder;
    const auto is_kept = [&](const std::string& file, const pv::ZarrOptions& options) {
        INFO(file);
        const std::string path = folder / "a";
        std::filesystem::create_directories(std::filesystem::path(path + "/" + file).parent_path());
        temporary::write_file(path + "/" + file, "mine");
        CHECK_THROWS_AS(pv::save_zarr(path, pv::ones<float>({3}), options), pv::FormatError);
        CHECK(temporary::content(path + "/" + file) == "mine");
        CHECK(!std::filesystem::exists(path + "/zarr.json"));
        std::filesystem::remove_all(path);
    };
    is_kept("c/program.cpp", {.overwrite = true});
    is_kept("c/0/deeper", {.overwrite = true});
    is_kept("2023/data", {.format = 2, .overwrite = true});
    is_kept("c/0", {}); // it may be a chunk of an array that was not finished

    // What a writer that was killed has left is no reason to stop.
    const std::string path = folder / "b";
    pv::save_zarr(path, pv::ones<float>({3, 3}), {.chunks = {1, 2}});
    temporary::write_file(path + "/c/1/.purview-1-1-1.tmp", "");
    pv::save_zarr(path, pv::zeros<float>({2}) + 5.F, {.overwrite = true});
    CHECK(pv::sum(pv::open_zarr<float>(path)) == 10);
    CHECK(!std::filesystem::exists(path + "/c/1"));
}

TEST_CASE("writing follows no link out of the store") {
    const Folder folder;
    const std::string elsewhere = temporary::write_file(folder / "elsewhere", "mine");
    const auto z = pv::create_zarr<float>(folder / "a", {4}, {.chunks = {2}, .codecs = {}});
    std::filesystem::create_directories(folder / "a/c");
    std::filesystem::create_symlink(elsewhere, folder / "a/c/1");
    CHECK_THROWS_AS(pv::copy(pv::ones<float>({4}), z), pv::FormatError);
    CHECK(temporary::content(elsewhere) == "mine");
    pv::copy(pv::ones<float>({2}), z(pv::range(0, 2)));
    CHECK(z.read(1) == 1);
}

} // namespace
} // namespace malformed_stores_test
