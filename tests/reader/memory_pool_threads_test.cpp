#include <support/catch.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/memory_pool.hpp>

#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

namespace memory_pool_threads_test {

namespace pv = purview;
using pv::index_t;

TEST_CASE("Threads take and give memory at once, and nobody else's") {
    const index_t before = pv::recycled_memory_limit();
    pv::set_recycled_memory_limit(index_t{40} << 20);
    std::atomic<int> wrong = 0;
    std::atomic<bool> done = false;
    {
        std::jthread trimmer([&] {
            while (!done) {
                pv::trim_recycled_memory();
                pv::set_recycled_memory_limit((index_t{30} << 20) + pv::recycled_memory() / 2);
                std::this_thread::yield();
            }
        });
        std::vector<std::jthread> threads;
        for (index_t thread = 0; thread < 4; ++thread)
            threads.emplace_back([thread, &wrong] {
                for (index_t round = 0; round < 150; ++round) {
                    const index_t n = (4 + (round * 7 + thread) % 9) * 131072 + round;
                    const auto buffer = round % 8 == 0
                                            ? pv::allocate_buffer<std::int64_t>(n)
                                            : pv::allocate_uninitialized_buffer<std::int64_t>(n);
                    if (round % 8 == 0 && buffer->read(n / 2) != 0) ++wrong;
                    for (index_t i = 0; i < n; i += 4096) buffer->write(i, thread * 1000 + round);
                    std::this_thread::yield();
                    for (index_t i = 0; i < n; i += 4096)
                        if (buffer->read(i) != thread * 1000 + round) ++wrong;
                }
            });
        threads.clear();
        done = true;
    }
    CHECK(wrong == 0);
    CHECK(pv::recycled_memory() <= pv::recycled_memory_limit());

    // Freed by another thread than the one that allocated.
    pv::set_recycled_memory_limit(index_t{40} << 20);
    pv::trim_recycled_memory();
    auto buffer = pv::allocate_uninitialized_buffer<std::int64_t>(1 << 20);
    std::jthread([moved = std::move(buffer)]() mutable { moved.reset(); }).join();
    CHECK(pv::recycled_memory() == index_t{8} << 20);
    pv::trim_recycled_memory();
    pv::set_recycled_memory_limit(before);
}

} // namespace memory_pool_threads_test
