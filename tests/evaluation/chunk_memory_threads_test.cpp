#include <purview/evaluation/chunk_memory.hpp>

#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>

#include <atomic>
#include <chrono>
#include <memory>
#include <stdexcept>
#include <thread>
#include <vector>

namespace chunk_memory_threads_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::StoredChunks;
using pv::index_t;

constexpr index_t kChunkBytes = 64 * sizeof(double);

TEST_CASE("Threads that want one chunk wait for one that reads it") {
    const MemoryLimit limit(4 * kChunkBytes);
    StoredChunks<double> chunks({{64}, {64}});
    chunks.before_read = [](pv::ShapeSpan) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
    };
    std::atomic<int> right = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 6; ++i)
            threads.emplace_back([&] { right += chunks.read(5) == 0. ? 1 : 0; });
    }
    CHECK(right == 6);
    CHECK(chunks.reads == 1);

    pv::drop_cached_chunks();
    chunks.before_read = [](pv::ShapeSpan) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        throw std::runtime_error("gone");
    };
    std::atomic<int> thrown = 0;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 6; ++i)
            threads.emplace_back([&] {
                try {
                    static_cast<void>(chunks.read(5));
                } catch (const std::runtime_error&) {
                    ++thrown;
                }
            });
    }
    CHECK(thrown == 6);
}

TEST_CASE("Threads stay within the limit together") {
    for (const index_t room : {1, 2, 3, 5}) {
        const MemoryLimit limit(room * kChunkBytes);
        StoredChunks<double> chunks({{32, 64}, {8, 8}});
        std::vector<double> all(2048);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i);
        chunks.write_block(0, 1, all);
        std::atomic<int> wrong = 0;
        {
            std::vector<std::jthread> threads;
            for (index_t thread = 0; thread < 4; ++thread)
                threads.emplace_back([&, thread] {
                    std::vector<double> block(100);
                    for (index_t i = 0; i < oracle::rounds(300); ++i) {
                        const index_t begin = (i * 733 + thread * 97) % 1900;
                        chunks.read_block(begin, 1, block);
                        for (std::size_t k = 0; k < block.size(); ++k)
                            if (block[k] != static_cast<double>(begin) + static_cast<double>(k))
                                ++wrong;
                    }
                });
        }
        CHECK(wrong == 0);
        CHECK(pv::chunk_statistics().peak_bytes <= room * kChunkBytes);
    }
}

TEST_CASE("Threads write parts of the same chunks, drop them, and change the limit") {
    const MemoryLimit limit(64 * kChunkBytes);
    StoredChunks<double> chunks({{256}, {64}});
    std::atomic<bool> done = false;
    {
        std::jthread other([&] {
            for (index_t i = 0; !done; ++i) {
                if (i % 3 == 0) pv::drop_cached_chunks();
                pv::set_memory_limit((16 + i % 5) * kChunkBytes);
                static_cast<void>(chunks.read(i % 256));
            }
        });
        {
            std::vector<std::jthread> threads;
            for (index_t thread = 0; thread < 4; ++thread)
                threads.emplace_back([&, thread] {
                    for (index_t i = thread; i < 256; i += 4)
                        chunks.write(i, static_cast<double>(i + 1));
                });
        }
        done = true;
    }
    std::vector<double> all(256);
    chunks.read_block(0, 1, all);
    bool right = true;
    for (std::size_t i = 0; i < all.size(); ++i)
        right = right && all[i] == static_cast<double>(i + 1);
    CHECK(right);
}

} // namespace chunk_memory_threads_test
