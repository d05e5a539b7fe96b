#include <purview/purview.hpp>

#include <support/catch.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <sstream>
#include <vector>

namespace pv = purview;
using pv::all;
using pv::range;
using Point = pv::small<double, 3>;

static_assert(sizeof(Point) == 3 * sizeof(double));
static_assert(std::is_trivially_copyable_v<Point>);
static_assert(pv::small(1, 2.5) == pv::small<double, 2>(1, 2.5));
static_assert((Point(1, 2, 3) + Point(1)).dot(Point(0, 1, 2)) == 11);
static_assert(Point(1, 0, 0).cross(Point(0, 1, 0)) == Point(0, 0, 1));
static_assert(2 * Point(1, 2, 3) - 1 == Point(1, 3, 5));
static_assert(pv::small<std::uint8_t, 2>(200, 7) + pv::small<std::uint8_t, 2>(100, 1) ==
              pv::small<std::uint8_t, 2>(44, 8)); // wraps

namespace {

template <typename T, std::size_t N>
pv::small<T, N> random_small(std::mt19937& random) {
    pv::small<T, N> x;
    for (std::size_t i = 0; i < N; ++i)
        x[i] = static_cast<T>(std::uniform_int_distribution(1, 50)(random));
    return x;
}

template <typename T, std::size_t N>
void check_arithmetic(std::mt19937& random) {
    const auto a = random_small<T, N>(random), b = random_small<T, N>(random);
    const T c = b[N - 1];
    T dot{};
    for (std::size_t i = 0; i < N; ++i) {
        CHECK((a + b)[i] == static_cast<T>(a[i] + b[i]));
        CHECK((a - b)[i] == static_cast<T>(a[i] - b[i]));
        CHECK((a * b)[i] == static_cast<T>(a[i] * b[i]));
        CHECK((a / b)[i] == static_cast<T>(a[i] / b[i]));
        CHECK((a * c)[i] == static_cast<T>(a[i] * c));
        CHECK((c - a)[i] == static_cast<T>(c - a[i]));
        CHECK((-a)[i] == static_cast<T>(-a[i]));
        CHECK(a.map([](T x) { return x > 25; })[i] == (a[i] > 25));
        dot = static_cast<T>(dot + a[i] * b[i]);
    }
    CHECK(a.dot(b) == dot);
    CHECK(static_cast<double>(a.norm()) ==
          Approx(std::sqrt(static_cast<double>(a.squared_norm()))));
    auto d = a;
    d += b;
    d -= c;
    d *= b;
    d /= b;
    for (std::size_t i = 0; i < N; ++i)
        CHECK(d[i] ==
              static_cast<T>(static_cast<T>(static_cast<T>(a[i] + b[i] - c) * b[i]) / b[i]));
}

pv::Tensor<double> numbers(const pv::Shape& shape) {
    pv::index_t count = 1;
    for (const pv::index_t extent : shape) count *= extent;
    std::vector<double> all(static_cast<std::size_t>(count));
    std::iota(all.begin(), all.end(), 0.);
    return pv::reshape(pv::tensor(all), shape) | pv::clone;
}

} // namespace

