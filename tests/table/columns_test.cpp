#include <support/catch.hpp>

#include <purview/base/errors.hpp>
#include <purview/purview.hpp>
#include <purview/table/columns.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

namespace columns_test {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("Columns: a value of a row may be a tensor") {
    const auto pixels = pv::reshape(pv::arange(12), {2, 2, 3});
    const pv::Columns table{{"id", std::vector<int>{7, 8}},
                            {"pixels", pixels, std::vector<bool>{false, true}}};
    CHECK(table.rows() == 2);
    CHECK(table["pixels"].missing.shape() == pv::Shape{2});
    CHECK(table.get<std::int64_t>("pixels").shape() == pv::Shape{2, 2, 3});
    const pv::Tensor<double> floats = table.get<double>("pixels");
    CHECK(floats.shape() == pv::Shape{2, 2, 3});
    CHECK(floats(0, 1, 2) == 5);
    CHECK((std::isnan(floats(1, 0, 0)) && std::isnan(floats(1, 1, 2))));
    const pv::Columns large{{"n", pv::reshape(pv::arange(252, 258), {2, 3})}};
    CHECK_THROWS_WITH(large.get<std::uint8_t>("n"),
                      ContainsSubstring("row 1: 256 does not fit uint8"));

    CHECK_THROWS_AS((pv::Columns{{"a", pv::zeros(pv::Shape{})}}), pv::ShapeError);
    CHECK_THROWS_AS((pv::Columns{{"a", pv::zeros({2, 2})}, {"b", pv::zeros({4})}}), pv::ShapeError);
    CHECK_THROWS_AS((pv::Columns{{"a", pixels, std::vector<bool>(12)}}), pv::ShapeError);
    const pv::Columns none{{"a", pv::zeros({0, 3})}, {"b", pv::zeros({0})}};
    CHECK(none.rows() == 0);
    CHECK(none.get<float>("a").shape() == pv::Shape{0, 3});
}

TEST_CASE("Columns: tensors are printed in brackets, with their shape at the type") {
    const pv::Column narrow("v", pv::reshape(pv::arange(6), {3, 2}),
                            std::vector<bool>{false, true, false});
    CHECK(pv::to_string(narrow) ==
          "          v\n   int32[2]\n0     [0 1]\n1         -\n2     [4 5]\n"
          "[3 rows, 1 column]");
    const pv::Column wide("v", pv::reshape(pv::arange(16), {2, 2, 4}));
    CHECK_THAT(pv::to_string(wide),
               ContainsSubstring("int32[2 4]") && ContainsSubstring("[8 9 10 11 12 13 …]"));
    CHECK_THAT(pv::to_string(pv::Column("v", pv::zeros({2, 0}))), ContainsSubstring("[]"));
}

} // namespace columns_test
