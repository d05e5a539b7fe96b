#include <support/catch.hpp>
#include <support/random_choice.hpp>

#include <purview/dtype/dtype.hpp>

#include "engine/kernels/table/lane_selection.hpp"
#include "engine/kernels/table/selection.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

namespace kernels_lanes_test {

namespace {

namespace pv = purview;
using namespace purview::engine;
using oracle::Random;
using pv::index_t;

constexpr index_t kSlack = static_cast<index_t>(kLaneSlackBytes);

/// Numbers with NaN and infinities among them; the slack behind them is not to matter.
template <typename T>
std::vector<T> some_numbers(Random& random, index_t count) {
    const bool odd = random.one_in(3);
    std::vector<T> values;
    for (index_t i = 0; i < count + kSlack; ++i) {
        T value = static_cast<T>(random.between(0, 100));
        if constexpr (std::floating_point<T>) {
            value = static_cast<T>(random.between(-1000, 1000)) / T{7};
            if (odd && random.one_in(40)) value = std::numeric_limits<T>::quiet_NaN();
            if (odd && random.one_in(40)) value = std::numeric_limits<T>::infinity();
            if (odd && random.one_in(40)) value = -T{0};
        }
        values.push_back(value);
    }
    return values;
}

/// The same bits, or NaN both.
template <typename T>
bool same(const std::vector<T>& a, const std::vector<T>& b, index_t count) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) {
        if (a[i] != a[i] && b[i] != b[i]) continue;
        if (std::memcmp(&a[i], &b[i], sizeof(T)) != 0) return false;
    }
    return true;
}

/// The fold of `count` elements, where binary digits of the count are windows, wide ones in front.
template <typename T>
T tree(LaneOp op, const T* x, index_t count) {
    if (count == 1) return *x;
    const auto wide = static_cast<index_t>(std::bit_floor(static_cast<std::size_t>(count)));
    const index_t half = wide == count ? count / 2 : wide;
    const T a = tree(op, x, half);
    const T b = tree(op, x + half, count - half);
    return op == LaneOp::add ? a + b : a * b;
}

} // namespace

TEMPLATE_TEST_CASE("sums and products of windows are trees of powers of two", "", std::uint64_t,
                   float, double) {
    using T = TestType;
    const auto slack = kSlack / static_cast<index_t>(sizeof(T));
    Random random(52);
    for (index_t window = 1; window <= kWidestWindow; window += window < 160 ? 1 : 61) {
        const index_t count = random.between(1, 150);
        const auto x = some_numbers<T>(random, count + window);
        for (const LaneOp op : {LaneOp::add, LaneOp::multiply}) {
            std::vector<T> expected;
            for (index_t i = 0; i < count; ++i) expected.push_back(tree(op, x.data() + i, window));
            for (const KernelTable* const table : available_kernels()) {
                INFO(table->name << " count " << count << " window " << window);
                const FoldWindows fold = table->lanes->find_windows(op, pv::kDType<T>.id());
                const index_t room = kWindowScratch * (count + window + slack);
                std::vector<T> scratch(static_cast<std::size_t>(room + slack), T{3});
                std::vector<T> real(static_cast<std::size_t>(count + 2 * slack), T{3});
                fold(x.data(), count, window, scratch.data(), real.data());
                CHECK(same(real, expected, count));
                // No more was written than promised.
                CHECK(std::all_of(scratch.begin() + room, scratch.end(),
                                  [](T each) { return each == T{3}; }));
                CHECK(std::all_of(real.begin() + count + slack, real.end(),
                                  [](T each) { return each == T{3}; }));
            }
        }
    }
}

