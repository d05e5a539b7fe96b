#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <algorithm>
#include <chrono>
#include <complex>
#include <string>
#include <vector>

namespace elements_test {

namespace {

namespace pv = purview;

struct Money {
    int cents = 0;
    friend bool operator==(const Money&, const Money&) = default;
    friend auto operator<=>(const Money&, const Money&) = default;
    friend Money operator+(Money a, Money b) { return {a.cents + b.cents}; }
    friend Money operator*(Money a, int n) { return {a.cents * n}; }
};

} // namespace

TEST_CASE("elements of any regular type") {
    SECTION("strings") {
        const auto names = pv::tensor({"ab", "cd", "a string too long to lie inside itself"});
        CHECK(pv::to_vector(names + "!")[1] == "cd!");
        CHECK(pv::to_vector(std::string("<") + names + std::string(">"))[0] == "<ab>");
        CHECK(pv::to_vector(names == "cd") == std::vector<bool>{false, true, false});
        CHECK(pv::to_vector(names < names(1)) == std::vector<bool>{true, false, true});
        CHECK(pv::sum(names(pv::range(0, 2))) == "abcd");
        CHECK(pv::max(names) == "cd");
        CHECK(pv::to_vector(pv::minimum(names, std::string("b")))[1] == "b");
        CHECK(pv::to_vector(names | pv::flip | pv::rotate({1}))[0] == "ab");
        std::ranges::sort(names);
        CHECK(names(2) == "cd");
    }
    SECTION("days") {
        using std::chrono::days;
        using std::chrono::sys_days;
        const sys_days first = std::chrono::year{2024} / 2 / 28;
        const auto dates = pv::compute_tensor({3}, [=](pv::index_t i) { return first + days(i); });
        STATIC_REQUIRE(std::same_as<decltype(dates)::value_type, sys_days>);
        const auto later = dates + days(1);
        CHECK(later(0) == sys_days(std::chrono::year{2024} / 2 / 29));
        CHECK((later - dates)(2) == days(1));
        CHECK(pv::to_vector(dates < first + days(1)) == std::vector<bool>{true, false, false});
        CHECK(pv::max(dates) == first + days(2));
        CHECK(pv::clone(dates)(1) == first + days(1));
    }
    SECTION("complex numbers") {
        const auto z = pv::full<std::complex<double>>({2}, {0, 1});
        CHECK((z * z)(0) == std::complex<double>(-1, 0));
        CHECK(pv::sum(z) == std::complex<double>(0, 2));
        CHECK(pv::product(z) == std::complex<double>(-1, 0));
        CHECK(pv::abs(z)(0) == 1.0);
        CHECK(pv::sum(z, {0}).rank() == 0);
    }
    SECTION("a struct") {
        const auto prices = pv::tensor(std::vector<Money>{{150}, {250}});
        CHECK(pv::sum(prices) == Money{400});
        CHECK((prices + Money{1})(0) == Money{151});
        CHECK((prices * 3)(1) == Money{750});
        CHECK(pv::to_vector(prices > Money{200}) == std::vector<bool>{false, true});
        CHECK_THROWS_AS(pv::AnyTensor(prices) + 1, pv::DtypeError);
        CHECK_THROWS_AS(pv::sum(pv::AnyTensor(prices)), pv::DtypeError);
        CHECK_THROWS_AS(pv::AnyTensor(prices).as<int>(), pv::DtypeError);
        CHECK(pv::AnyTensor(prices).as<Money>()(1) == Money{250});
    }
}

} // namespace elements_test
