/// Loops as values, as docs/loops.md tells it.

#include "check.hpp"

#include <purview/image/save_image.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <iostream>
#include <string>
#include <tuple>
#include <utility>

namespace pv = purview;

void heat() {
    // [heat]
    auto heat = [](auto u) {
        return u + 0.2 * (pv::roll(u, 1, 0) + pv::roll(u, -1, 0) + pv::roll(u, 1, 1) +
                          pv::roll(u, -1, 1) - 4 * u);
    };
    auto y = pv::arange(128.)(pv::all, pv::new_axis), x = pv::arange(128.);
    auto spot = pv::where(pv::sq(x - 40) + pv::sq(y - 64) < 300, 1.0, 0.0) | pv::clone;
    auto later = pv::iterate(heat, spot, 500); // 500 steps of a torus of 128 by 128 cells

    auto picture = pv::concat(spot, later / pv::max(later), 1) | pv::clone;
    pv::save_image("heat.png", pv::colorize(picture, pv::gradients::inferno) | pv::clone);
    // [/heat]
    auto outside = pv::clone(spot);
    for (int i = 0; i < 500; ++i) outside = pv::clone(heat(outside));
    check(pv::equals(later, outside), "the bits of the loop outside");
    check(std::abs(pv::sum(later) - pv::sum(spot)) < 1e-9, "no heat is lost");

    // [watched]
    pv::iterate(heat, spot, 500, {.every = 100, .call = [](pv::index_t step, const auto& u) {
                                      std::cout << "after " << step << ": " << pv::max(u) << '\n';
                                  }});
    // [/watched]
    // [every-tenth]
    auto ten = [&](auto u) { return pv::iterate(heat, u, 10); };
    auto moves = [](auto now, auto before) { return pv::max(pv::abs(now - before)) > 1e-3; };
    auto [settled, tens] = pv::iterate_while(ten, spot, moves); // asked after 10, 20, … steps
    // [/every-tenth]
    check(pv::equals(settled, pv::iterate(heat, spot, 10 * tens)), "the bits of all the steps");

    // [wave]
    auto wave = [](auto u, auto before) { // several states: a tuple in, a tuple out
        auto around = pv::roll(u, 1, 0) + pv::roll(u, -1, 0) - 2 * u;
        return std::tuple(2 * u - before + 0.1 * around, u); // what u was is not copied
    };
    auto [now, before] = pv::iterate(wave, std::tuple(spot, spot), 100);
    // [/wave]
    check(pv::max(pv::abs(now - before)) > 0, "it moves");
}

void conjugate_gradients() {
    auto rows = pv::arange(50.)(pv::all, pv::new_axis), columns = pv::arange(50.);
    auto right = pv::clone(pv::sin(rows * 0.2) * pv::cos(columns * 0.1));
    // [conjugate-gradients]
    auto laplace = [](auto x) { // 0 beyond the edges
        return 4 * x - pv::pad(x(pv::range(1, 50), pv::all), {{0, 1}, {0, 0}}) -
               pv::pad(x(pv::range(0, 49), pv::all), {{1, 0}, {0, 0}}) -
               pv::pad(x(pv::all, pv::range(1, 50)), {{0, 0}, {0, 1}}) -
               pv::pad(x(pv::all, pv::range(0, 49)), {{0, 0}, {1, 0}});
    };
    auto step = [&](auto x, auto rest, auto direction, auto square) {
        auto image = laplace(direction);
        auto length = square / pv::sum(direction * image);
        auto next_rest = rest - length * image;
        auto next_square = pv::sum(pv::sq(next_rest));
        return std::tuple(x + length * direction, next_rest,
                          next_rest + next_square / square * direction, next_square);
    };
    auto goes_on = [](auto, auto, auto, auto square, auto...) { return square > 1e-20; };
    auto [state, steps] = pv::iterate_while(
        step, std::tuple(pv::zeros({50, 50}), right, right, pv::sum(pv::sq(right))), goes_on,
        {.most = 1000});
    auto x = std::get<0>(state);
    // [/conjugate-gradients]
    check(pv::max(pv::abs(laplace(x) - right)) < 1e-9, "it is solved");
    check(steps > 10 && steps < 300, "in some steps: " + std::to_string(steps));
}

