#include <purview/ranges.hpp>

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <range/v3/algorithm/equal.hpp>
#include <range/v3/algorithm/sort.hpp>
#include <range/v3/numeric/accumulate.hpp>
#include <range/v3/view/filter.hpp>
#include <range/v3/view/reverse.hpp>
#include <range/v3/view/transform.hpp>

#include <algorithm>
#include <ranges>
#include <vector>

namespace ranges_test {

namespace {

namespace pv = purview;

const auto kTwice = [](double x) { return 2 * x; };

TEST_CASE("a tensor is a random-access view of both range libraries") {
    STATIC_REQUIRE(std::ranges::view<pv::Tensor<double>>);
    STATIC_REQUIRE(std::ranges::view<pv::MutableTensor<float>>);
    STATIC_REQUIRE(std::ranges::random_access_range<pv::Tensor<std::string>>);
    STATIC_REQUIRE(ranges::view_<pv::Tensor<double>>);
    STATIC_REQUIRE(ranges::view_<pv::MutableTensor<float>>);
    STATIC_REQUIRE(ranges::random_access_range<pv::Tensor<std::string>>);
}

TEST_CASE("range-v3's views keep the tensor that they are made of") {
    const auto t = pv::arange(6.0) | pv::reshape({2, 3});
    CHECK(ranges::accumulate(t(1, pv::all) | ranges::views::transform(kTwice), 0.0) == 24);
    auto lazy = (t + 1) | ranges::views::filter([](double x) { return x > 3; });
    CHECK(ranges::equal(lazy, std::vector<double>{4, 5, 6}));
    CHECK(ranges::equal(pv::transpose(t) | ranges::views::reverse,
                        std::vector<double>{5, 2, 4, 1, 3, 0}));
}

TEST_CASE("both libraries sort a mutable tensor through any view") {
    auto t = pv::tensor({{3.0, 1.0, 2.0}, {0.0, 5.0, 4.0}});
    ranges::sort(t(0, pv::all));
    std::ranges::sort(pv::rotate(t(1, pv::all), {1}));
    CHECK(pv::to_vector(t) == std::vector<double>{1, 2, 3, 4, 5, 0});
    ranges::sort(pv::transpose(t));
    CHECK(pv::to_vector(pv::transpose(t)) == std::vector<double>{0, 1, 2, 3, 4, 5});
}

} // namespace

} // namespace ranges_test