TEST_CASE("small vectors compute by components", "[small]") {
    std::mt19937 random(1);
    for (int i = 0; i < 50; ++i) {
        check_arithmetic<double, 1>(random);
        check_arithmetic<double, 3>(random);
        check_arithmetic<float, 4>(random);
        check_arithmetic<std::int64_t, 2>(random);
        check_arithmetic<std::int32_t, 16>(random);
    }
    using Integers = pv::small<std::int32_t, 2>;
    constexpr std::int32_t least = std::numeric_limits<std::int32_t>::min();
    CHECK(Integers(least, 7) / -1 == Integers(least, -7)); // wraps
    CHECK(Integers(least, least) - 1 == Integers(std::numeric_limits<std::int32_t>::max()));
    CHECK(Integers(1 << 20, 3) * (1 << 20) == Integers(0, 3 << 20));
    CHECK(-Integers(least, 1) == Integers(least, -1));
    CHECK(Integers(1 << 20, 1).dot(Integers(1 << 20, 5)) == 5);
    CHECK_THROWS_AS(Integers(1, 2) / Integers(1, 0), pv::ArithmeticError);
    using Bools = pv::small<bool, 2>;
    CHECK_THROWS_AS(Bools(true, true) / Bools(true, false), pv::ArithmeticError);
    CHECK_THROWS_AS(pv::clone(pv::tensor<Integers>({Integers(1, 2)}) / 0), pv::ArithmeticError);
    CHECK(std::isinf((Point(1, 2, 3) / 0.)[1]));
    CHECK(std::signbit((-Point(0, 1, 2))[0]));
    CHECK(Point(3, 4, 0).norm() == 5);
    CHECK(Point(3, 4, 0).normalized() == Point(0.6, 0.8, 0));
    CHECK(Point(1, 2, 3).cross(Point(4, 5, 6)) == Point(-3, 6, -3));
    CHECK(std::isnan(Point().normalized()[0]));
    const auto [x, y, z] = Point(1, 2, 3);
    CHECK(x + 10 * y + 100 * z == 321);
    std::ostringstream text;
    text << Point(1, 2.5, -3) << pv::small<std::uint8_t, 2>(65, 66);
    CHECK(text.str() == "(1, 2.5, -3)(65, 66)");
}

TEST_CASE("tensors of small vectors", "[small]") {
    const pv::Tensor<double> x = numbers({4, 3});
    const auto points = x | pv::small_vectors<3>;
    STATIC_REQUIRE(std::is_same_v<decltype(points), const pv::Tensor<Point>>);
    REQUIRE(points.shape() == pv::Shape{4});
    CHECK(points(1) == Point(3, 4, 5));

    const auto moved = points * 2.0 - Point(1, 0, 0);
    CHECK(moved(2) == Point(11, 14, 16));
    CHECK((points + points)(3) == Point(18, 20, 22));
    CHECK((points * pv::tensor({1., 0., 0., 2.}))(3) == Point(18, 20, 22)); // by weights
    CHECK((-points)(1) == Point(-3, -4, -5));
    CHECK(pv::sum(points) == Point(18, 22, 26));
    CHECK(pv::mean(points) == Point(4.5, 5.5, 6.5));
    CHECK(pv::sum(pv::tensor<Point>({})) == Point());
    const auto lengths = pv::emap([](const Point& p) { return p.norm(); }, points);
    for (pv::index_t i = 0; i < 4; ++i) CHECK(lengths(i) == Approx(points(i).norm()));
    CHECK((points == points)(0));

    const auto columns = pv::structs<Point>(x(all, 0), x(all, 1), x(all, 2));
    for (pv::index_t i = 0; i < 4; ++i) CHECK(columns(i) == points(i));

    const std::vector<Point> many{{1, 2, 3}, {4, 5, 6}};
    const auto stored = pv::tensor(many);
    CHECK(stored.shape() == pv::Shape{2});
    std::ostringstream text;
    text << stored;
    CHECK_THAT(text.str(), Catch::Contains("(4, 5, 6)"));
}

