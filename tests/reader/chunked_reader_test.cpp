#include <purview/reader/chunked_reader.hpp>

#include <support/random_choice.hpp>
#include <support/reader_laws.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>

#include <purview/base/errors.hpp>
#include <purview/expression/leaf.hpp>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace chunked_reader_test {

namespace pv = purview;
using namespace reader_laws;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::StoredChunks;

pv::Shape some_shape(Random& random, index_t least, index_t most, std::size_t rank) {
    pv::Shape shape;
    for (std::size_t axis = 0; axis < rank; ++axis) shape.push_back(random.between(least, most));
    return shape;
}

TEMPLATE_TEST_CASE("Elements in chunks are read and written as those of one block", "",
                   READER_TYPES) {
    Random random(11);
    const MemoryLimit limit(index_t{1} << 24);
    for (int round = 0; round < oracle::rounds(24); ++round) {
        const auto rank = static_cast<std::size_t>(random.between(0, 4));
        const pv::Shape shape = some_shape(random, random.one_in(8) ? 0 : 1, 7, rank);
        StoredChunks<TestType> chunks({shape, some_shape(random, 1, 9, rank)});
        const index_t n = chunks.size();
        CAPTURE(shape, chunks.grid().chunk);
        check_reads<TestType>(chunks, Values<TestType>(n));
        const auto samples = Values<TestType>::samples(n);
        chunks.write_block(0, 1, samples.span());
        check_reads<TestType>(chunks, samples);
        pv::drop_cached_chunks();
        check_reads<TestType>(chunks, samples);
        if (random.one_in(4)) check_writes(chunks);
    }
}

TEST_CASE("Any list and any step gives the elements of one block") {
    Random random(12);
    const MemoryLimit limit(1 << 20);
    for (int round = 0; round < oracle::rounds(200); ++round) {
        const auto rank = static_cast<std::size_t>(random.between(1, 4));
        StoredChunks<std::int64_t> chunks(
            {some_shape(random, 1, 9, rank), some_shape(random, 1, 5, rank)});
        const index_t n = chunks.size();
        std::vector<std::int64_t> all(static_cast<std::size_t>(n));
        for (index_t i = 0; i < n; ++i) all[static_cast<std::size_t>(i)] = i + 1;
        chunks.write_block(0, 1, all);
        for (int i = 0; i < 20; ++i) {
            const index_t begin = random.between(0, n - 1);
            const index_t step = random.between(-n, n);
            const index_t most = step == 0  ? 5
                                 : step > 0 ? (n - 1 - begin) / step + 1
                                            : begin / -step + 1;
            std::vector<std::int64_t> out(static_cast<std::size_t>(random.between(0, most)));
            chunks.read_block(begin, step, out);
            bool right = true;
            for (std::size_t k = 0; k < out.size(); ++k)
                right = right && out[k] == begin + static_cast<index_t>(k) * step + 1;
            std::vector<index_t> indexes(static_cast<std::size_t>(random.between(0, 2 * n)));
            for (index_t& index : indexes) index = random.between(0, n - 1);
            std::vector<std::int64_t> gathered(indexes.size());
            chunks.gather(indexes, gathered);
            for (std::size_t k = 0; k < indexes.size(); ++k)
                right = right && gathered[k] == indexes[k] + 1;
            CAPTURE(chunks.grid().shape, chunks.grid().chunk, begin, step);
            REQUIRE(right);
            // The last of equal places wins.
            chunks.scatter(indexes, gathered);
            for (std::size_t k = 0; k < indexes.size(); ++k) gathered[k] = static_cast<index_t>(k);
            chunks.scatter(indexes, gathered);
            std::vector<std::int64_t> expected = all;
            for (std::size_t k = 0; k < indexes.size(); ++k)
                expected[static_cast<std::size_t>(indexes[k])] = static_cast<index_t>(k);
            std::vector<std::int64_t> written(all.size());
            chunks.read_block(0, 1, written);
            REQUIRE(written == expected);
            chunks.write_block(0, 1, all);
        }
    }
}

