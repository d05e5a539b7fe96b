#include <support/catch.hpp>
#include <support/exact_oracle.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/reductions/exact_sum.hpp>

#include "evaluation/exact_accumulator.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace exact_sums_test {

namespace {

namespace pv = purview;
using oracle::BitCounts;
using pv::ExactAccumulator;
using pv::index_t;

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kMax = std::numeric_limits<double>::max();
constexpr double kTiny = std::numeric_limits<double>::denorm_min();

template <typename T>
bool same_bits(T a, T b) {
    return std::memcmp(&a, &b, sizeof(T)) == 0;
}

/// Any finite float: all exponents are equally frequent.
template <typename T>
T any_float(std::mt19937_64& random) {
    using Bits = typename pv::FloatLayout<T>::Bits;
    for (;;) {
        const T x = std::bit_cast<T>(static_cast<Bits>(random()));
        if (std::isfinite(x)) return x;
    }
}

template <typename T>
ExactAccumulator sum_of(const std::vector<T>& x) {
    ExactAccumulator sum;
    sum.add(std::span<const T>(x));
    return sum;
}
double sum_of(std::initializer_list<double> x) {
    return sum_of(std::vector<double>(x)).value<double>();
}
float float_sum_of(std::initializer_list<double> x) {
    return sum_of(std::vector<double>(x)).value<float>();
}

} // namespace

TEMPLATE_TEST_CASE("an accumulator is the sum of bits, rounded once", "", float, double) {
    std::mt19937_64 random(1);
    for (int round = 0; round < oracle::rounds(300); ++round) {
        CAPTURE(round);
        std::vector<TestType> x(1 + random() % 40);
        // Of few exponents, many, or all.
        const unsigned spread = round % 3 == 0 ? 4 : round % 3 == 1 ? 100 : 5000;
        for (TestType& e : x) {
            e = any_float<TestType>(random);
            if (spread < 5000) {
                int exponent;
                e = std::ldexp(std::frexp(e, &exponent), static_cast<int>(random() % spread) - 60);
            }
        }
        // Much is cancelled.
        const std::size_t half = x.size() / 2;
        for (std::size_t i = 0; round % 2 == 0 && i < half; ++i) x.push_back(-x[i]);
        BitCounts bits;
        for (const TestType e : x) bits.add(e);
        const ExactAccumulator sum = sum_of(x);
        REQUIRE(same_bits(sum.value<double>(), bits.rounded<double>()));
        REQUIRE(same_bits(sum.value<float>(), bits.rounded<float>()));

        // The same state in any order and in any parts.
        std::shuffle(x.begin(), x.end(), random);
        std::vector<ExactAccumulator> parts(1 + random() % 5);
        for (const TestType e : x) parts[random() % parts.size()].add(e);
        while (parts.size() > 1) {
            const std::size_t into = random() % (parts.size() - 1);
            parts[into].merge(parts.back());
            parts.pop_back();
        }
        REQUIRE(parts[0].state() == sum.state());
    }
}

TEST_CASE("states are added word by word") {
    std::mt19937_64 random(2);
    std::vector<ExactAccumulator> parts(7);
    ExactAccumulator whole;
    for (int i = 0; i < 2000; ++i) {
        const auto x = any_float<double>(random);
        parts[random() % parts.size()].add(x);
        whole.add(x);
    }
    ExactAccumulator::State sum{};
    for (const ExactAccumulator& part : parts) {
        const ExactAccumulator::State state = part.state();
        for (std::size_t k = 0; k + 6 < state.size(); ++k) // but the last digit
            REQUIRE((state[k] >= 0 && state[k] < (std::int64_t{1} << 32)));
        for (std::size_t k = 0; k < state.size(); ++k) sum[k] += state[k];
        REQUIRE(ExactAccumulator(state).state() == state);
    }
    CHECK(ExactAccumulator(sum).state() == whole.state());
    CHECK(ExactAccumulator().state() == ExactAccumulator::State{});
    parts[0].add(kNaN);
    parts[1].add(kNaN);
    for (int i : {0, 1})
        for (std::size_t k = 0; k < sum.size(); ++k)
            sum[k] = parts[0].state()[k] + parts[static_cast<std::size_t>(i)].state()[k];
    CHECK(std::isnan(ExactAccumulator(sum).value<double>()));
}

TEST_CASE("halfway cases go to the even neighbour, and anything beyond decides") {
    const double u = std::ldexp(1., -52);
    CHECK(sum_of({1, u / 2}) == 1);
    CHECK(sum_of({1, u / 2, kTiny}) == 1 + u);
    CHECK(sum_of({1, u / 2, -kTiny}) == 1);
    CHECK(sum_of({1 + u, u / 2}) == 1 + 2 * u);
    CHECK(sum_of({1 + u, u / 2, -kTiny}) == 1 + u);
    CHECK(sum_of({-1, -u / 2, -kTiny}) == -1 - u);
    CHECK(sum_of({-1 - u, -u / 2}) == -1 - 2 * u);
    CHECK(sum_of({2 - u, u / 2}) == 2); // to the next power of two
    CHECK(sum_of({1, -u / 4}) == 1);
    CHECK(sum_of({1, -u / 4, -kTiny}) == 1 - u / 2);
    CHECK(sum_of({0x1p60, 1, -0x1p60}) == 1);
    CHECK(sum_of({1e308, 1, 1e-308, -1e308, -1}) == 1e-308);
    // Rounded to float64 and then to float32, these would go up.
    const double f = std::ldexp(1., -23);
    CHECK(float_sum_of({1, f / 2, -0x1p-80}) == 1.f);
    CHECK(float_sum_of({1, f / 2}) == 1.f);
    CHECK(float_sum_of({1, f / 2, 0x1p-80}) == 1.f + static_cast<float>(f));
    CHECK(float_sum_of({1 + f, f / 2}) == 1.f + static_cast<float>(2 * f));
    CHECK(float_sum_of({1 + f, f / 2, -0x1p-900}) == 1.f + static_cast<float>(f));
}

