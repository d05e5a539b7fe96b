/// Networks over dims, after torchdim's README: a Gram matrix, attention, attention with many heads and relative positions, and
/// a loss that knows of its dims by argument. Each result is compared with that of loops.

#include "check.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <vector>

namespace pv = purview;
using pv::index_t;

namespace {

/// Numbers between -1 and 1, of no pattern.
pv::MutableTensor<double> some(pv::AxisValues shape) {
    static double phase = 0;
    auto t = pv::zeros(shape);
    for (auto element : t) element = std::sin(phase += 1.7);
    return t;
}

bool close(const pv::Tensor<double>& x, const pv::Tensor<double>& y) {
    return x.shape() == y.shape() && pv::all_of(pv::abs(x - y) < 1e-12);
}

/// The softmax of scores, by loops.
std::vector<double> probabilities(std::vector<double> scores) {
    double sum = 0;
    for (double& score : scores) sum += score = std::exp(score);
    for (double& score : scores) score /= sum;
    return scores;
}

void gram_matrix() {
    auto y = some({2, 3, 4, 5});
    auto loops = pv::zeros({2, 3, 3});
    for (index_t n = 0; n < 2; ++n)
        for (index_t p = 0; p < 3; ++p)
            for (index_t q = 0; q < 3; ++q)
                for (index_t r = 0; r < 4; ++r)
                    for (index_t s = 0; s < 5; ++s)
                        loops(n, p, q) += y(n, p, r, s) * y(n, q, r, s) / 20;
    // [gram]
    auto [b, c, c2, h, w] = pv::dims("b", "c", "c2", "h", "w");
    auto sums = y(b, c, h, w) * y(b, c2, h, w) | pv::sum(h, w);
    pv::Tensor<double> gram = sums / (h.size() * w.size()) | pv::order(b, c, c2);
    // [/gram]
    check(close(gram, loops), "the Gram matrix");
}

void attention() {
    auto K = some({2, 3, 4});
    auto Q = some({2, 3, 4});
    auto V = some({2, 3, 4});
    auto loops = pv::zeros({2, 6, 4});
    for (index_t n = 0; n < 2; ++n)
        for (index_t q = 0; q < 4; ++q) {
            std::vector<double> scores(4, 0.0);
            for (index_t k = 0; k < 4; ++k)
                for (index_t c = 0; c < 3; ++c)
                    scores[static_cast<std::size_t>(k)] += K(n, c, k) * Q(n, c, q) / std::sqrt(3);
            const std::vector<double> p = probabilities(scores);
            for (index_t c = 0; c < 3; ++c) {
                for (index_t k = 0; k < 4; ++k)
                    loops(n, c, q) += p[static_cast<std::size_t>(k)] * V(n, c, k);
                loops(n, 3 + c, q) = Q(n, c, q);
            }
        }
    // [attention]
    auto [batch, channel, key, query, both] = pv::dims("batch", "channel", "key", "query", "both");
    auto k = K(batch, channel, key);
    auto q = Q(batch, channel, query);
    auto v = V(batch, channel, key);
    auto scores = k * q | pv::sum(channel);
    auto a = scores / std::sqrt(channel.size()) | pv::softmax(key);
    auto r = v * a | pv::sum(key);
    pv::Tensor<double> result = pv::cat({r, q}, channel, both) | pv::order(batch, both, query);
    // [/attention]
    check(close(result, loops), "attention");
}

void multi_head_attention() {
    constexpr index_t kBatch = 2, kLength = 5, kHeads = 3, kFeatures = 4;
    auto Q = some({kBatch, kLength, kHeads * kFeatures});
    auto K = some({kBatch, kLength, kHeads * kFeatures});
    auto V = some({kBatch, kLength, kHeads * kFeatures});
    auto distances = some({2 * kLength - 1, kFeatures});

    auto loops = pv::zeros({kBatch, kLength, kHeads * kFeatures});
    for (index_t n = 0; n < kBatch; ++n)
        for (index_t h = 0; h < kHeads; ++h)
            for (index_t q = 0; q < kLength; ++q) {
                std::vector<double> scores(kLength, 0.0);
                for (index_t k = 0; k < kLength; ++k)
                    for (index_t f = 0; f < kFeatures; ++f) {
                        const double query = Q(n, q, h * kFeatures + f);
                        const double key = K(n, k, h * kFeatures + f);
                        const double position = distances(q - k + kLength - 1, f);
                        scores[static_cast<std::size_t>(k)] +=
                            (query * key + query * position + key * position) / 2;
                    }
                const std::vector<double> p = probabilities(scores);
                for (index_t k = 0; k < kLength; ++k)
                    for (index_t f = 0; f < kFeatures; ++f)
                        loops(n, q, h * kFeatures + f) +=
                            p[static_cast<std::size_t>(k)] * V(n, k, h * kFeatures + f);
            }
    // [multi-head-attention]
    auto [batch, query, key, features] = pv::dims("batch", "query", "key", "features");
    pv::Dim heads("heads", kHeads);
    auto q = Q(batch, query, pv::joint(heads, features));
    auto k = K(batch, key, pv::joint(heads, features));
    auto v = V(batch, key, pv::joint(heads, features));
    auto position = distances(query - key + (kLength - 1), features); // a view

    auto scores = (q * k | pv::sum(features)) + (q * position | pv::sum(features)) +
                  (k * position | pv::sum(features));
    auto weights = scores / std::sqrt(features.size()) | pv::softmax(key);
    pv::Tensor<double> context =
        weights * v | pv::sum(key) | pv::order(batch, query, pv::joint(heads, features));
    // [/multi-head-attention]
    check(close(context, loops), "attention with many heads and relative positions");
}

void loss() {
    auto w1 = some({6, 5});
    auto w2 = some({5, 3});
    auto images = some({4, 6});
    auto labels = pv::tensor({2, 0, 1, 2});
    double loops = 0;
    for (index_t n = 0; n < 4; ++n) {
        std::vector<double> logits(3, 0.0);
        for (index_t h = 0; h < 5; ++h) {
            double hidden = 0;
            for (index_t i = 0; i < 6; ++i) hidden += images(n, i) * w1(i, h);
            for (index_t c = 0; c < 3; ++c)
                logits[static_cast<std::size_t>(c)] += std::max(hidden, 0.0) * w2(h, c);
        }
        loops -= std::log(probabilities(logits)[static_cast<std::size_t>(labels(n))]) / 4;
    }
    // [loss]
    auto [batch, inputs, hidden, classes] = pv::dims("batch", "inputs", "hidden", "classes");
    auto loss = [&](const auto& first, const auto& second, const auto& image, const auto& label) {
        auto activations = pv::maximum(image * first | pv::sum(inputs), 0.0);
        auto logits = activations * second | pv::sum(hidden);
        auto chosen = pv::where(label == classes, logits | pv::softmax(classes), 0.0);
        auto log = [](double x) { return std::log(x); };
        return -pv::mean(chosen | pv::sum(classes) | pv::emap(log), batch);
    };
    double value =
        loss(w1(inputs, hidden), w2(hidden, classes), images(batch, inputs), labels(batch));
    // [/loss]
    check(std::abs(value - loops) < 1e-12, "the loss");
}

} // namespace

int main() {
    gram_matrix();
    attention();
    multi_head_attention();
    loss();
    return exit_status();
}
