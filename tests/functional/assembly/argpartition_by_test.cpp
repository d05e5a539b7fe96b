#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/elementwise/floating_point.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace argpartition_by_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::index_t;
using oracle::Random;

} // namespace

TEST_CASE("argpartition_by: runs of one key cover everything, and neighbours differ") {
    Random random(1);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<int>(random);
        const index_t width = random.between(1, 40);
        const auto key = [width](int value) { return value / static_cast<int>(width); };
        const auto runs = pv::argpartition_by(key, x.real);
        index_t next = 0;
        bool right = true;
        for (std::size_t r = 0; r < runs.size(); ++r) {
            right = right && runs[r].begin == next && runs[r].end > next;
            right = right && (r == 0 || runs[r].key != runs[r - 1].key);
            for (index_t i = next; i < runs[r].end; ++i)
                right = right && key(x.naive.values[static_cast<std::size_t>(i)]) == runs[r].key;
            next = runs[r].end;
        }
        INFO(x.name);
        CHECK(right);
        CHECK(next == x.naive.size());
        CHECK((x.real | pv::argpartition_by(key)).size() == runs.size());
    }
    const auto words = pv::tensor({"ant", "ape", "bee", "asp"});
    std::string text;
    for (const auto& run :
         pv::argpartition_by([](const std::string& s) { return s.substr(0, 1); }, words))
        text += run.key + std::to_string(words(run.indexes()).size());
    CHECK(text == "a2b1a1");
    const double nan = std::nan("");
    const auto same = [](double v) { return v; };
    CHECK(pv::argpartition_by(same, pv::tensor({nan, nan, 0.0, -0.0})).size() == 2);
    CHECK(pv::argpartition_by(same, pv::zeros({0, 2})).empty());
    CHECK(pv::argpartition_by(same, pv::zeros({5000})).size() == 1);
}

TEST_CASE("arglast_every: the last element that beats the best so far") {
    Random random(2);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<double>(random);
        const auto& values = x.naive.values;
        if (values.empty()) continue;
        const auto greatest = std::max_element(values.rbegin(), values.rend());
        const auto least = std::min_element(values.begin(), values.end());
        INFO(x.name);
        CHECK(pv::arglast_every(std::greater_equal<>{}, x.real) == values.rend() - greatest - 1);
        CHECK((x.real | pv::arglast_every(std::less<>{})) == least - values.begin());
    }
    CHECK(pv::arglast_every(
              [](const std::string& a, const std::string& b) { return a.size() > b.size(); },
              pv::tensor({"a", "ccc", "bb"})) == 1);
    CHECK_THROWS_WITH(pv::arglast_every(std::less<>{}, pv::zeros({0, 2})),
                      ContainsSubstring("arglast_every") && ContainsSubstring("[0 2]"));
}

TEST_CASE("get_significand: 53 bits of every finite number") {
    Random random(3);
    for (int round = 0; round < oracle::rounds(30); ++round) {
        const auto x = oracle::random_layout<double>(random);
        const auto found = pv::to_vector(pv::get_significand(x.real));
        bool right = true;
        for (std::size_t i = 0; i < found.size(); ++i) {
            int exponent = 0;
            const double fraction = std::abs(std::frexp(x.naive.values[i], &exponent));
            right = right && found[i] == static_cast<std::int64_t>(std::ldexp(fraction, 53));
        }
        INFO(x.name);
        CHECK(right);
        CHECK(pv::to_vector((pv::AnyTensor(x.real) | pv::get_significand).as<std::int64_t>()) ==
              found);
    }
    CHECK(pv::get_significand(1.0) == std::int64_t{1} << 52);
    CHECK(pv::get_significand(-3) == std::int64_t{3} << 51);
    CHECK(pv::get_significand(0.0) == 0);
    CHECK(pv::get_significand(std::numeric_limits<double>::denorm_min()) == 2);
    CHECK(pv::to_vector(pv::tensor({1, 2}) | pv::get_significand) ==
          std::vector<std::int64_t>(2, std::int64_t{1} << 52));
    const auto [i] = pv::dims("i");
    const pv::Tensor<std::int64_t> bound = pv::get_significand(pv::tensor({1.5})(i)) | pv::order(i);
    CHECK(bound(0) == std::int64_t{3} << 51);
    CHECK_THROWS_WITH(pv::get_significand(std::nan("")), ContainsSubstring("get_significand"));
    CHECK_THROWS_AS(pv::to_vector(pv::get_significand(
                        pv::tensor({1.0, std::numeric_limits<double>::infinity()}))),
                    pv::ArithmeticError);
    CHECK_THROWS_AS(pv::get_significand(pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

} // namespace argpartition_by_test