TEST_CASE("small vectors and components view memory", "[small]") {
    auto x = pv::zeros<double>({2, 4, 3});
    auto points = pv::small_vectors<3>(x);
    STATIC_REQUIRE(std::is_same_v<decltype(points), pv::MutableTensor<Point>>);
    points(1, 2) = Point(1, 2, 3);
    CHECK(x(1, 2, 1) == 2);
    auto back = pv::components(points);
    STATIC_REQUIRE(std::is_same_v<decltype(back), pv::MutableTensor<double>>);
    REQUIRE(back.shape() == pv::Shape{2, 4, 3});
    back(0, 3, 2) = 7;
    CHECK(x(0, 3, 2) == 7);
    CHECK(points(0, 3) == Point(0, 0, 7));

    // Views: every second, backwards, from the second on.
    auto some = pv::small_vectors<3>(x(range(1, 2), range(3, 0, -2)));
    some(0, 0) = Point(5);
    CHECK(x(1, 3, 0) == 5);
    pv::copy(some + Point(1, 2, 3), some);
    CHECK(points(1, 3) == Point(6, 7, 8));
    CHECK(points(1, 1) == Point(1, 2, 3));
    CHECK(points(1, 2) == Point(1, 2, 3));

    // Columns of a wider matrix that do not begin at a multiple of 3, and rows that do not end at one.
    auto wide = numbers({2, 8});
    const auto inner = pv::small_vectors<3>(wide(all, range(2, 5)));
    CHECK(inner(0) == Point(2, 3, 4));
    CHECK(inner(1) == Point(10, 11, 12));
    auto late = pv::zeros<double>({3, 6});
    auto second = pv::small_vectors<3>(late(range(1, 3), range(3, 6)));
    second(1) = Point(1, 2, 3);
    CHECK(late(2, 4) == 2);
    auto offset = pv::zeros<double>({7});
    auto shifted = pv::small_vectors<3>(pv::reshape(offset(range(1, 7)), {2, 3}));
    shifted(1) = Point(1, 2, 3);
    CHECK(offset(6) == 3);

    // Columns: lazily of what can be read, an error for what is to be written.
    const auto transposed = numbers({3, 5});
    const auto of_columns = pv::small_vectors<3>(transposed | pv::transpose);
    CHECK(of_columns(4) == Point(4, 9, 14));
    const auto computed = pv::small_vectors<3>(wide(all, range(0, 3)) * 2);
    CHECK(computed(1) == Point(16, 18, 20));
    const auto sums = pv::components(computed + Point(1, 2, 3));
    REQUIRE(sums.shape() == pv::Shape{2, 3});
    CHECK(sums(1, 2) == 23);
    auto written = pv::zeros<double>({3, 5});
    CHECK_THROWS_WITH(pv::small_vectors<3>(written | pv::transpose),
                      Catch::Contains("side by side") && Catch::Contains("[5 3]"));
    CHECK_THROWS_WITH(pv::small_vectors<4>(x), Catch::Contains("[2 4 3]") && Catch::Contains("4"));
    CHECK_THROWS_AS(pv::small_vectors<1>(pv::tensor(5.)), pv::ShapeError);

    // One vector, none.
    CHECK(pv::small_vectors<2>(pv::tensor({1, 2}))() == pv::small<std::int32_t, 2>(1, 2));
    const auto none = pv::small_vectors<3>(pv::zeros<double>({0, 3}));
    CHECK(none.shape() == pv::Shape{0});
    CHECK(pv::components(none).shape() == pv::Shape{0, 3});
    CHECK(pv::sum(none) == Point());
}

TEST_CASE("components of columns of structs", "[small]") {
    struct Body {
        double mass;
        Point position;
        bool operator==(const Body&) const = default;
    };
    std::vector<Body> bodies(5);
    for (std::size_t i = 0; i < bodies.size(); ++i)
        bodies[i] = {1. + static_cast<double>(i), Point(static_cast<double>(i))};
    auto positions = pv::borrow_column(bodies, &Body::position);
    auto parts = pv::components(positions);
    REQUIRE(parts.shape() == pv::Shape{5, 3});
    parts(3, 1) = 9;
    CHECK(bodies[3].position == Point(3, 9, 3));
    const auto mass = pv::borrow_column(bodies, &Body::mass);
    const Point centre = pv::sum(positions * mass) / pv::sum(mass);
    double expected = 0, total = 0;
    for (const Body& body : bodies) {
        expected += body.mass * body.position[1];
        total += body.mass;
    }
    CHECK(centre[1] == Approx(expected / total));
}