TEMPLATE_TEST_CASE("lane kernels give the same on every target", "", std::int8_t, std::int16_t,
                   std::int32_t, std::int64_t, std::uint8_t, std::uint16_t, std::uint32_t,
                   std::uint64_t, float, double) {
    using T = TestType;
    const pv::TypeId type = pv::kDType<T>.id();
    const LaneKernels& plain = *kernels_named("scalar").lanes;
    for (const KernelTable* const table : available_kernels()) {
        const LaneKernels& lanes = *table->lanes;
        Random random(51);
        for (int round = 0; round < 150; ++round) {
            const index_t count = random.between(1, random.one_in(4) ? 700 : 60);
            const index_t window = random.between(1, random.one_in(4) ? kWidestWindow : 40);
            const auto x = some_numbers<T>(random, count + window);
            const auto room = static_cast<std::size_t>(kWindowScratch * (count + window + kSlack));
            INFO(table->name << " round " << round << " count " << count << " window " << window);
            for (const LaneOp op :
                 {LaneOp::add, LaneOp::multiply, LaneOp::minimum, LaneOp::maximum}) {
                const FoldWindows fold = lanes.find_windows(op, type);
                const FoldWindows expected_fold = plain.find_windows(op, type);
                REQUIRE((fold == nullptr) == (expected_fold == nullptr));
                if (fold != nullptr) {
                    std::vector<T> scratch(room);
                    std::vector<T> real(room);
                    std::vector<T> expected(room);
                    fold(x.data(), count, window, scratch.data(), real.data());
                    expected_fold(x.data(), count, window, scratch.data(), expected.data());
                    CHECK(same(real, expected, count));
                }
                const Scan scan = lanes.find_scan(op, type);
                if (scan == nullptr) continue;
                std::vector<T> real(room);
                std::vector<T> expected(room);
                T carry = x[0];
                T expected_carry = x[0];
                scan(x.data(), real.data(), count, &carry);
                plain.find_scan(op, type)(x.data(), expected.data(), count, &expected_carry);
                CHECK(same(real, expected, count));
                CHECK(same(std::vector{carry}, std::vector{expected_carry}, 1));
                CHECK(same(std::vector{carry},
                           std::vector{real[static_cast<std::size_t>(count - 1)]}, 1));
            }
            if (const Correlate correlate = lanes.find_correlate(type)) {
                std::vector<T> real(room);
                std::vector<T> expected(room);
                correlate(x.data(), count, x.data() + 1, window, real.data());
                plain.find_correlate(type)(x.data(), count, x.data() + 1, window, expected.data());
                CHECK(same(real, expected, count));
            }
            if constexpr (std::floating_point<T>) {
                const DivideEach divide = lanes.find_division(type);
                REQUIRE(divide != nullptr);
                std::vector<T> real = x;
                const T divisor = static_cast<T>(window);
                real[0] = std::numeric_limits<T>::max();
                if (count > 1) real[1] = std::numeric_limits<T>::denorm_min();
                std::vector<T> expected = real;
                divide(real.data(), count, &divisor);
                for (T& each : expected) each /= divisor;
                CHECK(same(real, expected, count));
            }
            if (const AddCompensated add = lanes.find_compensated(type)) {
                alignas(64) T real[2 * kCompensatedBytes / sizeof(T)] = {};
                alignas(64) T expected[2 * kCompensatedBytes / sizeof(T)] = {};
                add(x.data(), count, real);
                plain.find_compensated(type)(x.data(), count, expected);
                CHECK(same(std::vector<T>(std::begin(real), std::end(real)),
                           std::vector<T>(std::begin(expected), std::end(expected)),
                           std::ssize(real)));
            }
        }
    }
}

TEST_CASE("spreads of sums are the same on every target") {
    using Doubles = std::vector<double>;
    const LaneKernels& plain = *kernels_named("scalar").lanes;
    Random random(53);
    for (int round = 0; round < 200; ++round) {
        const index_t count = random.between(1, 70);
        const auto room = static_cast<std::size_t>(count + kSlack);
        const auto x = some_numbers<double>(random, count);
        const auto squares = some_numbers<double>(random, count);
        Doubles counts(room);
        for (double& n : counts) n = static_cast<double>(random.between(0, 5));
        const SpreadRule rule{static_cast<double>(random.between(1, 5)),
                              static_cast<double>(random.between(0, 1)), random.one_in(2),
                              random.one_in(2), 1. / 64};
        const double* const some = random.one_in(2) ? counts.data() : nullptr;
        const auto made = [&](const LaneKernels& lanes) {
            Doubles shifted(room);
            Doubles squared(room);
            lanes.shift_and_square(x.data(), count, 3, shifted.data(), squared.data());
            Doubles spread = squares;
            const bool marked = lanes.spread_of_sums(x.data(), spread.data(), count, &rule, some);
            CHECK(marked == (std::find(spread.begin(), spread.begin() + count, -1.) !=
                             spread.begin() + count));
            Doubles all(shifted.begin(), shifted.begin() + count + 1);
            all.insert(all.end(), squared.begin(), squared.begin() + count + 1);
            all.insert(all.end(), spread.begin(), spread.begin() + count);
            return all;
        };
        const Doubles expected = made(plain);
        for (const KernelTable* const table : available_kernels())
            CHECK(same(made(*table->lanes), expected, std::ssize(expected)));
    }
}

