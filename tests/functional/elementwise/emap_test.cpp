#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <string>
#include <vector>

namespace emap_test {

namespace {

namespace pv = purview;

} // namespace

TEST_CASE("where chooses, promotes and broadcasts") {
    const auto c = pv::tensor({{true, false}, {false, true}});
    CHECK(pv::to_vector(pv::where(c, 1, 0)) == std::vector<int>{1, 0, 0, 1});
    CHECK(pv::to_vector(pv::where(c, pv::tensor({10, 20}), pv::tensor({0.5, 1.5}))) ==
          std::vector<double>{10, 1.5, 0.5, 20});
    CHECK(pv::where(c, 1, 2.5).dtype() == pv::float64);
    CHECK(pv::to_vector(
              pv::where(c(0, pv::all), pv::tensor({"yes", "yes"}), pv::tensor({"no", "no"}))) ==
          std::vector<std::string>{"yes", "no"});
}

TEST_CASE("emap applies the user's function") {
    const auto x = pv::tensor({1, 2, 3});
    CHECK(pv::to_vector(pv::emap([](int a) { return a * 0.5; }, x)) ==
          std::vector<double>{0.5, 1, 1.5});
    CHECK(pv::to_vector(x | pv::emap([](int a) { return std::to_string(a); })) ==
          std::vector<std::string>{"1", "2", "3"});
    CHECK(pv::to_vector(pv::emap([](int a, double b, int c) { return a * b + c; }, x,
                                 pv::tensor({{1.0}, {2.0}}), 100)) ==
          std::vector<double>{101, 102, 103, 102, 104, 106});
    CHECK(pv::to_vector(pv::emap([](int a) { return a > 1; }, x)) ==
          std::vector<bool>{false, true, true});
}

} // namespace emap_test
