#include <support/catch.hpp>

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <complex>
#include <string>
#include <type_traits>
#include <vector>

namespace elements_test {

// Elements of mutable tensors, where their values are meant.

namespace {

namespace pv = purview;
using std::chrono::days;
using std::chrono::sys_days;

} // namespace

TEST_CASE("Elements that are strings are joined as strings are") {
    const auto names = pv::tensor({"a", "b"});

    CHECK("x" + names(0) == "xa");
    CHECK(names(0) + "x" == "ax");
    CHECK(names(0) + names(1) == "ab");
    CHECK(std::string("x") + names(0) + "-" + names(1) == "xa-b");
    CHECK(pv::to_vector(names + names(0)) == std::vector<std::string>{"aa", "ba"});
    const auto joined = names(0) + names(1);
    STATIC_REQUIRE(std::is_same_v<decltype(joined), const std::string>);
}

TEST_CASE("Elements that are times are subtracted and moved as times are") {
    const auto dates = pv::tensor(std::vector{sys_days(days(10)), sys_days(days(13))});

    CHECK(dates(1) - dates(0) == days(3));
    CHECK(sys_days(days(20)) - dates(0) == days(10));
    CHECK(dates(0) + days(1) == sys_days(days(11)));
    CHECK(days(1) + dates(0) == sys_days(days(11)));
    CHECK(dates(1) - days(3) == sys_days(dates(0)));
    CHECK(pv::to_vector(dates - dates(0)) == std::vector{days(0), days(3)});
}

TEST_CASE("Elements that are complex numbers, beside elements that are numbers") {
    const auto z = pv::tensor({std::complex<double>(1, 2), std::complex<double>(3, 4)});
    const auto x = pv::tensor({2., 4.});

    CHECK(z(0) * z(1) == std::complex<double>(-5, 10));
    CHECK(z(0) - x(0) == std::complex<double>(-1, 2));
    CHECK(2. * z(0) == std::complex<double>(2, 4));
    CHECK(z(1) / x(0) == std::complex<double>(1.5, 2));
}

TEST_CASE("Elements in braces make a tensor of their values") {
    const auto x = pv::tensor({1., 2.});
    const auto names = pv::tensor({"a", "b"});

    CHECK(pv::to_vector(pv::tensor({x(1), x(0)})) == std::vector{2., 1.});
    CHECK(pv::to_vector(pv::tensor({names(1), names(0)})) == std::vector<std::string>{"b", "a"});
}

TEST_CASE("Elements exchange their values, also as temporaries") {
    const auto x = pv::tensor({1., 2.});
    const auto names = pv::tensor({"a", "b"});

    using std::swap;
    swap(x(0), x(1));
    swap(names(0), names(1));
    CHECK(pv::to_vector(x) == std::vector{2., 1.});
    CHECK(pv::to_vector(names) == std::vector<std::string>{"b", "a"});
}

TEST_CASE("One element of an AnyTensor converts to a number") {
    const pv::AnyTensor any = pv::tensor({{1., 2.}, {3., 4.5}});

    CHECK(double(any(1, 1)) == 4.5);
    CHECK(static_cast<float>(any(1, 0)) == 3);
    CHECK(int(any(1, 0)) == 3);
    CHECK_THROWS_AS(int(pv::AnyTensor(pv::tensor({1e10}))), pv::CastError);
    CHECK_THROWS_AS(double(any(1)), pv::ShapeError);
    CHECK_THROWS_AS(double(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
    CHECK(double(pv::mean(any)) == 2.625);
    STATIC_REQUIRE_FALSE(std::is_convertible_v<pv::AnyTensor, double>);
    STATIC_REQUIRE_FALSE(std::is_constructible_v<bool, pv::AnyTensor>);
}

} // namespace elements_test
