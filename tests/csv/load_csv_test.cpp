#include "csv/csv_oracle.hpp"

#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/elementwise/strings.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <string>
#include <vector>

namespace load_csv_test {

namespace {

namespace pv = purview;
using namespace std::string_literals;
using namespace std::chrono;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;
using Strings = std::vector<std::string>;
using Bools = std::vector<bool>;

pv::CsvColumns load(const std::string& text, const pv::CsvOptions& options = {}) {
    const temporary::File file(text);
    return pv::load_csv(file.path(), options);
}

template <typename T>
std::vector<T> values(const pv::CsvColumns& columns, const std::string& name) {
    REQUIRE(columns[name].dtype() == pv::kDType<T>);
    return pv::to_vector(columns.get<T>(name));
}
Bools gaps(const pv::CsvColumns& columns, const std::string& name) {
    return pv::to_vector(columns[name].missing);
}

std::string refusal(const std::string& text, const pv::CsvOptions& options = {}) {
    const temporary::File file(text);
    try {
        pv::load_csv(file.path(), options);
    } catch (const pv::FormatError& error) {
        CHECK_THAT(error.what(), ContainsSubstring(file.path()));
        const std::string said = error.what();
        return said.substr(said.find(file.path()) + file.path().size() + 3);
    }
    return "nothing is wrong";
}

} // namespace

TEST_CASE("load_csv: columns by name, of the types that their fields have") {
    const auto x = load("id,big,price,open,city,day,at,fine\n"
                        "1,18446744073709551615,1.5,true,Wien,2020-02-29,2020-01-01T10:00:00Z,"
                        "2020-01-01T00:00:00.000000001\n"
                        "-2,1,-2e300,False,\"a, b\",1969-12-31,2020-01-01 10:00:01Z,2020-01-01\n");
    REQUIRE(x.rows() == 2);
    REQUIRE(x.size() == 8);
    CHECK(values<std::int64_t>(x, "id") == std::vector<std::int64_t>{1, -2});
    CHECK(values<std::uint64_t>(x, "big") == std::vector<std::uint64_t>{~std::uint64_t{0}, 1});
    CHECK(values<double>(x, "price") == std::vector<double>{1.5, -2e300});
    CHECK(values<bool>(x, "open") == Bools{true, false});
    CHECK(values<std::string>(x, "city") == Strings{"Wien", "a, b"});
    CHECK(values<sys_days>(x, "day") == std::vector{sys_days(2020y / 2 / 29), sys_days(days(-1))});
    CHECK(values<sys_seconds>(x, "at") ==
          std::vector{sys_days(2020y / 1 / 1) + 36000s, sys_days(2020y / 1 / 1) + 36001s});
    CHECK(values<sys_time<nanoseconds>>(x, "fine") ==
          std::vector{sys_days(2020y / 1 / 1) + 1ns, sys_days(2020y / 1 / 1) + 0ns});
    for (const pv::CsvColumn& column : x) CHECK(pv::to_vector(column.missing) == Bools(2));
    CHECK(x.contains("day"));
    CHECK_FALSE(x.contains("Day"));
    CHECK_THROWS_WITH(x["Day"], ContainsSubstring("'Day'") && ContainsSubstring("'city'"));
    CHECK_THROWS_AS(x["Day"], pv::IndexError);
    CHECK_THROWS_WITH(x.get<double>("city"),
                      ContainsSubstring("column 'city' is string, and float64"));
    CHECK(pv::to_vector(x.get<double>("id")) == std::vector<double>{1, -2});
    // A column outlives its table.
    const auto& column = load("a\n7\n")["a"];
    CHECK(column.as<std::int64_t>()(0) == 7);
}

TEST_CASE("load_csv: types widen as far as one of the later rows asks") {
    const auto type_after = [](const std::string& first, const std::string& later) {
        std::string text = "x,y\n";
        for (int row = 0; row < 1000; ++row) text += (row == 700 ? later : first) + ",1\n";
        const auto columns = load(text);
        CHECK(columns["y"].dtype() == pv::int64);
        return columns["x"].dtype();
    };
    CHECK(type_after("1", "-2") == pv::int64);
    CHECK(type_after("1", "18446744073709551615") == pv::uint64);
    CHECK(type_after("-1", "18446744073709551615") == pv::kDType<std::string>);
    CHECK(type_after("1", "1e3") == pv::float64);
    CHECK(type_after("1", "nan") == pv::float64);
    CHECK(type_after("1.5", "99999999999999999999999") == pv::float64);
    CHECK(type_after("1", "true") == pv::kDType<std::string>);
    CHECK(type_after("true", "FALSE") == pv::boolean);
    CHECK(type_after("true", "1") == pv::kDType<std::string>);
    CHECK(type_after("2020-01-01", "2020-02-30") == pv::kDType<std::string>);
    CHECK(type_after("2020-01-01", "2020-02-01T00:00") == pv::kDType<sys_seconds>);
    CHECK(type_after("2020-01-01", "2020-02-01T00:00:00.5") == pv::kDType<sys_time<nanoseconds>>);
    CHECK(type_after("2020-01-01T00:00", "9999-01-01T00:00:00.5") == pv::kDType<std::string>);
    CHECK(type_after("2020-01-01", "17") == pv::kDType<std::string>);
    CHECK(type_after("", "17") == pv::float64); // which has NaN for the gaps
    CHECK(type_after("", "2020-01-01") == pv::kDType<sys_days>);
    CHECK(type_after("", "\"\"") == pv::kDType<std::string>);
    CHECK(type_after("", "NA") == pv::float64);
}

TEST_CASE("load_csv: what is missing is in the mask, and a fill in its place") {
    const std::string text = "n,x,s,d,b\n1,,,,\n,NA,\"\",2020-01-02,true\n\"\",2.5,NA,N/A,null\n";
    const auto x = load(text, {.fills = {{"b", "false"}}});
    const auto counts = values<double>(x, "n");
    CHECK((counts[0] == 1 && std::isnan(counts[1]) && std::isnan(counts[2])));
    CHECK(gaps(x, "n") == Bools{false, true, true});
    const auto numbers = values<double>(x, "x");
    CHECK((std::isnan(numbers[0]) && std::isnan(numbers[1]) && numbers[2] == 2.5));
    CHECK(gaps(x, "x") == Bools{true, true, false});
    CHECK(values<std::string>(x, "s") == Strings{"", "", "NA"});
    CHECK(gaps(x, "s") == Bools{true, false, false});
    CHECK(values<sys_days>(x, "d")[1] == sys_days(2020y / 1 / 2));
    CHECK(values<sys_days>(x, "d")[0] == sys_days::min()); // NumPy's NaT
    CHECK(gaps(x, "d") == Bools{true, false, true});
    CHECK(values<bool>(x, "b") == Bools{false, true, false});
    CHECK(gaps(x, "b") == Bools{true, false, true});

    const auto filled =
        load(text, {.fills = {{"n", "-7"}, {"x", "0"}, {"s", "none"}, {"b", "true"}}});
    CHECK(values<std::int64_t>(filled, "n") == std::vector<std::int64_t>{1, -7, -7});
    CHECK(values<double>(filled, "x") == std::vector<double>{0, 0, 2.5});
    CHECK(values<std::string>(filled, "s") == Strings{"none", "", "NA"});
    CHECK(values<bool>(filled, "b") == Bools{true, true, true});
    CHECK(gaps(filled, "x") == Bools{true, true, false});
    CHECK(refusal(text, {.fills = {{"d", "0"}}}) ==
          "column 'd' is datetime64[D], and its fill '0' is not");
    CHECK(values<std::string>(load("a,b\n,1\n", {.fills = {{"a", "-"}}}), "a") == Strings{"-"});

    // What says that something is missing may be a number.
    const auto codes = load("a\n-999\n5\n", {.gaps = {"-999"}});
    CHECK((std::isnan(values<double>(codes, "a")[0]) && values<double>(codes, "a")[1] == 5));
    CHECK(gaps(codes, "a") == Bools{true, false});
    CHECK(values<std::string>(load("a,b\n,1\n", {.gaps = {}}), "a") == Strings{""});
}

TEST_CASE("load_csv: no gap is read as 0, false or 1970 unless that is asked for") {
    const std::string fill = R"(: give CsvOptions::fills, as {{"n", "0"}})";
    const std::string text = "m,n\n1,5\n\n\"2\n\",\n3,\n";
    CHECK(refusal(text, {.types = {{"n", pv::int64}}}) ==
          "line 4, column 'n', row 1: nothing is there, and int64 has no value that says so" +
              fill + ", or the type float64, which has NaN");
    CHECK_THAT(
        refusal("n\n1\n\n", {.types = {{"n", pv::uint8}}}),
        ContainsSubstring("line 3, column 'n', row 1: nothing is there, and uint8 has no value"));
    CHECK(values<std::int64_t>(load(text, {.types = {{"n", pv::int64}}, .fills = {{"n", "0"}}}),
                               "n") == std::vector<std::int64_t>{5, 0, 0});
    CHECK(std::isnan(values<float>(load(text, {.types = {{"n", pv::float32}}}), "n")[1]));
    // What float64 does not hold exactly is not rounded behind one's back.
    const std::string big = "m,n\n1,\n2,9007199254740993\n";
    CHECK(refusal(big) == "line 3, column 'n', row 1: 9007199254740993 does not fit float64 "
                          "exactly, as which integers are read where some are missing" +
                              fill);
    CHECK(values<std::int64_t>(load(big, {.fills = {{"n", "0"}}}), "n")[1] == 9007199254740993);
    CHECK(values<double>(load("m,n\n1,\n2,9007199254740992\n"), "n")[1] == 0x1p53);
    CHECK(values<double>(load("m,n\n1,\n2,9223372036854775808\n"), "n")[1] == 0x1p63);
    CHECK(refusal("m,n\n1,true\n2,\n") ==
          "line 3, column 'n', row 1: nothing is there, and bool has no value that says so: give "
          "CsvOptions::fills, as {{\"n\", \"false\"}}");
    const auto times = load("m,n\n1,2020-01-01T10:00\n2,\n");
    CHECK(values<sys_seconds>(times, "n")[1] == sys_seconds::min());
    CHECK(gaps(times, "n") == Bools{false, true});
    CHECK_THROWS_AS(times.get<std::int64_t>("n"), pv::DtypeError);
    // On several threads, in the row of another chunk.
    std::string lines = "m,n\n";
    for (int row = 0; row < 400'000; ++row) lines += "1234567,7654321\n";
    CHECK_THAT(refusal(lines + "1,\n" + lines.substr(4), {.types = {{"n", pv::int32}}}),
               ContainsSubstring("line 400002, column 'n', row 400000: nothing is there"));
}

TEST_CASE("load_csv: types that are given") {
    const std::string text = "a,b,c,d\n1,7,2020-01-01,0\n 2 ,\"8\",2020-01-02T00:00,1\n";
    const auto x = load(text, {.types = {{"a", pv::int8},
                                         {"b", pv::kDType<std::string>},
                                         {"c", pv::kDType<sys_time<milliseconds>>},
                                         {"d", pv::boolean}}});
    CHECK(values<std::int8_t>(x, "a") == std::vector<std::int8_t>{1, 2});
    CHECK(values<std::string>(x, "b") == Strings{"7", "8"});
    CHECK(values<sys_time<milliseconds>>(x, "c")[1] == sys_days(2020y / 1 / 2));
    CHECK(values<bool>(x, "d") == Bools{false, true});
    CHECK(values<sys_days>(load(text, {.types = {{"c", pv::kDType<sys_days>}}}), "c")[1] ==
          sys_days(2020y / 1 / 2));
    CHECK(values<float>(load("x\n1e99\n1e-99\n+0.1\n", {.types = {{"x", pv::float32}}}), "x") ==
          std::vector<float>{INFINITY, 0, 0.1f});
    const auto times = load("x,y\n2020-01-01T00:00+01:30,1\n");
    CHECK(values<sys_seconds>(times, "x")[0] == sys_days(2020y / 1 / 1) - 90min);
    const pv::CsvOptions waits{.types = {{"x", pv::kDType<minutes>}}};
    CHECK(values<minutes>(load("x\n 90min \n-3min\n", waits), "x") == std::vector{90min, -3min});
    for (const char* const wrong : {"90", "90 min", "90s", "min", "1.5min"})
        CHECK(refusal("x\n"s + wrong + "\n", waits) ==
              "line 2, column 'x': '"s + wrong + "' is no timedelta64[m]");
    CHECK_THROWS_AS(load(text, {.types = {{"a", pv::kDType<year>}}}), pv::DtypeError);
    CHECK(refusal(text, {.types = {{"e", pv::int8}}}) ==
          "no column is called 'e', of which the options speak");
}

TEST_CASE("load_csv: headers, names, delimiters, line ends and a byte-order mark") {
    CHECK(values<std::int64_t>(load("1;2\r\n3;4", {.delimiter = ';', .header = false}), "1") ==
          std::vector<std::int64_t>{2, 4});
    const auto named = load("\xEF\xBB\xBF\"a\"\tb\n1\t'x\ty'\n",
                            {.delimiter = '\t', .quote = '\'', .names = {"n", "s"}});
    CHECK(values<std::string>(named, "s") == Strings{"x\ty"});
    CHECK(load("\xEF\xBB\xBF\"a\nb\",c\r\n\r\n\n1,2\r\n\n").contains("a\nb"));
    CHECK(values<std::int64_t>(load("a b\n1 2\n", {.delimiter = ' '}), "b")[0] == 2);
    CHECK(load("a,b\n").rows() == 0);
    CHECK(load("a,b")["b"].dtype() == pv::float64);
    CHECK(load("", {.header = false, .names = {"a"}}).size() == 1);
    // Of one column, an empty line is a record.
    CHECK(gaps(load("a\n1\n\n2\n"), "a") == Bools{false, true, false});
    CHECK(gaps(load("\n1\n", {.header = false}), "0") == Bools{true, false});
    CHECK(values<std::string>(load("a,b\n\"x\ry\",5\" pipe\nz,\"\"\"\"\n"), "a") ==
          Strings{"x\ry", "z"});
    CHECK(values<std::string>(load("a,b\n\"x\ry\",5\" pipe\nz,\"\"\"\"\n"), "b") ==
          Strings{"5\" pipe", "\""});
    CHECK_THROWS_AS(load("a\n", {.delimiter = '.'}), pv::Error);
    CHECK_THROWS_AS(load("a\n", {.delimiter = '"'}), pv::Error);
}

TEST_CASE("load_csv: errors name the line, the column and what stands there") {
    CHECK(refusal("a,b\n1,2\n\"x\ny\",3\n4,five\n", {.types = {{"b", pv::float64}}}) ==
          "line 5, column 'b': 'five' is no float64");
    CHECK(refusal("a,b\n1,300\n", {.types = {{"b", pv::uint8}}}) ==
          "line 2, column 'b': '300' is no uint8");
    CHECK(refusal("a,b\n1,2\n1\n") == "line 3 has 1 field, and there are 2 columns: '1'");
    CHECK(refusal("a,b\n1,2,\"3\",4\n") ==
          "line 2 has 4 fields, and there are 2 columns: '1,2,\"3\",4'");
    CHECK(refusal("a,b\n1,\"2") == "line 2: a quoted field does not end: '\"2'");
    CHECK(refusal("a,b\n1,\"2\"3\n") == "line 2: text behind the quotes of a field: '\"2\"3?'");
    CHECK(refusal("a,\"b\n") == "line 1: a quoted field does not end: '\"b?'");
    CHECK(refusal("a,b,a\n1,2,3\n") ==
          "two columns are called 'a'; name them by CsvOptions::names");
    CHECK(refusal("") == "no columns, as there is nothing in it");
    CHECK(refusal("\n\r\n") == "no columns, as there is nothing in it");
    CHECK(refusal("a,b\n", {.names = {"a"}}) == "2 columns, and 1 names for them");
    CHECK(refusal("a,b,c\n", {.most_columns = 2}) == "more columns than the limit of 2");
    // Far fewer fields than records times columns: no memory is taken for what is not there.
    std::string wide = "0";
    for (int c = 1; c < 60'000; ++c) wide += "," + std::to_string(c);
    for (int row = 0; row < 400'000; ++row) wide += "\n1";
    CHECK(refusal(wide) == "line 2 has 1 field, and there are 60000 columns: '1'");
    CHECK_THROWS_AS(pv::load_csv("/nowhere/at.all"), pv::FormatError);
}

TEST_CASE("load_csv: random files are read as character by character") {
    Random random(7);
    const Strings pieces{"",   "a", "1",     "\"",     "\"\"",  ",",  "\n",   "\r\n",
                         "\r", " ", "\"x\"", "\"\n\"", "\",\"", "-2", "\n\n", "5\"6"};
    const temporary::Folder folder;
    const std::string path = folder / "x.csv";
    int good = 0;
    for (int round = 0; round < 600; ++round) {
        const bool one = random.one_in(4);
        std::string text = one ? "h\n" : "h,i\n";
        for (auto count = random.between(0, 12); count > 0; --count) {
            text += pieces[static_cast<std::size_t>(random.between(0, std::ssize(pieces) - 1))];
            if (random.one_in(3)) text += one ? "\n" : ",";
        }
        const auto expected = csv_oracle::records(text.substr(one ? 2 : 4), ',', '"', one);
        bool fits = expected.has_value();
        if (fits)
            for (const auto& record : *expected) fits = fits && record.size() == (one ? 1u : 2u);
        CAPTURE(text);
        temporary::write_file(path, text);
        const pv::CsvOptions options =
            one ? pv::CsvOptions{.types = {{"h", pv::kDType<std::string>}}}
                : pv::CsvOptions{
                      .types = {{"h", pv::kDType<std::string>}, {"i", pv::kDType<std::string>}}};
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
            for (std::size_t row = 0; row < found.size(); ++row) {
                const csv_oracle::Field& field = (*expected)[row][c];
                CHECK(found[row] == field.text);
                CHECK(column.missing(static_cast<index_t>(row)) ==
                      (field.text.empty() && !field.quoted));
            }
            ++c;
        }
    }
    CHECK(good > 100);
}

TEST_CASE("load_csv: several threads and chunks, quotes across their borders") {
    Random random(8);
    for (const bool quotes : {false, true}) {
        std::string text = "n,s,x\r\n";
        std::vector<std::int64_t> n;
        Strings s;
        std::vector<double> x;
        while (text.size() < 5'000'000) {
            n.push_back(random.between(-1000, 1'000'000));
            s.push_back(std::string(static_cast<std::size_t>(random.between(1, 9)), 'q'));
            x.push_back(static_cast<double>(random.between(-999, 999)) / 7);
            std::string said = s.back();
            if (quotes && random.one_in(5)) {
                s.back() =
                    "a\n1,b\",2\n\n\"" + std::string(random.one_in(2000) ? 1'500'000 : 20, '\n');
                said = "\"a\n1,b\"\",2\n\n\"\"" + s.back().substr(11) + "\"";
            }
            text += pv::strings::format(n.back()) + "," + said + "," +
                    pv::strings::format(x.back()) + "\n";
            if (random.one_in(50)) text += "\r\n";
        }
        const temporary::File file(text);
        for (const int threads : {1, 4}) {
            pv::set_threads(threads);
            const auto columns = pv::load_csv(file.path());
            CHECK(values<std::int64_t>(columns, "n") == n);
            CHECK((values<std::string>(columns, "s") == s));
            CHECK(values<double>(columns, "x") == x);
        }
        // The first thing that is wrong is what is said, whoever finds it.
        const temporary::File broken(text + "1,\"2\n" + text);
        const auto line = std::to_string(1 + std::ranges::count(text, '\n'));
        CHECK_THROWS_WITH(pv::load_csv(broken.path()),
                          ContainsSubstring("line " + line + ": a quoted field does not end") ||
                              ContainsSubstring(" text behind the quotes of a field: '\"2"));
    }
    pv::set_threads(0);
}

} // namespace load_csv_test
