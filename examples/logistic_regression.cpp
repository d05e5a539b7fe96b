/// Logistic regression: the loss is written with dims, its gradient is traced, and NLopt's L-BFGS finds the least one.

#include "check.hpp"

#include <purview/purview.hpp>

#include <nlopt.hpp>

#include <cmath>
#include <functional>
#include <iostream>
#include <vector>

namespace pv = purview;
using pv::index_t;

/// What NLopt calls: the value at p, and the gradient where it asks for one.
using Objective = std::function<double(const std::vector<double>& p, std::vector<double>& by_p)>;
double call(const std::vector<double>& p, std::vector<double>& by_p, void* objective) {
    return (*static_cast<Objective*>(objective))(p, by_p);
}

int main() {
    // People with four features, who say yes with a probability that depends on those. The other half is held back.
    const index_t people = 4000, features = 4;
    const auto everything = pv::clone(pv::random_normal({people, features}, 1));
    const auto truth = pv::tensor({1.5, -2., 0.5, 0.});
    const auto chance = pv::logistic(pv::matmul(everything, truth) - 0.5);
    const auto answers = pv::clone(pv::cast<double>(pv::random_uniform({people}, 2) < chance));
    const auto seen = pv::range(0, people / 2), held_back = pv::range(people / 2, people);

    // [loss]
    // p has the weights and, last, the offset. The loss of a person who answers t, 0 or 1, is the negative logarithm of
    // the likelihood of that: log(1 + exp(z)) - t z.
    const auto x = everything(seen), t = answers(seen); // read at each call
    const auto loss = pv::computation(
        [=](auto p) {
            auto [i, k] = pv::dims<2>();
            auto w = p(pv::range(0, -1));
            auto z = pv::sum(x(i, k) * w(k), k) + p(-1);
            return pv::mean(pv::logaddexp(0.0, z) - t(i) * z, i) + 1e-3 * pv::sum(w(k) * w(k), k);
        },
        pv::spec<double>({features + 1}));
    const auto value_and_gradient = pv::value_and_gradient(loss);
    // [/loss]

    // [nlopt]
    int calls = 0;
    Objective objective = [&](const std::vector<double>& p, std::vector<double>& by_p) {
        ++calls;
        const auto [value, gradient] = value_and_gradient(pv::borrow(p));
        if (!by_p.empty()) pv::copy(gradient, pv::borrow(by_p));
        return value.item(); // dims leave a tensor of rank 0
    };
    nlopt::opt optimiser(nlopt::LD_LBFGS, features + 1);
    optimiser.set_min_objective(call, &objective);
    optimiser.set_ftol_rel(1e-12);
    std::vector<double> p(features + 1, 0.0);
    double least = 0;
    optimiser.optimize(p, least);
    // [/nlopt]

    const auto found = pv::borrow(p);
    std::cout << "after " << calls << " calls a loss of " << least << " at\n" << found << '\n';
    const auto gradient = pv::gradient(loss)(found);
    check(pv::max(pv::abs(gradient)) < 1e-5, "the gradient is 0 there");
    check(calls < 50, "it takes few calls");
    check(pv::max(pv::abs(found(pv::range(0, -1)) - truth)) < 0.25, "the weights are found");
    check(std::abs(p.back() + 0.5) < 0.25, "the offset is found");

    const auto z = pv::matmul(everything(held_back), found(pv::range(0, -1))) + p.back();
    const double right = pv::mean(pv::cast<double>((z > 0) == (answers(held_back) > 0.5)));
    std::cout << 100 * right << " % of what was held back is told\n";
    check(right > 0.8, "it tells what it has not seen");
    return exit_status();
}
