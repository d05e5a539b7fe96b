#include <support/catch.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/applied/computation.hpp>

#include <array>
#include <atomic>
#include <cstdint>
#include <stdexcept>
#include <thread>
#include <vector>

namespace computation_bindings_test {

// Calls of one computation on inputs that lie elsewhere, otherwise, or nowhere.

namespace {

namespace pv = purview;

auto distance_of(pv::index_t size) {
    return pv::computation([](auto x, auto y) { return pv::sum(pv::sq(x - y)); },
                           pv::spec<double>({size}), pv::spec<double>({size}));
}

/// What every kind of input has to give: the bits of the ordinary evaluation, again and again.
template <typename X, typename Y>
void check_distance(pv::index_t size, const X& x, const Y& y) {
    static const auto flexible =
        pv::computation([](auto a, auto b) { return pv::sum(pv::sq(a - b)); },
                        pv::spec<double>({pv::any_size}), pv::spec<double>({pv::any_size}));
    const auto fixed = distance_of(size);
    const double expected = pv::sum(pv::sq(x - y));
    for (int round = 0; round < 3; ++round) {
        CHECK(fixed(x, y) == expected);
        CHECK(flexible(x, y) == expected);
    }
}

} // namespace

TEST_CASE("other inputs of all sizes") {
    for (const pv::index_t size :
         {1, 2, 3, 8, 31, 32, 33, 64, 100, 1000, 8192, 8193, 20'000, 100'001}) {
        const auto distance = distance_of(size);
        const auto lazy = pv::computation([](auto x, auto y) { return x * 2.0 + y; },
                                          pv::spec<double>({size}), pv::spec<double>({size}));
        for (int round = 0; round < 3; ++round) {
            const auto x = pv::clone(pv::linspace(0.1 * round, 3.7, size));
            const auto y = pv::clone(pv::linspace(-2.0, 1.3 * round, size));
            CHECK(distance(x, y) == pv::sum(pv::sq(x - y)));
            CHECK(distance(y, x) == pv::sum(pv::sq(y - x)));
            CHECK(distance(x, x) == 0);
            CHECK(pv::to_vector(lazy(x, y)) == pv::to_vector(x * 2.0 + y));
        }
    }
}

TEST_CASE("inputs at other strides and bases, lazy and rotated") {
    const pv::index_t size = 300;
    const auto wide = pv::clone(pv::reshape(pv::linspace(-3.0, 5.0, 4 * size), {size, 4}));
    const auto other = pv::clone(pv::linspace(1.0, 2.0, 2 * size));
    const auto x = other(pv::range(7, 7 + size));
    check_distance(size, x, other(pv::range(0, size)));
    check_distance(size, wide(pv::all, 0), wide(pv::all, 3));
    check_distance(size, wide(pv::all, 2), x);
    check_distance(size, pv::flip(x, {0}), x);
    check_distance(size, pv::rotate(x, {11}), x);
    check_distance(size, x * 0.5, pv::sqrt(x));
    check_distance(size, pv::linspace(0.0, 1.0, size), x);
    check_distance(size, pv::full({size}, 2.5), x);
    check_distance(size, pv::reshape(other(pv::range(4, 5)), {1}) + pv::zeros<double>({size}), x);
    check_distance(size,
                   pv::tensor(pv::make_reader(
                       size, [](pv::index_t i) { return 0.5 * static_cast<double>(i); })),
                   x);

    // All of these at one computation, by turns and often.
    const auto distance = distance_of(size);
    const std::vector<pv::Tensor<double>> inputs{
        x,           other(pv::range(0, size)), wide(pv::all, 1),       pv::flip(x, {0}),
        x * 3.0,     pv::rotate(x, {5}),        pv::full({size}, -1.0), wide(pv::all, 2),
        pv::clone(x)};
    for (int round = 0; round < 40; ++round)
        for (const auto& a : inputs) CHECK(distance(a, x) == pv::sum(pv::sq(a - x)));
}

TEST_CASE("matrices as they lie: transposed, cut out, and of a few columns") {
    const auto product = pv::computation(
        [](auto x, auto y) { return std::pair(pv::max(x * y), x + pv::transpose(y)); },
        pv::spec<float>({5, 5}), pv::spec<float>({5, 5}));
    const auto whole = pv::clone(pv::reshape(pv::cast<float>(pv::arange(100)), {10, 10}));
    const auto part = whole(pv::range(2, 7), pv::range(4, 9));
    const auto packed = pv::clone(part);
    for (int round = 0; round < 20; ++round)
        for (const auto& x : {part, packed, pv::transpose(part), pv::transpose(packed)})
            for (const auto& y : {packed, part, pv::transpose(part)}) {
                const auto [greatest, sum] = product(x, y);
                CHECK(greatest == pv::max(x * y));
                CHECK(pv::to_vector(sum) == pv::to_vector(x + pv::transpose(y)));
            }
}

TEST_CASE("one element of memory for all") {
    const auto scaled =
        pv::computation([](auto x, auto y) { return std::pair(pv::sum(x * y), x - y); },
                        pv::spec<double>({62}), pv::spec<double>({1}));
    for (int round = 0; round < 4; ++round) {
        const auto x = pv::clone(pv::linspace(-1.0 * round, 2.0, 62));
        const auto y = pv::clone(pv::full({1}, 0.3 + round));
        const auto [sum, difference] = scaled(x, y);
        CHECK(sum == pv::sum(x * y));
        CHECK(pv::to_vector(difference) == pv::to_vector(x - y));
    }
}

TEST_CASE("numbers, bools and integers are other ones at each call") {
    const auto scaled = pv::computation(
        [](auto x, auto factor, auto flag) { return pv::where(flag, x * factor, x - factor); },
        pv::spec<std::int32_t>({40}), pv::spec<std::int32_t>(), pv::spec<bool>());
    const auto divided = pv::computation([](auto x, auto by) { return pv::sum(x / by); },
                                         pv::spec<int>({37}), pv::spec<int>({37}));
    const auto x = pv::clone(pv::arange<std::int32_t>(1, 41));
    for (int k = 1; k < 6; ++k) {
        CHECK(pv::to_vector(scaled(x, k, true)) == pv::to_vector(x * k));
        CHECK(pv::to_vector(scaled(x, k, false)) == pv::to_vector(x - k));
        const auto few = x(pv::range(0, 37));
        const auto by = pv::clone(few + k);
        CHECK(divided(few, by) == pv::sum(few / by));
        CHECK(divided(by, few) == pv::sum(by / few));
    }
}

TEST_CASE("an output is the next input, and inputs are one tensor") {
    const auto step = pv::computation([](auto x, auto y) { return (x + y) * 0.5; },
                                      pv::spec<double>({100}), pv::spec<double>({100}));
    const auto start = pv::clone(pv::linspace(0.0, 9.0, 100));
    auto x = pv::clone(start);
    auto expected = pv::clone(start);
    for (int i = 0; i < 10; ++i) {
        x = step(x, start);
        expected = pv::clone((expected + start) * 0.5);
        CHECK(pv::to_vector(x) == pv::to_vector(expected));
    }
    CHECK(pv::to_vector(step(x, x)) == pv::to_vector(x));
    pv::copy(step(x, start), x);
    CHECK(pv::to_vector(x) == pv::to_vector((expected + start) * 0.5));
}

TEST_CASE("a computation keeps no input alive") {
    const auto distance = distance_of(50);
    auto owned = std::make_shared<std::vector<double>>(50, 1.0);
    const std::weak_ptr<std::vector<double>> watched = owned;
    {
        const auto x = pv::tensor(std::make_shared<const pv::ConstBuffer<double>>(
            owned->data(), 50, pv::index_t{sizeof(double)}, pv::Owner(owned)));
        CHECK(distance(x, pv::zeros<double>({50})) == 50);
        CHECK(distance(x, x) == 0);
    }
    owned.reset();
    CHECK(watched.expired());
    CHECK(distance(pv::ones<double>({50}), pv::zeros<double>({50})) == 50);
}

TEST_CASE("a call that throws leaves the next one right") {
    const auto quotient = pv::computation([](auto x, auto y) { return pv::sum(x / y); },
                                          pv::spec<int>({100}), pv::spec<int>({100}));
    const auto narrow = pv::computation([](auto x) { return pv::cast<std::uint8_t>(x + 1.0); },
                                        pv::spec<double>({100}));
    const auto checked = pv::computation(
        [](auto x) {
            return pv::sum(pv::emap(
                [](double value) {
                    if (value < 0) throw std::runtime_error("negative");
                    return value;
                },
                x));
        },
        pv::spec<double>({100}));
    const auto x = pv::clone(pv::arange<int>(100));
    const auto zero = pv::zeros<int>({100});
    const auto reals = pv::clone(pv::linspace(0.0, 99.0, 100));
    const auto large = pv::clone(reals * 100.0);
    const auto negative = pv::clone(-reals - 1.0);
    for (int round = 0; round < 3; ++round) {
        CHECK(quotient(x, pv::ones<int>({100})) == 4950);
        CHECK_THROWS_AS(quotient(x, zero), pv::ArithmeticError);
        CHECK(narrow(reals)(99) == 100);
        CHECK_THROWS_WITH(narrow(large), "value 301 at index 3 does not fit uint8");
        CHECK(checked(reals) == 4950);
        CHECK_THROWS_AS(checked(negative), std::runtime_error);
    }
}

TEST_CASE("a function may call the computation that is running") {
    const auto inner = distance_of(20);
    const auto x = pv::clone(pv::linspace(0.0, 1.0, 20));
    const double once = inner(x, pv::zeros<double>({20}));
    const auto outer = pv::computation(
        [=](auto y) {
            return pv::sum(pv::emap(
                [=](double value) { return value * inner(x, pv::zeros<double>({20})); }, y));
        },
        pv::spec<double>({3}));
    CHECK(outer(pv::clone(pv::full({3}, 2.0))) == 2 * once + 2 * once + 2 * once);
    CHECK(outer(pv::clone(pv::full({3}, 1.0))) == once + once + once);
}

TEST_CASE("several threads call one computation on inputs of their own") {
    constexpr pv::index_t kSize = 777;
    const auto distance = distance_of(kSize);
    const auto blend = pv::computation([](auto x, auto t) { return x * t + (1.0 - t); },
                                       pv::spec<double>({kSize}), pv::spec<double>());
    const auto negative = pv::computation(
        [](auto x) { return pv::cast<std::uint16_t>(pv::sum(x)); }, pv::spec<double>({kSize}));
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 6; ++t)
        threads.emplace_back([&, t] {
            const auto x = pv::clone(pv::linspace(0.1 * t, 3.0, kSize));
            const auto wide =
                pv::clone(pv::reshape(pv::linspace(-1.0, 0.3 * t, 2 * kSize), {kSize, 2}));
            const auto y = wide(pv::all, t % 2);
            const double expected = pv::sum(pv::sq(x - y));
            const double turned = pv::sum(pv::sq(y - x));
            for (int i = 0; i < 200; ++i) {
                wrong += distance(x, y) != expected;
                wrong += distance(y, x) != turned;
                const auto blended = blend(x, 0.25);
                wrong += blended(t) != x(t) * 0.25 + 0.75;
                try {
                    negative(-x);
                    wrong += t > 0 || i >= 0;
                } catch (const pv::Error&) {}
            }
        });
    for (std::thread& thread : threads) thread.join();
    CHECK(wrong == 0);
}

} // namespace computation_bindings_test
