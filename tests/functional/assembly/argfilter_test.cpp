#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/assembly/argfilter.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/tensor/literal.hpp>

#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace argfilter_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

template <typename T, typename F>
std::vector<index_t> naive_filter(const std::vector<T>& values, F wanted) {
    std::vector<index_t> indexes;
    for (std::size_t i = 0; i < values.size(); ++i)
        if (wanted(values[i])) indexes.push_back(static_cast<index_t>(i));
    return indexes;
}

} // namespace

TEST_CASE("argfilter: a mask, a function, a stage") {
    const auto x = pv::tensor({0.25, 0.75, 0.5, 1.0});
    CHECK(pv::to_vector(pv::argfilter(x > 0.5)) == std::vector<index_t>{1, 3});
    CHECK(pv::to_vector((x > 0.5) | pv::argfilter) == std::vector<index_t>{1, 3});
    const auto small = [](double value) { return value < 0.6; };
    CHECK(pv::to_vector(pv::argfilter(small, x)) == std::vector<index_t>{0, 2});
    CHECK(pv::to_vector(x | pv::argfilter(small)) == std::vector<index_t>{0, 2});
    const auto words = pv::tensor({"fig", "apple", "pear"});
    CHECK(pv::to_vector(pv::argfilter([](const std::string& w) { return w.size() > 3; }, words)) ==
          std::vector<index_t>{1, 2});
    CHECK(pv::to_vector(pv::argfilter(pv::tensor({0, 3, 0, -1}))) == std::vector<index_t>{1, 3});
    const double nan = std::numeric_limits<double>::quiet_NaN();
    CHECK(pv::to_vector(pv::argfilter(pv::tensor({0.0, nan, -0.0}))) == std::vector<index_t>{1});
    const pv::AnyTensor any(x.operand());
    CHECK(pv::to_vector(pv::argfilter(any > 0.3)) == std::vector<index_t>{1, 2, 3});
    CHECK_THROWS_AS(pv::argfilter(pv::AnyTensor(words)), pv::DtypeError);
}

// numpy.argwhere, numpy.flatnonzero, numpy.unravel_index.
TEST_CASE("argwhere, flatnonzero, unravel_index: coordinates of what is true") {
    const auto x = pv::tensor({{1, 0, 2}, {0, 3, 0}});
    CHECK(pv::argwhere(x).shape() == pv::Shape{3, 2});
    CHECK(pv::to_vector(pv::argwhere(x)) == std::vector<index_t>{0, 0, 0, 2, 1, 1});
    CHECK(pv::to_vector((x > 1) | pv::argwhere) == std::vector<index_t>{0, 2, 1, 1});
    CHECK(pv::to_vector(pv::argwhere([](int v) { return v == 0; }, x)) ==
          std::vector<index_t>{0, 1, 1, 0, 1, 2});
    CHECK(pv::to_vector(pv::flatnonzero(x)) == std::vector<index_t>{0, 2, 4});
    CHECK(pv::argwhere(pv::tensor(5)).shape() == pv::Shape{1, 0});
    CHECK(pv::argwhere(pv::zeros({0, 3})).shape() == pv::Shape{0, 2});

    CHECK(pv::unravel_index(4, {2, 3}) == pv::Shape{1, 1});
    CHECK(pv::unravel_index(-1, {2, 3}) == pv::Shape{1, 2});
    CHECK(pv::unravel_index(0, {}) == pv::Shape{});
    CHECK_THROWS_MATCHES(
        pv::unravel_index(6, {2, 3}), pv::IndexError,
        Catch::Matchers::Message("unravel_index: index 6 is out of range for shape [2 3]"));
    CHECK_THROWS_AS(pv::unravel_index(0, {0, 3}), pv::IndexError);
    const auto at = pv::unravel_index(pv::tensor({{22, 41}, {37, -1}}), {7, 6});
    REQUIRE(at.size() == 2);
    CHECK(at[0].shape() == pv::Shape{2, 2});
    CHECK(pv::to_vector(at[0]) == std::vector<index_t>{3, 6, 6, 6});
    CHECK(pv::to_vector(at[1]) == std::vector<index_t>{4, 5, 1, 5});
    CHECK_THROWS_AS(pv::unravel_index(pv::tensor({0, 42}), {7, 6}), pv::IndexError);
    CHECK_THROWS_AS(pv::unravel_index(pv::tensor({0.5}), {7, 6}), pv::DtypeError);
}

