#include "support/source_path.hpp"
#include <support/catch.hpp>
#include <support/settings.hpp>
#include <support/temporary.hpp>

#include <purview/expression/leaf.hpp>
#include <purview/purview.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/zarr.hpp>

#include <atomic>
#include <chrono>
#include <cstring>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

namespace pv = purview;
using pv::index_t;

// Chunks in stores, as the cache and walks over them see them.
namespace stored_chunks_test {
namespace {

void put(pv::Store& store, const std::string& key, std::string_view text) {
    store.put(key, std::as_bytes(std::span(text)));
}

std::string metadata(const std::string& codecs, const std::string& chunk = "[4, 4]") {
    return R"({"zarr_format": 3, "node_type": "array", "shape": [12, 10], "data_type": "int16",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": )" +
           chunk + R"(}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 7, "codecs": [)" +
           codecs + "]}";
}
const std::string kBytes = R"({"name": "bytes", "configuration": {"endian": "little"}})";

/// An uncompressed array of [12 10] in chunks of [4 4]: each element its number; the last chunk is missing.
void fill(pv::Store& store) {
    put(store, "zarr.json", metadata(kBytes));
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            if (i == 2 && j == 2) continue;
            std::vector<std::int16_t> chunk;
            for (int r = 0; r < 4; ++r)
                for (int c = 0; c < 4; ++c)
                    chunk.push_back(static_cast<std::int16_t>((4 * i + r) * 10 + 4 * j + c));
            store.put("c/" + std::to_string(i) + "/" + std::to_string(j),
                      std::as_bytes(std::span(chunk)));
        }
}
index_t expected(index_t i) { return i / 10 >= 8 && i % 10 >= 8 ? 7 : i; }

TEST_CASE("reductions over an opened array read each chunk once") {
    const temporary::Folder folder;
    for (const auto& store : {pv::directory_store(folder / "a"), pv::memory_store()}) {
        fill(*store);
        const oracle::MemoryLimit limit(4096);
        const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
        CHECK(pv::chunk_statistics().chunks_read == 0);
        index_t total = 0;
        for (index_t i = 0; i < 120; ++i) total += expected(i);
        CHECK(pv::sum(pv::cast<std::int64_t>(x)) == total);
        CHECK(pv::chunk_statistics().chunks_read == 9);
        CHECK(pv::chunk_statistics().bytes_read == 8 * 32);
        CHECK(pv::chunk_statistics().peak_bytes <= 4096);
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        const pv::Tensor<double> columns = pv::sum(pv::cast<double>(x), {0});
        CHECK(columns.read(9) == 9 + 19 + 29 + 39 + 49 + 59 + 69 + 79 + 4 * 7);
        CHECK(pv::chunk_statistics().chunks_read == 9);
    }
}

TEST_CASE("files that are cut short, or longer than their chunk, are refused") {
    const temporary::Folder folder;
    const auto store = pv::directory_store(folder / "a");
    fill(*store);
    const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
    for (const std::size_t length : {0U, 1U, 31U, 33U, 100U}) {
        put(*store, "c/0/0", std::string(length, 'x'));
        pv::drop_cached_chunks();
        INFO(length);
        CHECK_THROWS_AS(x.read(0), pv::FormatError);
        CHECK_THROWS_WITH(x.read(0), Catch::Matchers::ContainsSubstring("chunk 'c/0/0'"));
    }
    CHECK(x.read(4) == 4);
}

TEST_CASE("a chunk above the memory limit is an error that says so, before it is read") {
    const auto store = pv::memory_store();
    fill(*store);
    const oracle::MemoryLimit limit(31);
    const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
    CHECK_THROWS_AS(x.read(0), pv::MemoryLimitError);
    CHECK_THROWS_AS(pv::sum(x), pv::MemoryLimitError);
    CHECK(pv::chunk_statistics().bytes_read == 0);
}

