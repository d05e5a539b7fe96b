#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>
#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <random>
#include <vector>

namespace float16_test {

namespace {

namespace pv = purview;
using pv::index_t;

/// Every value of the type, in order of its bits.
template <typename H>
pv::MutableTensor<H> all_values() {
    std::vector<H> values;
    for (std::uint32_t bits = 0; bits <= 0xffff; ++bits)
        values.push_back(H::from_bits(static_cast<std::uint16_t>(bits)));
    return pv::tensor(std::move(values));
}

bool same(float a, float b) { return a == b || (std::isnan(a) && std::isnan(b)); }

} // namespace

TEMPLATE_TEST_CASE("Kernels convert every float of 16 bits as its type does", "", pv::Half,
                   pv::BFloat16) {
    using H = TestType;
    const auto values = all_values<H>();
    const pv::MutableTensor<float> floats = pv::tensor(pv::cast<float>(values));
    const pv::MutableTensor<H> back = pv::tensor(pv::cast<H>(floats));
    for (index_t i = 0; i < values.size(); ++i) {
        const H value = values(i);
        REQUIRE(same(floats(i), value));
        REQUIRE(same(H(back(i)), value));
        if (!std::isnan(static_cast<float>(value))) REQUIRE(H(back(i)).bits == value.bits);
    }
    // Every float that is rounded: between neighbours, and at random.
    std::mt19937 random(5);
    std::vector<float> between;
    for (std::uint32_t i = 0; i < 0x10000; ++i) {
        const auto bits = static_cast<std::uint32_t>(random());
        float value = 0;
        static_assert(sizeof(value) == sizeof(bits));
        std::memcpy(&value, &bits, sizeof(value));
        between.push_back(value);
        const float low = H::from_bits(static_cast<std::uint16_t>(i));
        const float high = H::from_bits(static_cast<std::uint16_t>(i + 1));
        between.push_back(low + (high - low) / 2);
        between.push_back(std::nextafter(low + (high - low) / 2, low));
    }
    const pv::MutableTensor<H> rounded = pv::tensor(pv::cast<H>(between));
    for (std::size_t i = 0; i < between.size(); ++i) {
        CAPTURE(between[i]);
        REQUIRE(same(H(rounded(static_cast<index_t>(i))), H(between[i])));
    }
}

TEMPLATE_TEST_CASE("Floats of 16 bits are computed with as floats, through all views", "", pv::Half,
                   pv::BFloat16) {
    using H = TestType;
    std::mt19937 random(3);
    std::uniform_real_distribution<float> values(-4, 4);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const auto rows = static_cast<index_t>(random() % 5);
        const auto columns = static_cast<index_t>(random() % 50);
        const auto made = [&](index_t r, index_t c) {
            std::vector<H> elements(static_cast<std::size_t>(r * c));
            for (H& element : elements) element = H(values(random));
            return pv::tensor(std::move(elements), {r, c});
        };
        const pv::Tensor<H> views[] = {
            made(rows, columns),
            pv::transpose(made(columns, rows)),
            pv::flip(made(rows, columns), 1),
            made(rows, 3 * columns)(pv::all, pv::range(0, 3 * columns, 3)),
            pv::broadcast(made(rows, 1), {rows, columns}),
            pv::rotate(made(rows, columns), {1, 1})};
        const pv::Tensor<H> x = views[random() % 6];
        const pv::Tensor<H> y = views[random() % 6];
        const pv::MutableTensor<H> stored = pv::clone(x);
        stored(pv::all, pv::all) = x * y + 1;
        const pv::MutableTensor<H> updated = pv::clone(x);
        updated += y * 2;
        const auto sums = x + y;
        static_assert(std::same_as<typename decltype(sums)::value_type, float>);
        const pv::Tensor<float> roots = pv::sqrt(pv::abs(x));
        const pv::Tensor<bool> less = x < y;
        float total = 0;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j) {
                const float a = H(x(i, j));
                const float b = H(y(i, j));
                REQUIRE(sums(i, j) == a + b);
                REQUIRE(H(stored(i, j)).bits == H(a * b + 1).bits);
                REQUIRE(H(updated(i, j)).bits == H(a + b * 2).bits);
                REQUIRE(roots(i, j) == std::sqrt(std::abs(a)));
                REQUIRE(less(i, j) == (a < b));
                total += a;
            }
        REQUIRE(pv::sum(x) == Catch::Approx(total).margin(1e-3));
        const pv::Tensor<float> sums_of_rows = pv::sum(x, 1);
        REQUIRE(pv::allclose(sums_of_rows, pv::sum(pv::cast<float>(x), 1)));
        if (rows * columns > 0) {
            REQUIRE(pv::max(x) == pv::max(pv::cast<float>(x)));
            REQUIRE(pv::mean(x) == pv::mean(pv::cast<float>(x)));
        }
        REQUIRE(pv::allclose(pv::matmul(x, pv::transpose(y)),
                             pv::matmul(pv::cast<float>(x), pv::transpose(pv::cast<float>(y)))));
    }
}

