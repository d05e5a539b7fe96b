#include <purview/base/errors.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/sparse/mtx_header.hpp>

#include "base/quoted_text.hpp"
#include "mtx_lines.hpp"
#include "mtx_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <vector>

namespace purview::inline v0_1 {
namespace sparse {

std::string line_message(const std::string& where, std::span<const char> file, const char* position,
                         std::string_view what) {
    const char* const first = file.data();
    const char* const end = first + file.size();
    const char* begin = position;
    while (begin > first && begin[-1] != '\n') --begin;
    const char* behind = line_end(begin, end);
    if (behind > begin && behind[-1] == '\r') --behind;
    return fmt::format("{}: line {}: {} {}", where, 1 + std::count(first, begin, '\n'),
                       file::quoted_text({begin, static_cast<std::size_t>(behind - begin)}), what);
}

} // namespace sparse

namespace {

using sparse::line_end;
using sparse::line_message;
using sparse::skip_blanks;

std::vector<std::string> lower_words(const char* at, const char* end) {
    std::vector<std::string> words;
    while ((at = skip_blanks(at, end)) < end && words.size() < 7) {
        std::string word;
        for (; at < end && !sparse::is_blank(*at); ++at)
            word += *at >= 'A' && *at <= 'Z' ? static_cast<char>(*at - 'A' + 'a') : *at;
        words.push_back(std::move(word));
    }
    return words;
}

class Parser {
public:
    Parser(std::span<const std::byte> bytes, const std::string& where)
        : file_(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
          at_(file_.data()),
          end_(file_.data() + file_.size()),
          where_(where) {}

    MtxHeader parse() {
        MtxHeader header;
        parse_banner(header);
        parse_sizes(header);
        return header;
    }

private:
    template <typename E = FormatError>
    [[noreturn]] void fail(const char* position, std::string_view what) const {
        throw E(line_message(where_, file_, position, what));
    }

    void parse_banner(MtxHeader& header) {
        constexpr std::string_view kBanner = "%%matrixmarket";
        const char* const behind = line_end(at_, end_);
        if (behind - at_ > 1024) fail(at_, "is too long to begin a Matrix Market file");
        const std::vector<std::string> words = lower_words(at_, behind);
        if (words.empty() || words[0] != kBanner)
            throw FormatError(fmt::format("{}: does not begin with %%MatrixMarket", where_));
        if (words.size() != 5) fail(at_, "is not '%%MatrixMarket matrix LAYOUT FIELD SYMMETRY'");
        if (words[1] != "matrix") fail(at_, "describes no matrix");

        if (words[2] == "coordinate")
            header.layout = MtxLayout::coordinate;
        else if (words[2] == "array")
            header.layout = MtxLayout::array;
        else
            fail(at_, "names a layout that is neither coordinate nor array");

        if (words[3] == "real" || words[3] == "double")
            header.field = MtxField::decimal;
        else if (words[3] == "integer" || words[3] == "unsigned-integer")
            header.field = MtxField::integer;
        else if (words[3] == "pattern")
            header.field = MtxField::pattern;
        else if (words[3] == "complex")
            fail<DtypeError>(at_, "holds complex numbers, which Purview does not have");
        else
            fail(at_, "names a field that is none of real, integer and pattern");

        if (words[4] == "general")
            header.symmetry = MtxSymmetry::general;
        else if (words[4] == "symmetric")
            header.symmetry = MtxSymmetry::symmetric;
        else if (words[4] == "skew-symmetric")
            header.symmetry = MtxSymmetry::skew_symmetric;
        else if (words[4] == "hermitian")
            fail<DtypeError>(at_, "is hermitian: of complex numbers, which Purview does not have");
        else
            fail(at_, "names a symmetry that is none of general, symmetric and skew-symmetric");

        if (header.field == MtxField::pattern && header.layout == MtxLayout::array)
            fail(at_, "has no values for its array");
        if (header.field == MtxField::pattern && header.symmetry == MtxSymmetry::skew_symmetric)
            fail(at_, "has no values to negate");
        at_ = behind < end_ ? behind + 1 : end_;
    }

    void parse_sizes(MtxHeader& header) {
        const char* first = skip_blanks(at_, end_);
        while (first < end_ && (*first == '%' || *first == '\n')) {
            const char* const behind = line_end(first, end_);
            at_ = behind < end_ ? behind + 1 : end_;
            first = skip_blanks(at_, end_);
        }
        if (first == end_) throw FormatError(fmt::format("{}: ends before its sizes", where_));
        const char* const behind = line_end(first, end_);
        const bool is_array = header.layout == MtxLayout::array;
        std::array<index_t, 3> sizes{};
        const char* at = first;
        for (std::size_t s = 0; s < (is_array ? 2 : 3); ++s) {
            std::uint64_t size = 0;
            at = skip_blanks(at, behind);
            if (!sparse::read_digits(at, behind, size) || (at < behind && !sparse::is_blank(*at)))
                fail(first, is_array ? "is not 'ROWS COLUMNS'" : "is not 'ROWS COLUMNS ENTRIES'");
            if (size > static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()))
                fail(first, "has a size that overflows");
            sizes[s] = static_cast<index_t>(size);
        }
        if (skip_blanks(at, behind) != behind)
            fail(first, is_array ? "is not 'ROWS COLUMNS'" : "is not 'ROWS COLUMNS ENTRIES'");
        header.rows = sizes[0];
        header.columns = sizes[1];
        header.entries = is_array ? array_entries(header, first) : sizes[2];
        if (header.symmetry != MtxSymmetry::general && header.rows != header.columns)
            fail(first, "is the size of no symmetric matrix");
        at_ = behind < end_ ? behind + 1 : end_;
        header.data_offset = at_ - file_.data();
    }

    index_t array_entries(const MtxHeader& header, const char* line) const {
        index_t all = 0;
        if (__builtin_mul_overflow(header.rows, header.columns, &all))
            fail(line, "has sizes whose product overflows");
        switch (header.symmetry) {
        case MtxSymmetry::general: return all;
        case MtxSymmetry::symmetric: return all / 2 + header.rows / 2 + (header.rows & 1);
        case MtxSymmetry::skew_symmetric: return all / 2 - header.rows / 2;
        }
        return all;
    }

    std::span<const char> file_;
    const char* at_;
    const char* end_;
    const std::string& where_;
};

} // namespace

MtxHeader sparse::parse_mtx_header(std::span<const std::byte> bytes, const std::string& where) {
    return Parser(bytes, where).parse();
}

MtxHeader load_mtx_header(const std::string& path) {
    const MappedFile file(path);
    return sparse::parse_mtx_header(file.bytes(), fmt::format("load_mtx_header: '{}'", path));
}

std::string sparse::format_mtx_header(const MtxHeader& header) {
    constexpr std::array kFields{"real", "integer", "pattern"};
    constexpr std::array kSymmetries{"general", "symmetric", "skew-symmetric"};
    const bool is_array = header.layout == MtxLayout::array;
    std::string text =
        fmt::format("%%MatrixMarket matrix {} {} {}\n", is_array ? "array" : "coordinate",
                    kFields[static_cast<std::size_t>(header.field)],
                    kSymmetries[static_cast<std::size_t>(header.symmetry)]);
    text += is_array ? fmt::format("{} {}\n", header.rows, header.columns)
                     : fmt::format("{} {} {}\n", header.rows, header.columns, header.entries);
    return text;
}

} // namespace purview
