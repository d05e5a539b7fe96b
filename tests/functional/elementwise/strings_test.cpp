#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/tensors.hpp>

#include <purview/functional/along/sorting.hpp>
#include <purview/functional/elementwise/strings.hpp>
#include <purview/functional/statistics/arggroup.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

namespace strings_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Texts = std::vector<std::string>;

} // namespace

TEST_CASE("Strings add up and compare element by element") {
    const auto x = pv::tensor({{"b", "a"}, {"c", ""}});
    CHECK(pv::to_vector(x + "-") == Texts{"b-", "a-", "c-", "-"});
    CHECK(pv::to_vector("<" + x) == Texts{"<b", "<a", "<c", "<"});
    CHECK(pv::to_vector(x + pv::transpose(x)) == Texts{"bb", "ac", "ca", ""});
    CHECK(pv::to_vector(x == "a") == std::vector<bool>{false, true, false, false});
    CHECK(pv::to_vector(x < "b") == std::vector<bool>{false, true, false, true});
    CHECK(pv::to_vector(pv::maximum(x, pv::tensor({"b", "b"}))) == Texts{"b", "b", "c", "b"});
    CHECK(pv::to_vector(pv::argsort(x, 1)) == std::vector<std::int64_t>{1, 0, 1, 0});
}

TEST_CASE("Case, blanks and length") {
    const auto x = pv::tensor({" Ab\t", "", "\xc3\x84z", "Zz9@[`{"});
    CHECK(pv::to_vector(x | pv::to_lower) == Texts{" ab\t", "", "\xc3\x84z", "zz9@[`{"});
    CHECK(pv::to_vector(pv::to_upper(x)) == Texts{" AB\t", "", "\xc3\x84Z", "ZZ9@[`{"});
    CHECK(pv::to_vector(pv::trim(x)) == Texts{"Ab", "", "\xc3\x84z", "Zz9@[`{"});
    CHECK(pv::trim(pv::tensor({" \n\r\v\f\t "}))(0) == "");
    CHECK(pv::to_vector(x | pv::text_length) == std::vector<std::int64_t>{4, 0, 3, 7});
    CHECK(pv::text_length(x).dtype() == pv::int64);
    // Lazy: later writes show.
    auto y = pv::tensor({"one", "two"});
    const auto upper = pv::to_upper(y);
    y(0) = "three";
    CHECK(pv::to_vector(upper) == Texts{"THREE", "TWO"});
}

TEST_CASE("Parts of strings") {
    const auto x = pv::tensor({"banana", "nab", "", "na"});
    CHECK(pv::to_vector(pv::contains(x, "na")) == std::vector<bool>{true, true, false, true});
    CHECK(pv::to_vector(x | pv::starts_with("na")) == std::vector<bool>{false, true, false, true});
    CHECK(pv::to_vector(x | pv::ends_with(std::string("a"))) ==
          std::vector<bool>{true, false, false, true});
    CHECK(pv::to_vector(x | pv::find_text("ana")) == std::vector<std::int64_t>{1, -1, -1, -1});
    CHECK(pv::to_vector(pv::find_text(x, pv::tensor({"na", "b", "", "x"}))) ==
          std::vector<std::int64_t>{2, 2, 0, -1});
    CHECK(pv::to_vector(pv::contains("banana", x)) == std::vector<bool>{true, false, true, true});
    CHECK(pv::to_vector(x | pv::replace_all("na", "-")) == Texts{"ba--", "-b", "", "-"});
    CHECK(pv::to_vector(x | pv::replace_all("", "-")) == pv::to_vector(x));
    CHECK(pv::to_vector(pv::replace_all(x, "a", "aa")) == Texts{"baanaanaa", "naab", "", "naa"});
}

TEST_CASE("Substrings, as a loop over places has them") {
    const std::string text = "abcdef";
    const auto x = pv::tensor({text});
    const auto lowest = std::numeric_limits<std::int64_t>::min();
    for (std::int64_t begin = -9; begin <= 9; ++begin)
        for (std::int64_t count = -2; count <= 9; ++count) {
            std::string naive;
            for (std::int64_t k = 0; k < count; ++k) {
                const std::int64_t place = (begin < 0 ? begin + 6 : begin) + k;
                if (place >= 0 && place < 6) naive += text[static_cast<std::size_t>(place)];
            }
            INFO(begin << ' ' << count);
            CHECK(pv::substring(x, begin, count)(0) == naive);
        }
    CHECK((x | pv::substring(2))(0) == "cdef");
    CHECK((x | pv::substring(-2))(0) == "ef");
    CHECK(pv::substring(x, lowest)(0) == text);
    CHECK(pv::substring(x, std::numeric_limits<std::int64_t>::max())(0) == "");
}

TEST_CASE("Numbers and their texts") {
    const auto x = pv::tensor({" 12", "+7\n", "-3"});
    CHECK(pv::to_vector(x | pv::parse<std::int32_t>) == std::vector<std::int32_t>{12, 7, -3});
    CHECK(pv::to_vector(x | pv::parse<double>) == std::vector<double>{12, 7, -3});
    CHECK(pv::to_vector(pv::parse<bool>(pv::tensor({"true", "0", " false ", "1"}))) ==
          std::vector<bool>{true, false, false, true});
    CHECK(pv::to_vector(pv::tensor({0.1, -2.0, 1e300}) | pv::to_text | pv::parse<double>) ==
          std::vector<double>{0.1, -2.0, 1e300});
    CHECK(pv::to_vector(pv::to_text(pv::tensor({0.1f, 1.5f}))) == Texts{"0.1", "1.5"});
    CHECK(pv::to_vector(pv::to_text(pv::tensor({true, false}))) == Texts{"true", "false"});
    CHECK(pv::to_vector(pv::to_text(pv::tensor(std::vector<std::int8_t>{-128, 65}))) ==
          Texts{"-128", "65"});

    for (const char* bad : {"", "x", "1x", "1 2", "+-1", "--1", "256", "-1"}) {
        INFO(bad);
        CHECK_THROWS_AS(pv::to_vector(pv::parse<std::uint8_t>(pv::tensor({bad}))), pv::CastError);
    }
    CHECK_THROWS_WITH(pv::to_vector(pv::parse<std::uint8_t>(pv::tensor({"300"}))),
                      "parse: '300' is no uint8, at index 0");
    CHECK_THROWS_AS(pv::to_vector(pv::parse<bool>(pv::tensor({"yes"}))), pv::CastError);
    CHECK_THROWS_AS(pv::to_vector(pv::parse<double>(pv::tensor({"1,5"}))), pv::CastError);
    CHECK_NOTHROW(pv::parse<double>(pv::tensor({"1,5"}))); // lazy
}

TEST_CASE("Strings in views and over dims") {
    const auto x = pv::tensor({{"a", "b"}, {"c", "d"}});
    CHECK(pv::to_vector(pv::to_upper(pv::transpose(x))) == Texts{"A", "C", "B", "D"});
    CHECK(pv::to_vector(pv::to_upper(x)(1, pv::all)) == Texts{"C", "D"});
    pv::Dim i, j;
    const auto both = pv::to_upper(x(i, j)) | pv::order(j, i);
    CHECK(pv::to_vector(both) == Texts{"A", "C", "B", "D"});
    CHECK(pv::to_upper(pv::empty<std::string>({0, 3})).shape() == pv::Shape{0, 3});
}

} // namespace strings_test