TEST_CASE("threads read one array") {
    const temporary::Folder folder;
    const auto store = pv::directory_store(folder / "a");
    fill(*store);
    const oracle::MemoryLimit limit(32 * 6);
    const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
    const pv::Tensor<float> sharded = pv::open_zarr_group(source_path("tests/zarr/data/arrays.zip"))
                                          .array("v3/sharded_nested")
                                          .values.as<float>();
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (index_t k = 0; k < 400; ++k) {
                const index_t i = (k * 37 + t * 11) % 120;
                if (x.read(i) != expected(i)) ++wrong;
                const index_t s = i % 105;
                if (k % 8 == 0 && sharded.read(s) != static_cast<float>(37 * s % 101)) ++wrong;
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

std::string shard_metadata(const std::string& more = "", const std::string& location = "end") {
    return metadata(
        R"({"name": "sharding_indexed", "configuration": {"chunk_shape": [2, 2], "codecs": [)" +
        kBytes + R"(], "index_codecs": [)" + kBytes + more + R"(], "index_location": ")" +
        location + "\"}}");
}
/// The index of a shard of 4 chunks of 8 bytes.
std::string index_of(const std::vector<std::uint64_t>& words) {
    std::string text(words.size() * 8, '\0');
    std::memcpy(text.data(), words.data(), text.size());
    return text;
}

TEST_CASE("shards whose index is damaged are refused, and whole ones read") {
    constexpr std::uint64_t kNone = ~std::uint64_t{0};
    const std::string elements(32, '\1');
    const auto read = [&](const std::string& shard, index_t i, const std::string& more = "",
                          const std::string& location = "end") {
        const auto store = pv::memory_store();
        put(*store, "zarr.json", shard_metadata(more, location));
        put(*store, "c/0/0", shard);
        return pv::open_zarr<std::int16_t>(store).read(i);
    };
    const std::string whole = elements + index_of({0, 8, 8, 8, kNone, kNone, 24, 8});
    CHECK(read(whole, 0) == 257);
    CHECK(read(whole, 20) == 7); // missing
    CHECK(read(index_of({64, 8, kNone, kNone, kNone, kNone, kNone, kNone}) + elements, 0, "",
               "start") == 257);
    for (const auto& words :
         std::vector<std::vector<std::uint64_t>>{{60000, 8, 0, 8, 0, 8, 0, 8},
                                                 {0, 9, 0, 8, 0, 8, 0, 8},
                                                 {0, 7, 0, 8, 0, 8, 0, 8},
                                                 {0, kNone, 0, 8, 0, 8, 0, 8},
                                                 {kNone, 8, 0, 8, 0, 8, 0, 8},
                                                 {kNone - 4, 8, 0, 8, 0, 8, 0, 8},
                                                 {std::uint64_t{1} << 63, 8, 0, 8, 0, 8, 0, 8},
                                                 {92, 8, 0, 8, 0, 8, 0, 8}})
        CHECK_THROWS_AS(read(elements + index_of(words), 0), pv::FormatError);
    CHECK_THROWS_AS(read("", 0), pv::FormatError);
    CHECK_THROWS_AS(read(index_of({0, 8, 0, 8, 0, 8}), 0), pv::FormatError);
    CHECK_THROWS_AS(read(whole + "abcd", 0, R"(, {"name": "crc32c"})"), pv::FormatError);
}

/// A store whose answers take 20 ms or more.
class SlowStore final : public pv::Store {
public:
    std::optional<Bytes> get(const std::string& key) const override {
        const int now = ++under_way;
        for (int most = most_under_way;
             now > most && !most_under_way.compare_exchange_weak(most, now);) {}
        ++gets;
        if (key != "zarr.json") wait();
        --under_way;
        return inner->get(key);
    }
    std::optional<index_t> size(const std::string& key) const override { return inner->size(key); }
    std::vector<std::string> list(const std::string& prefix) const override {
        return inner->list(prefix);
    }
    int concurrency() const noexcept override { return 4; }

    /// 20 ms, and at first until a second call comes: on a machine that is busy, threads begin late.
    void wait() const {
        const auto begin = std::chrono::steady_clock::now();
        do std::this_thread::sleep_for(std::chrono::milliseconds(20));
        while (most_under_way < 2 &&
               std::chrono::steady_clock::now() - begin < std::chrono::seconds(10));
    }

    std::shared_ptr<pv::Store> inner = pv::memory_store();
    mutable std::atomic<int> gets = 0;
    mutable std::atomic<int> under_way = 0;
    mutable std::atomic<int> most_under_way = 0;
};

const pv::Chunks& chunks_of(const pv::AnyTensor& x) {
    return *dynamic_cast<const pv::Leaf&>(*x.operand().node).reader().chunks();
}

TEST_CASE("chunks that will be read are read ahead, each once, on threads of their own") {
    const auto store = std::make_shared<SlowStore>();
    fill(*store->inner);
    const oracle::MemoryLimit limit(1 << 20);
    {
        const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
        const int opened = store->gets;
        for (int twice = 0; twice < 2; ++twice)
            for (index_t i = 0; i < 3; ++i)
                for (index_t j = 0; j < 3; ++j) chunks_of(x).will_read(pv::Shape{i, j});
        for (index_t i = 0; i < 120; ++i) REQUIRE(x.read(i) == expected(i));
        CHECK(store->gets - opened == 9);
        CHECK(store->most_under_way > 1);
        CHECK(store->most_under_way <= 5); // the four, and who reads
        CHECK(pv::chunk_statistics().chunks_read == 9);
    }
    // One that goes while chunks are being read ahead waits for no more than these.
    pv::drop_cached_chunks();
    const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 3; ++j) chunks_of(x).will_read(pv::Shape{i, j});
}

TEST_CASE("chunks of folders are told to the system") {
    const temporary::Folder folder;
    const auto store = pv::directory_store(folder / "a");
    fill(*store);
    const oracle::MemoryLimit limit(1 << 20);
    const pv::Tensor<std::int16_t> x = pv::open_zarr<std::int16_t>(store);
    for (index_t i = 0; i < 3; ++i) chunks_of(x).will_read(pv::Shape{i, 2});
    CHECK(pv::chunk_statistics().chunks_read == 0);
    CHECK(x.read(8) == 8);
}

} // namespace
} // namespace stored_chunks_test
