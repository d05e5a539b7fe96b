/// Two layers that read handwritten digits: a step down the slope of the loss, by four variables, is one computation.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cstdint>
#include <iostream>
#include <tuple>

namespace pv = purview;
using pv::index_t;

int main() {
    // Each row has the 64 points of a picture, 0 to 16, and then the digit.
    const auto rows = pv::load_npy<std::uint8_t>(PURVIEW_EXAMPLE_DATA_DIR "/digits.npy");
    const auto pictures = pv::clone(pv::cast<float>(rows(pv::all, pv::range(0, 64))) / 16);
    const auto digits = pv::clone(pv::cast<std::int64_t>(rows(pv::all, 64)));
    const index_t seen = 400, hidden = 32;
    const auto held_back = pv::clone(pv::arange(rows.extent(0)) % 5 == 0); // 100 of 500

    // [layers]
    const auto w1 = pv::variable(pv::random_normal<float>({64, hidden}, 1, 0, 0.15), "w1");
    const auto b1 = pv::variable(pv::zeros<float>({hidden}), "b1");
    const auto w2 = pv::variable(pv::random_normal<float>({hidden, 10}, 2, 0, 0.15), "w2");
    const auto b2 = pv::variable(pv::zeros<float>({10}), "b2");
    const auto scores = [=](const auto& x) {
        return pv::matmul(pv::relu(pv::matmul(x, w1) + b1), w2) + b2; // [n, 10]
    };
    const auto step = pv::computation(
        [=](auto x, auto digit) {
            auto score = scores(x);
            auto right = pv::cast<float>(digit(pv::all, pv::new_axis) == pv::arange(index_t{10}));
            auto loss = pv::mean(pv::logsumexp(score, 1) - pv::sum(score * right, {1}));
            auto [by_w1, by_b1, by_w2, by_b2] = pv::gradient(loss, w1, b1, w2, b2);
            const float rate = 0.5F;
            return std::tuple(loss, w1 - rate * by_w1, b1 - rate * by_b1, w2 - rate * by_w2,
                              b2 - rate * by_b2);
        },
        pv::spec<float>({seen, 64}), pv::spec<std::int64_t>({seen}));
    // [/layers]
    const auto told = pv::computation(scores, pv::spec<float>({pv::any_size, 64}));
    const auto share_told = [&](const auto& mask) {
        const auto best = pv::argmax(told(pictures(mask)), 1);
        return pv::mean(pv::cast<double>(best == digits(mask)));
    };
    const auto x = pv::clone(pictures(!held_back));
    const auto digit = pv::clone(digits(!held_back));

    float loss = 0;
    for (int i = 0; i < 300; ++i) {
        const auto [now, next_w1, next_b1, next_w2, next_b2] = step(x, digit);
        loss = now;
        w1.update(next_w1), b1.update(next_b1), w2.update(next_w2), b2.update(next_b2);
    }
    const double known = share_told(!held_back), new_to_it = share_told(held_back);
    std::cout << "loss " << loss << "; right are " << 100 * known << " % of the " << seen
              << " digits it was trained with, and " << 100 * new_to_it << " % of the others\n";
    check(known > 0.95, "what it was trained with");
    check(new_to_it > 0.85, "what it has not seen");
    return exit_status();
}
