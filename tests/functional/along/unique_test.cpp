#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/along/isin.hpp>
#include <purview/functional/along/unique.hpp>
#include <purview/named/index.hpp>
#include <purview/named/order.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <string>
#include <vector>

namespace unique_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
bool alike(T a, T b) {
    return a == b || (a != a && b != b);
}

} // namespace

TEMPLATE_TEST_CASE("unique_all: values, first indexes, inverse, counts of every layout", "",
                   std::uint8_t, std::int32_t, double) {
    using T = TestType;
    Random random(1);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        auto x = oracle::random_layout<T>(random);
        if constexpr (std::floating_point<T>) {
            x.real =
                pv::clone(pv::where(x.real > T{6}, std::numeric_limits<T>::quiet_NaN(), x.real));
            for (T& value : x.naive.values)
                if (value > T{6}) value = std::numeric_limits<T>::quiet_NaN();
        }
        INFO(x.name);
        const auto found = pv::unique_all(x.real);
        const std::vector<T> values = pv::to_vector(found.values);
        const auto firsts = pv::to_vector(found.first_indexes);
        const auto counts = pv::to_vector(found.counts);
        const auto inverse = pv::to_vector(found.inverse);
        CHECK(found.inverse.shape() == x.real.shape());
        REQUIRE(inverse.size() == x.naive.values.size());
        bool rising = true;
        for (std::size_t i = 1; i < values.size(); ++i)
            rising = rising && (values[i - 1] < values[i] ||
                                (values[i] != values[i] && values[i - 1] == values[i - 1]));
        CHECK(rising);
        std::vector<std::int64_t> counted(values.size());
        std::vector<std::int64_t> first(values.size(), -1);
        bool same = true;
        for (std::size_t i = 0; i < inverse.size(); ++i) {
            const auto at = static_cast<std::size_t>(inverse[i]);
            same = same && alike(values[at], x.naive.values[i]);
            ++counted[at];
            if (first[at] < 0) first[at] = static_cast<std::int64_t>(i);
        }
        CHECK(same);
        CHECK(counted == counts);
        CHECK(first == firsts);
        const auto alone = pv::to_vector(x.real | pv::unique);
        CHECK(std::equal(alone.begin(), alone.end(), values.begin(), values.end(), alike<T>));
        const pv::AnyTensor any = pv::unique(pv::AnyTensor(x.real));
        CHECK(any.as<T>().size() == found.values.size());
        CHECK(pv::to_vector(pv::unique_all(pv::AnyTensor(x.real)).inverse) == inverse);
    }
}

TEST_CASE("unique: strings, zeros of two signs, nothing, rank 0, errors") {
    CHECK(pv::to_vector(pv::unique(pv::tensor({"b", "a", "b"}))) ==
          std::vector<std::string>{"a", "b"});
    const auto zeros = pv::to_vector(pv::unique(pv::tensor({-0.0, 0.0, 1.0})));
    REQUIRE(zeros.size() == 2);
    CHECK(std::signbit(zeros[0]));
    CHECK(pv::unique(pv::zeros({0, 3})).shape() == pv::Shape{0});
    CHECK(pv::unique_all(pv::zeros({0, 3})).inverse.shape() == pv::Shape{0, 3});
    CHECK(pv::unique(pv::reshape(pv::tensor({7}), {})).shape() == pv::Shape{1});
    CHECK(pv::to_vector(pv::unique(pv::tensor({true, false, true}))) == std::vector{false, true});
    CHECK_THROWS_AS(pv::unique(pv::AnyTensor(pv::tensor({std::complex(1., 2.)}))), pv::DtypeError);
    CHECK_THROWS_AS(pv::unique(pv::sparse_zeros<double>({9})), pv::KindError);
}

TEMPLATE_TEST_CASE("unique: of many, on either side of a table, as std::sort and std::unique", "",
                   bool, std::int8_t, std::uint16_t, std::int64_t, float, double) {
    using T = TestType;
    Random random(3);
    for (const index_t range : {2, 100, 999, 1000, 5000}) {
        std::vector<T> values;
        for (int i = 0; i < 1000; ++i)
            values.push_back(static_cast<T>(static_cast<T>(random.between(0, range)) - T{1}));
        const auto found = pv::to_vector(pv::unique(pv::tensor(std::vector<T>(values))));
        std::sort(values.begin(), values.end());
        values.erase(std::unique(values.begin(), values.end()), values.end());
        CHECK((found == values));
        const auto rows = pv::reshape(pv::tensor(std::vector<T>(values)), {1, std::ssize(values)});
        CHECK((pv::to_vector(pv::unique(pv::transpose(rows))) == values));
    }
    const auto all = pv::to_vector(pv::unique(pv::tensor(std::vector<double>(300, kNaN))));
    REQUIRE(all.size() == 1);
    CHECK(std::isnan(all.front()));
}

TEMPLATE_TEST_CASE("isin: element by element", "", std::int8_t, std::int64_t, std::uint64_t,
                   float) {
    using T = TestType;
    Random random(2);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto x = oracle::random_layout<T>(random);
        std::vector<T> others = random.elements<T>(random.between(0, 20));
        if constexpr (sizeof(T) == 8) // far apart, so that no table holds them
            if (random.one_in(2)) others.push_back(static_cast<T>(index_t{1} << 62));
        if constexpr (std::floating_point<T>) others.push_back(std::numeric_limits<T>::quiet_NaN());
        std::vector<bool> expected;
        for (const T value : x.naive.values)
            expected.push_back(std::find(others.begin(), others.end(), value) != others.end());
        const auto among = pv::tensor(std::vector(others));
        const auto found = pv::isin(x.real, among);
        INFO(x.name);
        CHECK(found.shape() == x.real.shape());
        CHECK(pv::to_vector(found) == expected);
        CHECK(pv::to_vector(x.real | pv::isin(among)) == expected);
        CHECK(pv::to_vector(pv::isin(pv::AnyTensor(x.real), pv::AnyTensor(among))) == expected);
    }
}

TEST_CASE("isin: numbers, mixed types, NaN, strings, dims, extremes") {
    const auto x = pv::tensor({{1, 2}, {3, 4}});
    CHECK(pv::isin(2, x));
    CHECK_FALSE(pv::isin(2.5, x));
    CHECK(pv::to_vector(pv::isin(x, pv::tensor({2.5, 3.0}))) ==
          std::vector{false, false, true, false});
    CHECK_FALSE(pv::isin(kNaN, pv::tensor({kNaN})));
    CHECK(pv::isin(-0.0, pv::tensor({0.0})));
    CHECK(pv::to_vector(pv::isin(pv::tensor({"a", "b"}), pv::tensor({"b"}))) ==
          std::vector{false, true});
    const auto lowest = std::numeric_limits<std::int64_t>::min();
    CHECK(pv::to_vector(pv::isin(pv::tensor({lowest, std::int64_t{5}}),
                                 pv::tensor({lowest, lowest + 1}))) == std::vector{true, false});
    const auto [i] = pv::dims("i");
    const pv::Tensor<bool> bound = pv::isin(x(pv::all, i), pv::tensor({1, 4})) | pv::order(i);
    CHECK(pv::to_vector(bound) == std::vector{true, false, false, true});
    CHECK_THROWS_AS(pv::isin(pv::AnyTensor(x), pv::AnyTensor(pv::tensor({"a"}))), pv::DtypeError);
}

} // namespace unique_test
