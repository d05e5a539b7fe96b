#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/random_state.hpp>
#include <support/rounds.hpp>
#include <support/same_bits.hpp>

#include <purview/purview.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// What is expected are the bits of single steps.
namespace cached_steps_test {

namespace {

namespace pv = purview;
using oracle::random_state;
using pv::index_t;

} // namespace

TEST_CASE("States of any type have margins in the cache", "[loops]") {
    oracle::Random random(3);
    const auto check = [&]<typename T>(std::type_identity<T>, const auto& step) {
        const auto u = random_state<T>(random, {7, 5, 6});
        auto expected = pv::clone(u);
        for (index_t i = 0; i < 9; ++i) expected = pv::clone(step(expected));
        oracle::expect_same_bits<T>(pv::iterate(step, u, 9), expected);
    };
    // What is divided by is 0 in no element.
    check(std::type_identity<std::int32_t>{}, [](const auto& u) {
        return u % 7 + 100 / (pv::abs(pv::roll(u, 1, 2)) % 5 + 1) - pv::roll(u, -1, 0);
    });
    check(std::type_identity<double>{}, [](const auto& u) {
        const auto left = pv::roll(u, 1, 2), up = pv::roll(u, -2, 0);
        return pv::where(left > up, left * 0.5, up + 0.125);
    });
    check(std::type_identity<float>{}, [](const auto& u) {
        return pv::emap([](float a, float b) { return a * 0.5F + b; }, pv::roll(u, 1, 0),
                        pv::roll(u, 1, 2));
    });
}

TEST_CASE("Steps in the cache have rows of inputs and outputs", "[loops]") {
    oracle::Random random(17);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const pv::Shape shape{random.between(2, 9), random.between(2, 9)};
        const index_t steps = random.between(1, 9);
        const auto u = random_state<double>(random, shape);
        const auto v = random_state<double>(random, shape);
        const auto field = random_state<double>(random, shape);
        const auto fields = random_state<double>(random, {steps, shape[0], shape[1]});
        const auto factors = random_state<double>(random, {steps, shape[1]});
        const auto cell = [&](const auto& weight) {
            return [&](const auto& states, const auto& inputs) {
                const auto& [now, before] = states;
                const auto& [row, factor] = inputs;
                auto next = 0.5 * pv::roll(now, 1, 0) - 0.25 * pv::roll(now, -1, 1) * factor +
                            weight * pv::roll(row, 1, 1) - before * 0.125;
                return std::pair(std::tuple(next, now),
                                 std::tuple(pv::flip(next, 1) + row, factor * 2.));
            };
        };
        CAPTURE(round, pv::to_string(shape), steps);
        const auto check = [&](const auto& weight) {
            const auto [last, seen] =
                pv::scan_over(cell(weight), std::tuple(u, v), std::tuple(fields, factors));
            auto p = pv::clone(u), q = pv::clone(v);
            for (index_t i = 0; i < steps; ++i) {
                const auto [states, outputs] =
                    cell(weight)(std::tuple(p, q),
                                 std::tuple(fields(i, pv::ellipsis), factors(i, pv::ellipsis)));
                oracle::expect_same_bits<double>(std::get<0>(seen)(i, pv::ellipsis),
                                                 std::get<0>(outputs));
                oracle::expect_same_bits<double>(std::get<1>(seen)(i, pv::ellipsis),
                                                 std::get<1>(outputs));
                auto next = pv::clone(std::get<0>(states));
                q = p;
                p = next;
            }
            oracle::expect_same_bits<double>(std::get<0>(last), p);
            oracle::expect_same_bits<double>(std::get<1>(last), q);
        };
        check(0.75);
        check(field);
    }
}

TEST_CASE("A program takes its steps again over other operands", "[loops]") {
    const auto c = pv::computation(
        [](auto u, auto by, auto number) {
            return pv::iterate([&](auto x) { return pv::roll(x, 1, 0) * by + number; }, u, 9);
        },
        pv::spec<double>({50}), pv::spec<double>({50}), pv::spec<double>());
    oracle::Random random(19);
    const auto first = random_state<double>(random, {50});
    for (int round = 0; round < 6; ++round) {
        const auto u = random_state<double>(random, {50});
        const auto by = round % 3 == 0 ? first : random_state<double>(random, {50});
        const auto wide = random_state<double>(random, {100});
        const double number = static_cast<double>(random.between(1, 5)) / 8;
        auto expected = pv::clone(u), strided = pv::clone(u);
        for (int i = 0; i < 9; ++i) {
            expected = pv::clone(pv::roll(expected, 1, 0) * by + number);
            strided = pv::clone(pv::roll(strided, 1, 0) * wide(pv::range(0, 100, 2)) + number);
        }
        oracle::expect_same_bits<double>(c(u, by, number), expected);
        oracle::expect_same_bits<double>(c(u, wide(pv::range(0, 100, 2)), number), strided);
    }
}

TEST_CASE("Steps that are taken again read other numbers", "[loops]") {
    oracle::Random random(23);
    const auto step = [](auto x, auto a, auto b, auto is_added) {
        return pv::roll(x, 1, 0) * a + pv::where(x > 1e9 || is_added, x, -x) * b;
    };
    const auto c = pv::computation(
        [=](auto u, auto a, auto b, auto is_added) {
            return pv::iterate([=](auto x) { return step(x, a, b, is_added); }, u, 20);
        },
        pv::spec<double>({2000}), pv::spec<double>(), pv::spec<std::int64_t>(), pv::spec<bool>());
    for (int round = 0; round < 20; ++round) {
        const auto u = random_state<double>(random, {2000});
        const double a = static_cast<double>(random.between(-5, 5)) / 8;
        const index_t b = random.between(-2, 2);
        const bool is_added = random.one_in(2);
        auto expected = pv::clone(u);
        for (int i = 0; i < 20; ++i) expected = pv::clone(step(expected, a, b, is_added));
        oracle::expect_same_bits<double>(c(u, a, b, is_added), expected);
    }
}

