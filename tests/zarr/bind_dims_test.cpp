#include <support/catch.hpp>

#include <purview/io/bind_dims.hpp>
#include <purview/purview.hpp>

#include <string>

namespace pv = purview;

namespace bind_dims_test {
namespace {

pv::StoredArray stored() {
    pv::StoredArray array;
    array.values = pv::arange<float>(24) | pv::reshape({2, 3, 4});
    array.dimension_names = {"time", "y", "x"};
    return array;
}

TEST_CASE("bind_dims binds each Dim to the axis of its name, in any order") {
    const pv::StoredArray array = stored();
    const pv::Tensor<float> values = array.values.as<float>();
    const auto [time, y, x] = pv::dims("time", "y", "x");
    const auto bound = pv::bind_dims<float>(array, x, time, y);
    CHECK(time.size() == 2);
    CHECK(y.size() == 3);
    CHECK(x.size() == 4);
    CHECK(pv::equals(pv::order(bound, time, y, x), values));
    CHECK(pv::equals(pv::order(pv::sum(bound, time), y, x), pv::sum(values, {0})));
    CHECK(pv::bind_dims(array, y, time, x).dtype() == pv::float32);
}

TEST_CASE("axes that no Dim is bound to stay positional") {
    const pv::Dim y("y");
    const auto bound = pv::bind_dims<float>(stored(), y);
    CHECK(bound.shape() == pv::Shape{2, 4});
    CHECK(pv::bind_dims<float>(stored()).shape() == pv::Shape{2, 3, 4});
}

TEST_CASE("bind_dims names the Dim and the axes where they do not agree") {
    using Catch::Matchers::ContainsSubstring;
    const pv::Dim z("z");
    CHECK_THROWS_WITH(pv::bind_dims<float>(stored(), z),
                      ContainsSubstring("Dim 'z'") && ContainsSubstring("'time', 'y', 'x'"));
    CHECK_THROWS_AS(pv::bind_dims<float>(stored(), z), pv::DimError);
    CHECK_THROWS_AS(pv::bind_dims<float>(stored(), pv::Dim("y", 4)), pv::DimError);
    CHECK_THROWS_AS(pv::bind_dims<float>(stored(), pv::Dim("y"), pv::Dim("y")), pv::DimError);
    CHECK_THROWS_AS(pv::bind_dims<double>(stored(), pv::Dim("y")), pv::DtypeError);
    pv::StoredArray array = stored();
    array.dimension_names = {"x", "y", "x"};
    CHECK_THROWS_WITH(pv::bind_dims<float>(array, pv::Dim("x")), ContainsSubstring("axes 0 and 2"));
    array.dimension_names = {"", "y", ""};
    CHECK_NOTHROW(pv::bind_dims<float>(array, pv::Dim("y")));
    array.dimension_names.clear();
    CHECK_THROWS_WITH(pv::bind_dims<float>(array, pv::Dim("x")), ContainsSubstring("'x'"));
}

} // namespace
} // namespace bind_dims_test
