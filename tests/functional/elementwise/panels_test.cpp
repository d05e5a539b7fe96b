#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace panels_test {

// Operations on operands whose rows run along different axes: the engine reads some of them by panels.

namespace {

namespace pv = purview;
using pv::index_t;

/// An element that tells where it stands.
template <typename T>
T element(index_t i) {
    return static_cast<T>((i * 37 + i / 251) % 101);
}

template <typename T>
pv::MutableTensor<T> numbers(const pv::Shape& shape) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    std::vector<T> values(static_cast<std::size_t>(size));
    for (index_t i = 0; i < size; ++i) values[static_cast<std::size_t>(i)] = element<T>(i);
    return pv::tensor(std::move(values), shape);
}

} // namespace

TEMPLATE_TEST_CASE("a matrix and a transposed one", "", double, float, std::uint8_t, std::int16_t) {
    std::mt19937 random(7);
    for (int round = 0; round < oracle::rounds(12); ++round) {
        const index_t rows = std::uniform_int_distribution<index_t>(1, 200)(random);
        const index_t columns = std::uniform_int_distribution<index_t>(64, 1300)(random);
        const auto x = numbers<TestType>({rows, columns});
        const auto y = numbers<TestType>({columns + 3, rows + 5});
        const auto turned = pv::transpose(y(pv::range(2, columns + 2), pv::range(1, rows + 1)));
        const auto sum = pv::clone(x + turned);
        bool right = true;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < columns; ++j)
                right = right && sum(i, j) == static_cast<TestType>(
                                                  element<TestType>(i * columns + j) +
                                                  element<TestType>((j + 2) * (rows + 5) + i + 1));
        CHECK(right);
        double total = 0;
        for (const TestType value : sum) total += static_cast<double>(value);
        CHECK(static_cast<double>(pv::sum(pv::cast<std::int64_t>(x + turned))) == total);
        CHECK(static_cast<double>(pv::max(pv::abs(x + turned))) ==
              static_cast<double>(pv::max(sum)));
    }
}

TEST_CASE("three axes in different orders, bools, constants along an axis") {
    const index_t a = 40;
    const index_t b = 30;
    const index_t c = 600;
    const auto x = numbers<double>({a, b, c});
    const auto y = numbers<double>({c, b, a});
    const auto z = numbers<float>({b, c, a});
    const auto mask = numbers<std::uint8_t>({c, a, b}) > 50;
    const auto kept = pv::clone(mask);
    const auto line = numbers<double>({c});
    const auto result =
        pv::clone(pv::where(pv::transpose(kept, {1, 2, 0}), x + pv::transpose(y, {2, 1, 0}),
                            pv::transpose(z, {2, 0, 1}) * line));
    bool right = true;
    for (index_t i = 0; i < a; ++i)
        for (index_t j = 0; j < b; ++j)
            for (index_t k = 0; k < c; ++k) {
                const double expected =
                    element<std::uint8_t>((k * a + i) * b + j) > 50
                        ? element<double>((i * b + j) * c + k) +
                              element<double>((k * b + j) * a + i)
                        : element<float>((j * c + k) * a + i) * element<double>(k);
                right = right && result(i, j, k) == expected;
            }
    CHECK(right);
}

TEST_CASE("a destination that runs across its sources") {
    const auto x = numbers<double>({300, 500});
    const auto y = numbers<double>({300, 500});
    const auto out = pv::zeros<double>({500, 700});
    const auto part = pv::transpose(out(pv::all, pv::range(10, 310)));
    pv::copy(x * y + 1.0, part);
    bool right = out(0, 9) == 0 && out(499, 310) == 0;
    for (index_t i = 0; i < 300; ++i)
        for (index_t j = 0; j < 500; ++j) {
            const double value = element<double>(i * 500 + j);
            right = right && out(j, i + 10) == value * value + 1;
        }
    CHECK(right);
}

} // namespace panels_test
