/// Data in places that the library does not know, read and written by index: docs/own_readers.md shows parts of this file.

#include "check.hpp"

#include <purview/purview.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace pv = purview;

// [reader]
/// Samples of 12 bits, packed two to three bytes as cameras send them.
class PackedSamples final : public pv::Reader<std::uint16_t> {
public:
    explicit PackedSamples(std::vector<std::uint8_t> bytes) : bytes_(std::move(bytes)) {}

    pv::index_t size() const override { return std::ssize(bytes_) / 3 * 2; }

    std::uint16_t read(pv::index_t i) const override {
        const std::uint8_t* const pair = bytes_.data() + i / 2 * 3;
        return i % 2 == 0 ? static_cast<std::uint16_t>(pair[0] | (pair[1] & 15) << 8)
                          : static_cast<std::uint16_t>(pair[1] >> 4 | pair[2] << 4);
    }

private:
    std::vector<std::uint8_t> bytes_;
};
// [/reader]

// [blocks]
/// A stream of records that is expensive to open and cheap to read on: one call for a whole block.
class Records final : public pv::Reader<double> {
public:
    pv::index_t size() const override { return 10'000; }
    double read(pv::index_t i) const override { return ++opened, static_cast<double>(i) / 4; }

    void read_block(pv::index_t begin, pv::index_t step, std::span<double> out) const override {
        ++opened;
        for (double& value : out) {
            value = static_cast<double>(begin) / 4;
            begin += step;
        }
    }

    /// The calling thread alone may read this, one call at a time.
    bool is_thread_safe() const noexcept override { return false; }

    mutable int opened = 0;
};
// [/blocks]

// [writer]
/// Registers of a device, which are read and written through functions.
class Registers final : public pv::Reader<int>, public pv::Writer<int> {
public:
    pv::index_t size() const override { return 6; }
    int read(pv::index_t i) const override { return values_.at(static_cast<std::size_t>(i)); }
    void write(pv::index_t i, const int& value) override {
        if (value < 0) throw std::invalid_argument("a register holds no negative number");
        values_.at(static_cast<std::size_t>(i)) = value;
        ++writes;
    }

    int writes = 0;

private:
    std::vector<int> values_ = std::vector<int>(6);
};
// [/writer]

// [chunks]
/// Frames of 480 × 640 that are made when they are read: a chunk for each.
class Frames final : public pv::ChunkedReader<float> {
public:
    explicit Frames(pv::index_t count)
        : pv::ChunkedReader<float>({{count, 480, 640}, {1, 480, 640}}) {}

    bool read_chunk(pv::ShapeSpan at, std::span<float> out) const override {
        if (at[0] % 2 == 1) return false; // nothing there: all are fill(), 0 unless overridden
        std::fill(out.begin(), out.end(), static_cast<float>(at[0]));
        return true;
    }
};
// [/chunks]

void chunks() {
    // [use-chunks]
    auto frames = std::make_shared<Frames>(100);
    auto film = pv::tensor(frames, frames->grid().shape); // [100, 480, 640]: nothing is read yet
    check(film(42, 7, 9) == 42, "one frame is read");
    check(pv::sum(film(42, pv::all)) == 42 * 480 * 640, "and is in the cache now");
    check(pv::chunk_statistics().chunks_read == 1, "so it is not read again");
    auto squares = pv::chunked(film * film, {10, 48, 64}); // what was computed is kept, too
    check(squares(2, 0, 0) == 4, "by chunks of its own");
    // [/use-chunks]
}

void readers() {
    // [use]
    auto packed = std::make_shared<PackedSamples>(std::vector<std::uint8_t>{0x34, 0x12, 0x56});
    auto samples = pv::tensor(packed);                    // uint16 [2]: no copy, shares ownership
    auto image = pv::tensor(packed, {2, 1});              // the same reader with a shape
    auto bright = pv::sum(image | pv::cast<double>) / 2;  // read in blocks, fused with the cast
    auto swapped = image | pv::flip({0}) | pv::transpose; // every view works on every reader
    // [/use]
    check(samples(0) == 0x234 && samples(1) == 0x561, "packed samples");
    check(bright == (0x234 + 0x561) / 2. && swapped(0, 0) == 0x561, "views of packed samples");

    // [count]
    auto records = std::make_shared<Records>();
    auto total = pv::sum(pv::tensor(records, {100, 100}) * 2);
    check(total == 24'997'500 && records->opened < 100, "blocks: not one call per element");
    // [/count]
}

void writers() {
    // [write]
    auto registers = std::make_shared<Registers>();
    auto r = pv::tensor(registers, {2, 3});         // reader and writer: a MutableTensor
    r(0, 1) = 7;                                    // one call of write
    pv::copy(pv::tensor({1, 2, 3}), r(1, pv::all)); // any view of it is written through
    pv::fill(r(pv::all, 0) | pv::flip({0}), 5);     // flipped, too
    check(pv::equals(r, pv::tensor({{5, 7, 0}, {5, 2, 3}})), "registers");
    check_throws<std::invalid_argument>([&] { r(0, 0) = -1; }, "no negative");
    // [/write]
    check(registers->writes == 6, "one write for each element");
}

void functions_of_the_index() {
    // [make-reader]
    auto squares = pv::tensor(pv::make_reader(1'000'000'000, [](pv::index_t i) { return i * i; }));
    check(squares(-1) == 999'999'999LL * 999'999'999,
          "computed when it is read, 10⁹ elements in no memory");

    int calls = 0; // a mutable lambda is called by one thread at a time
    auto counted = pv::make_reader(4, [calls](pv::index_t) mutable { return ++calls; });
    check(!counted->is_thread_safe(), "which the reader says");
    // [/make-reader]

    // [list]
    pv::List<double> readings;
    for (int i = 0; i < 3; ++i) readings.append(i / 2.);
    auto first = pv::tensor(readings.snapshot()); // shares the list's memory, and never changes
    readings.append(100);
    check(pv::sum(first) == 1.5 && readings.size() == 4, "a snapshot is what the list was");
    // [/list]
}

int main() {
    readers();
    chunks();
    writers();
    functions_of_the_index();
    return exit_status();
}
