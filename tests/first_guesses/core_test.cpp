// With this header and no other, before any other of Purview.
#include <purview/core.hpp>

#include <support/catch.hpp>

#include <vector>

namespace core_test {

namespace pv = purview;

TEST_CASE("Whatever core.hpp has takes dims, with nothing more included") {
    const auto x = pv::tensor({{3., 1., 2.}, {6., 5., 4.}});
    const pv::Dim i("i");
    const pv::Dim j("j");

    const pv::Tensor<double> sums = pv::sum(x(i, pv::all) + 1., i);
    CHECK(pv::to_vector(sums) == std::vector<double>{11, 8, 8});
    CHECK(pv::sum(x(i, j) * x(i, j), {i, j}).item() == 91);
    CHECK((x(i, j) | pv::max((i, j))).item() == 6);
    const auto where_late = pv::where(j > 0, x(i, j), 0.);
    CHECK(pv::sum(where_late, {i, j}).item() == 12);
    CHECK(pv::sum(pv::sqrt(x(i, j) * x(i, j)), {i, j}).item() == 21);
    const pv::Dim k("k", 2);
    CHECK(pv::sum(x(1, k + 1) - x(1, k + 0), k).item() == -2);
    CHECK(pv::sum(pv::flip(x(i), 0) * x(i), i).shape() == pv::Shape{3});
    CHECK(pv::sum(pv::flip(x(i, j), j) * x(i, j), {i, j}).item() == 86);
    const auto own = pv::clone(x(i, j));
    CHECK(pv::mean(own, {i, j}).item() == 3.5);
}

} // namespace core_test