TEST_CASE("A call looks each chunk up once") {
    const MemoryLimit limit(1 << 24);
    StoredChunks<double> chunks({{64, 64}, {16, 16}});
    std::vector<double> block(1024);
    chunks.read_block(0, 1, block); // 16 rows of 4 chunks
    CHECK(chunks.reads == 4);
    CHECK(pv::chunk_statistics().chunks_read == 4);
    CHECK(pv::chunk_statistics().cache_hits == 0);
    chunks.read_block(0, 1, block);
    CHECK(pv::chunk_statistics().cache_hits == 4);
    chunks.read_block(0, 64, std::span(block).first(64)); // a column
    CHECK(pv::chunk_statistics().cache_hits == 5);
    CHECK(chunks.reads == 7);
    std::vector<index_t> indexes;
    for (index_t i = 0; i < 4096; ++i) indexes.push_back(i * 1021 % 4096);
    std::vector<double> all(4096);
    pv::reset_chunk_statistics();
    chunks.gather(indexes, all);
    CHECK(pv::chunk_statistics().cache_hits + pv::chunk_statistics().chunks_read == 16);
}

TEST_CASE("A chunk that is written whole is not read, one that is all fill is erased") {
    const MemoryLimit limit(1 << 20);
    StoredChunks<double> chunks({{5, 5}, {2, 3}}, -1.);
    std::vector<double> all(25, 3.);
    chunks.write_block(0, 1, all);
    CHECK(chunks.reads == 0);
    CHECK(chunks.writes == 6);
    CHECK(pv::chunk_statistics().chunks_written == 6);
    pv::drop_cached_chunks();
    chunks.write(0, 4.); // the others of its chunk are read first
    CHECK(chunks.reads == 1);
    CHECK(chunks.read(1) == 3.);
    CHECK(chunks.read(0) == 4.);
    CHECK(chunks.reads == 1);
    std::fill(all.begin(), all.end(), -1.);
    chunks.write_block(0, 1, all);
    CHECK(chunks.stored() == 0);
    CHECK(chunks.erased == 6);
    CHECK(chunks.read(24) == -1.);

    StoredChunks<double> zeros({{2}, {2}});
    zeros.write_block(0, 1, std::vector{-0., -0.});
    CHECK(zeros.stored() == 1); // -0. is not 0.
    StoredChunks<double> gaps({{2}, {2}}, std::numeric_limits<double>::quiet_NaN());
    gaps.write_block(0, 1, std::vector(2, std::numeric_limits<double>::quiet_NaN()));
    CHECK(gaps.stored() == 0);
}

TEST_CASE("Chunks of other ranks, of none, and too many elements are refused") {
    const auto made = [](pv::Shape shape, pv::Shape chunk) {
        return std::make_shared<StoredChunks<float>>(
            pv::ChunkGrid{std::move(shape), std::move(chunk)});
    };
    CHECK_THROWS_AS(made({4, 4}, {2}), pv::ShapeError);
    CHECK_THROWS_AS(made({}, {2}), pv::ShapeError);
    CHECK_THROWS_AS(made({4}, {0}), pv::ShapeError);
    CHECK_THROWS_AS(made({4}, {-1}), pv::ShapeError);
    CHECK_THROWS_AS(made({-4}, {1}), pv::ShapeError);
    const index_t huge = index_t{1} << 40;
    CHECK_THROWS_AS(made({huge, huge}, {1, 1}), pv::ShapeError);
    CHECK_THROWS_AS(made({4, 4}, {huge, huge}), pv::ShapeError);
    CHECK_THROWS_WITH(made({4, 4}, {0, 2}), Catch::Contains("[0 2]") && Catch::Contains("[4 4]"));
    CHECK(made({4, 0}, {3, 3})->count() == 0);
    CHECK(made({}, {})->count() == 1);
    CHECK(made({4, 9}, {3, 3})->counts()[1] == 3);
}

TEST_CASE("Expressions know that they read chunks") {
    const auto chunks = std::make_shared<StoredChunks<float>>(pv::ChunkGrid{{4}, {2}});
    const auto leaf = pv::make_node<pv::Leaf>(std::shared_ptr<const pv::AnyReader>(chunks));
    CHECK(leaf->reads(pv::Below::blocks));
    CHECK(chunks->chunks() == chunks.get());
    CHECK(chunks->chunks()->can_write());
    const auto plain = std::make_shared<Plain<float>>(4);
    CHECK_FALSE(pv::make_node<pv::Leaf>(std::shared_ptr<const pv::AnyReader>(plain))
                    ->reads(pv::Below::blocks));
    CHECK(chunks->reads == 0);
}

} // namespace chunked_reader_test
