/// Expressions over first-class dimensions. Products have the peers of the cases without `named_`.

#include "inputs.hpp"

#include <cmath>

namespace {

using namespace bench;

void add_product(pv::index_t n) {
    add(case_name("named_matmul", std::to_string(n), "float64"), [=] {
        const auto a = random_tensor({n, n}, 1), b = random_tensor({n, n}, 2);
        return made([=] {
            const auto [i, j, k] = pv::dims("i", "j", "k");
            return pv::Tensor<double>(a(i, k) * b(k, j) | pv::sum(k) | pv::order(i, j));
        });
    });
}

void add_products() {
    for (const pv::index_t n : {4, 8, 16, 64, 256})
        add(case_name("matmul", std::to_string(n), "float64"), [=] {
            const auto a = random_tensor({n, n}, 1), b = random_tensor({n, n}, 2);
            return made([=] { return pv::matmul(a, b); });
        });
    add_product(64);
    add_product(1024);
    add("named_batched/256x64/float64", [] {
        const auto a = random_tensor({256, 64, 64}, 1), b = random_tensor({256, 64, 64}, 2);
        return made([=] {
            const auto [n, i, j, k] = pv::dims("n", "i", "j", "k");
            return pv::Tensor<double>(a(n, i, k) * b(n, k, j) | pv::sum(k) | pv::order(n, i, j));
        });
    });
    add("named_attention_scores/4x128x8x64/float64", [] {
        const auto queries = random_tensor({4, 128, 8, 64}, 1);
        const auto keys = random_tensor({4, 128, 8, 64}, 2);
        return made([=] {
            const auto [b, q, k, h, f] = pv::dims("b", "q", "k", "h", "f");
            return pv::Tensor<double>(queries(b, q, h, f) * keys(b, k, h, f) | pv::sum(f) |
                                      pv::order(b, h, q, k));
        });
    });
    // Batch 8, length 128, 12 heads of 64 features; positions are relative.
    add("multi_head_attention/8x12x128x768/float32", [] {
        const auto Q = random_tensor<float>({8, 128, 768}, 1);
        const auto K = random_tensor<float>({8, 128, 768}, 2);
        const auto V = random_tensor<float>({8, 128, 768}, 3);
        const auto distances = random_tensor<float>({255, 64}, 4);
        return made([=] {
            const auto [batch, query, key, features] =
                pv::dims("batch", "query", "key", "features");
            const pv::Dim heads("heads", 12);
            const auto q = Q(batch, query, pv::joint(heads, features));
            const auto k = K(batch, key, pv::joint(heads, features));
            const auto v = V(batch, key, pv::joint(heads, features));
            const auto position = distances(query - key + 127, features);
            const auto scores = (q * k | pv::sum(features)) + (q * position | pv::sum(features)) +
                                (k * position | pv::sum(features));
            const auto weights = scores / std::sqrt(features.size()) | pv::softmax(key);
            return pv::Tensor<float>(weights * v | pv::sum(key) |
                                     pv::order(batch, query, pv::joint(heads, features))) |
                   pv::clone;
        });
    });
}

void add_movement() {
    add("pixel_shuffle/8x64x128x128/float32", [] {
        const auto image = random_tensor<float>({8, 64, 128, 128}, 1);
        return made([=] {
            const auto [b, c, h, w] = pv::dims("b", "c", "h", "w");
            const pv::Dim h2("h2", 2), w2("w2", 2);
            return pv::Tensor<float>(image(b, pv::joint(c, h2, w2), h, w) |
                                     pv::order(b, c, pv::joint(h, h2), pv::joint(w, w2))) |
                   pv::clone;
        });
    });
}

void add_embedding_bag() {
    add("embedding_bag/100000x64/float32", [] {
        const auto table = random_tensor<float>({100'000, 64}, 1);
        const auto ids = pv::empty<pv::index_t>({4096, 32});
        fill_random_indexes(pv::as_span(ids).data(), 4096 * 32, 100'000);
        return made([=] {
            const auto [batch, sequence, features] = pv::dims("batch", "sequence", "features");
            return pv::Tensor<float>(table(ids(batch, sequence), features) | pv::sum(sequence) |
                                     pv::order(batch, features));
        });
    });
}

void add_masks() {
    const auto add_of_matrix = [](const char* name, auto run) {
        add(case_name(name, "4096x4096", "float64"), [=] {
            const auto a = random_tensor({4096, 4096}, 1), out = pv::empty({4096, 4096});
            return into(out, [=](const auto& result) {
                const auto [i, j] = pv::dims("i", "j");
                pv::copy(run(a, i, j), result);
            });
        });
    };
    add_of_matrix("triu", [](const auto& a, const auto& i, const auto& j) {
        return pv::where(i <= j, a(i, j), 0.0) | pv::order(i, j);
    });
    add_of_matrix("diff", [](const auto& a, const auto& i, const auto& j) {
        return pv::where(j - 1 >= 0, a(i, j) - a(i, j - 1), a(i, j)) | pv::order(i, j);
    });
    add("sequence_mask/4096x4096/float64", [] {
        const auto values = random_tensor({4096, 4096}, 1), out = pv::empty({4096, 4096});
        const auto lengths = pv::empty<pv::index_t>({4096});
        fill_random_indexes(pv::as_span(lengths).data(), 4096);
        return into(out, [=](const auto& result) {
            const auto [i, j] = pv::dims("i", "j");
            pv::copy(pv::where(j < lengths(i), values(i, j), 0.0) | pv::order(i, j), result);
        });
    });
}

void add_notation() {
    add("dims_product/3x4x5/float64", [] {
        keep_second_thread();
        const auto a = random_tensor({3, 4}, 1), b = random_tensor({4, 5}, 2);
        const auto [i, j, k] = pv::dims("i", "j", "k");
        return made([=, i = i, j = j, k = k] {
            return pv::Tensor<double>(a(i, k) * b(k, j) | pv::order(i, j, k));
        });
    });
    add("dims_shifted/2000x3000/float64", [] {
        keep_second_thread();
        const auto a = random_tensor({2000, 3000}, 1);
        const pv::Dim i("i", 1999), j("j", 3000);
        return Task{[=] { return a(i + 1, j); },
                    [=] { return summary_of(pv::Tensor<double>(a(i + 1, j) | pv::order(i, j))); }};
    });
    add("dims_diagonal/2000x2000/float64", [] {
        keep_second_thread();
        const auto a = random_tensor({2000, 2000}, 1);
        const pv::Dim i("i", 2000);
        return Task{[=] { return a(i, i); },
                    [=] { return summary_of(pv::Tensor<double>(a(i, i) | pv::order(i))); }};
    });
}

const Cases dims([] {
    add_products();
    add_movement();
    add_embedding_bag();
    add_masks();
    add_notation();
});

} // namespace
