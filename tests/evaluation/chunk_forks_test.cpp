#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/child_process.hpp>
#include <support/stored_chunks.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace chunk_forks_test {

namespace pv = purview;
using oracle::holds_in_child;
using oracle::MemoryLimit;
using oracle::StoredChunks;
using pv::index_t;

constexpr index_t kChunkBytes = 64 * sizeof(double);

/// Chunks 0 to 3, of which the elements are their indexes. What another thread does with one of them has begun, and goes on when this ends.
struct Underway {
    std::shared_ptr<StoredChunks<double>> chunks =
        std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{256}, {64}});
    std::atomic<bool> has_begun = false;
    std::atomic<bool> waits = true;
    std::jthread thread;

    template <typename F>
    explicit Underway(F work) {
        std::vector<double> all(256);
        for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<double>(i);
        chunks->write_block(0, 1, all);
        pv::drop_cached_chunks();
        chunks->before_read = [this](pv::ShapeSpan) {
            has_begun = true;
            has_begun.notify_all();
            waits.wait(true);
        };
        thread = std::jthread([this, work] { work(*chunks); });
        has_begun.wait(false);
    }
    ~Underway() { go_on(); }
    void go_on() {
        waits = false;
        waits.notify_all();
    }
};

TEST_CASE("A child reads the chunk that a thread of its parent is reading", "[threads]") {
    Underway reading([](const StoredChunks<double>& chunks) { static_cast<void>(chunks.read(5)); });
    CHECK(holds_in_child([&] {
        reading.go_on();
        return reading.chunks->read(5) == 5. &&
               pv::sum(pv::tensor(reading.chunks, {256})) == 32640.; // 255 * 256 / 2
    }));
}

TEST_CASE("What threads of its parent hold is no part of a child's limit", "[threads]") {
    const MemoryLimit limit(2 * kChunkBytes);
    Underway reading([](const StoredChunks<double>& chunks) { static_cast<void>(chunks.read(5)); });
    static_cast<void>(holds_in_child([] { return true; }));
    const auto holds_two = [&] {
        reading.go_on();
        const MemoryLimit two(2 * kChunkBytes);
        const auto t = pv::tensor(reading.chunks, {256});
        return pv::sum(t) == 32640. && pv::sum(pv::sq(t)) == 5559680.; // 255 * 256 * 511 / 6
    };
    CHECK(holds_in_child(holds_two));
}

TEST_CASE("A child writes into the chunk that a thread of its parent is writing", "[threads]") {
    Underway writing([](StoredChunks<double>& chunks) { chunks.write(5, -1.); });
    CHECK(holds_in_child([&] {
        writing.go_on();
        writing.chunks->write(6, 100.);
        return writing.chunks->read(5) == 5. && writing.chunks->read(6) == 100.;
    }));
    writing.go_on();
    writing.thread.join();
    CHECK(writing.chunks->read(5) == -1.);
    CHECK(writing.chunks->read(6) == 6.);
}

TEST_CASE("A child that begins while its thread reads a chunk reads on", "[threads]") {
    const MemoryLimit limit(2 * kChunkBytes);
    StoredChunks<double> chunks({{256}, {64}}, 2.);
    bool is_child = false;
    ::pid_t child = 0;
    chunks.before_read = [&](pv::ShapeSpan at) {
        if (at[0] != 1 || child != 0) return;
        child = ::fork();
        is_child = child == 0;
        if (is_child) ::alarm(60);
    };
    const bool is_right =
        pv::sum(pv::tensor(std::shared_ptr<StoredChunks<double>>(std::shared_ptr<void>(), &chunks),
                           {256})) == 512.;
    if (is_child) ::_exit(is_right && chunks.read(100) == 2. ? 0 : 1);
    int status = -1;
    ::waitpid(child, &status, 0);
    CHECK(is_right);
    CHECK(status == 0);
}

} // namespace chunk_forks_test