TEST_CASE("Floats of 16 bits beside other types, scalars and types known at run time") {
    using pv::Half;
    const auto h = pv::tensor({Half(1.5), Half(-2)});
    const auto b = pv::tensor({pv::BFloat16(2), pv::BFloat16(4)});
    static_assert(std::same_as<decltype(h * 2.0)::value_type, float>);
    static_assert(std::same_as<decltype(h * b)::value_type, float>);
    static_assert(std::same_as<decltype(h * pv::tensor({1.0, 2.0}))::value_type, double>);
    static_assert(std::same_as<decltype(h * Half(2))::value_type, float>);
    static_assert(std::same_as<decltype(h + pv::tensor({1, 2}))::value_type, float>);
    CHECK(pv::to_vector(h * b) == std::vector<float>{3, -8});
    CHECK(pv::to_vector(pv::where(h > 0, h, 0)) == std::vector<float>{1.5, 0});
    CHECK(pv::to_vector(pv::is_nan(h)) == std::vector<bool>{false, false});
    CHECK(pv::to_vector(pv::emap([](float v) { return v + 1; }, h)) == std::vector<float>{2.5, -1});
    static_assert(std::same_as<decltype(pv::concat({h, h}))::value_type, Half>);
    CHECK(pv::concat({h, h}).size() == 4);

    const pv::AnyTensor any = h;
    CHECK((any * 2).dtype() == pv::float32);
    CHECK((any + any).dtype() == pv::float32);
    CHECK((any * pv::AnyTensor(pv::tensor({1.0, 2.0}))).dtype() == pv::float64);
    CHECK(pv::sqrt(pv::abs(any)).dtype() == pv::float32);
    CHECK(float(pv::sum(any)) == -0.5F);

    // What is too large becomes infinite, as when a float is rounded.
    for (const double large : {1e6, 1e300})
        CHECK(std::isinf(static_cast<float>(Half(pv::cast<Half>(pv::tensor({large}))(0)))));
    CHECK_THROWS_AS(pv::tensor(pv::cast<std::int8_t>(h * 1000)), pv::CastError);
    CHECK(pv::to_vector(pv::cast<int>(h)) == std::vector<int>{1, -2});
    // What would order them by `<`, or add them up in 16 bits, wants them cast first.
    static_assert(!std::invocable<decltype(pv::sort), const pv::Tensor<Half>&>);
    static_assert(!std::invocable<decltype(pv::cumsum), const pv::Tensor<Half>&>);
    static_assert(std::invocable<decltype(pv::sort), const pv::Tensor<float>&>);
    const auto integers = pv::full({2}, 7);
    CHECK_THROWS_AS(pv::AnyTensor(integers) += pv::AnyTensor(h), pv::DtypeError);
}

