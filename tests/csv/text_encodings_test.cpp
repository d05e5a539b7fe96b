#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// Files in UTF-16, which spreadsheets write, and what bytes at the beginning are taken for.
namespace text_encodings_test {
namespace {

namespace pv = purview;
using namespace std::string_literals;
using namespace std::string_view_literals;
using Catch::Matchers::ContainsSubstring;

std::string bytes_of(std::u16string_view text, bool is_big) {
    std::string bytes = is_big ? "\xFE\xFF" : "\xFF\xFE";
    for (const char16_t unit : text) {
        const char high = static_cast<char>(unit >> 8);
        const char low = static_cast<char>(unit & 0xFF);
        bytes += is_big ? high : low;
        bytes += is_big ? low : high;
    }
    return bytes;
}

pv::CsvColumns load(const std::string& bytes, const pv::CsvOptions& options = {}) {
    const temporary::File file(bytes);
    return pv::load_csv(file.path(), options);
}

TEST_CASE("load_csv: UTF-16 of either byte order") {
    // The characters on both sides of where UTF-8 takes a byte more; the bytes are Python's `str.encode`.
    const std::u16string_view text =
        u"name,n\r\n\u007F\u0080,1\r\n\u07FF\u0800,2\r\n\"\uFFFF,\U00010000\",3\r\n\U0010FFFF,4";
    for (const bool is_big : {false, true}) {
        const pv::CsvColumns columns = load(bytes_of(text, is_big));
        CHECK(pv::to_vector(columns.get<std::string>("name")) ==
              std::vector<std::string>{"\x7F\xC2\x80", "\xDF\xBF\xE0\xA0\x80",
                                       "\xEF\xBF\xBF,\xF0\x90\x80\x80", "\xF4\x8F\xBF\xBF"});
        CHECK(pv::to_vector(columns.get<std::int64_t>("n")) ==
              std::vector<std::int64_t>{1, 2, 3, 4});
        // A delimiter whose bytes are those of other characters, comments, lines that are skipped.
        const pv::CsvColumns others = load(bytes_of(u"first\n\u2C2C;b# c\n1;2\n", is_big),
                                           {.delimiter = ';', .comment = '#', .skip_rows = 1});
        CHECK(others.contains("\xE2\xB0\xAC"));
        CHECK(others.get<std::int64_t>("b")(0) == 2);
    }
}

TEST_CASE("load_csv: what is no UTF-16 names its line") {
    for (const bool is_big : {false, true}) {
        const auto refused = [&](const std::u16string& text, const std::string& behind = "") {
            CHECK_THROWS_WITH(load(bytes_of(text, is_big) + behind),
                              ContainsSubstring("line 3 is no UTF-16"));
        };
        refused(u"a,b\n1,2\n3"s + char16_t(0xD800) + u",4\n5,6\n");
        refused(u"a,b\n1,2\n3"s + char16_t(0xDC00) + u",4\n");
        refused(u"a,b\n1,2\n3"s + char16_t(0xDBFF));
        refused(u"a,b\r\n1,2\r\n3,4", "x");
        CHECK_THROWS_AS(load(bytes_of(u"", is_big)), pv::FormatError); // no columns
    }
    CHECK_THROWS_WITH(load("\xFF\xFE\0\0a\0\0\0"s), ContainsSubstring("UTF-32"));
    CHECK_THROWS_WITH(load("\0\0\xFE\xFF\0\0\0a"s), ContainsSubstring("UTF-32"));
    // Behind the mark of UTF-8 they are no marks.
    for (const std::string& name : {"\xFF\xFE"s, "\xFE\xFF"s, "\0\0\xFE\xFF"s})
        CHECK(load("\xEF\xBB\xBF" + name + "\n1\n").contains(name));
}

TEST_CASE("what save_csv writes begins with no mark") {
    const temporary::Folder folder;
    for (const std::string_view name :
         {"\xFF\xFE"sv, "\xFE\xFF"sv, "\xEF\xBB\xBFx"sv, "\0\0\xFE\xFF"sv}) {
        const std::string path = folder / "x.csv";
        pv::save_csv(path, pv::CsvColumns{{std::string(name), pv::tensor({1, 2})}});
        CHECK(pv::load_csv(path).contains(std::string(name)));
    }
}

} // namespace
} // namespace text_encodings_test
