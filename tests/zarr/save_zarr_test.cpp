#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/stored_chunks.hpp>
#include <support/temporary.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace pv = purview;
using oracle::MemoryLimit;
using pv::index_t;
using temporary::Folder;

// Arrays that are written to stores, and what is there then.
namespace save_zarr_test {
namespace {

pv::MutableTensor<double> numbers(const pv::Shape& shape) {
    return pv::clone(pv::cast<double>(
        pv::reshape(pv::arange(pv::sum(pv::ones<index_t>(shape))) % index_t{1009}, shape)));
}

TEST_CASE("what save_zarr stores is what open_zarr reads") {
    const Folder folder;
    const MemoryLimit limit(1 << 20);
    const auto x = numbers({30, 17, 11});
    const std::vector<pv::ZarrOptions> ways{
        {},
        {.chunks = {7, 5, 11}},
        {.chunks = {40, 1, 2}, .codecs = {}},
        {.chunks = {3, 4, 2}, .shards = {12, 8, 6}},
        {.chunks = {3, 4, 2}, .shards = {33, 20, 12}, .codecs = {pv::ZarrCodec::crc32c()}},
        {.chunks = {7, 5, 11}, .codecs = {pv::ZarrCodec::gzip(1)}, .format = 2},
        {.chunks = {7, 5, 11}, .codecs = {pv::ZarrCodec::blosc("lz4", 3, pv::Shuffle::bits)}},
        {.chunks = {10, 10, 10}, .fill = 5., .dimension_names = {"t", "y", "x"}},
    };
    int number = 0;
    for (const pv::ZarrOptions& options : ways) {
        INFO(number);
        const std::string path = folder / std::to_string(number++);
        if (number % 2 == 0)
            pv::save_zarr(path, x + 1., options);
        else
            (x + 1.) | pv::save_zarr(path, options);
        CHECK(pv::equals(pv::open_zarr<double>(path), x + 1.));
        pv::drop_cached_chunks();
        const pv::StoredArray array = pv::open_zarr_array(path);
        CHECK(pv::equals(array.values.as<double>(), x + 1.));
        if (!options.chunks.empty()) CHECK(array.chunk_shape == options.chunks);
        if (!options.shards.empty()) CHECK(array.shard_shape == options.shards);
        CHECK(array.dimension_names == options.dimension_names);
        CHECK(pv::sum(array.values.as<double>()) == pv::sum(x + 1.));
    }
}

TEST_CASE("arrays of rank 0 and without elements are stored") {
    const auto store = pv::memory_store();
    pv::save_zarr(store, "number", pv::full(pv::Shape{}, 3.5));
    CHECK(pv::open_zarr<double>(store, "number").item() == 3.5);
    pv::save_zarr(store, "none", pv::zeros<float>({3, 0, 2}));
    CHECK(pv::open_zarr<float>(store, "none").shape() == pv::Shape{3, 0, 2});
    pv::save_zarr(store, "texts", pv::tensor({"a", "", "wörter"}), {.chunks = {2}});
    CHECK(pv::equals(pv::open_zarr<std::string>(store, "texts"), pv::tensor({"a", "", "wörter"})));
}

TEST_CASE("a created array is the fill until it is written") {
    const Folder folder;
    const std::string path = folder / "a";
    const MemoryLimit limit(1 << 20);
    const pv::MutableTensor<std::int16_t> z = pv::create_zarr<std::int16_t>(
        path, {10, 12}, {.chunks = {2, 3}, .shards = {4, 6}, .fill = -1});
    CHECK(pv::sum(z) == -120);
    z(3, 4) = std::int16_t{9};
    z(pv::range(4, 8), pv::all) = std::int16_t{2};
    CHECK(std::filesystem::exists(path + "/c/0/0"));
    CHECK(std::filesystem::exists(path + "/c/1/1"));
    CHECK(!std::filesystem::exists(path + "/c/2/0"));
    const auto expected = pv::full(pv::Shape{10, 12}, std::int16_t{-1});
    expected(3, 4) = std::int16_t{9};
    expected(pv::range(4, 8), pv::all) = std::int16_t{2};
    CHECK(pv::equals(z, expected));
    // Another opening, whether it shares what is cached or not.
    CHECK(pv::equals(pv::open_zarr<std::int16_t>(path), expected));
    pv::drop_cached_chunks();
    const auto again = pv::open_zarr<std::int16_t, pv::Access::read_write>(path);
    CHECK(pv::equals(again, expected));
    again(4, pv::all) = std::int16_t{7};
    expected(4, pv::all) = std::int16_t{7};
    CHECK(pv::equals(z, expected));
    // Shards that become the fill are gone.
    again(pv::range(4, 8), pv::all) = std::int16_t{-1};
    CHECK(!std::filesystem::exists(path + "/c/1/1"));
    CHECK(std::filesystem::exists(path + "/c/0/0"));
    // What is opened for reading is not written.
    CHECK_THROWS_AS(pv::open_zarr(path).as_mutable<std::int16_t>(), pv::ReadOnlyError);
}

TEST_CASE("arrays are made longer") {
    const Folder folder;
    const std::string path = folder / "a";
    const auto x = numbers({20, 9});
    pv::save_zarr(path, x(pv::range(0, 7)), {.chunks = {3, 4}});
    const auto before = pv::open_zarr<double>(path);
    pv::append_zarr(path, x(pv::range(7, 8)));
    pv::append_zarr(path, x(pv::range(8, 20)));
    pv::append_zarr(path, x(pv::range(0, 0)));
    CHECK(pv::equals(pv::open_zarr<double>(path), x));
    CHECK(pv::equals(before, x(pv::range(0, 7))));
    pv::append_zarr(path, x * 2., -1);
    pv::drop_cached_chunks();
    CHECK(pv::equals(pv::open_zarr<double>(path), pv::concat({x + 0., x * 2.}, 1)));
    CHECK_THROWS_AS(pv::append_zarr(path, x), pv::ShapeError);
    CHECK_THROWS_AS(pv::append_zarr(path, pv::ones<double>({9})), pv::ShapeError);
    CHECK_THROWS_AS(pv::append_zarr(path, x, 2), pv::IndexError);
    CHECK_THROWS_AS(pv::append_zarr(folder / "none", x), pv::FormatError);
    pv::save_zarr(folder / "bytes", pv::ones<std::int8_t>({2}));
    CHECK_THROWS_AS(pv::append_zarr(folder / "bytes", pv::full(pv::Shape{1}, 300)), pv::CastError);
    CHECK(pv::open_zarr(folder / "bytes").shape() == pv::Shape{2});
}

TEST_CASE("an array is replaced only if that is asked for, and not by itself") {
    const Folder folder;
    const std::string path = folder / "a";
    pv::save_zarr(path, pv::ones<double>({6}), {.chunks = {2}});
    CHECK_THROWS_AS(pv::save_zarr(path, pv::ones<double>({6})), pv::FormatError);
    CHECK_THROWS_AS(pv::create_zarr<double>(path, {6}), pv::FormatError);
    temporary::write_file(path + "/notes.txt", "mine");
    const auto old = pv::open_zarr<double>(path);
    CHECK_THROWS_AS(pv::save_zarr(path, old * 2., {.overwrite = true}), pv::FormatError);
    CHECK(pv::equals(pv::open_zarr<double>(path), pv::ones<double>({6})));
    pv::save_zarr(path, pv::full(pv::Shape{3}, 2.F), {.chunks = {1}, .overwrite = true});
    CHECK(pv::equals(pv::open_zarr<float>(path), pv::full(pv::Shape{3}, 2.F)));
    CHECK(pv::create_zarr<float>(path, {3}, {.chunks = {1}, .overwrite = true}).read(2) == 0.F);
    CHECK(temporary::content(path + "/notes.txt") == "mine");
    CHECK_THROWS_AS(pv::save_zarr(folder / "x.zip", old), pv::ReadOnlyError);
    CHECK_THROWS_AS(
        (pv::open_zarr<double, pv::Access::read_write>(source_path("tests/zarr/data/arrays.zip"))),
        pv::ReadOnlyError);
}

/// A store of the user's own over another one, of which nobody knows where it lies.
class OwnStore final : public pv::Store {
public:
    explicit OwnStore(std::shared_ptr<pv::Store> store) : store_(std::move(store)) {}
    using Store::get;
    std::optional<Bytes> get(const std::string& key) const override { return store_->get(key); }
    std::optional<index_t> size(const std::string& key) const override { return store_->size(key); }
    std::vector<std::string> list(const std::string& prefix) const override {
        return store_->list(prefix);
    }
    void put(const std::string& key, std::span<const std::byte> value) override {
        store_->put(key, value);
    }
    void erase(const std::string& key) override { store_->erase(key); }

private:
    std::shared_ptr<pv::Store> store_;
};

TEST_CASE("an array is replaced by what is computed from it, whoever reads it") {
    const Folder folder;
    // Of other chunks, shards and formats, as what is erased and what is written have other keys.
    const std::vector<pv::ZarrOptions> ways{
        {.chunks = {2}}, {.chunks = {4}, .format = 2}, {.chunks = {2}, .shards = {6}}};
    for (const pv::ZarrOptions& before : ways)
        for (pv::ZarrOptions after : ways) {
            after.overwrite = true;
            const auto sum_of = [](const std::shared_ptr<pv::Store>& store) {
                return pv::sum(pv::open_zarr<double>(store, "g/x"));
            };
            const auto twice = [&](const std::shared_ptr<pv::Store>& read,
                                   const std::shared_ptr<pv::Store>& written) {
                pv::drop_cached_chunks();
                pv::save_zarr(written, "g/x", pv::open_zarr<double>(read, "g/x") * 2., after);
                CHECK(sum_of(written) == 2 * (55 + 2 * 11));
                CHECK(written->list("g/x/.purview-new").empty());
            };
            const auto x = pv::arange(11.) + 2.;
            const auto files = pv::directory_store(folder / "s");
            pv::save_zarr(files, "g/x", x, before);
            twice(std::make_shared<OwnStore>(files), files);
            files->erase_all("g");
            const auto memory = pv::memory_store();
            pv::save_zarr(memory, "g/x", x, before);
            twice(std::make_shared<OwnStore>(memory), memory);
        }
}

TEST_CASE("an array is replaced when all is computed, and stays where computing throws") {
    const Folder folder;
    const std::string path = folder / "a";
    pv::save_zarr(path, pv::ones<double>({6}), {.chunks = {2}});
    const auto chunks = std::make_shared<oracle::StoredChunks<double>>(pv::ChunkGrid{{6}, {2}});
    chunks->before_read = [&](pv::ShapeSpan at) {
        if (at[0] == 2) throw pv::FormatError("nothing there");
    };
    const auto x = pv::tensor(std::shared_ptr<const oracle::StoredChunks<double>>(chunks), {6});
    CHECK_THROWS_WITH(pv::save_zarr(path, x, {.chunks = {2}, .overwrite = true}), "nothing there");
    CHECK(pv::sum(pv::open_zarr<double>(path)) == 6);
    CHECK(!std::filesystem::exists(path + "/.purview-new"));
}

TEST_CASE("what an unfinished array has left is replaced, of whatever rank it was") {
    const Folder folder;
    const std::vector<pv::Shape> shapes{{}, {3}, {3, 3}, {3, 2, 2}};
    int number = 0;
    for (const int format : {2, 3})
        for (const pv::Shape& before : shapes)
            for (const pv::Shape& after : shapes) {
                const std::string path = folder / std::to_string(number++);
                INFO(format << pv::to_string(before) << pv::to_string(after));
                const pv::ZarrOptions options{.chunks = pv::Shape(before.size(), 1)};
                pv::save_zarr(path, pv::ones<double>(before), options);
                std::filesystem::remove(path + "/zarr.json");
                if (format == 2 && std::filesystem::is_directory(path + "/c")) {
                    // As others write it: "0/0/0".
                    for (const auto& each : std::filesystem::directory_iterator(path + "/c"))
                        std::filesystem::rename(each, path + "/" + each.path().filename().string());
                    std::filesystem::remove(path + "/c");
                }
                pv::save_zarr(path, pv::full(after, 2.), {.format = format, .overwrite = true});
                CHECK(pv::equals(pv::open_zarr<double>(path), pv::full(after, 2.)));
            }
}

TEST_CASE("a group is made with its attributes, and given others") {
    const Folder folder;
    for (const int format : {2, 3})
        for (const auto& store :
             {pv::memory_store(), pv::directory_store(folder / "s" + std::to_string(format))}) {
            const pv::StoredGroup group =
                pv::create_zarr_group(store, "a/b", {{"title", "b"}, {"scale", 0.5}}, format);
            CHECK(group.attributes().text("title") == "b");
            CHECK(group.attributes().number("scale") == 0.5);
            pv::save_zarr(store, "a/b/x", pv::ones<float>({4}), {.format = format});
            // What is there keeps its format.
            CHECK(!pv::create_zarr_group(store, "a/b", {{"n", 1}}).attributes().has("title"));
            CHECK(pv::open_zarr_group(store, "a").group("b").attributes().number("n") == 1.);
            CHECK(pv::sum(pv::open_zarr<float>(store, "a/b/x")) == 4.F);
            CHECK(store->size("a/b/zarr.json").has_value() == (format == 3));
            CHECK_THROWS_AS(pv::create_zarr_group(store, "a/b/x"), pv::FormatError);
            CHECK_THROWS_AS(pv::create_zarr_group(store, "a/b/x/y"), pv::FormatError);
            CHECK_THROWS_AS(pv::create_zarr_group(store, "c", {}, 4), pv::FormatError);
            CHECK_THROWS_AS(pv::create_zarr_group(store, "c", pv::Attributes({}, "[1]")),
                            pv::FormatError);
            CHECK(pv::create_zarr_group(store, "").groups() == std::vector<std::string>{"a"});
        }
    pv::save_zarr(folder / "g/h/t", pv::ones<float>({4}));
    CHECK(pv::open_zarr_group(folder / "g").array("h/t").values.shape() == pv::Shape{4});
    CHECK_THROWS_AS(pv::create_zarr_group(folder / "x.zip"), pv::ReadOnlyError);
}

TEST_CASE("chunks of zeros are stored where format 2 says of no fill") {
    const auto store = pv::memory_store();
    pv::save_zarr(store, "none", pv::zeros<bool>({4}), {.chunks = {2}, .format = 2});
    CHECK(store->list("none") == std::vector<std::string>{".zarray", ".zattrs", "0", "1"});
    CHECK(!pv::open_zarr_array(store, "none").missing);
    pv::save_zarr(store, "some", pv::zeros<float>({4}), {.chunks = {2}, .fill = 0, .format = 2});
    CHECK(store->list("some") == std::vector<std::string>{".zarray", ".zattrs"});
    CHECK(pv::open_zarr_array(store, "some").missing.has_value());
    const auto texts =
        pv::create_zarr<std::string>(store, "texts", {4}, {.chunks = {2}, .format = 2});
    CHECK(texts.read(3).empty());
    pv::fill(texts, std::string("a"));
    pv::fill(texts, std::string());
    CHECK(store->size("texts/1"));
    CHECK(pv::open_zarr<std::string>(store, "texts").read(3).empty());
}

TEST_CASE("chunks that a codec cannot take are refused when they are made") {
    const auto store = pv::memory_store();
    // LZ4_MAX_INPUT_SIZE, and BLOSC_MAX_BUFFERSIZE.
    for (const auto& [codec, most] : {std::pair(pv::ZarrCodec::lz4(), index_t{0x7E000000}),
                                      std::pair(pv::ZarrCodec::blosc(), (index_t{1} << 31) - 17)})
        for (const int format : {2, 3}) {
            pv::ZarrOptions options{.codecs = {codec}, .format = format, .overwrite = true};
            const auto made = [&](pv::DType dtype, index_t extent) {
                options.chunks = {extent};
                pv::create_zarr(store, "x", dtype, {extent}, options);
            };
            made(pv::uint8, most);
            CHECK_THROWS_WITH(made(pv::uint8, most + 1),
                              Catch::Matchers::ContainsSubstring("at most"));
            made(pv::float64, most / 8);
            CHECK_THROWS_AS(made(pv::float64, most / 8 + 1), pv::FormatError);
        }
}

TEST_CASE("groups above an array are made, and no longer say what is not true") {
    for (const int format : {2, 3}) {
        const auto store = pv::memory_store();
        pv::save_zarr(store, "a/b/x", pv::ones<float>({4}), {.format = format});
        const pv::StoredGroup group = pv::open_zarr_group(store);
        CHECK(group.groups() == std::vector<std::string>{"a"});
        CHECK(pv::sum(group.array("a/b/x").values.as<float>()) == 4.F);
        CHECK_THROWS_AS(pv::save_zarr(store, "a/b", pv::ones<float>({4}), {.format = format}),
                        pv::FormatError);
        CHECK_THROWS_AS(pv::save_zarr(store, "a/b/x/y", pv::ones<float>({4}), {.format = format}),
                        pv::FormatError);
        CHECK_THROWS_AS(pv::save_zarr(store, "a/../x", pv::ones<float>({4})), pv::FormatError);
    }
    const auto store = pv::memory_store();
    const std::string text =
        R"({"zarr_format": 3, "node_type": "group", "attributes": {"a": 1}, "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {}}})";
    store->put("zarr.json", std::as_bytes(std::span(text)));
    CHECK(pv::open_zarr_group(store).arrays().empty());
    pv::save_zarr(store, "x", pv::ones<float>({4}));
    CHECK(pv::open_zarr_group(store).arrays() == std::vector<std::string>{"x"});
    CHECK(pv::open_zarr_group(store).attributes().number("a") == 1.);
}