void optimiser() {
    auto inputs = pv::clone(pv::random_normal({200, 3}, 1));
    auto targets = pv::clone(pv::matmul(inputs, pv::tensor({1., -2., 0.5})) + 0.25);
    // [optimiser]
    auto adam = [&](auto w, auto mean, auto square, auto n) {
        auto loss = pv::mean(pv::sq(pv::matmul(inputs, w(pv::range(0, 3))) + w(3) - targets));
        auto slope = pv::gradient(loss, w); // in each step, of the weights that it has then
        auto next_mean = 0.9 * mean + 0.1 * slope;
        auto next_square = 0.99 * square + 0.01 * pv::sq(slope);
        auto by = next_mean / (1 - pv::pow(0.9, n)) /
                  (pv::sqrt(next_square / (1 - pv::pow(0.99, n))) + 1e-8);
        return std::tuple(w - 0.01 * by, next_mean, next_square, n + 1);
    };
    auto zeros = pv::zeros({4});
    auto weights = std::get<0>(pv::iterate(adam, std::tuple(zeros, zeros, zeros, 1.), 2000));
    // [/optimiser]
    check(pv::max(pv::abs(weights - pv::tensor({1., -2., 0.5, 0.25}))) < 1e-3, "it converges");
}

void recurrent_network() {
    auto words = pv::clone(pv::random_normal({20, 8}, 2)); // 20 steps of 8 numbers
    // [lstm]
    auto lstm = [](auto w, auto b) { // weights [64, 24] and [64], of 16 units
        return [=](auto state, auto input) {
            auto [seen, kept] = state;
            auto gates = pv::matmul(w, pv::concat(seen, input, 0)) + b;
            auto gate = [&](int i) { return gates(pv::range(16 * i, 16 * i + 16)); };
            auto sigmoid = [](auto x) { return 1 / (1 + pv::exp(-x)); };
            auto next = sigmoid(gate(0)) * kept + sigmoid(gate(1)) * pv::tanh(gate(2));
            auto output = sigmoid(gate(3)) * pv::tanh(next);
            return std::pair(std::tuple(output, next), output); // the next state, and an output
        };
    };
    auto loss = pv::computation(
        [&](auto w, auto b, auto sentence) {
            auto start = pv::zeros({16});
            auto [last, outputs] = pv::scan_over(lstm(w, b), std::tuple(start, start), sentence);
            return pv::mean(pv::sq(outputs - 0.5)); // outputs [20, 16]
        },
        pv::spec<double>({64, 24}), pv::spec<double>({64}), pv::spec<double>({20, 8}));
    auto w = pv::clone(pv::random_normal({64, 24}, 3, 0, 0.2));
    auto [by_w, by_b, by_words] = pv::gradient(loss)(w, pv::zeros({64}), words);
    // [/lstm]
    pv::check_gradient(loss, w(pv::all, pv::all), pv::zeros({64}), words);
    check(pv::max(pv::abs(by_w)) > 0 && pv::max(pv::abs(by_b)) > 0 &&
              pv::max(pv::abs(by_words)) > 0,
          "it has gradients");
}

void inverse_problem() {
    auto x = pv::arange(64.) / 64;
    auto start = pv::clone(pv::exp(-200 * pv::sq(x - 0.4)));
    auto truth = pv::clone(0.1 + 0.05 * pv::cos(6.2831853 * x));
    // [inverse]
    auto diffusion = [](auto k) { // of a conductivity k
        return [=](auto u) {
            auto flow = k * (pv::roll(u, -1, 0) - u);
            return u + flow - pv::roll(flow, 1, 0);
        };
    };
    auto observed = pv::iterate(diffusion(truth), start, 400);
    auto misfit = pv::computation(
        [&](auto k) { // keeps 20 of the 400 states, and computes the others again
            auto last = pv::iterate(diffusion(k), pv::constant(start), 400);
            return pv::sum(pv::sq(last - observed));
        },
        pv::spec<double>({64}));
    auto by_conductivity = pv::gradient(misfit);
    auto k = pv::full({64}, 0.1);
    for (int i = 0; i < 200; ++i) k = pv::clone(k - 0.05 * by_conductivity(k));
    // [/inverse]
    check(misfit(k) < misfit(pv::full({64}, 0.1)) / 100, "the misfit falls");
}

void branches() {
    // [choose]
    auto c = pv::computation(
        [](auto x) {
            return pv::choose(
                pv::sum(x) > 0, [](auto v) { return pv::sqrt(v); }, [](auto v) { return -v; },
                x); // only one of both is run
        },
        pv::spec<double>({2}));
    auto roots = c(pv::tensor({4., 9.}));
    auto turned = c(pv::tensor({-4., -9.}));
    // [/choose]
    check(pv::equals(roots, pv::tensor({2., 3.})), "the first");
    check(pv::equals(turned, pv::tensor({4., 9.})), "the second");
}

int main() {
    heat();
    conjugate_gradients();
    optimiser();
    recurrent_network();
    inverse_problem();
    branches();
    return exit_status();
}
