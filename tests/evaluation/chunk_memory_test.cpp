#include <purview/evaluation/chunk_memory.hpp>

#include <support/stored_chunks.hpp>

#include <purview/base/errors.hpp>

#include <memory>
#include <stdexcept>
#include <vector>

namespace chunk_memory_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::StoredChunks;
using pv::index_t;

constexpr index_t kChunkBytes = 64 * sizeof(double);

/// 16 chunks of 64 doubles, element i being i.
std::shared_ptr<StoredChunks<double>> numbered() {
    auto chunks = std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{1024}, {64}});
    std::vector<double> all(1024);
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i);
    chunks->write_block(0, 1, all);
    pv::drop_cached_chunks();
    pv::reset_chunk_statistics();
    return chunks;
}

TEST_CASE("The chunk that was used longest ago is dropped first") {
    const MemoryLimit limit(4 * kChunkBytes);
    const auto chunks = numbered();
    for (const index_t chunk : {0, 1, 2, 3, 0, 4, 0})
        CHECK(chunks->read(chunk * 64) == static_cast<double>(chunk * 64));
    CHECK(chunks->reads == 5);
    chunks->read(64); // was dropped for 4
    CHECK(chunks->reads == 6);
    chunks->read(0);
    CHECK(chunks->reads == 6);
    const pv::ChunkStatistics statistics = pv::chunk_statistics();
    CHECK(statistics.chunks_read == 6);
    CHECK(statistics.cache_hits == 3);
    CHECK(statistics.bytes_read == 6 * kChunkBytes);
    CHECK(statistics.peak_bytes == 4 * kChunkBytes);
}

TEST_CASE("A limit that is set drops what is beyond it") {
    const MemoryLimit limit(8 * kChunkBytes);
    const auto chunks = numbered();
    for (index_t i = 0; i < 8; ++i) chunks->read(i * 64);
    pv::set_memory_limit(2 * kChunkBytes);
    CHECK(pv::memory_limit() == 2 * kChunkBytes);
    pv::reset_chunk_statistics();
    CHECK(pv::chunk_statistics().peak_bytes == 2 * kChunkBytes);
    chunks->read(7 * 64);
    chunks->read(6 * 64);
    CHECK(pv::chunk_statistics().chunks_read == 0);
    chunks->read(5 * 64);
    CHECK(pv::chunk_statistics().chunks_read == 1);
    CHECK_THROWS_AS(pv::set_memory_limit(-1), pv::ShapeError);
}

TEST_CASE("A chunk beyond the limit is refused by its bytes") {
    const MemoryLimit limit(kChunkBytes - 1);
    const auto chunks = std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{1024}, {64}});
    CHECK_THROWS_AS(chunks->read(0), pv::MemoryLimitError);
    CHECK_THROWS_WITH(chunks->read(0), Catch::Contains("read_chunk") && Catch::Contains("512") &&
                                           Catch::Contains("511"));
    CHECK_THROWS_AS(chunks->write(0, 1.), pv::MemoryLimitError);
    CHECK(chunks->reads == 0);
    pv::set_memory_limit(kChunkBytes);
    CHECK(chunks->read(0) == 0.);
    CHECK(chunks->reads == 1);
}

TEST_CASE("Chunks of fill take one element") {
    const MemoryLimit limit(2 * kChunkBytes);
    const StoredChunks<double> chunks({{1024}, {64}}, 7.);
    std::vector<double> all(1024);
    chunks.read_block(0, 1, all);
    chunks.read_block(0, 1, all);
    CHECK(all == std::vector(1024, 7.));
    CHECK(chunks.reads == 16);
    CHECK(pv::chunk_statistics().cache_hits == 16);
    CHECK(pv::chunk_statistics().bytes_read == 0);
}

TEST_CASE("What reading throws is not kept") {
    const MemoryLimit limit(4 * kChunkBytes);
    const auto chunks = numbered();
    chunks->before_read = [](pv::ShapeSpan) { throw std::runtime_error("the disk is gone"); };
    CHECK_THROWS_WITH(chunks->read(0), "the disk is gone");
    CHECK_THROWS_WITH(chunks->read(0), "the disk is gone");
    CHECK(chunks->reads == 2);
    chunks->before_read = nullptr;
    CHECK(chunks->read(5) == 5.);
    CHECK(pv::chunk_statistics().chunks_read == 1);
    pv::reset_chunk_statistics();
    CHECK(pv::chunk_statistics().peak_bytes == kChunkBytes);
}

TEST_CASE("Dropped chunks are read again, those of a store that is gone take no memory") {
    const MemoryLimit limit(4 * kChunkBytes);
    auto chunks = numbered();
    chunks->read(0);
    pv::drop_cached_chunks();
    chunks->read(0);
    CHECK(chunks->reads == 2);
    chunks.reset();
    pv::reset_chunk_statistics();
    CHECK(pv::chunk_statistics().peak_bytes == 0);
}

TEST_CASE("Readers of one store share chunks, and see what is written") {
    const MemoryLimit limit(4 * kChunkBytes);
    const auto store = std::make_shared<pv::ChunkStore>();
    StoredChunks<double> first({{128}, {64}}, 0., store);
    const StoredChunks<double> second({{128}, {64}}, 0., store);
    CHECK(second.read(3) == 0.);
    first.write(3, 5.);
    CHECK(second.read(3) == 5.);
    CHECK(second.reads == 1);
}

TEST_CASE("A chunk that reads itself is an error") {
    const MemoryLimit limit(4 * kChunkBytes);
    const auto chunks = numbered();
    chunks->before_read = [&](pv::ShapeSpan) { static_cast<void>(chunks->read(0)); };
    CHECK_THROWS_AS(chunks->read(0), pv::Error);
    CHECK_THROWS_AS(chunks->read(64), pv::Error);
    chunks->before_read = nullptr;
}

} // namespace chunk_memory_test
