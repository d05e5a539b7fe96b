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

} // namespace float16_test