TEST_CASE("Operands that are misaligned, or lie otherwise, are read by steps that are taken again",
          "[loops]") {
    oracle::Random random(5);
    for (int round = 0; round < oracle::rounds(20); ++round) {
        const index_t n = random.between(3, 9), m = random.between(3, 9);
        const pv::Shape shape{n, m};
        const auto step = [](const auto& x, const auto& by, const auto& column, const auto& mask) {
            return pv::where(mask, pv::roll(x, 1, 0) * by, pv::roll(x, -1, 1) + column);
        };
        const auto c = pv::computation(
            [=](auto u, auto by, auto column, auto mask) {
                return pv::iterate([&](auto x) { return step(x, by, column, mask); }, u, 7);
            },
            pv::spec<double>(shape), pv::spec<double>(shape), pv::spec<double>({m}),
            pv::spec<bool>(shape));
        for (int run = 0; run < 8; ++run) {
            const auto numbers = random_state<double>(random, {4 * n * m});
            std::vector<std::byte> moved(static_cast<std::size_t>(4 * n * m) * 8 + 8);
            const index_t distance = random.one_in(2) ? 4 : 0;
            std::byte* const first = moved.data() + distance;
            std::memcpy(first, pv::as_span(numbers).data(), moved.size() - 8);
            std::vector<unsigned char> flags(static_cast<std::size_t>(n * m));
            for (unsigned char& flag : flags)
                flag = static_cast<unsigned char>(random.between(0, 3)); // true is what is not 0
            const auto* const memory = reinterpret_cast<const double*>(first);
            const auto by = [&]() -> pv::Tensor<double> {
                switch (random.between(0, 3)) {
                case 0: return pv::flip(pv::borrow(memory, shape), 0);
                case 1: return pv::transpose(pv::borrow(memory, {m, n}));
                case 2:
                    return pv::borrow(memory, {2 * n, 2 * m})(pv::range(0, 2 * n, 2),
                                                              pv::range(1, 2 * m, 2));
                default: return pv::borrow(memory, shape);
                }
            }();
            const auto column = pv::borrow(memory + random.between(0, 3), {m});
            const auto u = pv::borrow(memory + random.between(0, n), shape);
            const auto mask = pv::borrow(reinterpret_cast<const bool*>(flags.data()), shape);
            auto expected = pv::clone(u);
            for (int i = 0; i < 7; ++i) expected = pv::clone(step(expected, by, column, mask));
            CAPTURE(round, run, distance, pv::to_string(shape));
            oracle::expect_same_bits<double>(c(u, by, column, mask), expected);
        }
    }
}

TEST_CASE("What a loop has read is let go, and other threads take its steps again", "[loops]") {
    const auto step = [](const auto& x, const auto& by) { return pv::roll(x, 1, 0) * by + 1.; };
    const auto c = pv::computation(
        [=](auto u, auto by) { return pv::iterate([&](auto x) { return step(x, by); }, u, 9); },
        pv::spec<double>({50}), pv::spec<double>({50}));
    const auto u = pv::clone(pv::arange(50.));
    auto expected = pv::clone(u);
    for (int i = 0; i < 9; ++i) expected = pv::clone(step(expected, pv::full({50}, 0.5)));
    for (int run = 0; run < 3; ++run) {
        auto numbers = std::make_shared<std::vector<double>>(50, 0.5);
        const std::weak_ptr<std::vector<double>> held = numbers;
        const double* const first = numbers->data();
        std::thread([&, owner = std::shared_ptr<const void>(std::move(numbers))]() mutable {
            const auto by = pv::wrap(first, {50}, std::move(owner));
            oracle::expect_same_bits<double>(c(u, by), expected);
        }).join();
        CHECK(held.expired());
    }
}

TEST_CASE("What goes round a part of a state, across its rows, is not read in margins", "[loops]") {
    oracle::Random random(1);
    for (int round = 0; round < oracle::rounds(200); ++round) {
        const index_t n = random.between(2, 6), m = random.between(3, 7);
        const index_t at = random.between(0, n * m - m), by = random.between(-m, m);
        const index_t length = random.between(1, m), from = random.between(0, m - length);
        const auto step = [=](const auto& x) {
            const auto part = pv::reshape(x, {n * m})(pv::range(at, at + m));
            const auto ring = pv::roll(part, by, 0)(pv::range(from, from + length));
            return pv::concat(x(pv::all, pv::range(0, length)) * 0.5 + ring * 0.25,
                              pv::roll(x, 1, 1)(pv::all, pv::range(length, m)), 1) *
                   1.;
        };
        const auto u = random_state<double>(random, {n, m});
        auto expected = pv::clone(u);
        for (int i = 0; i < 6; ++i) expected = pv::clone(step(expected));
        CAPTURE(round, n, m, at, by, length, from);
        oracle::expect_same_bits<double>(pv::iterate(step, u, 6), expected);
    }
}

TEST_CASE("A step may be a chain of many operations", "[loops]") {
    const auto step = [](const auto& x) {
        auto next = x * 1.;
        for (int i = 0; i < 50'000; ++i) next = next + 1.;
        return next;
    };
    CHECK(pv::max(pv::iterate(step, pv::zeros({3}), 2)) == 100'000);
}

} // namespace cached_steps_test
