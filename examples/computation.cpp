/// Functions traced once and called many times, as docs/computation.md tells it.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cstdint>
#include <tuple>
#include <vector>

namespace pv = purview;

void called_many_times() {
    auto a = pv::arange(1000.), b = pv::ones({1000});
    // [distance]
    auto c = pv::computation([](auto x, auto y) { return pv::sum(pv::sq(x - y)); },
                             pv::spec<double>({1000}), pv::spec<double>({1000}));
    double d = c(a, b);         // checks types and shapes, and runs
    double e = c(a * 2, b + 1); // inputs may be views and lazy expressions
    // [/distance]
    check(d == pv::sum(pv::sq(a - b)), "the distance");
    check(e == pv::sum(pv::sq(a * 2 - b - 1)), "another distance");

    // [variance]
    auto deviation = [](const auto& x) {
        auto centred = x - pv::mean(x, {0}, pv::keep_dims);
        return pv::sqrt(pv::mean(pv::sq(centred)));
    };
    auto compiled = pv::computation(deviation, pv::spec<float>({100, 3}));
    // [/variance]
    auto t = pv::reshape(pv::arange(300.F), {100, 3});
    check(compiled(t) == deviation(t), "the same function for tensors and symbols");
}

void seeds() {
    // [seed]
    auto noisy = pv::computation(
        [](auto x, auto seed) {
            return pv::dropout(x + pv::random_normal({4}, seed + 1), 0.5, seed);
        },
        pv::spec<double>({4}), pv::spec<std::int64_t>());
    auto one = noisy(pv::ones({4}), 1);
    auto other = noisy(pv::ones({4}), 2);
    // [/seed]
    auto direct = [](int seed) {
        return pv::dropout(pv::ones({4}) + pv::random_normal({4}, seed + 1), 0.5, seed);
    };
    check(pv::to_vector(one) == pv::to_vector(direct(1)), "the numbers of the seed");
    check(pv::to_vector(other) == pv::to_vector(direct(2)), "those of another seed");
}

void outputs() {
    // [outputs]
    auto normalise = pv::computation(
        [](auto x) {
            auto least = pv::min(x), most = pv::max(x);
            return std::tuple((x - least) / (most - least), least, most);
        },
        pv::spec<double>({4}));
    auto [scaled, least, most] = normalise(pv::tensor({1., 3., 2., 5.}));
    // [/outputs]
    check(pv::to_vector(scaled) == std::vector{0., 0.5, 0.25, 1.}, "the tensor");
    check(least == 1 && most == 5, "the numbers");
}

void chunks() {
    // [chunks]
    auto total = pv::computation([](auto x, auto scale) { return pv::sum(x) * scale; },
                                 pv::spec<double>({pv::any_size}), pv::spec<double>());
    double sum = 0;
    for (auto chunk : {pv::range(0, 400), pv::range(400, 800), pv::range(800, 1000)})
        sum += total(pv::arange(1000.)(chunk), 0.5);
    // [/chunks]
    check(sum == 249750, "in chunks");
}

void roles() {
    auto images = pv::ones({10, 4}), labels = pv::full({10}, 3.0);
    // [roles]
    auto weights = pv::variable(pv::zeros({4}), "weights"); // trainable
    auto steps = pv::persistent(0.0, "steps");              // kept between calls
    auto rate = pv::constant(0.1);                          // folded
    auto step = pv::computation(
        [=](auto x, auto y) {
            auto error = pv::sum(x * weights, {1}) - y;
            auto gradient = pv::mean(x * pv::reshape(error, {-1, 1}), {0});
            return std::tuple(pv::mean(pv::sq(error)), weights - rate * gradient, steps + 1);
        },
        pv::spec<double>({10, 4}), pv::spec<double>({10}));
    for (int i = 0; i < 50; ++i) {
        auto [loss, next, count] = step(images, labels);
        weights.update(next); // the next call sees it
        steps.update(count);
    }
    for (const pv::AnySymbol& variable : pv::variables(step))
        std::cout << variable << '\n' << variable.value() << '\n';
    // [/roles]
    check(steps.value().item() == 50, "steps are counted");
    check(pv::all_of(pv::abs(weights.value() - 0.75) < 1e-6), "weights are found");
}

void printed(Printed& out) {
    // [print]
    auto c = pv::computation([](auto x) { return pv::sum(pv::sq(x - pv::mean(x))); },
                             pv::spec<double>({3}));
    std::cout << c;
    // [/print]
    out.equals(R"(
#purview.computation(float64[3])
%0 = placeholder 0 float64[3]
%1 = sum %0 in 1 part float64
%2 = constant 3 float64
%3 = divide %1, %2 float64[]
%4 = subtract %0, %3 viewed as [3] float64[3]
%5 = sq %4 float64[3]
%6 = sum %5 in 1 part float64
output 0 = %6 float64[]
stage 0: %1 to a temporary of 8 bytes
stage 1: %6 to output 0
)");
}

void errors() {
    auto c = pv::computation([](auto x) { return x + 1; }, pv::spec<double>({2}));
    check_throws<pv::ShapeError>([&] { c(pv::ones({3})); },
                                 "computation: argument 0 has to be float64[2], and is float64[3]");
    check_throws<pv::DtypeError>([&] { c(pv::ones<float>({2})); },
                                 "argument 0 has to be float64[2], and is float32[2]");
    check_throws<pv::SymbolError>([&] { pv::to_vector(pv::variable(pv::ones({2})) + 1); },
                                  "a symbol has no elements: call the computation");
    check_throws<pv::ReadOnlyError>([&] { pv::constant(pv::ones({2}), "k").update(pv::ones({2})); },
                                    "update: the constant k cannot be written");
}

int main() {
    Printed out;
    called_many_times();
    seeds();
    outputs();
    chunks();
    roles();
    out.equals(R"(
#purview.symbol<float64>[4] variable weights
#purview.tensor<float64>[4]
[0.750 0.750 0.750 0.750]
)");
    printed(out);
    errors();
    return exit_status();
}
