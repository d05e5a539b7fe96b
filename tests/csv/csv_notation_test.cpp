#include <support/catch.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/csv/load_csv.hpp>
#include <purview/csv/save_csv.hpp>

#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

// The options decimal, thousands, comment and skip_rows: as those of pandas.read_csv, where nothing else is said.
namespace csv_notation_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Doubles = std::vector<double>;
using Integers = std::vector<std::int64_t>;
using Strings = std::vector<std::string>;

pv::CsvColumns load(const std::string& text, const pv::CsvOptions& options) {
    const temporary::File file(text);
    return pv::load_csv(file.path(), options);
}
template <typename T>
std::vector<T> values(const pv::CsvColumns& columns, const std::string& name) {
    REQUIRE(columns[name].dtype() == pv::kDType<T>);
    return pv::to_vector(columns.get<T>(name));
}
template <typename E>
std::string refusal(const std::string& text, const pv::CsvOptions& options) {
    try {
        load(text, options);
    } catch (const E& error) {
        return error.what();
    }
    return "nothing is wrong";
}

} // namespace

TEST_CASE("load_csv: the decimal ',' of German files (pandas decimal=',')") {
    const auto x = load("a;b;c;d\n1,5;2;1.5;2020-01-02\n-2e3;3;2;2020-01-03\n+,25;4;3;2020-01-04\n",
                        {.delimiter = ';', .decimal = ','});
    CHECK(values<double>(x, "a") == Doubles{1.5, -2000, 0.25});
    CHECK(values<std::int64_t>(x, "b") == Integers{2, 3, 4});
    CHECK(values<std::string>(x, "c") == Strings{"1.5", "2", "3"}); // the point is no decimal
    CHECK(x["d"].dtype() == pv::kDType<std::chrono::sys_days>);
}

TEST_CASE("load_csv: the decimal holds behind the sample, in types given, in quotes, among gaps") {
    std::string text = "a;b;c\n";
    for (int i = 0; i < 300; ++i) text += "7;1,5;\" 2,5 \"\n";
    text += "0,5;NA;3\n";
    const auto x = load(text, {.delimiter = ';', .types = {{"b", pv::float32}}, .decimal = ','});
    CHECK(values<double>(x, "a")[0] == 7);
    CHECK(values<double>(x, "a")[300] == 0.5);
    CHECK(values<float>(x, "b")[299] == 1.5F);
    CHECK(std::isnan(values<float>(x, "b")[300]));
    CHECK(values<double>(x, "c")[0] == 2.5);

    CHECK_THAT(
        refusal<pv::FormatError>("a;b\n1;2\n1.5;3\n",
                                 {.delimiter = ';', .types = {{"a", pv::float64}}, .decimal = ','}),
        ContainsSubstring("line 3, column 'a': '1.5' is no float64 (decimal ',')"));
}

TEST_CASE("load_csv: fills are written as the file is") {
    const std::string text = "a;b\n1,5;1\n;2\n";
    CHECK(values<double>(load(text, {.delimiter = ';', .fills = {{"a", "2,5"}}, .decimal = ','}),
                         "a") == Doubles{1.5, 2.5});
    CHECK_THAT(
        refusal<pv::FormatError>(text, {.delimiter = ';', .fills = {{"a", "2.5"}}, .decimal = ','}),
        ContainsSubstring("its fill '2.5' is not (decimal ',')"));
}

TEST_CASE("load_csv: thousands (pandas thousands='.')") {
    const auto x = load("a;b;c\n1.234;1.234.567,25;12\n-7;0,5;1.5\n12.345.678;+1.000e3;3\n",
                        {.delimiter = ';', .decimal = ',', .thousands = '.'});
    CHECK(values<std::int64_t>(x, "a") == Integers{1234, -7, 12345678});
    CHECK(values<double>(x, "b") == Doubles{1234567.25, 0.5, 1000e3});
    CHECK(values<std::string>(x, "c") == Strings{"12", "1.5", "3"}); // pandas reads 15
    for (const char mark : {',', '\'', ' ', '_'}) {
        const std::string m(1, mark);
        const auto y =
            load("a;b\n1" + m + "234;1" + m + "234.5\n", {.delimiter = ';', .thousands = mark});
        CHECK(values<std::int64_t>(y, "a") == Integers{1234});
        CHECK(values<double>(y, "b") == Doubles{1234.5});
    }
    // pandas thousands=',' with the delimiter ',': in quotes; and groups as in India
    const auto z = load("a,b\n\"1,234\",\"12,34,567\"\n5,6\n", {.thousands = ','});
    CHECK(values<std::int64_t>(z, "a") == Integers{1234, 5});
    CHECK(values<std::int64_t>(z, "b") == Integers{1234567, 6});
}

