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

/// Where candidates for chunks begin: behind line ends, wherever these stand. Behind the last line
/// feed these are carriage returns.
std::vector<const char*> split(std::string_view text) {
    std::vector<const char*> begins;
    const char* const end = text.data() + text.size();
    bool has_feeds = true;
    for (const char* at = text.data(); at < end;) {
        begins.push_back(at);
        if (static_cast<std::size_t>(end - at) <= kChunkBytes) break;
        const char* line_end = has_feeds ? find('\n', at + kChunkBytes, end) : nullptr;
        if (line_end == nullptr) { // a line feed before would be the end of one in pieces
            has_feeds = has_feeds && find('\n', at, end) != nullptr;
            if (has_feeds) break;
            line_end = find('\r', at + kChunkBytes, end);
        }
        if (line_end == nullptr) break;
        at = line_end + 1;
    }
    begins.push_back(end);
    return begins;
}

class LineCounter {
public:
    LineCounter(std::string_view text, Marks marks, bool empty_lines_count)
        : first_(text.data()),
          end_(text.data() + text.size()),
          marks_(marks),
          empty_lines_count_(empty_lines_count) {}

    /// What a chunk has outside of quotes.
    struct Result {
        index_t records = 0;
        bool ends_in_quotes;
        bool lone_returns; ///< whether a line ends with another end than "\n" and "\r\n"
    };
    Result count(const char* at, const char* end, bool in_quotes) const {
        index_t records = 0;
        bool lone_returns = false;
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
                records += line_ends(at, behind, lone_returns);
                if (quote == nullptr) break;
                at = quote + 1;
                in_quotes = true;
            }
        }
        return {records, in_quotes, lone_returns};
    }

private:
    bool opens(const char* quote) const {
        return quote == first_ || quote[-1] == marks_.delimiter || is_line_end(quote[-1]);
    }
    /// Whether a record ends with this character.
    bool ends_record(const char* at) const {
        if (*at != '\n' && (*at != '\r' || line_end_size(at, end_) > 1)) return false;
        if (empty_lines_count_) return true;
        const char* line = at;
        for (int returns = 0; *at == '\n' && returns < 2 && line > first_ && line[-1] == '\r';)
            --line, ++returns;
        return line > first_ && !is_line_end(line[-1]);
    }
    /// The number of records that end in a piece of text without quotes.
    index_t line_ends(const char* at, const char* end, bool& lone_returns) const {
        const char* const begin = at;
        index_t count = 0;
        for (; at < end && at - first_ < 2; ++at) count += ends_record(at);
        // In pieces whose counts fit a byte, so that compilers count 16 or more characters at a time.
        const auto skipped = static_cast<unsigned char>(!empty_lines_count_);
        unsigned char lone = 0;
        for (const char* each = begin; each < at; ++each)
            lone |=
                static_cast<unsigned char>(*each == '\r' && (each + 1 == end_ || each[1] != '\n'));
        const char* const last = end == end_ ? end - 1 : end;
        while (at < last) {
            const char* const behind = at + std::min<std::ptrdiff_t>(last - at, 192);
            unsigned char piece = 0;
            for (; at < behind; ++at) {
                const auto feed = static_cast<unsigned char>(*at == '\n');
                const auto empty = static_cast<unsigned char>(
                    (at[-1] == '\n') | ((at[-1] == '\r') & (at[-2] == '\n')));
                piece = static_cast<unsigned char>(piece + (feed & ~(empty & skipped)));
                lone |= static_cast<unsigned char>((*at == '\r') & (at[1] != '\n'));
            }
            count += piece;
        }
        if (at < end) { // what is behind the last character is not read
            count += ends_record(at);
            lone |= static_cast<unsigned char>(*at == '\r');
        }
        if (lone == 0) return count;
        lone_returns = true;
        count = 0;
        for (at = begin; at < end; ++at) count += ends_record(at);
        return count;
    }

    const char* first_;
    const char* end_;
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
        lone_returns_ |= result.lone_returns;
        in_quotes = result.ends_in_quotes;
    }
    if (!is_line_end(text.back()) || in_quotes)
        ++rows_; // what is not ended, or says so when it is read
}

} // namespace purview::csv
