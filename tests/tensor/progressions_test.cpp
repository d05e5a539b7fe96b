// Progressions at the limits of their types: NumPy's `linspace` and `arange`.

#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/tensor/create.hpp>

#include <cmath>
#include <limits>
#include <vector>

namespace progressions_test {

namespace {

namespace pv = purview;

constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kLeast = std::numeric_limits<double>::denorm_min();

} // namespace

TEST_CASE("numpy.linspace of steps below the least number, and of ends far apart") {
    const std::vector<double> units{0, 0, 1, 1, 2, 2, 3, 3, 4, 4};
    const auto steps = pv::to_vector(pv::linspace(0., 2e-323, 10));
    for (std::size_t i = 0; i < units.size(); ++i) CHECK(steps[i] == units[i] * kLeast);
    CHECK(pv::to_vector(pv::linspace(0., kLeast, 3)) == std::vector<double>{0, 0, kLeast});
    CHECK(pv::to_vector(pv::linspace(-kMax, kMax, 3)) == std::vector<double>{-kMax, 0, kMax});
    const auto falling = pv::to_vector(pv::linspace(kMax, -kMax, 5));
    CHECK(falling[0] == kMax);
    CHECK(std::abs(falling[1] / (kMax / 2) - 1) < 1e-15);
    CHECK(falling[2] == 0);
    CHECK(falling[4] == -kMax);
    CHECK(pv::to_vector(pv::linspace(kMax, kMax, 2)) == std::vector<double>{kMax, kMax});
    const auto narrow = pv::to_vector(pv::linspace<float>(-3e38f, 3e38f, 3));
    CHECK(narrow == std::vector<float>{-3e38f, 0, 3e38f});
    const float least = std::numeric_limits<float>::denorm_min();
    CHECK(pv::to_vector(pv::linspace<float>(0, 2 * least, 5)) ==
          std::vector<float>{0, 0, least, 2 * least, 2 * least});
    CHECK(pv::to_vector(pv::linspace(0., kInf, 3)) == std::vector<double>{0, kInf, kInf});
    CHECK(pv::to_vector(pv::linspace(kInf, kInf, 3)) == std::vector<double>{kInf, kInf, kInf});
    CHECK(pv::to_vector(pv::linspace(5., 7., 1)) == std::vector<double>{5});
    CHECK(pv::linspace(5., 7., 0).empty());
    for (int n = 2; n < 50; ++n) {
        const auto x = pv::to_vector(pv::linspace(0.1, 0.7, n));
        CHECK(x.front() == 0.1);
        CHECK(x.back() == 0.7);
    }
}

TEST_CASE("numpy.arange of infinite steps, and of steps far beyond the end") {
    CHECK(pv::to_vector(pv::arange(0., 1., kInf)) == std::vector<double>{0});
    CHECK(pv::to_vector(pv::arange(1., 0., -kInf)) == std::vector<double>{1});
    CHECK(pv::to_vector(pv::arange(3.f, 7.f, float(kInf))) == std::vector<float>{3});
    CHECK(pv::arange(0., -1., kInf).empty());
    CHECK(pv::arange(5., 1., kInf).empty());
    CHECK(pv::arange(0., 0., kInf).empty());
    CHECK(pv::to_vector(pv::arange(0., kLeast, kMax)) == std::vector<double>{0});
    CHECK(pv::to_vector(pv::arange(-1.7e308, 1.7e308, 1.5e308)) ==
          std::vector<double>{-1.7e308, 2 * (-1.7e308 / 2 + 1.5e308 / 2),
                              2 * (-1.7e308 / 2 + 1.5e308)});
    CHECK_THROWS_AS(pv::arange(0., kInf, kInf), pv::ShapeError);
    CHECK_THROWS_AS(pv::arange(0., kInf, 1.), pv::ShapeError);
    CHECK_THROWS_AS(pv::arange(0., std::nan(""), 1.), pv::ShapeError);
}

} // namespace progressions_test
