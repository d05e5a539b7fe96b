#include "record_chunks.hpp"

#include <purview/evaluation/parallel.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace purview::inline v0_1::csv {
namespace {

constexpr std::size_t kChunkBytes = std::size_t{1} << 20;

const char* find(char c, const char* at, const char* end) {
    if (at == end) return nullptr;
    return static_cast<const char*>(std::memchr(at, c, static_cast<std::size_t>(end - at)));
}

/// Where candidates for chunks begin: behind line ends, wherever these stand.
std::vector<const char*> split(std::string_view text) {
    std::vector<const char*> begins;
    const char* const end = text.data() + text.size();
    for (const char* at = text.data(); at < end;) {
        begins.push_back(at);
        if (static_cast<std::size_t>(end - at) <= kChunkBytes) break;
        const char* const feed = find('\n', at + kChunkBytes, end);
        if (feed == nullptr) break;
        at = feed + 1;
    }
    begins.push_back(end);
    return begins;
}

class LineCounter {
public:
    LineCounter(std::string_view text, Marks marks, bool empty_lines_count)
        : first_(text.data()), marks_(marks), empty_lines_count_(empty_lines_count) {}

    /// What a chunk has outside of quotes.
    struct Result {
        index_t records = 0;
        bool ends_in_quotes;
    };
    Result count(const char* at, const char* end, bool in_quotes) const {
        index_t records = 0;
        while (at < end) {
            if (in_quotes) {
                const char* const quote = find(marks_.quote, at, end);
                if (quote == nullptr) break;
                const bool doubled = end - quote > 1 && quote[1] == marks_.quote;
                at = quote + (doubled ? 2 : 1);
                in_quotes = doubled;
            } else {
                const char* quote = find(marks_.quote, at, end);
                while (quote != nullptr && !opens(quote))
                    quote = find(marks_.quote, quote + 1, end);
                const char* const behind = quote == nullptr ? end : quote;
                records += line_ends(at, behind);
                if (quote == nullptr) break;
                at = quote + 1;
                in_quotes = true;
            }
        }
        return {records, in_quotes};
    }

private:
    bool opens(const char* quote) const {
        return quote == first_ || quote[-1] == marks_.delimiter || quote[-1] == '\n';
    }
    bool ends_record(const char* feed) const {
        if (*feed != '\n') return false;
        if (empty_lines_count_) return true;
        const char* line = feed;
        if (line > first_ && line[-1] == '\r') --line;
        return line > first_ && line[-1] != '\n';
    }
    index_t line_ends(const char* at, const char* end) const {
        index_t count = 0;
        for (; at < end && at - first_ < 2; ++at) count += ends_record(at);
        // In pieces whose counts fit a byte, so that compilers count 16 or more characters at a time.
        const auto skipped = static_cast<unsigned char>(!empty_lines_count_);
        while (at < end) {
            const char* const behind = at + std::min<std::ptrdiff_t>(end - at, 192);
            unsigned char piece = 0;
            for (; at < behind; ++at) {
                const auto feed = static_cast<unsigned char>(*at == '\n');
                const auto empty = static_cast<unsigned char>(
                    (at[-1] == '\n') | ((at[-1] == '\r') & (at[-2] == '\n')));
                piece = static_cast<unsigned char>(piece + (feed & ~(empty & skipped)));
            }
            count += piece;
        }
        return count;
    }

    const char* first_;
    Marks marks_;
    bool empty_lines_count_;
};

} // namespace

RecordChunks::RecordChunks(std::string_view text, Marks marks, bool empty_lines_count) {
    if (text.empty()) return;
    const std::vector<const char*> begins = split(text);
    const std::size_t candidates = begins.size() - 1;
    const LineCounter lines(text, marks, empty_lines_count);
    std::vector<std::array<LineCounter::Result, 2>> results(candidates);
    const double nanoseconds = 0.3 * static_cast<double>(text.size());
    parallel_ranges(static_cast<index_t>(candidates), 1, nanoseconds,
                    [&](index_t first, index_t last) {
                        for (auto c = static_cast<std::size_t>(first);
                             c < static_cast<std::size_t>(last); ++c) {
                            results[c][0] = lines.count(begins[c], begins[c + 1], false);
                            if (c > 0) results[c][1] = lines.count(begins[c], begins[c + 1], true);
                        }
                    });
    bool in_quotes = false;
    for (std::size_t c = 0; c < candidates; ++c) {
        const std::string_view piece(begins[c],
                                     static_cast<std::size_t>(begins[c + 1] - begins[c]));
        if (in_quotes) {
            Chunk& before = chunks_.back();
            before.text = {before.text.data(), before.text.size() + piece.size()};
        } else {
            chunks_.push_back({piece, rows_});
        }
        const LineCounter::Result& result = results[c][in_quotes ? 1 : 0];
        rows_ += result.records;
        in_quotes = result.ends_in_quotes;
    }
    if (text.back() != '\n' || in_quotes) ++rows_; // what is not ended, or says so when it is read
}

} // namespace purview::csv
