#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/interp.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace interp_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

/// One point after the other.
double line_at(double x, const std::vector<double>& xp, const std::vector<double>& fp) {
    if (std::isnan(x)) return x;
    if (x < xp.front()) return fp.front();
    if (x >= xp.back()) return fp.back();
    std::size_t j = 0;
    while (xp[j + 1] <= x) ++j;
    if (x == xp[j]) return fp[j];
    return (fp[j + 1] - fp[j]) / (xp[j + 1] - xp[j]) * (x - xp[j]) + fp[j];
}

} // namespace

TEST_CASE("interp: NumPy's examples") {
    const auto xp = pv::tensor({1, 2, 3});
    const auto fp = pv::tensor({3, 2, 0});
    CHECK(pv::interp(2.5, xp, fp) == 1.0);
    CHECK(pv::to_vector(pv::interp(pv::tensor({0.0, 1.0, 1.5, 2.72, 3.14}), xp, fp)) ==
          std::vector<double>{3.0, 3.0, 2.5, 2 - 2 * (2.72 - 2), 0.0});
    CHECK(pv::interp(3.14, xp, fp, {.right = -99.0}) == -99);
    CHECK(pv::interp(0.5, xp, fp, {.left = -1.0, .right = -99.0}) == -1);
    const auto angles = pv::tensor({-180, -170, -185, 185, -10, -5, 0, 365});
    const std::vector<double> turned =
        pv::to_vector(angles | pv::interp(pv::tensor({190, -190, 350, -350}),
                                          pv::tensor({5, 10, 3, 4}), {.period = 360.0}));
    const std::vector<double> expected{7.5, 5.0, 8.75, 6.25, 3.0, 3.25, 3.5, 3.75};
    for (std::size_t i = 0; i < expected.size(); ++i)
        CHECK(turned[i] == Catch::Approx(expected[i]));
}

TEST_CASE("interp agrees with one point after the other: every layout") {
    Random random(5);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<double>(random);
        std::vector<double> xp = random.elements<double>(random.between(1, 40));
        std::sort(xp.begin(), xp.end());
        const std::vector<double> fp = random.elements<double>(std::ssize(xp));
        const auto places = pv::tensor(std::vector(xp));
        const auto values = pv::tensor(std::vector(fp));
        const auto found = pv::interp(x.real, places, values);
        CHECK(found.shape() == x.real.shape());
        const std::vector<double> all = pv::to_vector(found);
        bool same = all.size() == x.naive.values.size();
        for (std::size_t i = 0; same && i < all.size(); ++i)
            same = all[i] == line_at(x.naive.values[i], xp, fp);
        INFO(x.name << " points " << xp.size());
        CHECK(same);
        const pv::AnyTensor any =
            pv::interp(pv::AnyTensor(x.real), pv::AnyTensor(places), pv::AnyTensor(values));
        CHECK(pv::to_vector(any.as<double>()) == all);
    }
}

TEST_CASE("interp: NaN, infinities, steps, types, dims, nothing") {
    const auto xp = pv::tensor({0.0, 1.0, 1.0, 2.0});
    const auto fp = pv::tensor({0.0, 1.0, 5.0, 6.0});
    CHECK(std::isnan(pv::interp(kNaN, xp, fp)));
    CHECK(pv::interp(1.0, xp, fp) == 5);
    CHECK(pv::interp(0.5, xp, fp) == 0.5);
    CHECK(pv::interp(kInf, xp, fp) == 6);
    CHECK(pv::interp(0.5, pv::tensor({0.0, 1.0}), pv::tensor({kInf, kInf})) == kInf);
    CHECK(pv::interp(1.0, pv::tensor({0.0, 1.0}), pv::tensor({kInf, 3.0})) == 3);
    CHECK(pv::interp(7, pv::tensor({1.0}), pv::tensor({3.0})) == 3);
    const auto narrow = pv::interp(pv::tensor({0.5F}), xp, fp | pv::cast<float>);
    CHECK(std::same_as<decltype(narrow)::value_type, float>);
    CHECK(narrow(0) == 0.5F);
    CHECK(std::same_as<decltype(pv::interp(pv::tensor({1}), xp, fp))::value_type, double>);
    const auto [i] = pv::dims("i");
    const auto m = pv::tensor({{0.5, 1.5}, {3.0, -1.0}});
    const pv::Tensor<double> bound = pv::interp(m(pv::all, i), xp, fp) | pv::order(i);
    CHECK(pv::to_vector(bound) == std::vector{0.5, 6.0, 5.5, 0.0});
    CHECK(pv::interp(pv::zeros({0, 2}), xp, fp).shape() == pv::Shape{0, 2});
    CHECK(pv::interp(pv::reshape(pv::tensor({0.5}), {}), xp, fp).item() == 0.5);

    CHECK_THROWS_WITH(pv::interp(1.0, pv::tensor({0.0, 2.0, 1.0}), pv::tensor({0.0, 1.0, 2.0})),
                      ContainsSubstring("interp") && ContainsSubstring("from 2 to 1 at index 2"));
    CHECK_THROWS_AS(pv::interp(1.0, xp, pv::tensor({1.0})), pv::ShapeError);
    CHECK_THROWS_AS(pv::interp(1.0, pv::zeros({0}), pv::zeros({0})), pv::ShapeError);
    CHECK_THROWS_AS(pv::interp(1.0, pv::zeros({1, 1}), pv::zeros({1, 1})), pv::ShapeError);
    CHECK_THROWS_WITH(pv::interp(1.0, xp, fp, {.period = 0.0}), ContainsSubstring("period"));
}

} // namespace interp_test
