#pragma once

/// What is differentiated, with its data: by `gradient` in gradients.cpp, and by hand in ../by_hand. A model has the
/// `inputs` of its `loss`, the `specs` of those, and its `size` as the name of a case has it.

#include "../support/loop_data.hpp"
#include "inputs.hpp"

#include <cstddef>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>

namespace bench {

/// Of a scalar field: one pass forwards, one backwards.
struct Chain {
    pv::index_t n;

    std::string size() const { return std::to_string(n); }
    auto specs() const { return std::tuple(pv::spec<double>({n})); }
    auto inputs() const { return std::tuple(random_tensor({n}, 1)); }
    auto loss(const auto& x) const { return pv::sum(pv::sq(pv::sin(x)) + pv::exp(-x)); }
};

/// Logistic regression, n x features, over dims.
struct Logistic {
    pv::index_t n;
    pv::index_t features = 50;

    std::string size() const { return std::to_string(n) + "x" + std::to_string(features); }
    auto specs() const {
        return std::tuple(pv::spec<double>({n, features}), pv::spec<double>({n}),
                          pv::spec<double>({features}));
    }
    auto inputs() const {
        const auto answers = pv::clone(pv::round(random_tensor({n}, 2)));
        return std::tuple(random_tensor({n, features}, 1), answers,
                          random_tensor({features}, 3, 0.1));
    }
    auto loss(const auto& x, const auto& y, const auto& w) const {
        const auto [i, k] = pv::dims<2>();
        const auto z = pv::sum(x(i, k) * w(k), k);
        return pv::mean(pv::logaddexp(z, 0.0) - y(i) * z, i);
    }
};

/// Two layers that tell ten classes apart.
struct Layers {
    static constexpr pv::index_t kBatch = 256, kPixels = 784, kHidden = 128, kClasses = 10;

    std::string size() const { return "256x784x128x10"; }
    auto specs() const {
        return std::tuple(pv::spec<float>({kBatch, kPixels}), pv::spec<float>({kBatch, kClasses}),
                          pv::spec<float>({kPixels, kHidden}),
                          pv::spec<float>({kHidden, kClasses}));
    }
    auto inputs() const {
        const auto classes = pv::zeros<float>({kBatch, kClasses});
        for (pv::index_t i = 0; i < kBatch; ++i) classes(i, i * 7 % kClasses) = 1;
        return std::tuple(random_tensor<float>({kBatch, kPixels}, 1), classes,
                          random_tensor<float>({kPixels, kHidden}, 2, 0.01f),
                          random_tensor<float>({kHidden, kClasses}, 3, 0.1f));
    }
    auto loss(const auto& x, const auto& t, const auto& w1, const auto& w2) const {
        const auto z = pv::matmul(pv::tanh(pv::matmul(x, w1)), w2);
        return pv::mean(pv::logsumexp(z, 1) - pv::sum(z * t, 1));
    }
};

/// Explicit steps of the heat equation around a ring, by its diffusivity.
struct Heat {
    static constexpr pv::index_t kPoints = 1000;
    static constexpr int kSteps = 200;

    std::string size() const { return "200_of_1000"; }
    auto specs() const { return std::tuple(pv::spec<double>({kPoints}), pv::spec<double>()); }
    auto inputs() const { return std::tuple(random_tensor({kPoints}, 1), 0.1); }
    static auto curvature(const auto& u) {
        return pv::rotate(u, {1}) - 2.0 * u + pv::rotate(u, {-1});
    }
    auto loss(const auto& start, const auto& k) const {
        auto u = start + k * curvature(start);
        for (int i = 1; i < kSteps; ++i) u = u + k * curvature(u);
        return pv::sum(pv::sq(u));
    }
};

/// The same by `iterate`, whatever the number of steps.
struct IteratedHeat {
    pv::index_t steps = Heat::kSteps;