TEST_CASE("what throws leaves no array") {
    const Folder folder;
    const std::string path = folder / "a";
    const auto failing = pv::compute_tensor({40}, [](index_t i) -> double {
        if (i == 33) throw std::runtime_error("half way");
        return 1.;
    });
    CHECK_THROWS_WITH(pv::save_zarr(path, failing, {.chunks = {4}}), "half way");
    CHECK_THROWS_AS(pv::open_zarr(path), pv::FormatError);
    pv::save_zarr(path, pv::ones<double>({40}), {.chunks = {4}});
    CHECK(pv::sum(pv::open_zarr<double>(path)) == 40.);
}

TEST_CASE("other chunks: each is read and written once, or twice with chunks between") {
    const Folder folder;
    const auto x = numbers({64, 32, 32}); // 512 KiB
    pv::save_zarr(folder / "planes", x, {.chunks = {1, 32, 32}, .codecs = {}});
    {
        const MemoryLimit limit(index_t{4} << 20);
        pv::save_zarr(folder / "direct", pv::open_zarr<double>(folder / "planes"),
                      {.chunks = {64, 4, 4}});
        CHECK(pv::chunk_statistics().chunks_read == 64);
        CHECK(pv::chunk_statistics().chunks_written == 64);
    }
    const MemoryLimit limit(index_t{160} << 10);
    pv::save_zarr(folder / "columns", pv::open_zarr<double>(folder / "planes"),
                  {.chunks = {64, 4, 4}});
    const pv::ChunkStatistics counts = pv::chunk_statistics();
    CHECK(counts.peak_bytes <= index_t{160} << 10);
    CHECK(counts.chunks_written > 64);
    CHECK(counts.chunks_read <= 64 + counts.chunks_written - 64);
    CHECK(pv::equals(pv::open_zarr<double>(folder / "columns"), x));
}

