#include <support/catch.hpp>
#include <support/stored_chunks.hpp>
#include <support/temporary.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/progress.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace pv = purview;
using oracle::MemoryLimit;
using pv::index_t;
using temporary::Folder;

// One array that is open several times: what one writes, the others read, and nothing is lost.
namespace openings_test {
namespace {

constexpr pv::Access kWrite = pv::Access::read_write;

void put(pv::Store& store, const std::string& key, std::string_view text) {
    store.put(key, std::as_bytes(std::span(text)));
}

TEST_CASE("openings of one store object write to the same chunks") {
    const auto store = pv::memory_store();
    pv::create_zarr<int>(store, "x", {64, 64}, {.chunks = {4, 4}, .shards = {16, 16}});
    const auto a = pv::open_zarr<int, kWrite>(store, "x");
    const auto b = pv::open_zarr<int, kWrite>(store, "x");
    const auto r = pv::open_zarr<int>(store, "x");
    a(0, 0) = 1;
    b(0, 1) = 2;
    CHECK(a(0, 1) == 2);
    CHECK(r(0, 0) == 1);
    std::vector<std::jthread> writers;
    for (int t = 0; t < 4; ++t)
        writers.emplace_back([&store, t] {
            const auto mine = pv::open_zarr<int, kWrite>(store, "x");
            for (index_t row = 0; row < 64; ++row)
                pv::copy(pv::full(pv::Shape{16}, static_cast<int>(row) + t),
                         mine(row, pv::range(16 * t, 16 * t + 16)));
        });
    writers.clear();
    for (index_t row = 0; row < 64; ++row)
        for (index_t t = 0; t < 4; ++t) CHECK(r(row, 16 * t + 5) == row + t);
}

TEST_CASE("an array is one whether its path or a name in a store is told") {
    const Folder folder;
    pv::create_zarr<int>(folder / "g/a", {6}, {.chunks = {6}, .codecs = {}});
    const auto by_path = pv::open_zarr<int, kWrite>(folder / "g/a");
    const auto by_name = pv::open_zarr<int, kWrite>(pv::directory_store(folder / "g"), "a");
    by_path(0) = 1;
    by_name(1) = 2;
    CHECK(pv::sum(by_path) == 3);
    pv::drop_cached_chunks();
    CHECK(pv::sum(by_path) == 3);
    // Nor do attributes make it another one.
    const std::string path = folder / "g/a/zarr.json";
    std::string text = temporary::content(path);
    const std::string before = R"("attributes")";
    REQUIRE(text.find(before) != std::string::npos);
    text.insert(text.find('{', text.find(before)) + 1,
                text[text.find('{', text.find(before)) + 1] == '}' ? R"("n": 1)" : R"("n": 1, )");
    temporary::write_file(path, text);
    CHECK(pv::open_zarr_array(folder / "g/a").attributes.number("n") == 1.);
    const auto later = pv::open_zarr<int, kWrite>(folder / "g/a");
    later(pv::all) = 0;
    by_path(0) = 5;
    CHECK(pv::sum(later) == 5);
    // By any of them it is the source of what would replace it.
    CHECK_THROWS_AS(pv::save_zarr(folder / "g/a", by_name * 2, {.overwrite = true}),
                    pv::FormatError);
    CHECK_THROWS_AS(pv::save_zarr(pv::directory_store(folder / "g"), "a",
                                  pv::chunked(by_path + 1, {2}), {.overwrite = true}),
                    pv::FormatError);
    CHECK(pv::sum(by_path) == 5);
}

TEST_CASE("a relative path is that of when it was opened, wherever the process goes") {
    const Folder folder;
    const Folder elsewhere;
    const temporary::WorkingDirectory changed(folder / "");
    pv::save_zarr("a", pv::full({6}, 7), {.chunks = {2}});
    pv::save_zarr("g/b", pv::full({6}, 8), {.chunks = {2}});
    const auto read = pv::open_zarr<int>("a");
    const auto written = pv::open_zarr<int, kWrite>("./a");
    const auto made = pv::create_zarr<int>("c", {6}, {.chunks = {2}});
    const auto store = pv::directory_store("g");
    std::filesystem::current_path(elsewhere / "");
    pv::drop_cached_chunks();
    CHECK(read(5) == 7);
    pv::copy(pv::full({6}, 9), written);
    pv::copy(pv::full({6}, 10), made);
    CHECK(read(0) == 9);
    pv::drop_cached_chunks();
    CHECK(read(5) == 9);
    CHECK(pv::open_zarr<int>(store, "b")(5) == 8);
    pv::save_zarr(store, "d", pv::full({6}, 11), {.chunks = {2}});
    CHECK(pv::open_zarr<int>(folder / "a")(3) == 9);
    CHECK(pv::open_zarr<int>(folder / "c")(3) == 10);
    CHECK(pv::open_zarr<int>(folder / "g/d")(3) == 11);
    CHECK(elsewhere.file_count() == 0);
}

TEST_CASE("an array that became longer keeps what an opening of before does not see") {
    for (const int axis : {0, 1}) {
        const Folder folder;
        pv::create_zarr<int>(folder / "a", {3, 3}, {.chunks = {4, 4}});
        const auto old = pv::open_zarr<int, kWrite>(folder / "a");
        old(1, 1) = 9;
        pv::append_zarr(folder / "a", pv::full(axis == 0 ? pv::Shape{1, 3} : pv::Shape{3, 1}, 7),
                        axis);
        old(pv::all, pv::all) = 1;
        old(0, 0) = 2;
        pv::drop_cached_chunks();
        CHECK(pv::sum(pv::open_zarr<int>(folder / "a")) == 9 + 1 + 21);
    }
}

TEST_CASE("assignments between openings read before they write") {
    const Folder folder;
    for (const auto& store : {pv::directory_store(folder / "s"), pv::memory_store()}) {
        pv::save_zarr(store, "x", pv::arange<int>(1, 41), {.chunks = {3}});
        const auto w = pv::open_zarr<int, kWrite>(store, "x");
        const auto r = pv::open_zarr<int>(store, "x");
        CHECK(pv::may_overlap(w, r));
        const pv::Tensor<int> rolled = pv::clone(pv::roll(r, 1));
        pv::copy(pv::roll(r, 1), w);
        CHECK(pv::equals(r, rolled));
        const pv::Tensor<int> reversed = pv::clone(r(pv::range(std::nullopt, std::nullopt, -1)));
        pv::copy(r(pv::range(std::nullopt, std::nullopt, -1)), w);
        CHECK(pv::equals(r, reversed));
        const pv::Tensor<int> doubled = pv::clone(r * 2);
        pv::reset_chunk_statistics();
        pv::copy(r * 2, w); // each element reads itself: in place
        CHECK(pv::chunk_statistics().chunks_written == 14);
        CHECK(pv::equals(r, doubled));
    }
}

TEST_CASE("what is put together of arrays is saved") {
    const auto store = pv::memory_store();
    const MemoryLimit limit(1 << 16);
    pv::save_zarr(store, "x", pv::arange<double>(12), {.chunks = {3}});
    const auto x = pv::open_zarr<double>(store, "x");
    const auto twice = pv::concat({x, x}, 0);
    pv::save_zarr(store, "concat", twice, {.chunks = {5}});
    pv::save_zarr(store, "more", twice * 2. + 1., {.chunks = {4}});
    CHECK(pv::equals(pv::open_zarr<double>(store, "concat"), twice));
    CHECK(pv::equals(pv::open_zarr<double>(store, "more"), twice * 2. + 1.));
}

TEST_CASE("somebody who watches sees chunks written as they are computed") {
    const oracle::MemoryLimit limit(1 << 16);
    const auto from = std::make_shared<oracle::StoredChunks<double>>(pv::ChunkGrid{{64}, {4}}, 1.);
    const auto to = std::make_shared<oracle::StoredChunks<double>>(pv::ChunkGrid{{64}, {4}}, 0.);
    int before_first = 0;
    from->before_read = [&](pv::ShapeSpan) { before_first += to->writes == 0 ? 1 : 0; };
    const int threads = pv::threads();
    pv::set_threads(1);
    {
        const auto watching = pv::on_progress([](const pv::Progress&) { return true; });
        const pv::MutableTensor<double> out = pv::tensor(to, {64});
        out(pv::all) = pv::tensor(from, {64}) * 3.;
    }
    pv::set_threads(threads);
    CHECK(before_first <= 2);
    CHECK(to->writes == 16);
}

TEST_CASE("groups that are folders above a path know of it") {
    const Folder folder;
    for (const int format : {2, 3}) {
        const std::string group = folder / std::to_string(format);
        const auto store = pv::directory_store(group);
        pv::save_zarr(store, "a", pv::ones<float>({4}), {.format = format});
        if (format == 3)
            put(*store, "zarr.json",
                R"({"zarr_format": 3, "node_type": "group", "attributes": {}, "consolidated_metadata": {"kind": "inline", "must_understand": false, "metadata": {}}})");
        else
            put(*store, ".zmetadata",
                R"({"zarr_consolidated_format": 1, "metadata": {".zgroup": {"zarr_format": 2}}})");
        CHECK(pv::open_zarr_group(group).arrays().empty());
        pv::append_zarr(group + "/a", pv::ones<float>({3}));
        pv::save_zarr(group + "/sub/b/", pv::ones<float>({2}), {.format = format});
        CHECK(pv::open_zarr_group(group).array("a").values.shape() == pv::Shape{7});
        CHECK(pv::open_zarr_group(group).array("sub/b").values.shape() == pv::Shape{2});
        CHECK(pv::open_zarr_group(group + "/sub").arrays() == std::vector<std::string>{"b"});
        CHECK_THROWS_AS(pv::save_zarr(group + "/a/c", pv::ones<float>({2}), {.format = format}),
                        pv::FormatError);
    }
    CHECK_THROWS_AS(pv::save_zarr("", pv::ones<float>({2})), pv::FormatError);
    CHECK_THROWS_AS(pv::save_zarr(pv::memory_store(), "a/zarr.json", pv::ones<float>({2})),
                    pv::FormatError);
    CHECK_THROWS_AS(pv::create_zarr<int>(pv::memory_store(), ".zarray", {2}), pv::FormatError);
}

} // namespace
} // namespace openings_test
