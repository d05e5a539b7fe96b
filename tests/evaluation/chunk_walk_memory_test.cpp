#include <support/catch.hpp>
#include <support/sanitizers.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <memory>
#include <string>

// Evaluations of arrays of chunks that are larger than the memory limit stay within it.

namespace chunk_walk_memory_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using pv::index_t;

constexpr index_t kLimit = 32 << 20;

/// Chunks that are computed as they are read, all elements of each the same.
class ComputedChunks final : public pv::ChunkedReader<double> {
public:
    using pv::ChunkedReader<double>::ChunkedReader;

    static double value_of(pv::ShapeSpan at) {
        double value = 1;
        for (const index_t place : at) value = value * 3 + static_cast<double>(place);
        return value;
    }
    bool read_chunk(pv::ShapeSpan at, std::span<double> out) const override {
        std::fill(out.begin(), out.end(), value_of(at));
        return true;
    }
};

/// Counts the chunks that are written, and adds up an element of each.
class DroppedChunks final : public pv::ChunkedBuffer<double> {
public:
    using pv::ChunkedBuffer<double>::ChunkedBuffer;

    bool read_chunk(pv::ShapeSpan, std::span<double>) const override { return false; }
    void write_chunk(pv::ShapeSpan, std::span<const double> elements) override {
        ++written;
        total.fetch_add(elements.front());
    }
    void erase_chunk(pv::ShapeSpan) override {}

    std::atomic<int> written = 0;
    std::atomic<double> total = 0;
};

/// Bytes that /proc/self/status says.
index_t status(const std::string& name) {
    std::ifstream file("/proc/self/status");
    for (std::string line; std::getline(file, line);)
        if (line.starts_with(name + ":")) return std::stoll(line.substr(name.size() + 1)) * 1024;
    FAIL("no " << name << " in /proc/self/status");
    return 0;
}

/// How far memory grows while `f` runs, and whether that is within the limit.
template <typename F>
void stays_within(const char* what, F f) {
    INFO(what);
    const MemoryLimit limit(kLimit);
    std::ofstream("/proc/self/clear_refs") << 5;
    const index_t before = status("VmRSS");
    f();
    CHECK(pv::chunk_statistics().peak_bytes <= kLimit);
#if !UNDER_A_SANITIZER
    CHECK(status("VmHWM") - before <= kLimit + (64 << 20));
#else
    CHECK(before > 0); // what sanitizers keep for themselves is not ours
#endif
}

} // namespace

TEST_CASE("what is larger than the limit is computed within it") {
    // 160 MB: 5 · 5 · 6 chunks of 1 MiB.
    const pv::Shape shape{250, 250, 320};
    const auto source = std::make_shared<ComputedChunks>(pv::ChunkGrid{shape, {50, 50, 54}});
    const pv::Tensor<double> x = pv::tensor(source, shape);
    const auto reads = [] { return pv::chunk_statistics().chunks_read; };

    double squares = 0;
    double total = 0;
    index_t elements = 0;
    for (index_t i = 0; i < 5; ++i)
        for (index_t j = 0; j < 5; ++j)
            for (index_t k = 0; k < 6; ++k) {
                const index_t count = 50 * 50 * (k == 5 ? 50 : 54);
                const double value = ComputedChunks::value_of(pv::Shape{i, j, k});
                squares += (value - 1) * (value - 1) * static_cast<double>(count);
                total += value * static_cast<double>(count);
                elements += count;
            }
    REQUIRE(elements == x.size());
    const double mean = total / static_cast<double>(elements);

    stays_within("sum of squares", [&] {
        CHECK(pv::sum(pv::sq(x - 1.)) == squares);
        CHECK(reads() == 150);
    });
    for (const index_t axis : {0, 1, 2})
        stays_within("mean", [&] {
            const auto means = pv::mean(x, axis);
            CHECK(std::abs(pv::mean(means) - mean) <= 1e-9 * mean);
            CHECK(reads() == 150);
        });
    stays_within("standard deviation", [&] {
        const double variance = (squares / static_cast<double>(elements)) - (mean - 1) * (mean - 1);
        CHECK(std::abs(pv::standard_deviation(x) - std::sqrt(variance)) <=
              1e-9 * std::sqrt(variance));
        CHECK(reads() == 150);
    });
    stays_within("transpose", [&] {
        const auto dropped =
            std::make_shared<DroppedChunks>(pv::ChunkGrid{{320, 250, 250}, {108, 50, 25}});
        pv::MutableTensor<double> to = pv::tensor(dropped, {320, 250, 250});
        pv::copy(x | pv::transpose, to);
        CHECK(dropped->written == 3 * 5 * 10);
        double first = 0; // elements of the chunks
        for (index_t k = 0; k < 3; ++k)
            for (index_t j = 0; j < 5; ++j)
                for (index_t i = 0; i < 10; ++i)
                    first += ComputedChunks::value_of(pv::Shape{i / 2, j, 2 * k});
        CHECK(dropped->total == first);
        CHECK(reads() == 150);
    });
    stays_within("sum of other chunks", [&] {
        const auto planes = std::make_shared<ComputedChunks>(pv::ChunkGrid{shape, {2, 250, 320}});
        const pv::Tensor<double> y = pv::tensor(planes, shape);
        double expected = total;
        for (index_t i = 0; i < 125; ++i)
            expected += ComputedChunks::value_of(pv::Shape{i, 0, 0}) * 2 * 250 * 320;
        CHECK(pv::sum(x + y) == expected);
    });
}

} // namespace chunk_walk_memory_test