namespace {

/// Numbers of type T beside what is halfway between two neighbours of type H, and what they round to.
template <typename H, typename T>
struct Beside {
    std::vector<T> numbers;
    std::vector<std::uint16_t> expected;
};
template <typename H, typename T>
Beside<H, T> beside_ties() {
    Beside<H, T> all;
    for (std::uint16_t bits = 0; bits < 0x7f7f; ++bits)
        for (const double sign : {1., -1.}) {
            const double low = H::from_bits(bits);
            const double high = H::from_bits(static_cast<std::uint16_t>(bits + 1));
            if (!std::isfinite(high)) continue;
            const double tie = sign * (low + (high - low) / 2);
            const auto low_bits = static_cast<std::uint16_t>(bits | (sign < 0 ? 0x8000 : 0));
            const auto high_bits = static_cast<std::uint16_t>(low_bits + 1);
            const auto add = [&](T number, std::uint16_t to) {
                all.numbers.push_back(number);
                all.expected.push_back(to);
            };
            if constexpr (std::floating_point<T>) {
                add(T(tie), bits % 2 == 0 ? low_bits : high_bits);
                add(std::nextafter(T(tie), T(0)), low_bits);
                add(std::nextafter(T(tie), std::numeric_limits<T>::infinity() * T(sign)),
                    high_bits);
            } else {
                if (std::abs(tie) < 1 || std::trunc(tie) != tie || !pv::fits<T>(tie) ||
                    !pv::fits<T>(tie + 1) || !pv::fits<T>(tie - 1))
                    continue;
                const auto one = static_cast<T>(sign);
                add(T(tie), bits % 2 == 0 ? low_bits : high_bits);
                add(static_cast<T>(T(tie) - one), low_bits);
                add(static_cast<T>(T(tie) + one), high_bits);
            }
        }
    return all;
}

template <typename H, typename T>
void check_rounds_once() {
    const auto [numbers, expected] = beside_ties<H, T>();
    CAPTURE(pv::kDType<T>.name(), numbers.size());
    if (sizeof(T) > 1) REQUIRE(!numbers.empty());
    const auto x = pv::tensor(numbers);
    const pv::MutableTensor<H> rounded = pv::tensor(pv::cast<H>(x));
    const pv::MutableTensor<H> copied = pv::empty<H>({x.size()});
    pv::copy(pv::AnyTensor(x), copied);
    const pv::MutableTensor<H> turned = pv::tensor(pv::cast<H>(pv::flip(x, 0)));
    for (index_t i = 0; i < x.size(); ++i) {
        const auto at = static_cast<std::size_t>(i);
        CAPTURE(numbers[at]);
        REQUIRE(H(rounded(i)).bits == expected[at]);
        REQUIRE(H(copied(i)).bits == expected[at]);
        REQUIRE(H(turned(x.size() - 1 - i)).bits == expected[at]);
        REQUIRE(H(numbers[at]).bits == expected[at]);
    }
}

} // namespace

TEMPLATE_TEST_CASE("Numbers of every type are rounded to 16 bits once", "", pv::Half,
                   pv::BFloat16) {
    using H = TestType;
    check_rounds_once<H, float>();
    check_rounds_once<H, double>();
    check_rounds_once<H, std::int8_t>();
    check_rounds_once<H, std::int16_t>();
    check_rounds_once<H, std::int32_t>();
    check_rounds_once<H, std::int64_t>();
    check_rounds_once<H, std::uint8_t>();
    check_rounds_once<H, std::uint16_t>();
    check_rounds_once<H, std::uint32_t>();
    check_rounds_once<H, std::uint64_t>();
    const auto [numbers, expected] = beside_ties<H, long double>();
    for (std::size_t i = 0; i < numbers.size(); ++i) {
        CAPTURE(numbers[i]);
        REQUIRE(H(numbers[i]).bits == expected[i]);
    }
}

TEST_CASE("Rounding once: NumPy's values, constants, infinities and NaN") {
    using pv::BFloat16;
    using pv::Half;
    // np.float64(63343.99805).astype(np.float16)
    CHECK(float(Half(pv::cast<Half>(pv::tensor({63343.99805}))(0))) == 63328);
    CHECK(float(Half(63343.99805)) == 63328);
    CHECK(float(Half(pv::cast<Half>(pv::full({3, 2}, 63343.99805))(2, 1))) == 63328);
    // Beside 2^24 numbers of 8 bits are 2^17 apart.
    CHECK(float(BFloat16(pv::cast<BFloat16>(pv::tensor({16842753}))(0))) == 16908288);
    CHECK(float(BFloat16(16842753)) == 16908288);
    // 65520 is halfway to 2^16, and the first that is infinite.
    CHECK(float(Half(std::nextafter(65520., 0.))) == 65504);
    CHECK(std::isinf(float(Half(65520.))));
    CHECK(std::isinf(float(BFloat16(1e39))));
    CHECK(float(Half(std::numeric_limits<std::int64_t>::lowest())) == -INFINITY);
    CHECK(float(BFloat16(std::numeric_limits<std::int64_t>::lowest())) == -0x1p63F);
    CHECK(float(BFloat16(std::numeric_limits<std::uint64_t>::max())) == 0x1p64F);
    CHECK(float(BFloat16(0x1.02p-126 + 0x1p-170)) == 0x1.02p-126F);
    // Half of the least BFloat16, and what is more by less than a float tells.
    CHECK(float(BFloat16(0x1p-134)) == 0);
    CHECK(float(BFloat16(0x1p-134 + 0x1p-180)) == 0x1p-133F);
    for (const double nan :
         {std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN()}) {
        CHECK(std::isnan(float(Half(nan))));
        CHECK(std::isnan(float(BFloat16(pv::cast<BFloat16>(pv::tensor({nan}))(0)))));
    }
}

} // namespace float16_test
