#pragma once

#include <purview/base/errors.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/sparse/mtx_header.hpp>

#include "base/number_from_chars.hpp"
#include "mtx_lines.hpp"

#include <charconv>
#include <string>
#include <type_traits>
#include <vector>

#include <locale.h>
#include <stdlib.h>

namespace purview::inline v0_1::sparse {

/// The lines behind the header, in chunks that begin where a line does. The constructor counts the
/// entries, and throws `FormatError` where they are not as many as the header says.
class MtxBody {
public:
    MtxBody(std::span<const std::byte> bytes, const MtxHeader& header, const std::string& where);

    /// Throws naming the line that holds a position.
    template <typename E = FormatError>
    [[noreturn]] void fail(const char* position, std::string_view what) const {
        throw E(line_message(where_, file_, position, what));
    }

    /// Calls `parse(k, line, at, end)` for entry `k` in the line at `line`, which begins at `at`;
    /// it returns where the entry ends. In parallel.
    template <typename Parse>
    void for_each_entry(const Parse& parse) const {
        const auto chunks = std::ssize(begins_) - 1;
        const double bytes = static_cast<double>(begins_.back() - begins_.front());
        parallel_ranges(chunks, 1, bytes, [&](index_t first, index_t last) {
            for (index_t c = first; c < last; ++c) parse_chunk(static_cast<std::size_t>(c), parse);
        });
    }

    /// The next number of a line, counted from 1, as an index in [0, extent).
    index_t coordinate(const char*& at, const char* end, index_t extent, const char* line,
                       const char* axis) const {
        std::uint64_t number = 0;
        at = skip_blanks(at, end);
        if (!read_digits(at, end, number) || (at < end && !is_blank(*at) && *at != '\n'))
            [[unlikely]]
            fail_coordinate(line, axis);
        if (number - 1 >= static_cast<std::uint64_t>(extent)) [[unlikely]]
            fail_range(line, axis, number, extent);
        return static_cast<index_t>(number - 1);
    }

    /// The next number of a line as a value.
    template <typename T>
    T value(const char*& at, const char* end, const char* line) const {
        at = skip_blanks(at, end);
        const char* first = at;
        if (first < end && *first == '+' && first + 1 < end && first[1] != '-') ++first;
        T result{};
        std::from_chars_result read{};
        if constexpr (std::is_floating_point_v<T>) {
            std::int64_t integer = 0;
            read.ptr = end;
            read.ec = std::errc::result_out_of_range;
            const bool is_integer = header_.field == MtxField::integer;
            if (is_integer) read = std::from_chars(first, end, integer);
            result = static_cast<T>(integer);
            bool is_rounded = read.ec == std::errc() && !holds(integer, result);
            if (read.ec == std::errc::result_out_of_range) {
                read = number_from_chars(first, read.ptr, result);
                is_rounded = is_integer;
            }
            if (read.ec == std::errc::result_out_of_range) [[unlikely]] {
                result = beyond_range<T>(first, read.ptr);
                read.ec = {};
            }
            // Integers that lose digits are no numbers of the type, as those beyond an integer type are none.
            if (is_rounded && read.ec == std::errc() && !is_written_as(result, first, read.ptr))
                [[unlikely]]
                read.ec = std::errc::result_out_of_range;
        } else {
            read = std::from_chars(first, end, result);
            if constexpr (std::is_unsigned_v<T>)
                if (first < end && *first == '-') read.ec = std::errc::result_out_of_range;
        }
        if (read.ec != std::errc() || (read.ptr < end && !is_blank(*read.ptr) && *read.ptr != '\n'))
            [[unlikely]]
            fail_value(line, read.ec, kDType<T>);
        at = read.ptr;
        return result;
    }

private:
    /// Whether a number is an integer, which was cast to it.
    template <typename T>
    static bool holds(std::int64_t integer, T number) {
        return number < static_cast<T>(0x1p63) && static_cast<std::int64_t>(number) == integer;
    }
    /// Whether the digits of an integer are those of a number, all of them.
    static bool is_written_as(double number, const char* first, const char* last);
    /// A number that is too large or too small for T, rounded: to infinity, or to 0 or a denormal
    /// number.
    template <typename T>
    static T beyond_range(const char* first, const char* last) {
        static const ::locale_t plain = ::newlocale(LC_ALL_MASK, "C", nullptr);
        const std::string text(first, last);
        if constexpr (std::is_same_v<T, float>)
            return ::strtof_l(text.c_str(), nullptr, plain);
        else
            return ::strtod_l(text.c_str(), nullptr, plain);
    }

    template <typename Parse>
    void parse_chunk(std::size_t chunk, const Parse& parse) const {
        const char* at = begins_[chunk];
        const char* const end = begins_[chunk + 1];
        index_t k = first_entry_[chunk];
        const index_t behind = first_entry_[chunk + 1];
        while (at < end) {
            const char* const line = at;
            at = skip_blanks(at, end);
            if (at == end) break;
            if (*at == '\n') {
                ++at;
                continue;
            }
            if (k == behind) fail_count();
            at = skip_blanks(parse(k++, line, at, end), end);
            if (at < end && *at++ != '\n') fail(line, "has more than one entry");
        }
        if (k != behind) fail_count();
    }

    [[noreturn]] void fail_coordinate(const char* line, const char* axis) const;
    [[noreturn]] void fail_range(const char* line, const char* axis, std::uint64_t number,
                                 index_t extent) const;
    [[noreturn]] void fail_value(const char* line, std::errc error, DType dtype) const;
    /// Throws `FormatError`; counts the entries for its message.
    [[noreturn]] void fail_count() const;
    index_t count_entries(std::size_t chunk) const;

    std::span<const char> file_;
    const MtxHeader& header_;
    const std::string& where_;
    std::vector<const char*> begins_;  ///< of chunks, and where the last one ends
    std::vector<index_t> first_entry_; ///< number of each chunk's first entry, and of all entries
};

} // namespace purview::sparse
