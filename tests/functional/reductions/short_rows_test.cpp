#include <purview/purview.hpp>
#include <support/catch.hpp>
#include <support/guarded_memory.hpp>
#include <support/rounds.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <random>
#include <vector>

namespace short_rows_test {

// Many rows of a few elements: they are computed side by side, from columns that are read together.

namespace {

namespace pv = purview;
using pv::index_t;

template <typename T>
pv::MutableTensor<T> numbers(std::mt19937& random, const pv::Shape& shape) {
    std::uniform_int_distribution<int> value(0, 100);
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    std::vector<T> values(static_cast<std::size_t>(size));
    for (T& each : values) {
        each = static_cast<T>(value(random));
        if constexpr (std::is_floating_point_v<T>)
            each = value(random) == 0 ? std::numeric_limits<T>::quiet_NaN() : each / T{7};
    }
    return pv::tensor(std::move(values), shape);
}

template <typename T>
bool same(T a, T b) {
    return a == b || (a != a && b != b);
}

} // namespace

TEST_CASE("operands that repeat along short rows, or from row to row") {
    std::mt19937 random(1);
    for (const index_t columns : {2, 3, 4, 5, 8, 15, 16, 17})
        for (const index_t rows : {255, 256, 700, 1025}) {
            INFO(rows << " rows of " << columns);
            const auto x = numbers<double>(random, {rows, columns});
            const auto wide = numbers<double>(random, {rows, columns + 2});
            const auto across = numbers<float>(random, {columns, rows});
            const auto each = numbers<double>(random, {columns});
            const auto one = numbers<double>(random, {rows, 1});
            const auto crop = wide(pv::all, pv::range(1, columns + 1));
            const auto result = pv::clone((x - each) * one + crop / pv::transpose(across, {1, 0}));
            const auto bools = pv::clone(one > 7 && pv::flip(x, {1}) < each);
            // A destination with gaps, one that runs the other way, and one that is read too.
            const auto room = pv::zeros({rows + 1, 2 * columns + 3});
            const auto apart = room(pv::range(1, rows + 1), pv::range(2, 2 + 2 * columns, 2));
            pv::copy(x * each, apart);
            const auto turned = pv::zeros({columns, rows});
            pv::copy(x * each, pv::transpose(turned, {1, 0}));
            auto inside = pv::clone(x);
            pv::copy(inside * each - one, inside);
            bool right = true;
            for (index_t i = 0; i < rows; ++i)
                for (index_t k = 0; k < columns; ++k) {
                    const double a = x(i, k), b = each(k), c = one(i, 0);
                    const double d = wide(i, k + 1), e = across(k, i);
                    right = right && same<double>(result(i, k), (a - b) * c + d / e) &&
                            bools(i, k) == (c > 7 && x(i, columns - 1 - k) < b) &&
                            same<double>(apart(i, k), a * b) && same<double>(turned(k, i), a * b) &&
                            same<double>(inside(i, k), a * b - c) && room(i + 1, 2 * k + 3) == 0 &&
                            room(0, 2 * k + 2) == 0;
                }
            CHECK(right);
        }
}

TEST_CASE("short rows of other types, under other axes, and past the caches") {
    std::mt19937 random(2);
    const auto pixels = numbers<std::uint8_t>(random, {40, 300, 3});
    const auto weights = numbers<std::int32_t>(random, {3});
    const auto column = numbers<std::int32_t>(random, {300, 1});
    const auto mixed = pv::clone(pixels(pv::range({}, {}, 2)) * weights + column);
    const auto quotients = pv::clone(mixed / (weights + 1));
    const auto roots = pv::clone(pv::sqrt(pixels(pv::all, pv::range({}, {}, -1)) * weights));
    bool right = true;
    for (index_t y = 0; y < 20; ++y)
        for (index_t z = 0; z < 300; ++z)
            for (index_t c = 0; c < 3; ++c) {
                const int value = pixels(2 * y, z, c) * weights(c) + column(z, 0);
                const double root = std::sqrt(double(pixels(2 * y, 299 - z, c) * weights(c)));
                right = right && mixed(y, z, c) == value &&
                        quotients(y, z, c) == value / (weights(c) + 1) &&
                        roots(2 * y, z, c) == root;
            }
    CHECK(right);

    const index_t many = 270'000;
    const auto table = numbers<double>(random, {8});
    const auto line = pv::clone(pv::cast<double>(pv::arange(many)));
    const auto large = pv::clone(line(pv::all, pv::new_axis) + table);
    REQUIRE(large.shape()[1] == 8);
    for (index_t i = 0; i < many; ++i)
        for (index_t k = 0; k < 8; ++k)
            right = right && same<double>(large(i, k), static_cast<double>(i) + table(k));
    CHECK(right);
}

TEST_CASE("leaves that take turns in memory") {
    std::mt19937 random(3);
    for (int round = 0; round < oracle::rounds(300); ++round) {
        const auto pick = [&](index_t least, index_t most) {
            return std::uniform_int_distribution<index_t>(least, most)(random);
        };
        const index_t step = pick(2, 20), count = pick(1, round % 2 == 0 ? 3000 : 300);
        const index_t span = round % 3 == 0 ? 3 * step : step;
        index_t at[4];
        for (index_t& each : at) each = pick(0, span - 1);
        const index_t size = *std::ranges::max_element(at) + (count - 1) * step + 1;
        INFO(step << " " << count << " " << at[0] << " " << at[1] << " " << at[2] << " " << at[3]);
        const auto check = [&]<typename T>(T) {
            // A byte more on either side is not to be touched.
            const auto bytes = static_cast<std::size_t>(size) * sizeof(T);
            const GuardedMemory guarded(bytes);
            T* const place = reinterpret_cast<T*>(guarded.place(bytes, round % 2 == 0));
            std::ranges::copy(numbers<T>(random, {size}), place);
            const pv::Tensor<T> x = pv::borrow(place, {size});
            const bool backwards = round % 4 == 3;
            const auto part = [&](index_t first) {
                const auto forwards = x(pv::range(first, first + (count - 1) * step + 1, step));
                return backwards ? pv::flip(forwards, {0}) : forwards;
            };
            const auto result = pv::clone((part(at[0]) + part(at[1])) * part(at[2]) - part(at[3]));
            const T total = pv::max(pv::maximum(part(at[0]), part(at[1])));
            T most = std::numeric_limits<T>::lowest();
            bool right = result.size() == count;
            for (index_t i = 0; i < count; ++i) {
                const index_t k = (backwards ? count - 1 - i : i) * step;
                const T a = x(at[0] + k), b = x(at[1] + k), c = x(at[2] + k), d = x(at[3] + k);
                right = right && same<T>(result(i), static_cast<T>((a + b) * c - d));
                for (const T each : {a, b}) most = each > most || each != each ? each : most;
                if (most != most) break;
            }
            CHECK(right);
            CHECK(same(total, most));
        };
        if (round % 3 == 0)
            check(double{});
        else if (round % 3 == 1)
            check(float{});
        else
            check(std::int16_t{});
    }
}

TEST_CASE("a few elements in each group are folded in their order") {
    std::mt19937 random(4);
    for (const index_t group : {2, 3, 4, 5, 8, 12, 13, 20})
        for (const index_t inner : {1, 3, 8, 70}) {
            INFO(inner << " groups of " << group << " in a row");
            const index_t rows = inner == 1 ? 2500 : 300;
            const auto check = [&]<typename T>(T) {
                const auto x = numbers<T>(random, {rows, inner, group});
                const auto y = numbers<T>(random, {inner, group});
                const auto sums = pv::sum(pv::sq(x - y), 2);
                const auto backwards = pv::max(pv::flip(x, {2}), 2);
                const auto least = pv::min(pv::transpose(x, {1, 0, 2}), 2);
                bool right = true;
                for (index_t i = 0; i < rows; ++i)
                    for (index_t k = 0; k < inner; ++k) {
                        using S = typename decltype(sums)::value_type;
                        S sum{};
                        T most = x(i, k, 0), fewest = most;
                        for (index_t g = 0; g < group; ++g) {
                            const T apart = static_cast<T>(x(i, k, g) - y(k, g));
                            sum =
                                static_cast<S>(sum + static_cast<S>(static_cast<T>(apart * apart)));
                            const T value = x(i, k, g);
                            if (value > most || value != value) most = value;
                            if (value < fewest || value != value) fewest = value;
                        }
                        right =
                            right && same<T>(backwards(i, k), most) && same<T>(least(k, i), fewest);
                        if constexpr (std::is_floating_point_v<T>)
                            right = right &&
                                    (group < 16
                                         ? same<S>(sums(i, k), sum)
                                         : std::abs(sums(i, k) - sum) <= 1e-4 * sum || sum != sum);
                        else
                            right = right && sums(i, k) == sum;
                    }
                CHECK(right);
            };
            check(double{});
            check(float{});
            check(std::int32_t{});
        }
}

TEST_CASE("the index of the extreme of a few elements") {
    std::mt19937 random(5);
    for (const index_t group : {2, 3, 8, 12, 13})
        for (const index_t rows : {40, 64, 300, 2500}) {
            INFO(rows << " groups of " << group);
            const auto check = [&]<typename T>(T, bool lazy) {
                auto x = numbers<T>(random, {rows, group});
                if constexpr (std::is_floating_point_v<T>) { // ties, and zeros of both signs
                    x(0, 0) = T{0}, x(0, 1) = -T{0};
                    x(1, 0) = -T{0}, x(1, 1) = T{0};
                }
                const pv::Tensor<T> source = lazy ? pv::Tensor<T>(x + x) : pv::Tensor<T>(x);
                const auto down = pv::transpose(source, {1, 0});
                const auto least = pv::clone(pv::argmin(source, 1));
                const auto most = pv::clone(pv::argmax(source, 1));
                const auto of_columns = pv::clone(pv::argmin(pv::clone(down), 0));
                const auto mirrored = pv::clone(pv::argmax(pv::flip(source, {1}), 1));
                std::vector<T> elements;
                for (index_t i = 0; i < rows; ++i)
                    for (index_t k = 0; k < group; ++k) elements.push_back(source(i, k));
                bool right = least.shape()[0] == rows;
                for (index_t i = 0; i < rows; ++i) {
                    const auto better = [&](T a, T b, bool smaller) {
                        if (a != a || b != b) return b != b && a == a;
                        return smaller ? b < a : a < b;
                    };
                    const T* const row = elements.data() + i * group;
                    index_t low = 0, high = 0, last = group - 1;
                    for (index_t k = 1; k < group; ++k) {
                        const index_t back = group - 1 - k;
                        if (better(row[low], row[k], true)) low = k;
                        if (better(row[high], row[k], false)) high = k;
                        if (better(row[last], row[back], false)) last = back;
                    }
                    right = right && least(i) == low && of_columns(i) == low && most(i) == high &&
                            mirrored(i) == group - 1 - last;
                }
                CHECK(right);
            };
            for (const bool lazy : {false, true}) {
                check(double{}, lazy);
                check(float{}, lazy);
                check(std::int64_t{}, lazy);
                check(std::uint8_t{}, lazy);
                check(std::int16_t{}, lazy);
            }
        }
}

} // namespace short_rows_test
