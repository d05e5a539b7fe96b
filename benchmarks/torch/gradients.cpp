/// libtorch's autograd: a pass forwards, which records, and one backwards.

#include "../support/cases.hpp"
#include "../support/loop_data.hpp"

#include <torch/torch.h>

#include <tuple>
#include <vector>

namespace {

using namespace bench;
using torch::Tensor;

template <typename T>
Tensor random_tensor(std::vector<std::int64_t> shape, std::uint64_t seed, T scale = T{1}) {
    at::set_num_threads(threads());
    const Tensor tensor = torch::empty(shape, torch::CppTypeToScalarType<T>::value);
    fill_random(tensor.data_ptr<T>(), static_cast<std::size_t>(tensor.numel()), seed, scale);
    return tensor;
}

/// Of a value and gradients, one behind the other.
Summary summary_of(const std::vector<Tensor>& outputs) {
    Summary all;
    for (const Tensor& output : outputs) {
        const Tensor values = output.to(torch::kFloat64).contiguous();
        const Summary one = output.dim() == 0
                                ? Summary{values.item<double>()}
                                : bench::summary_of(values.data_ptr<double>(),
                                                    static_cast<std::size_t>(values.numel()));
        all.insert(all.end(), one.begin(), one.end());
    }
    return all;
}

/// Cases `forward_…` and `gradient_…` of the loss that `prepare` makes, by the tensors beside it.
template <typename Prepare>
void add_gradient(const std::string& of, Prepare prepare) {
    add("forward_" + of, [=] {
        const auto [loss, by] = prepare();
        const auto run = [=, loss = loss] {
            const c10::InferenceMode guard;
            return loss();
        };
        return Task{run, [=] { return summary_of({run()}); }};
    });
    add("gradient_" + of, [=] {
        auto [loss, by] = prepare();
        for (Tensor& x : by) x.requires_grad_();
        const auto run = [=, loss = loss, by = by] {
            std::vector<Tensor> outputs{loss()};
            for (const Tensor& slope : torch::autograd::grad({outputs[0]}, by))
                outputs.push_back(slope);
            outputs[0] = outputs[0].detach();
            return outputs;
        };
        return Task{run, [=] { return summary_of(run()); }};
    });
}

template <typename Loss>
auto differentiated(Loss loss, std::vector<Tensor> by) {
    return std::pair(loss, by);
}

void add_losses() {
    for (const std::int64_t n : {1'000, 10'000'000})
        add_gradient(case_name("chain", std::to_string(n), "float64"), [=] {
            const auto x = random_tensor<double>({n}, 1);
            return differentiated([=] { return (x.sin().square() + (-x).exp()).sum(); }, {x});
        });
    for (const std::int64_t n : {1'000, 100'000})
        add_gradient(case_name("logistic", std::to_string(n) + "x50", "float64"), [=] {
            const auto x = random_tensor<double>({n, 50}, 1);
            const auto y = random_tensor<double>({n}, 2).round();
            const auto w = random_tensor<double>({50}, 3, 0.1);
            const auto zero = torch::zeros({}, torch::kFloat64);
            return differentiated(
                [=] {
                    const Tensor z = torch::mv(x, w);
                    return (torch::logaddexp(z, zero) - y * z).mean();
                },
                {w});
        });
    add_gradient("layers/256x784x128x10/float32", [] {
        const auto x = random_tensor<float>({256, 784}, 1);
        const auto w1 = random_tensor<float>({784, 128}, 2, 0.01f);
        const auto w2 = random_tensor<float>({128, 10}, 3, 0.1f);
        const auto t = torch::zeros({256, 10});
        for (std::int64_t i = 0; i < 256; ++i) t.data_ptr<float>()[i * 10 + i * 7 % 10] = 1;
        return differentiated(
            [=] {
                const Tensor z = torch::mm(torch::tanh(torch::mm(x, w1)), w2);
                return (torch::logsumexp(z, 1) - (z * t).sum(1)).mean();
            },
            {w1, w2});
    });
    add_gradient("embedding/1000000_of_100000x16/float32", [] {
        const auto table = random_tensor<float>({100'000, 16}, 1);
        const auto ids = torch::empty({1'000'000}, torch::kInt64);
        fill_random_indexes(ids.data_ptr<std::int64_t>(), 1'000'000, 100'000);
        const auto weights = random_tensor<float>({1'000'000, 16}, 2);
        return differentiated([=] { return (torch::embedding(table, ids) * weights).sum(); },
                              {table});
    });
}

/// Unrolled: autograd keeps each of the steps.
auto ring(std::size_t steps, bool by_start) {
    const auto start = random_tensor<double>({kRingPoints}, 1);
    const auto k = torch::full({}, kRingDiffusivity, torch::kFloat64);
    const auto loss = [=] {
        Tensor u = start;
        for (std::size_t i = 0; i < steps; ++i) u = u + k * (u.roll(1) - 2.0 * u + u.roll(-1));
        return u.square().sum();
    };
    return differentiated(loss, by_start ? std::vector{start, k} : std::vector{k});
}

/// Its own recurrent network: all inputs are multiplied at once, before the steps.
auto recurrent_network() {
    const auto sentence = random_tensor<float>({kCellSteps, kCellInputs}, 1);
    const auto of_input = random_tensor<float>({kCellGates, kCellInputs}, 2, 0.1f);
    const auto of_seen = random_tensor<float>({kCellGates, kCellUnits}, 3, 0.1f);
    const auto b = random_tensor<float>({kCellGates}, 4, 0.1f);
    const auto zero = torch::zeros({kCellGates}), state = torch::zeros({1, 1, kCellUnits});
    const auto loss = [=] {
        const auto outputs = std::get<0>(torch::lstm(sentence.unsqueeze(1), {state, state},
                                                     {of_input, of_seen, b, zero}, true, 1, 0.0,
                                                     false, false, false));
        return (outputs - 0.5).square().mean();
    };
    return differentiated(loss, {of_input, of_seen, b});
}

void add_loops() {
    add_gradient("heat/200_of_1000/float64", [] { return ring(kRingSteps, false); });
    add_gradient("iterate/1000_of_1000/float64", [] { return ring(kLongRingSteps, true); });
    add_gradient("lstm/1000_of_64/float32", [] { return recurrent_network(); });
}

Tensor fitted(const Tensor& x, const Tensor& p) {
    return p[0] * (-p[1] * x).exp() + p[2] * (p[3] * x).sin() + p[4];
}

void add_jacobian() {
    add("forward_fit/10000x5/float64", [] {
        const auto x = random_tensor<double>({10'000}, 1), p = random_tensor<double>({5}, 2);
        const auto run = [=] {
            const c10::InferenceMode guard;
            return fitted(x, p);
        };
        return Task{run, [=] { return summary_of({run()}); }};
    });
    // Forward mode by two of reverse mode: the gradient by p is linear in v, and its derivatives by v are J.
    add("jacobian_fit/10000x5/float64", [] {
        const auto x = random_tensor<double>({10'000}, 1), p = random_tensor<double>({5}, 2);
        const auto v = torch::zeros({10'000}, torch::kFloat64);
        p.requires_grad_();
        v.requires_grad_();
        const auto run = [=] {
            const Tensor y = fitted(x, p);
            const Tensor by_p = torch::autograd::grad({y}, {p}, {v}, true, true)[0];
            std::vector<Tensor> columns;
            for (std::int64_t k = 0; k < 5; ++k)
                columns.push_back(torch::autograd::grad({by_p[k]}, {v}, {}, true)[0]);
            return std::vector{y.detach(), torch::stack(columns, 1)};
        };
        return Task{run, [=] { return summary_of(run()); }};
    });
}

const Cases gradients([] {
    add_losses();
    add_loops();
    add_jacobian();
});

} // namespace
