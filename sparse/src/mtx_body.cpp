#include "mtx_body.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace purview::inline v0_1::sparse {
namespace {

constexpr index_t kChunkBytes = index_t{1} << 20;

index_t count_feeds(const char* first, const char* last) {
    // In pieces whose counts fit a byte, so that compilers count 16 or more characters at a time.
    index_t count = 0;
    while (first < last) {
        const char* const behind = first + std::min<std::ptrdiff_t>(last - first, 192);
        unsigned char piece = 0;
        for (; first < behind; ++first)
            piece = static_cast<unsigned char>(piece + (*first == '\n'));
        count += piece;
    }
    return count;
}

} // namespace

MtxBody::MtxBody(std::span<const std::byte> bytes, const MtxHeader& header,
                 const std::string& where)
    : file_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
      header_(header),
      where_(where) {
    const char* const first = file_.data() + header.data_offset;
    const char* const end = file_.data() + file_.size();
    for (const char* at = first; at < end;) {
        begins_.push_back(at);
        if (end - at <= kChunkBytes) break;
        const char* const feed = line_end(at + kChunkBytes, end);
        at = feed == end ? end : feed + 1;
    }
    begins_.push_back(end);
    if (begins_.size() == 1) begins_.insert(begins_.begin(), end);
    const std::size_t chunks = begins_.size() - 1;
    std::vector<index_t> counts(chunks);

    // Nearly always each line is an entry: lines are counted first, which is fast.
    const double nanoseconds = 0.1 * static_cast<double>(end - first);
    parallel_ranges(static_cast<index_t>(chunks), 1, nanoseconds, [&](index_t from, index_t to) {
        for (auto c = static_cast<std::size_t>(from); c < static_cast<std::size_t>(to); ++c)
            counts[c] = count_feeds(begins_[c], begins_[c + 1]);
    });
    if (end > first && end[-1] != '\n') ++counts.back();
    index_t total = 0;
    for (const index_t count : counts) total += count;
    if (total != header.entries) {
        parallel_ranges(
            static_cast<index_t>(chunks), 1, 10 * nanoseconds, [&](index_t from, index_t to) {
                for (auto c = static_cast<std::size_t>(from); c < static_cast<std::size_t>(to); ++c)
                    counts[c] = count_entries(c);
            });
        total = 0;
        for (const index_t count : counts) total += count;
        if (total != header.entries) fail_count();
    }
    first_entry_.push_back(0);
    for (const index_t count : counts) first_entry_.push_back(first_entry_.back() + count);
}

index_t MtxBody::count_entries(std::size_t chunk) const {
    index_t count = 0;
    const char* const end = begins_[chunk + 1];
    for (const char* at = begins_[chunk]; at < end;) {
        const char* const feed = line_end(at, end);
        count += skip_blanks(at, feed) != feed;
        at = feed == end ? end : feed + 1;
    }
    return count;
}

void MtxBody::fail_count() const {
    index_t count = 0;
    for (std::size_t chunk = 0; chunk + 1 < begins_.size(); ++chunk) count += count_entries(chunk);
    throw FormatError(
        fmt::format("{}: promises {} entries and has {}", where_, header_.entries, count));
}

bool MtxBody::is_written_as(double number, const char* first, const char* last) {
    const bool is_negative = first < last && *first == '-';
    first = std::find_if(first + (is_negative ? 1 : 0), last, [](char c) { return c != '0'; });
    return fmt::format("{:.0f}", number) ==
           fmt::format("{}{}", is_negative ? "-" : "", std::string_view(first, last));
}

void MtxBody::fail_coordinate(const char* line, const char* axis) const {
    fail(line, fmt::format("does not say its {} as a number from 1 on", axis));
}

void MtxBody::fail_range(const char* line, const char* axis, std::uint64_t number,
                         index_t extent) const {
    fail(line, number == ~std::uint64_t{0} ? fmt::format("has a {} that overflows", axis)
                                           : fmt::format("has {} {} of {}", axis, number, extent));
}

void MtxBody::fail_value(const char* line, std::errc error, DType dtype) const {
    if (error == std::errc::result_out_of_range)
        fail<CastError>(line, fmt::format("has a value that does not fit {}", dtype.name()));
    fail(line, header_.field == MtxField::integer ? "has no integer for its value"
                                                  : "has no number for its value");
}

} // namespace purview::sparse