TEST_CASE("argfilter: nothing, rank 0, all and none") {
    CHECK(pv::argfilter(pv::zeros<bool>({0})).shape() == pv::Shape{0});
    CHECK(pv::argfilter(pv::zeros<bool>({3, 0})).shape() == pv::Shape{0});
    CHECK(pv::argfilter(pv::zeros<bool>({1000})).empty());
    CHECK(pv::to_vector(pv::argfilter(pv::reshape(pv::tensor({true}), {}))) ==
          std::vector<index_t>{0});
    for (const index_t n : {1, 63, 64, 65, 4096, 65536, 65537, 200'000})
        CHECK(pv::to_vector(pv::argfilter(pv::const_tensor(true, {n}))) ==
              pv::to_vector(pv::arange(n)));
}

TEMPLATE_TEST_CASE("argfilter: of every type in every layout, by row-major indexes", "",
                   std::int8_t, std::int16_t, std::int32_t, std::int64_t, std::uint8_t,
                   std::uint16_t, std::uint32_t, std::uint64_t, float, double) {
    Random random(8);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = oracle::random_layout<TestType>(random);
        const auto limit = static_cast<TestType>(random.between(-30, 30));
        INFO(x.name << " limit " << static_cast<double>(limit));
        const auto expected =
            naive_filter(x.naive.values, [&](TestType value) { return value < limit; });
        CHECK(pv::to_vector(pv::argfilter(x.real < limit)) == expected);
        const pv::Tensor<bool> mask = pv::clone(x.real < limit);
        CHECK(pv::to_vector(pv::argfilter(mask)) == expected);
        CHECK(pv::to_vector(x.real | pv::argfilter([limit](TestType v) { return v < limit; })) ==
              expected);
    }
}

TEST_CASE("argfilter: large, of every density, on any number of threads") {
    std::mt19937_64 engine(9);
    for (const index_t n : {70'000, 262'144, 3'000'001}) {
        std::vector<float> values(static_cast<std::size_t>(n));
        for (float& value : values) value = static_cast<float>(engine() % 1000);
        // Dense at one end, so that nothing can be foreseen from the other.
        for (std::size_t i = 0; i < values.size() / 3; ++i) values[i] = 1000;
        const auto x = pv::tensor(std::vector<float>(values));
        for (const float limit : {-1.0F, 0.5F, 500.0F, 998.5F, 1000.5F}) {
            const auto below = naive_filter(values, [&](float v) { return v < limit; });
            const auto above = naive_filter(values, [&](float v) { return v > limit; });
            for (const int threads : {1, 2, 3}) {
                pv::set_threads(threads);
                CHECK(pv::to_vector(pv::argfilter(x < limit)) == below);
                CHECK(pv::to_vector(pv::argfilter(x > limit)) == above);
                CHECK(pv::to_vector(pv::argfilter(pv::clone(x > limit))) == above);
            }
            pv::set_threads(0);
        }
    }
}

TEST_CASE("argfilter: of foreign bools, rotated and listed masks") {
    const std::uint8_t bytes[] = {0, 1, 2, 0, 255, 0};
    const auto flags = pv::borrow(reinterpret_cast<const bool*>(bytes), {6});
    CHECK(pv::to_vector(pv::argfilter(flags)) == std::vector<index_t>{1, 2, 4});
    CHECK(pv::to_vector(pv::argfilter(pv::rotate(flags, {1}))) == std::vector<index_t>{2, 3, 5});
    CHECK(pv::to_vector(pv::argfilter(flags(pv::indexes({4, 0, 1})))) ==
          std::vector<index_t>{0, 2});
    CHECK(pv::to_vector(pv::argfilter(pv::flip(flags))) == std::vector<index_t>{1, 3, 4});
}

} // namespace argfilter_test
