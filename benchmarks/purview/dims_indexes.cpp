/// Images and tables that are indexed by expressions of dims: pools, windows, resizing, scatters.

#include "inputs.hpp"

namespace {

using namespace bench;

constexpr pv::index_t kSide = 1024, kHeight = 700, kWidth = 900, kSmall = 512;

/// `n` indexes from 0 to `bound - 2`, ascending: where a pixel of the result lies in the source.
pv::MutableTensor<pv::index_t> resized(pv::index_t n, pv::index_t bound) {
    return pv::clone(pv::arange(n) * (bound - 1) / n);
}

void add_repeats() {
    add("upsample/1024x1024/float64", [] {
        const auto image = random_tensor({kSide, kSide}, 1);
        return into(pv::empty({2 * kSide, 2 * kSide}), [=](const auto& out) {
            const pv::Dim y("y", 2 * kSide), z("z", 2 * kSide);
            pv::copy(image(y / 2, z / 2) | pv::order(y, z), out);
        });
    });
    add("upsample/512x512x3/float32", [] {
        const auto image = random_tensor<float>({kSmall, kSmall, 3}, 1);
        return into(pv::empty<float>({2 * kSmall, 2 * kSmall, 3}), [=](const auto& out) {
            const pv::Dim y("y", 2 * kSmall), z("z", 2 * kSmall);
            pv::copy(image(y / 2, z / 2) | pv::order(y, z), out);
        });
    });
    add("nearest_neighbour/700x900x3/float32", [] {
        const auto image = random_tensor<float>({kSmall, kSmall, 3}, 1);
        return into(pv::empty<float>({kHeight, kWidth, 3}), [=](const auto& out) {
            const pv::Dim y("y", kHeight), z("z", kWidth);
            pv::copy(image(y * kSmall / kHeight, z * kSmall / kWidth) | pv::order(y, z), out);
        });
    });
    add("bilinear/700x900/float32", [] {
        const auto image = random_tensor<float>({kSide, kSide}, 1);
        const auto rows = resized(kHeight, kSide), columns = resized(kWidth, kSide);
        const auto down = random_tensor<float>({kHeight}, 2);
        const auto across = random_tensor<float>({kWidth}, 3);
        return into(pv::empty<float>({kHeight, kWidth}), [=](const auto& out) {
            const auto [y, z] = pv::dims("y", "z");
            const auto top = image(rows(y), columns(z)) * (1 - across(z)) +
                             image(rows(y), columns(z) + 1) * across(z);
            const auto bottom = image(rows(y) + 1, columns(z)) * (1 - across(z)) +
                                image(rows(y) + 1, columns(z) + 1) * across(z);
            pv::copy(top * (1 - down(y)) + bottom * down(y) | pv::order(y, z), out);
        });
    });
}

void add_windows() {
    const auto add_pool = [](const char* name, pv::index_t size, pv::index_t step, auto reduce) {
        add(case_name(name, "1024x1024", "float64"), [=] {
            const auto image = random_tensor({kSide, kSide}, 1);
            const pv::index_t n = (kSide - size) / step + 1;
            return made([=] {
                const pv::Dim i("i", n), j("j", n), a("a", size), b("b", size);
                return pv::Tensor<double>(reduce(image(step * i + a, step * j + b), a, b) |
                                          pv::order(i, j));
            });
        });
    };
    const auto max = [](const auto& x, auto a, auto b) { return pv::max(x, {a, b}); };
    const auto mean = [](const auto& x, auto a, auto b) { return pv::mean(x, {a, b}); };
    add_pool("max_pool_2x2", 2, 2, max);
    add_pool("max_pool_3x3", 3, 2, max);
    add_pool("max_of_3x3", 3, 1, max);
    add_pool("mean_of_3x3", 3, 1, mean);
    add("mean_of_8/1000000/float64", [] {
        const auto x = random_tensor({1'000'007}, 1);
        return made([=] {
            const pv::Dim i("i", 1'000'000), k("k", 8);
            return pv::Tensor<double>(x(i + k) | pv::mean(k) | pv::order(i));
        });
    });
}

void add_scatters() {
    for (const pv::index_t places : {1'000, 1'000'000}) {
        add(case_name("scatter_add", "1000000_in_" + std::to_string(places), "float64"), [=] {
            const auto values = random_tensor({1'000'000}, 1);
            const auto ids = pv::empty<pv::index_t>({1'000'000});
            fill_random_indexes(pv::as_span(ids).data(), 1'000'000,
                                static_cast<std::size_t>(places));
            return into(pv::empty(pv::Shape{places}), [=](const auto& out) {
                const pv::Dim i("i");
                pv::fill(out, 0.0);
                pv::add_to(out(ids(i)), values(i));
            });
        });
    }
}

const Cases dims_indexes([] {
    add_repeats();
    add_windows();
    add_scatters();
});

} // namespace
