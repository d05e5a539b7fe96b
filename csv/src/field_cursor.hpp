#pragma once

#include "csv_text.hpp"

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace purview::inline v0_1::csv {

/// A field without its quotes.
struct Field {
    std::string_view text; ///< until the next one is read
    bool quoted;
};

/// Goes through the fields of records that begin at `at`, one after the other.
class FieldCursor {
public:
    /// `returns`: whether a carriage return may end a line without the line feed directly behind it,
    /// so that fields are searched for it.
    FieldCursor(const CsvText& text, Marks marks, std::string_view records, bool returns = true)
        : text_(text),
          marks_(marks),
          at_(records.data()),
          end_(at_ + records.size()),
          returns_(returns) {}

    const char* at() const noexcept { return at_; }
    const char* end() const noexcept { return end_; }
    bool at_end() const noexcept { return at_ == end_; }
    bool at_line_end() const noexcept { return at_ < end_ && is_line_end(*at_); }

    /// Whether a field ends at this place.
    bool is_behind_field(const char* place) const noexcept {
        return place == end_ || *place == marks_.delimiter || is_line_end(*place);
    }
    /// Goes to where the field that begins here is known to end.
    void go_behind_field(const char* place) noexcept { at_ = place; }
    /// The field that begins here; goes behind it. Throws `FormatError`.
    Field field() {
        if (at_ < end_ && *at_ == marks_.quote) return quoted_field();
        const char* const begin = at_;
        at_ = returns_ ? next_mark<true>(at_) : next_mark<false>(at_);
        const char* behind = at_;
        if (!returns_ && at_ < end_ && *at_ == '\n' && behind > begin && behind[-1] == '\r')
            --behind;
        return {{begin, static_cast<std::size_t>(behind - begin)}, false};
    }
    /// Behind a field: goes to the next one of the record, or else behind the record and returns false.
    bool next_field() noexcept {
        if (at_ < end_ && *at_ == marks_.delimiter) {
            ++at_;
            return true;
        }
        skip_line_end();
        return false;
    }
    void skip_line_end() noexcept { at_ += line_end_size(at_, end_); }
    /// Goes to the next line that is not empty.
    void skip_empty_lines() noexcept {
        while (at_line_end()) skip_line_end();
    }

private:
    Field quoted_field();

    /// The first delimiter, line feed or, with `returns`, carriage return from `at` on, or the end: 8
    /// characters at a time.
    template <bool returns>
    const char* next_mark(const char* at) const noexcept {
        if constexpr (std::endian::native == std::endian::little) {
            constexpr std::uint64_t kOnes = 0x0101010101010101;
            const std::uint64_t delimiters = kOnes * static_cast<unsigned char>(marks_.delimiter);
            constexpr std::uint64_t kFeeds = kOnes * static_cast<unsigned char>('\n');
            constexpr std::uint64_t kReturns = kOnes * static_cast<unsigned char>('\r');
            const auto zero_bytes = [](std::uint64_t x) { // exact up to the first of them
                return (x - kOnes) & ~x & (kOnes << 7);
            };
            for (; end_ - at >= 8; at += 8) {
                std::uint64_t word;
                std::memcpy(&word, at, sizeof word);
                std::uint64_t found = zero_bytes(word ^ delimiters) | zero_bytes(word ^ kFeeds);
                if constexpr (returns) found |= zero_bytes(word ^ kReturns);
                if (found != 0) return at + std::countr_zero(found) / 8;
            }
        }
        while (at < end_ && *at != marks_.delimiter && *at != '\n' && !(returns && *at == '\r'))
            ++at;
        return at;
    }

    const CsvText& text_;
    Marks marks_;
    const char* at_;
    const char* end_;
    bool returns_;
    std::string unquoted_;
};

} // namespace purview::csv