TEST_CASE("load_csv: groups that are none make no number") {
    for (const char* field :
         {"1,5", "1,23", "1,2345", "1234,567", ",123", "1,,234", "1,234,", "1,234.5,6", "1.234,567",
          "-,123", "0,123", "-0,123", "+0,123.5", "00,123", "012,345", "0,12,345"}) {
        INFO(field);
        const auto x =
            load("a;b\n" + std::string(field) + ";1\n", {.delimiter = ';', .thousands = ','});
        CHECK(x["a"].dtype() == pv::kDType<std::string>);
    }
    CHECK_THAT(
        refusal<pv::FormatError>("a;b\n1,5;1\n",
                                 {.delimiter = ';', .types = {{"a", pv::int64}}, .thousands = ','}),
        ContainsSubstring("'1,5' is no int64 (decimal '.', thousands ',')"));
}

TEST_CASE("load_csv: a fraction of the other notation is no group (decimal ',', thousands '.')") {
    // pandas reads 123; what is text shows that the notation is another
    const auto x = load("a;b;c\n0.123;0;000\n-0.5;0,5;01\n",
                        {.delimiter = ';', .decimal = ',', .thousands = '.'});
    CHECK(values<std::string>(x, "a") == Strings{"0.123", "-0.5"});
    CHECK(values<double>(x, "b") == Doubles{0, 0.5}); // zeros alone are no group
    CHECK(values<std::int64_t>(x, "c") == Integers{0, 1});
    CHECK_THAT(
        refusal<pv::FormatError>(
            "a;b\n0.123;1\n",
            {.delimiter = ';', .types = {{"a", pv::float64}}, .decimal = ',', .thousands = '.'}),
        ContainsSubstring("'0.123' is no float64 (decimal ',', thousands '.')"));
}

TEST_CASE("load_csv: integers beyond 64 bits keep their text, as ids do") {
    const auto x = load("a;b\n99.999.999.999.999.999.999;18.446.744.073.709.551.615\n5;1\n",
                        {.delimiter = ';', .decimal = ',', .thousands = '.'});
    CHECK(values<std::string>(x, "a") == Strings{"99.999.999.999.999.999.999", "5"});
    CHECK(values<std::uint64_t>(x, "b")[0] == std::numeric_limits<std::uint64_t>::max());
}

TEST_CASE("load_csv: comments (pandas comment='#')") {
    const std::string text =
        "# made by hand\n  # indented\na,b#, c\n1,x # one\n#\n2,\"y # no, \"\"\n#no\"#yes\n\n3,5#6\"7\n# end";
    const auto x = load(text, {.comment = '#'});
    CHECK(values<std::int64_t>(x, "a") == Integers{1, 2, 3});
    CHECK(values<std::string>(x, "b") == Strings{"x ", "y # no, \"\n#no", "5"});
    // what no comment has is the file itself, and without the option '#' is text
    CHECK(values<std::string>(load("a,b\n#1,2\n", {}), "a") == Strings{"#1"});
    CHECK(values<std::int64_t>(load("a,b\n1,2\n", {.comment = '#'}), "b") == Integers{2});
}

TEST_CASE("load_csv: blanks between quotes and a comment are no text (pandas comment='#')") {
    const auto x = load("\"a\" # one\t,\"b\"\n\"1\" # two\n", {.comment = '#'});
    CHECK(x.size() == 1);
    const auto y =
        load("a,b\n1,\"x\" #c\n2,\"y\"\t #d\r\n3,\"z \"\" \"  #\n\"4\",\"\" #", {.comment = '#'});
    CHECK(values<std::int64_t>(y, "a") == Integers{1, 2, 3, 4});
    CHECK(values<std::string>(y, "b") == Strings{"x", "y", "z \" ", ""});
    // a tab that is the delimiter is none of them, and without a comment they are text
    const auto z = load("a\tb\n\"1\"\t#c\n\"2\"\t\"x\" #d\n", {.delimiter = '\t', .comment = '#'});
    CHECK(values<std::string>(z, "b") == Strings{"", "x"});
    CHECK_THAT(refusal<pv::FormatError>("a,b\n1,\"x\" \n", {.comment = '#'}),
               ContainsSubstring("text behind the quotes"));
}

TEST_CASE("load_csv: lines of comments are no rows of one column, empty lines are") {
    const auto x =
        load("#\na\n1\n#2\n\n3#\r#4\r\n\r\n5", {.types = {{"a", pv::float64}}, .comment = '#'});
    const Doubles a = values<double>(x, "a");
    REQUIRE(a.size() == 5);
    CHECK((a[0] == 1 && std::isnan(a[1]) && a[2] == 3 && std::isnan(a[3]) && a[4] == 5));
}

