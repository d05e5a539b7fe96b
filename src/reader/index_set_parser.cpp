// Defines reader/index_set_directory.hpp.

#include "reader/index_set_directory.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <bit>
#include <cstring>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr std::uint32_t kWithRuns = 12347;
constexpr std::uint32_t kOffsetsFrom = 4; // the least number of containers for which the format
                                          // with runs has offsets

} // namespace

/// Parses the format in one pass.
class IndexSetDirectory::Parser {
public:
    explicit Parser(IndexSetDirectory& directory) : directory_(directory) {}

    void run() {
        const auto bitmaps = take<std::uint64_t>("the number of bitmaps");
        std::int64_t last = -1;
        for (std::uint64_t i = 0; i < bitmaps; ++i) {
            const auto high = take<std::uint32_t>("the upper half of a bitmap's indexes");
            if (high > 0x7fffffff) fail("an index has more than 63 bits");
            if (std::int64_t{high} <= last) fail("bitmaps are not in order");
            last = high;
            const std::size_t begin = at_;
            parse_bitmap(static_cast<index_t>(high) << 32);
            directory_.bitmaps_.push_back({high, begin, at_});
        }
        if (at_ != bytes().size()) fail("there are bytes behind the last bitmap");
    }

private:
    const std::vector<std::byte>& bytes() const noexcept { return directory_.bytes_; }

    [[noreturn]] void fail(const char* what) const {
        throw FormatError(fmt::format("IndexSet: {} (byte {} of {})", what, at_, bytes().size()));
    }

    const std::byte* take(std::size_t count, const char* what) {
        if (count > bytes().size() - at_) {
            throw FormatError(fmt::format("IndexSet: {} bytes end within {} (byte {})",
                                          bytes().size(), what, at_));
        }
        return bytes().data() + std::exchange(at_, at_ + count);
    }
    template <typename T>
    T take(const char* what) {
        T value;
        std::memcpy(&value, take(sizeof(T), what), sizeof(T));
        return value;
    }

    void parse_bitmap(index_t base) {
        const std::size_t begin = at_;
        const auto cookie = take<std::uint32_t>("a bitmap's first number");
        const bool with_runs = (cookie & 0xffff) == kWithRuns;
        if (!with_runs && cookie != kWithoutRuns) fail("a bitmap does not begin as one");
        const std::uint32_t count =
            with_runs ? (cookie >> 16) + 1 : take<std::uint32_t>("the number of containers");
        if (count > 65536) fail("a bitmap has more than 65536 containers");
        const std::byte* const run_flags =
            with_runs ? take((count + 7) / 8, "the list of runs") : nullptr;
        const std::byte* const keys = take(4 * std::size_t{count}, "the list of containers");
        const bool with_offsets = !with_runs || count >= kOffsetsFrom;
        const std::byte* const offsets =
            with_offsets ? take(4 * std::size_t{count}, "the list of offsets") : nullptr;
        std::int64_t last = -1;
        for (std::size_t i = 0; i < count; ++i) {
            std::uint16_t key_and_count[2];
            std::memcpy(key_and_count, keys + 4 * i, 4);
            if (std::int64_t{key_and_count[0]} <= last) fail("containers are not in order");
            last = key_and_count[0];
            std::uint32_t offset = 0;
            if (with_offsets) std::memcpy(&offset, offsets + 4 * i, 4);
            if (with_offsets && offset != at_ - begin) fail("a container is not at its offset");
            const bool runs =
                with_runs && (std::to_integer<unsigned>(run_flags[i / 8]) >> i % 8 & 1) != 0;
            parse_container(base + (index_t{key_and_count[0]} << 16), key_and_count[1] + 1U, runs);
        }
    }

    void parse_container(index_t base, std::uint32_t count, bool runs) {
        Container container{base, nullptr, count, 0, directory_.ranks_.size(), Form::list};
        if (runs)
            parse_runs(container);
        else if (count <= kLongestList)
            parse_list(container);
        else
            parse_bits(container);
        directory_.containers_.push_back(container);
        directory_.starts_.push_back(directory_.starts_.back() + count);
    }

    void parse_list(Container& container) {
        container.data = take(2 * std::size_t{container.count}, "a list of indexes");
        for (std::size_t i = 1; i < container.count; ++i)
            if (directory_.word16(container, i) <= directory_.word16(container, i - 1))
                fail("indexes of a list are not in order");
    }

    void parse_bits(Container& container) {
        container.form = Form::bits;
        container.data = take(8 * kWords, "a container of bits");
        std::uint32_t count = 0;
        for (std::size_t word = 0; word < kWords; ++word) {
            if (word % kWordsOfRank == 0)
                directory_.ranks_.push_back(static_cast<std::uint16_t>(count));
            count += static_cast<std::uint32_t>(std::popcount(directory_.word64(container, word)));
        }
        if (count != container.count) fail("a container of bits has not as many as it says");
    }

    void parse_runs(Container& container) {
        container.form = Form::runs;
        container.runs = take<std::uint16_t>("the number of runs");
        container.data = take(4 * std::size_t{container.runs}, "a list of runs");
        std::uint32_t count = 0;
        std::int64_t last = -2; // of the previous run
        for (std::size_t run = 0; run < container.runs; ++run) {
            const std::int64_t begin = directory_.word16(container, 2 * run);
            const std::int64_t length = directory_.word16(container, 2 * run + 1) + 1;
            if (begin <= last || begin + length > 65536) fail("runs are not in order");
            directory_.ranks_.push_back(static_cast<std::uint16_t>(count));
            count += static_cast<std::uint32_t>(length);
            last = begin + length - 1;
        }
        if (count != container.count) fail("a container of runs has not as many as it says");
    }

    IndexSetDirectory& directory_;
    std::size_t at_ = 0;
};

IndexSetDirectory::IndexSetDirectory(std::vector<std::byte> bytes)
    : bytes_(std::move(bytes)), starts_{0} {
    Parser(*this).run();
}

} // namespace purview