TEST_CASE("the ends of the range") {
    CHECK(sum_of({kMax, kMax, -kMax}) == kMax); // overflow between
    CHECK(sum_of({kMax, kMax}) == kInf);
    CHECK(sum_of({-kMax, -kMax}) == -kInf);
    const double half = std::ldexp(1., 970); // half of a unit of the greatest number
    CHECK(sum_of({kMax, half}) == kInf);     // ties to even, as IEEE 754 has it
    CHECK(sum_of({kMax, half, -kTiny}) == kMax);
    CHECK(sum_of({-kMax, -half, kTiny}) == -kMax);
    CHECK(sum_of({kTiny, kTiny, kTiny}) == 3 * kTiny);
    CHECK(sum_of({std::ldexp(1., -1022), -kTiny}) == std::ldexp(1., -1022) - kTiny);
    CHECK(same_bits(sum_of({kTiny, -kTiny}), 0.));
    ExactAccumulator many; // more than digits hold without carrying
    const std::vector<double> block(1000, kMax);
    ExactAccumulator thousand = sum_of(block);
    for (int i = 0; i < 60; ++i) {
        ExactAccumulator twice = thousand;
        if (i < 43) thousand.merge(twice); // 1000 × 2^43 numbers
    }
    many.merge(thousand);
    CHECK(many.value<double>() == kInf);
    CHECK(many.value<float>() == std::numeric_limits<float>::infinity());
    for (int i = 0; i < 43; ++i) {
        ExactAccumulator less = sum_of(std::vector<double>(1000, -kMax));
        for (int k = 0; k < i; ++k) less.merge(ExactAccumulator(less));
        many.merge(less);
    }
    CHECK(many.value<double>() == kInf); // 1000 × kMax are left
    many.merge(sum_of(std::vector<double>(999, -kMax)));
    CHECK(many.value<double>() == kMax);

    const auto tiny = static_cast<double>(std::numeric_limits<float>::denorm_min());
    CHECK(float_sum_of({tiny / 2}) == 0);
    CHECK(same_bits(float_sum_of({-tiny / 2}), -0.f)); // what is rounded keeps its sign
    CHECK(float_sum_of({tiny / 2, kTiny}) == std::numeric_limits<float>::denorm_min());
    CHECK(float_sum_of({kTiny}) == 0);
    CHECK(float_sum_of({tiny, tiny / 2}) == 2 * std::numeric_limits<float>::denorm_min());
    const auto most = static_cast<double>(std::numeric_limits<float>::max());
    CHECK(float_sum_of({most, std::ldexp(1., 103)}) == std::numeric_limits<float>::infinity());
    CHECK(float_sum_of({most, std::ldexp(1., 103), -kTiny}) == std::numeric_limits<float>::max());
    CHECK(float_sum_of({kMax}) == std::numeric_limits<float>::infinity());
}

TEST_CASE("what is not finite, and zeros") {
    CHECK(sum_of({kInf, 1}) == kInf);
    CHECK(sum_of({kInf, -kMax, kInf}) == kInf);
    CHECK(sum_of({1, -kInf}) == -kInf);
    CHECK(std::isnan(sum_of({kInf, -kInf})));
    CHECK(std::isnan(sum_of({kInf, kNaN})));
    CHECK(std::isnan(sum_of({1, -kNaN})));
    CHECK(same_bits(sum_of(std::initializer_list<double>{}), 0.));
    CHECK(same_bits(sum_of({0.}), 0.));
    CHECK(same_bits(sum_of({-0.}), -0.));
    CHECK(same_bits(sum_of({-0., -0.}), -0.));
    CHECK(same_bits(sum_of({-0., 0.}), 0.));
    CHECK(same_bits(sum_of({-0., 1., -1.}), 0.));
    CHECK(same_bits(sum_of(std::vector<float>{-0.f}).value<float>(), -0.f));
    ExactAccumulator merged = sum_of(std::vector<double>{-0.});
    merged.merge(ExactAccumulator());
    CHECK(same_bits(merged.value<double>(), -0.));
}

TEMPLATE_TEST_CASE("elements of operands in accumulators", "", float, double) {
    std::mt19937_64 random(3);
    std::vector<TestType> x(100'003);
    for (TestType& e : x) e = any_float<TestType>(random);
    for (std::size_t i = 0; i < x.size(); i += 5) // and what has no leading bit
        x[i] = std::ldexp(static_cast<TestType>(random() % 5) - 2,
                          std::numeric_limits<TestType>::min_exponent -
                              std::numeric_limits<TestType>::digits);
    const auto t = pv::zeros<TestType>({std::ssize(x)});
    std::copy(x.begin(), x.end(), t.data());
    ExactAccumulator sums[2];
    const auto reducer = pv::exact_sum_reduction().reducer(pv::kDType<TestType>, false);
    const auto add = [&](const pv::Operand& operand, pv::index_t groups) {
        pv::fold_part(*reducer, {operand, groups, [](pv::index_t, pv::index_t at) { return at; }},
                      reinterpret_cast<std::byte*>(sums));
    };
    add(t.operand(), 1);
    REQUIRE(sums[0].state() == sum_of(x).state());
    const auto two = pv::reshape(t(pv::range(0, 100'000)), {2, 50'000});
    add(two.operand(), 2);
    sums[0].merge(sums[1]);
    x.resize(100'000);
    CHECK(sums[0].state() == sum_of(x).state());
}

} // namespace exact_sums_test
