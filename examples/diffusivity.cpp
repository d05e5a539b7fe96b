/// How fast heat spreads, found from noisy measurements: the model is some steps of the heat equation along a ring,
/// traced, and the method that of Gauss and Newton, with the Jacobian of all that is measured by two unknowns.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <cstdint>
#include <iostream>
#include <tuple>
#include <vector>

namespace pv = purview;
using pv::index_t;

constexpr index_t kPoints = 60; // around the ring, 1 mm apart
constexpr index_t kTimes = 4;   // at which all points are measured
constexpr int kSteps = 40;      // of the equation between two of them
constexpr double kStep = 0.5;   // s

int main() {
    const auto place = pv::arange(static_cast<double>(kPoints));
    const auto pulses =
        pv::clone(pv::exp(-pv::sq((place - 20) / 3)) + 0.5 * pv::exp(-pv::sq((place - 42) / 5)));

    // [model]
    // The temperatures, [kTimes, kPoints], for a diffusivity, in mm² / s, and the height of the pulses, in K.
    const auto temperatures = [&](auto unknowns) {
        auto now = unknowns(1) * pulses;
        std::vector<decltype(now)> seen;
        for (index_t time = 0; time < kTimes; ++time) {
            for (int i = 0; i < kSteps; ++i) {
                auto curvature = pv::rotate(now, {1}) - 2 * now + pv::rotate(now, {-1});
                now = now + kStep * unknowns(0) * curvature;
            }
            seen.push_back(now);
        }
        return pv::stack(seen);
    };
    const auto residuals = pv::computation(
        [&](auto unknowns, auto measured) {
            auto residual = pv::reshape(temperatures(unknowns) - measured, {-1});
            return std::tuple(residual, pv::jacobian(residual, unknowns)); // [n] and [n, 2]
        },
        pv::spec<double>({2}), pv::spec<double>({kTimes, kPoints}));
    // [/model]

    // Measurements, made by the same equation.
    const auto simulate = pv::computation(temperatures, pv::spec<double>({2}));
    const auto truth = pv::tensor({0.37, 20.});
    const auto noise = pv::random_normal({kTimes, kPoints}, 20260101, 0.0, 0.05);
    const auto measured = pv::clone(simulate(truth) + noise);

    auto unknowns = pv::tensor({0.15, 10.});
    for (int i = 0; i < 6; ++i) {
        const auto [residual, j] = residuals(unknowns, measured);
        const auto normal = pv::matmul(pv::transpose(j), j);
        const auto slope = pv::matmul(pv::transpose(j), residual);
        const double a = normal(0, 0), b = normal(0, 1), c = normal(1, 1);
        const double determinant = a * c - b * b;
        unknowns(0) -= (c * slope(0) - b * slope(1)) / determinant;
        unknowns(1) -= (a * slope(1) - b * slope(0)) / determinant;
        std::cout << "step " << i << ": residual " << pv::magnitude(residual) << " K, diffusivity "
                  << double(unknowns(0)) << " mm²/s\n";
    }
    check(std::abs(unknowns(0) / truth(0) - 1) < 0.01, "the diffusivity is found within 1 %");
    check(std::abs(unknowns(1) / truth(1) - 1) < 0.01, "the height is found within 1 %");

    // The derivatives themselves, beside differences.
    pv::check_gradient(
        pv::computation([&](auto x) { return pv::mean(pv::sq(temperatures(x) - measured)); },
                        pv::spec<double>({2})),
        pv::tensor({0.3, 15.}));
    return exit_status();
}