TEST_CASE("load_csv: comments end at a lone return before an empty line") {
    const auto x = load("a\r1\r#c\n\n2\n", {.types = {{"a", pv::float64}}, .comment = '#'});
    CHECK(x.rows() == 3);
}

TEST_CASE("load_csv: messages name the line of the file, behind comments and skipped lines") {
    CHECK_THAT(refusal<pv::FormatError>("title\r\n\"\n# c\na,b\n# d\n1,2 # e\n3\n",
                                        {.comment = '#', .skip_rows = 2}),
               ContainsSubstring("line 7 has 1 field, and there are 2 columns"));
    CHECK_THAT(refusal<pv::FormatError>("#\n#\na,b\n1,\"2#\n", {.comment = '#'}),
               ContainsSubstring("line 4: a quoted field does not end"));
}

TEST_CASE("load_csv: skip_rows (pandas skiprows=2)") {
    const std::string text = "Report \"2020\n\na,b\n1,2\n3,4\n";
    CHECK(values<std::int64_t>(load(text, {.skip_rows = 2}), "b") == Integers{2, 4});
    CHECK(values<std::int64_t>(load(text, {.header = false, .names = {"x", "y"}, .skip_rows = 3}),
                               "x") == Integers{1, 3});
    CHECK(values<std::int64_t>(load("t\r\rt\r\r\na,b\r1,2\r", {.skip_rows = 3}), "b") ==
          Integers{2});
    CHECK_THAT(refusal<pv::FormatError>(text, {.skip_rows = 5}),
               ContainsSubstring("there is nothing in it"));
    CHECK_THAT(refusal<pv::FormatError>(text, {.skip_rows = 1000}),
               ContainsSubstring("there is nothing in it"));
}

TEST_CASE("load_csv: options that contradict each other are refused") {
    const auto said = [](const pv::CsvOptions& options) {
        return refusal<pv::Error>("a,b\n1,2\n", options);
    };
    CHECK(said({.decimal = ','}) ==
          "load_csv: the decimal and the delimiter are both ',', and have to differ");
    CHECK(said({.decimal = '"'}) ==
          "load_csv: the decimal and the quote are both '\"', and have to differ");
    CHECK(said({.thousands = '.'}) ==
          "load_csv: the thousands separator and the decimal are both '.', and have to differ");
    CHECK(said({.delimiter = ';', .decimal = ',', .thousands = ','}) ==
          "load_csv: the thousands separator and the decimal are both ',', and have to differ");
    CHECK(said({.thousands = '"'}) ==
          "load_csv: the thousands separator and the quote are both '\"', and have to differ");
    CHECK(said({.comment = '"'}) ==
          "load_csv: the comment and the quote are both '\"', and have to differ");
    CHECK(said({.comment = ','}) ==
          "load_csv: the comment and the delimiter are both ',', and have to differ");
    CHECK(said({.thousands = '\'', .comment = '\''}) ==
          "load_csv: the comment and the thousands separator are both ''', and have to differ");
    for (const char mark : {'e', '5', '-', '\n', ' '}) {
        CHECK_THAT(said({.decimal = mark}), ContainsSubstring("the decimal"));
        CHECK_THAT(said({.comment = mark}), ContainsSubstring("the comment"));
        if (mark != ' ')
            CHECK_THAT(said({.thousands = mark}), ContainsSubstring("the thousands separator"));
    }
    CHECK(said({.skip_rows = -1}) == "load_csv: skip_rows is -1, and has to be at least 0");
}

TEST_CASE("save_csv: a decimal, and back (pandas to_csv decimal=',')") {
    const temporary::Folder folder;
    const std::string path = folder / "german.csv";
    const pv::Tensor<double> price = pv::tensor<double>({1.5, -2e300, 3});
    const pv::Tensor<std::string> text = pv::tensor<std::string>({"a.b", "1,5", "c;d"});
    pv::save_csv(path, {{"price", price}, {"text", text}}, {.delimiter = ';', .decimal = ','});
    CHECK(temporary::content(path) == "price;text\n1,5;a.b\n-2e+300;1,5\n3;\"c;d\"\n");
    const auto x = pv::load_csv(path, {.delimiter = ';', .decimal = ','});
    CHECK(values<double>(x, "price") == Doubles{1.5, -2e300, 3});
    CHECK(values<std::string>(x, "text") == Strings{"a.b", "1,5", "c;d"});
    CHECK_THROWS_AS(pv::save_csv(path, {{"price", price}}, {.decimal = ','}), pv::Error);
}

} // namespace csv_notation_test
