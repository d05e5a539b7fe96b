#include "csv/csv_oracle.hpp"

#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/evaluation/threads.hpp>

#include <cstdint>
#include <string>
#include <vector>

/// Every line end that programs write: "\n", "\r\n", "\r" of old Macs, "\r\r\n" of text mode twice (pandas and pyarrow read the first
/// three in one file, too).
namespace line_ends_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using Numbers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

pv::CsvColumns load(const std::string& text, const pv::CsvOptions& options = {}) {
    const temporary::File file(text);
    return pv::load_csv(file.path(), options);
}
Numbers numbers(const pv::CsvColumns& columns, const std::string& name) {
    REQUIRE(columns[name].dtype() == pv::int64);
    return pv::to_vector(columns.get<std::int64_t>(name));
}
std::string replaced(std::string text, const std::string& end) {
    for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += end.size())
        text.replace(at, 1, end);
    return text;
}

const Strings kEnds{"\n", "\r\n", "\r", "\r\r\n"};

} // namespace

TEST_CASE("load_csv: line ends of every system, and mixed ones (pandas, pyarrow)") {
    for (const std::string& end : kEnds)
        for (const std::string& last : {end, std::string(), std::string("\r")}) {
            CAPTURE(end, last);
            const auto x = load("a,b" + end + "1,2" + end + "3,4" + last);
            CHECK(numbers(x, "a") == Numbers{1, 3});
            CHECK(numbers(x, "b") == Numbers{2, 4});
        }
    CHECK(numbers(load("a,b\r\n1,2\r"), "b") == Numbers{2});
    CHECK(numbers(load("a,b\n1,2\r3,4\r\n5,6\r\r\n7,8"), "b") == Numbers{2, 4, 6, 8});
    CHECK(numbers(load("\r\ra,b\r\r1,2\r\r\r3,4\r\r"), "a") == Numbers{1, 3}); // empty lines
}

TEST_CASE("load_csv: quotes, gaps, one column and errors with every line end") {
    for (const std::string& end : kEnds) {
        CAPTURE(end);
        const auto x = load(replaced("n,\"t\"\n1,\"a\"\n,\"b\rc\"\n3,\"\"\"\"\n", end));
        CHECK(pv::to_vector(x.get<std::string>("t")) == Strings{"a", "b\rc", "\""});
        CHECK(x["n"].dtype() == pv::float64);
        // An empty line is a row of a file of one column.
        const auto one = load(replaced("s\nx\n\ny\n", end));
        CHECK(pv::to_vector(one.get<std::string>("s")) == Strings{"x", "", "y"});
        const temporary::File bad(replaced("a,b\n1,2\n3,4,5\n", end));
        CHECK_THROWS_WITH(pv::load_csv(bad.path()),
                          ContainsSubstring("line 3") && ContainsSubstring("'3,4,5'"));
        const auto given =
            load(replaced("a,b\n1,2.5\n", end), {.types = {{"a", pv::int8}, {"b", pv::float32}}});
        CHECK(given["b"].dtype() == pv::float32);
    }
}

TEST_CASE("load_csv: random line ends are read as character by character") {
    Random random(51);
    const Strings pieces{"1", "-2", ",", "\r", "\n", "\r\n", "\r\r\n", "\"\r\"", "x"};
    const temporary::Folder folder;
    const std::string path = folder / "x.csv";
    int good = 0;
    for (int round = 0; round < 1500; ++round) {
        const bool one = random.one_in(3);
        std::string text = one ? "h\r" : "h,i\r\n";
        if (one) text += "0"; // what follows "\r" is no part of its line end
        const std::size_t begin = one ? 2 : 5;
        for (auto count = random.between(0, 12); count > 0; --count)
            text += pieces[static_cast<std::size_t>(random.between(0, std::ssize(pieces) - 1))];
        const auto expected = csv_oracle::records(text.substr(begin), ',', '"', one);
        bool fits = expected.has_value();
        if (fits)
            for (const auto& record : *expected) fits = fits && record.size() == (one ? 1u : 2u);
        CAPTURE(text);
        temporary::write_file(path, text);
        pv::CsvOptions options{.types = {{"h", pv::kDType<std::string>}}};
        if (!one) options.types.emplace("i", pv::kDType<std::string>);
        if (!fits) {
            CHECK_THROWS_AS(pv::load_csv(path, options), pv::FormatError);
            continue;
        }
        ++good;
        const auto x = pv::load_csv(path, options);
        REQUIRE(x.rows() == std::ssize(*expected));
        std::size_t c = 0;
        for (const pv::CsvColumn& column : x) {
            const auto found = pv::to_vector(column.as<std::string>());
            for (std::size_t row = 0; row < found.size(); ++row)
                CHECK(found[row] == (*expected)[row][c].text);
            ++c;
        }
    }
    CHECK(good > 100);
}

TEST_CASE("load_csv: several chunks with every line end") {
    for (const std::string& end : kEnds) {
        CAPTURE(end);
        std::string text = "i,t,x" + end;
        Numbers expected;
        for (std::int64_t i = 0; i < 150'000; ++i) {
            expected.push_back(i);
            text += std::to_string(i) + (i % 1000 == 0 ? ",\"a\r\"\"b\n\"," : ",word,") +
                    std::to_string(i % 7) + end;
            if (i % 5000 == 0) text += end; // an empty line
        }
        const auto x = load(text);
        CHECK(numbers(x, "i") == expected);
        CHECK(x.get<std::string>("t")(1000) == "a\r\"b\n");
        CHECK(x["x"].dtype() == pv::int64);
    }
}

} // namespace line_ends_test
