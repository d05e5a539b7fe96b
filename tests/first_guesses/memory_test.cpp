#include <support/catch.hpp>

#include <purview/purview.hpp>

#include <map>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace memory_test {

// Pointers, spans, vectors and lists in the places where people try them.

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Values = std::vector<double>;

} // namespace

TEST_CASE("A tensor in memory gives its pointer and a span") {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    const pv::Tensor<double> reads = x;
    std::span<double> written(x);
    written[3] = 7;
    CHECK(x(1, 1) == 7);
    CHECK(x.data() == written.data());
    CHECK(reads.data() == x.data());
    STATIC_REQUIRE(std::is_same_v<decltype(reads.data()), const double*>);
    CHECK(std::span<const double>(reads).size() == 4);
    CHECK(std::span<const double>(x)[3] == 7);
    CHECK(x.row(1).data() == x.data() + 2);

    CHECK_THROWS_WITH((x | pv::transpose({1, 0})).data(),
                      ContainsSubstring("row-major") && ContainsSubstring("clone"));
    CHECK_THROWS_AS(std::span<const double>(reads * 2), pv::ShapeError);
    CHECK_THROWS_AS(pv::empty<double>({2, 3})(pv::all, 1).data(), pv::ShapeError);
    CHECK(std::span<double>(pv::empty<double>({0, 3})).empty());
}

TEST_CASE("A vector is made of a tensor") {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    const Values values(x);
    CHECK(values == Values{1, 2, 3, 4});
    CHECK(Values(x * 2) == Values{2, 4, 6, 8});
    CHECK(Values(x(pv::all, 1)) == Values{2, 4});
    CHECK(std::vector<bool>(x > 2.) == std::vector<bool>{false, false, true, true});
    CHECK(static_cast<Values>(pv::empty<double>({0})).empty());
}

TEST_CASE("Lists of indexes in braces for take and isin") {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    CHECK(Values(pv::take(x, {3, 0, -1})) == Values{4, 1, 4});
    CHECK(Values(pv::take(x, {1, 0}, 1)) == Values{2, 1, 4, 3});
    CHECK_THROWS_AS(pv::clone(pv::take(x, {2}, 1)), pv::IndexError);
    CHECK(Values(pv::roll(x, 1, {0})) == Values{3, 4, 1, 2});
    CHECK(Values(pv::roll(x, 1, 1)) == Values{2, 1, 4, 3});
    auto y = pv::clone(x);
    pv::take(y, {0, 3}) = 9.;
    CHECK(Values(y) == Values{9, 2, 3, 9});
}

TEST_CASE("Arrays and tensors of several kinds are joined") {
    const auto x = pv::tensor({1., 2.});
    const pv::Tensor<double> reads = x;
    const Values v{3, 4};
    CHECK(Values(pv::stack(v, v)) == Values{3, 4, 3, 4});
    CHECK(Values(pv::stack(v, x, 1)) == Values{3, 1, 4, 2});
    CHECK(Values(pv::stack({reads, x})) == Values{1, 2, 1, 2});
    CHECK(Values(pv::concat({reads, pv::take(x, {1})})) == Values{1, 2, 2});
    CHECK(Values(pv::concat({reads, x}, 0)) == Values{1, 2, 1, 2});
}

TEST_CASE("Without an axis, all elements are one") {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    CHECK(pv::equals(pv::roll(x, 1), pv::tensor({{4., 1.}, {2., 3.}})));
    CHECK(Values(pv::roll(Values{1, 2, 3}, -1)) == Values{2, 3, 1});
    CHECK(Values(pv::repeat(x, 2)) == Values{1, 1, 2, 2, 3, 3, 4, 4});
    CHECK(pv::roll(pv::empty<double>({0, 2}), 1).shape() == pv::Shape{0, 2});
    CHECK(pv::roll(pv::tensor(7.), 3).item() == 7);
    auto y = pv::clone(x);
    pv::roll(y, 1) = 5.;
    CHECK(Values(y) == Values{5, 5, 5, 5});
    const pv::Dim i("i");
    CHECK(pv::equals(pv::order(pv::roll(x(i), 1), i), pv::tensor({{2., 1.}, {4., 3.}})));
}

TEST_CASE("Arrays in braces, and several arrays") {
    CHECK(pv::equals(pv::isin(Values{1, 2, 3}, {1., 3.}), pv::tensor({true, false, true})));
    CHECK(pv::equals(pv::isin(pv::tensor({"a", "b"}), {"b"}), pv::tensor({false, true})));
    CHECK(pv::equals(pv::isin(pv::tensor({1, 2}), {2, 5}), pv::tensor({false, true})));
    const auto [across, down] = pv::meshgrid(Values{1, 2, 3}, std::vector{4, 5});
    CHECK(pv::equals(across, pv::tensor({{1., 2., 3.}, {1., 2., 3.}})));
    CHECK(pv::equals(down, pv::tensor({{4, 4, 4}, {5, 5, 5}})));
}

TEST_CASE("Tensors of any type stand in maps, and become strings") {
    std::map<std::string, pv::AnyTensor> columns;
    columns["a"] = pv::tensor({1, 2});
    CHECK(columns["a"].as<int>().read(1) == 2);
    CHECK((columns["none"].shape() == pv::Shape{0} && columns["none"].is_read_only()));
    CHECK(pv::to_string(columns["a"]) == "#purview.tensor<int32>[2]\n[1 2]");
}

TEST_CASE("Stages with empty brackets, window positions, texts") {
    const auto x = pv::tensor({{1., 2.}, {3., 4.}});
    CHECK((x | pv::sum()) == 10);
    CHECK((x | pv::max()) == 4);
    CHECK(Values(x | pv::sqrt()) == Values(pv::sqrt(x)));
    CHECK(Values(pv::fixed_rolling_window(Values{1, 2, 3}, 2, pv::sum,
                                          pv::WindowPosition::trailing)) == Values{2, 3, 5});
    const auto names = pv::full({2}, "ab");
    STATIC_REQUIRE(std::is_same_v<decltype(names)::value_type, std::string>);
    CHECK(std::string(names(1)) == "ab");
    CHECK(pv::const_tensor("c", {3}).read(2) == "c");
}

} // namespace memory_test