/// A store that goes to another folder whenever it is read.
class MovingStore final : public pv::Store {
public:
    MovingStore(std::shared_ptr<pv::Store> inner, std::string to)
        : inner_(std::move(inner)), to_(std::move(to)) {}
    std::optional<Bytes> get(const std::string& key) const override {
        std::filesystem::current_path(to_);
        return inner_->get(key);
    }
    std::optional<index_t> size(const std::string& key) const override { return inner_->size(key); }
    std::vector<std::string> list(const std::string& prefix) const override {
        return inner_->list(prefix);
    }

private:
    std::shared_ptr<pv::Store> inner_;
    std::string to_;
};

TEST_CASE("chunks between go with the call, though TMPDIR is relative and the process elsewhere") {
    const Folder folder;
    const Folder elsewhere;
    const std::string before = std::filesystem::temp_directory_path();
    const auto x = numbers({64, 32, 32});
    const auto inner = pv::memory_store();
    pv::save_zarr(inner, "planes", x, {.chunks = {1, 32, 32}, .codecs = {}});
    const auto moving = std::make_shared<MovingStore>(inner, elsewhere / "");
    const auto planes = pv::open_zarr<double>(moving, "planes");
    const temporary::WorkingDirectory changed(folder / "");
    REQUIRE(::setenv("TMPDIR", ".", 1) == 0);
    const MemoryLimit limit(index_t{160} << 10);
    pv::save_zarr("columns", planes, {.chunks = {64, 4, 4}});
    REQUIRE(::setenv("TMPDIR", "missing", 1) == 0);
    CHECK_THROWS_AS(pv::save_zarr("others", planes, {.chunks = {64, 4, 4}}), pv::FormatError);
    REQUIRE(::setenv("TMPDIR", before.c_str(), 1) == 0);
    CHECK(pv::chunk_statistics().chunks_written > 64); // twice
    CHECK(elsewhere.file_count() == 0);
    CHECK(folder.file_count() == 1);
    CHECK(pv::equals(pv::open_zarr<double>(folder / "columns"), x));
}

} // namespace
} // namespace save_zarr_test