    std::string size() const { return std::to_string(steps) + "_of_1000"; }
    auto specs() const { return Heat{}.specs(); }
    auto inputs() const { return Heat{}.inputs(); }
    auto loss(const auto& start, const auto& k) const {
        const auto step = [=](auto u) { return u + k * Heat::curvature(u); };
        return pv::sum(pv::sq(pv::iterate(step, start, steps)));
    }
};

/// A recurrent network with one layer: a sentence, the weights of its inputs and of what was seen, and a bias; gates
/// in the order of libtorch's.
struct Lstm {
    std::string size() const { return "1000_of_64"; }
    auto specs() const {
        return std::tuple(pv::spec<float>({kCellSteps, kCellInputs}),
                          pv::spec<float>({kCellGates, kCellInputs}),
                          pv::spec<float>({kCellGates, kCellUnits}), pv::spec<float>({kCellGates}));
    }
    auto inputs() const {
        return std::tuple(random_tensor<float>({kCellSteps, kCellInputs}, 1),
                          random_tensor<float>({kCellGates, kCellInputs}, 2, 0.1f),
                          random_tensor<float>({kCellGates, kCellUnits}, 3, 0.1f),
                          random_tensor<float>({kCellGates}, 4, 0.1f));
    }
    auto loss(const auto& sentence, const auto& of_input, const auto& of_seen,
              const auto& b) const {
        const auto cell = [=](auto state, auto input) {
            auto [seen, kept] = state;
            auto gates = pv::matmul(of_input, input) + pv::matmul(of_seen, seen) + b;
            auto gate = [&](pv::index_t i) {
                return gates(pv::range(kCellUnits * i, kCellUnits * (i + 1)));
            };
            auto next = pv::logistic(gate(1)) * kept + pv::logistic(gate(0)) * pv::tanh(gate(2));
            auto output = pv::logistic(gate(3)) * pv::tanh(next);
            return std::pair(std::tuple(output, next), output);
        };
        const auto zeros = pv::zeros<float>({kCellUnits});
        const auto outputs = pv::scan_over(cell, std::tuple(zeros, zeros), sentence).second;
        return pv::mean(pv::sq(outputs - 0.5));
    }
};

/// Rows of a table, weighted and added up.
struct Embedding {
    static constexpr pv::index_t kIds = 1'000'000, kWords = 100'000, kFeatures = 16;

    std::string size() const { return "1000000_of_100000x16"; }
    auto specs() const {
        return std::tuple(pv::spec<float>({kWords, kFeatures}), pv::spec<pv::index_t>({kIds}),
                          pv::spec<float>({kIds, kFeatures}));
    }
    auto inputs() const {
        const auto ids = pv::empty<pv::index_t>({kIds});
        fill_random_indexes(pv::as_span(ids).data(), kIds, kWords);
        return std::tuple(random_tensor<float>({kWords, kFeatures}, 1), ids,
                          random_tensor<float>({kIds, kFeatures}, 2));
    }
    auto loss(const auto& table, const auto& ids, const auto& weights) const {
        return pv::sum(pv::take(table, ids, 0) * weights);
    }
};

/// Measurements by five parameters.
struct Fit {
    pv::index_t n = 10'000;

    std::string size() const { return std::to_string(n) + "x5"; }
    auto specs() const { return std::tuple(pv::spec<double>({n}), pv::spec<double>({5})); }
    auto inputs() const { return std::tuple(random_tensor({n}, 1), random_tensor({5}, 2)); }
    auto values(const auto& x, const auto& p) const {
        return p(0) * pv::exp(-p(1) * x) + p(2) * pv::sin(p(3) * x) + p(4);
    }
};

/// `f` of the model's arguments, traced and compiled.
template <typename Model, typename F>
auto traced(const Model& model, F f) {
    return std::apply([&](const auto&... spec) { return pv::computation(f, spec...); },
                      model.specs());
}

template <typename... Y>
Summary summary_of(const std::tuple<Y...>& outputs);
template <typename Y>
Summary summary_of_output(const Y& y) {
    if constexpr (std::is_arithmetic_v<Y>)
        return {static_cast<double>(y)};
    else if constexpr (requires { std::tuple_size<Y>::value; })
        return summary_of(y);
    else if (y.rank() == 0)
        return {static_cast<double>(y.item())};
    else
        return summary_of(pv::Tensor<typename Y::value_type>(y));
}
template <typename... Y>
Summary summary_of(const std::tuple<Y...>& outputs) {
    Summary all;
    const auto append = [&](const Summary& one) { all.insert(all.end(), one.begin(), one.end()); };
    std::apply([&](const Y&... y) { (append(summary_of_output(y)), ...); }, outputs);
    return all;
}

/// A case of `f` of the model's arguments, called with its inputs.
template <typename Model, typename F>
void add_model(const std::string& name, const char* dtype, const Model& model, F f) {
    add(case_name(name, model.size(), dtype), [=] {
        const auto c = traced(model, f);
        const auto inputs = model.inputs();
        const auto run = [=] { return std::apply(c, inputs); };
        return Task{run, [=] { return summary_of_output(run()); }};
    });
}

} // namespace bench
