/// The gradients of ../purview/gradients.cpp as one writes them down, in a computation, too.

#include "../purview/models.hpp"

namespace {

using namespace bench;

auto turned(const auto& matrix) { return pv::transpose(matrix, {1, 0}); }

void add_chain(pv::index_t n) {
    const Chain model{n};
    add_model("gradient_chain", "float64", model, [=](const auto& x) {
        return std::tuple(model.loss(x), 2.0 * pv::sin(x) * pv::cos(x) - pv::exp(-x));
    });
}

void add_logistic(pv::index_t n) {
    const Logistic model{n};
    add_model("gradient_logistic", "float64", model,
              [=](const auto& x, const auto& y, const auto& w) {
                  const auto z = pv::matmul(x, w);
                  const auto rest = (pv::logistic(z) - y) / static_cast<double>(n);
                  return std::tuple(pv::mean(pv::logaddexp(z, 0.0) - y * z), pv::matmul(rest, x));
              });
}

void add_layers() {
    add_model("gradient_layers", "float32", Layers{},
              [](const auto& x, const auto& t, const auto& w1, const auto& w2) {
                  const auto a = pv::tanh(pv::matmul(x, w1));
                  const auto z = pv::matmul(a, w2);
                  const auto most = pv::max(z, 1, pv::keep_dims);
                  const auto e = pv::exp(z - most);
                  const auto sums = pv::sum(e, 1, pv::keep_dims);
                  const auto loss =
                      pv::mean(pv::squeeze(pv::log(sums) + most, {1}) - pv::sum(z * t, 1));
                  const auto by_z = (e / sums - t) / static_cast<float>(Layers::kBatch);
                  const auto by_h = pv::matmul(by_z, turned(w2)) * (1.f - a * a);
                  return std::tuple(loss, pv::matmul(turned(x), by_h), pv::matmul(turned(a), by_z));
              });
}

void add_heat() {
    add_model("gradient_heat", "float64", Heat{}, [](const auto& start, const auto& k) {
        using U = decltype(start + k * Heat::curvature(start));
        std::vector<U> curvatures;
        U u = start + 0.0;
        for (int i = 0; i < Heat::kSteps; ++i) {
            curvatures.push_back(Heat::curvature(u));
            u = u + k * curvatures.back();
        }
        U by_u = 2.0 * u;
        auto by_k = pv::sum(by_u * curvatures.back());
        for (int i = Heat::kSteps - 1; i > 0; --i) {
            by_u = by_u + k * Heat::curvature(by_u);
            by_k = by_k + pv::sum(by_u * curvatures[static_cast<std::size_t>(i - 1)]);
        }
        return std::tuple(pv::sum(pv::sq(u)), by_k);
    });
}

void add_embedding() {
    add(case_name("gradient_embedding", Embedding{}.size(), "float32"), [] {
        const Embedding model;
        const auto value = traced(model, [=](const auto&... x) { return model.loss(x...); });
        const auto inputs = model.inputs();
        const auto run = [=] {
            const auto& [table, ids, weights] = inputs;
            const auto by_table = pv::zeros<float>({Embedding::kWords, Embedding::kFeatures});
            pv::add_to(pv::take(by_table, ids, 0), weights);
            return std::tuple(value(table, ids, weights), by_table);
        };
        return Task{run, [=] { return summary_of(run()); }};
    });
}

void add_fit() {
    const Fit model;
    add_model("jacobian_fit", "float64", model, [=](const auto& x, const auto& p) {
        const auto decay = pv::exp(-p(1) * x), wave = pv::sin(p(3) * x);
        using Column = std::remove_const_t<decltype(decay)>;
        const std::vector<Column> columns{decay, -p(0) * x * decay, wave,
                                          p(2) * x * pv::cos(p(3) * x), 0.0 * x + 1.0};
        return std::tuple(p(0) * decay + p(2) * wave + p(4), pv::stack(columns, 1));
    });
}

const Cases gradients([] {
    for (const pv::index_t n : {1'000, 10'000'000}) add_chain(n);
    for (const pv::index_t n : {1'000, 100'000}) add_logistic(n);
    add_layers();
    add_heat();
    add_embedding();
    add_fit();
});

} // namespace