TEMPLATE_TEST_CASE("columns are sorted, each by itself, on every target", "", std::int16_t,
                   std::int32_t, std::int64_t) {
    constexpr std::size_t kWidth = kSortedRowBytes / sizeof(TestType);
    Random random(54);
    for (const KernelTable* const table : available_kernels()) {
        const SortColumns sort = table->lanes->find_column_sort(pv::kDType<TestType>.id());
        REQUIRE(sort != nullptr);
        for (index_t rows = 0; rows < 140; ++rows) {
            INFO(table->name << " rows " << rows);
            const bool few = random.one_in(2);
            using Limits = std::numeric_limits<TestType>;
            std::vector<TestType> keys(static_cast<std::size_t>(rows) * kWidth + 1);
            for (TestType& key : keys)
                key = static_cast<TestType>(few ? random.between(-2, 2)
                                                : random.between(Limits::min(), Limits::max()));
            std::vector<TestType> expected = keys;
            for (std::size_t column = 0; column < kWidth; ++column) {
                std::vector<TestType> one;
                for (std::size_t i = column; i + 1 < keys.size(); i += kWidth)
                    one.push_back(keys[i]);
                std::sort(one.begin(), one.end());
                for (std::size_t i = 0; i < one.size(); ++i) expected[i * kWidth + column] = one[i];
            }
            sort(keys.data(), rows);
            CHECK(keys == expected);
        }
        CHECK(table->lanes->find_column_sort(pv::TypeId::uint8) == nullptr);
    }
}

TEST_CASE("division by an integer is rounded once") {
    Random random(52);
    const DivideEach divide = lane_kernels().find_division(pv::TypeId::float64);
    for (int round = 0; round < 2000; ++round) {
        std::vector<double> x;
        for (int i = 0; i < 64 + 64; ++i)
            x.push_back(std::ldexp(
                static_cast<double>(random.between(-(index_t{1} << 52), index_t{1} << 52)),
                static_cast<int>(random.between(-200, 200))));
        const auto divisor = static_cast<double>(random.between(1, 100'000));
        std::vector<double> expected = x;
        divide(x.data(), 64, &divisor);
        bool right = true;
        for (std::size_t i = 0; i < 64; ++i) right &= x[i] == expected[i] / divisor;
        CHECK(right);
    }
}

TEST_CASE("bins are found alike on every target, one element behind the other") {
    const UniformBins bins{-1, 2.5, 11 / 3.5, 1e-14, 11};
    Random random(3);
    for (index_t count = 0; count < 40; ++count) {
        std::vector<double> x;
        for (index_t i = 0; i < count; ++i) {
            x.push_back(static_cast<double>(random.between(-1200, 2700)) / 999);
            if (random.one_in(9)) x.back() = std::numeric_limits<double>::quiet_NaN();
        }
        std::vector<std::int32_t> expected;
        for (const double value : x)
            expected.push_back(value >= -1 && value < 2.5
                                   ? static_cast<std::int32_t>((value + 1) * bins.scale)
                                   : 11);
        for (const KernelTable* const table : available_kernels()) {
            INFO(table->name);
            const FindBins find = table->lanes->find_bins;
            std::vector<std::int32_t> found(x.size() + 1, -1);
            CHECK_FALSE(find(x.data(), count, &bins, found.data()));
            CHECK(found.back() == -1);
            found.pop_back();
            CHECK(found == expected);
            for (const double on_edge : {-1.0, 2.5}) {
                std::vector<double> with(x);
                with.insert(with.begin() + count / 2, on_edge);
                found.resize(with.size());
                CHECK(find(with.data(), count + 1, &bins, found.data()));
            }
        }
    }
}

TEST_CASE("lists are copied with their extremes, wherever they begin and end") {
    Random random(11);
    for (const KernelTable* const table : available_kernels())
        for (const bool streaming : {false, true})
            for (const index_t count : {0, 1, 2, 7, 8, 31, 32, 33, 63, 64, 100, 257, 3001}) {
                const index_t shift = random.between(0, 8);
                std::vector<index_t> list;
                for (index_t i = 0; i < count + shift; ++i)
                    list.push_back(random.between(-1000, 1000));
                INFO(table->name << ' ' << streaming << ' ' << count << ' ' << shift);
                for (index_t extreme = 0; extreme < count; extreme += 1 + count / 40) {
                    std::vector<index_t> in(list);
                    index_t& changed = in[static_cast<std::size_t>(shift + extreme)];
                    changed = extreme % 2 == 0 ? std::numeric_limits<index_t>::max()
                                               : std::numeric_limits<index_t>::min();
                    std::vector<index_t> out(in.size() + 1, -7);
                    index_t extremes[2] = {in.back(), in.back()};
                    table->lanes->copy_list(in.data() + shift, count, out.data() + shift, streaming,
                                            extremes);
                    table->finish_streams();
                    const auto [least, greatest] =
                        std::minmax_element(in.begin() + shift, in.end());
                    CHECK(extremes[0] == *least);
                    CHECK(extremes[1] == *greatest);
                    CHECK(std::equal(in.begin() + shift, in.end(), out.begin() + shift));
                    CHECK(std::count(out.begin(), out.begin() + shift, -7) == shift);
                    CHECK(out.back() == -7);
                }
            }
}

} // namespace kernels_lanes_test
