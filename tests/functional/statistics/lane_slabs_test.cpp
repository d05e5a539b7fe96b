#include <support/catch.hpp>
#include <support/same_bits.hpp>
#include <support/sanitizers.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <functional>
#include <limits>
#include <random>
#include <string>
#include <vector>

namespace lane_slabs_test {

namespace pv = purview;
using oracle::expect_same_bits;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;

/// Random elements, some of them NaN.
Twins<double> twins_of(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed) {
    return {shape, chunk, [random = std::mt19937(seed)](index_t) mutable {
                const double element = static_cast<double>(random() % 2000) / 8 - 100;
                return random() % 50 == 0 ? std::numeric_limits<double>::quiet_NaN() : element;
            }};
}

struct Named {
    std::string name;
    std::function<pv::AnyTensor(const pv::Tensor<double>&, index_t)> of;
};

pv::Tensor<bool> every_third(pv::ShapeSpan shape) {
    const pv::MutableTensor<bool> mask = pv::zeros<bool>(shape);
    for (int i = 0; bool& masked : pv::as_span(mask)) masked = i++ % 3 == 0;
    return mask;
}

std::vector<Named> along_an_axis() {
    using X = const pv::Tensor<double>&;
    const auto mean = [](const auto& window) { return pv::mean(window); };
    return {
        {"sort", [](X x, index_t a) { return pv::sort(x, a); }},
        {"sort descending", [](X x, index_t a) { return pv::sort(x, a, pv::descending); }},
        {"argsort", [](X x, index_t a) { return pv::argsort(x, a); }},
        {"arg_min_n", [](X x, index_t a) { return pv::arg_min_n(x, 3, a); }},
        {"argpartition", [](X x, index_t a) { return pv::argpartition(x, 2, a); }},
        {"ranks", [](X x, index_t a) { return pv::ranks(x, a); }},
        {"cumsum", [](X x, index_t a) { return pv::cumsum(x, a); }},
        {"cumsum skip", [](X x, index_t a) { return pv::cumsum(x, a, pv::skip_nan); }},
        {"cummax", [](X x, index_t a) { return pv::cummax(x, a); }},
        {"scan",
         [](X x, index_t a) {
             return pv::scan(
                 x, [](double s, double e) { return s / 2 + e; }, 0., a);
         }},
        {"ewma", [](X x, index_t a) { return pv::ewma(x, {.span = 5}, a); }},
        {"forward_fill", [](X x, index_t a) { return pv::forward_fill(x, a); }},
        {"backward_fill by a mask",
         [](X x, index_t a) { return pv::backward_fill(x, every_third(x.shape()), a); }},
        {"fixed_rolling_window",
         [](X x, index_t a) { return pv::fixed_rolling_window(x, 3, pv::mean, a); }},
        {"a function of windows",
         [=](X x, index_t a) { return pv::fixed_rolling_window(x, 3, mean, a); }},
        {"expanding", [](X x, index_t a) { return pv::expanding_window(x, pv::max, a); }},
        {"convolve1d",
         [](X x, index_t a) {
             return pv::convolve1d(x, pv::tensor({1., 2., -1.}), a);
         }},
        {"gaussian1d", [](X x, index_t a) { return pv::gaussian1d(x, 1.5, a); }},
        {"softmax", [](X x, index_t a) { return pv::softmax(x, a); }},
        {"softmax of two", [](X x, index_t a) { return pv::softmax(x, a, (a + 1) % x.rank()); }},
        {"softmax beside an axis of one",
         [](X x, index_t a) { return pv::softmax(pv::insert_axis(x, 1), a == 0 ? 0 : a + 1); }},
        {"map_axis",
         [](X x, index_t a) {
             return pv::map_axis([](const auto& lane) { return pv::cumsum(lane * 2.); }, x, a);
         }},
    };
}

std::vector<Named> over_an_axis() {
    using X = const pv::Tensor<double>&;
    return {
        {"median", [](X x, index_t a) { return pv::median(x, {a}); }},
        {"median skip", [](X x, index_t a) { return pv::median(x, {a}, pv::skip_nan); }},
        {"median of two",
         [](X x, index_t a) {
             return pv::median(x, {a, (a + 1) % x.rank()});
         }},
        {"median kept", [](X x, index_t a) { return pv::median(x, {a}, pv::keep_dims); }},
        {"percentiles",
         [](X x, index_t a) {
             return pv::percentile(x, std::vector{5., 50., 95.}, {a});
         }},
        {"percentile skip",
         [](X x, index_t a) { return pv::percentile(x, 95., {a}, pv::skip_nan); }},
        {"quartiles", [](X x, index_t a) { return pv::quartiles(x, {a}); }},
        {"geometric_mean",
         [](X x, index_t a) { return pv::geometric_mean(pv::abs(x), {a}, pv::skip_nan); }},
        {"most_frequent", [](X x, index_t a) { return pv::most_frequent(x, {a}); }},
        {"logsumexp", [](X x, index_t a) { return pv::logsumexp(x, {a}); }},
        {"compensated_sum", [](X x, index_t a) { return pv::compensated_sum(x, {a}); }},
        {"spearman",
         [](X x, index_t a) { return pv::spearman(pv::nan_to_num(x), pv::nan_to_num(x * x), a); }},
        {"kendall",
         [](X x, index_t a) { return pv::kendall(pv::nan_to_num(x), pv::nan_to_num(x * x), a); }},
        {"reduce_axis",
         [](X x, index_t a) {
             return pv::reduce_axis([](const auto& lane) { return double(pv::sum(lane)); }, x, a);
         }},
    };
}

TEST_CASE("what works along an axis of chunks has the bits of memory within any limit") {
    const auto [shape, chunk] = GENERATE(table<pv::Shape, pv::Shape>(
        {{{24, 15, 20}, {5, 15, 8}}, {{24, 15, 4}, {7, 5, 1}}, {{24, 5, 24}, {24, 1, 1}}}));
    const auto twins = twins_of(shape, chunk, 1);
    const index_t all = twins.memory.size() * 8;
    const auto turned = [](const pv::Tensor<double>& x) { return x | pv::transpose; };
    for (const auto& [name, of] : along_an_axis()) {
        for (index_t axis = 0; axis < 3; ++axis) {
            const pv::AnyTensor right = of(twins.memory, axis);
            const pv::AnyTensor right_turned = of(turned(twins.memory), axis);
            for (const index_t limit : {all / 6, all / 3, 2 * all}) {
                if (UNDER_A_SANITIZER && limit != all / 3) continue;
                CAPTURE(name, axis, limit);
                const MemoryLimit limited(limit);
                expect_same_bits(of(twins.chunks, axis), right);
                if (limit < all) expect_same_bits(of(turned(twins.chunks), axis), right_turned);
                if (limit == all / 3) expect_same_bits(of(twins.chunks * 2. / 2., axis), right);
                CHECK(pv::chunk_statistics().peak_bytes <= limit);
            }
        }
    }
}

TEST_CASE("what reduces groups of chunks that have no states has the bits of memory") {
    const auto [shape, chunk] = GENERATE(
        table<pv::Shape, pv::Shape>({{{24, 15, 40}, {5, 15, 8}}, {{24, 15, 4}, {7, 5, 1}}}));
    const auto twins = twins_of(shape, chunk, 3);
    const index_t all = twins.memory.size() * 8;
    for (const auto& [name, of] : over_an_axis()) {
        for (index_t axis = 0; axis < 3; ++axis) {
            const pv::AnyTensor right = of(twins.memory, axis);
            const pv::AnyTensor right_turned = of(twins.memory | pv::transpose, axis);
            for (const index_t limit : {all / 2, all, 4 * all}) {
                if (UNDER_A_SANITIZER && limit != all / 2) continue;
                CAPTURE(name, axis, limit);
                const MemoryLimit limited(limit);
                expect_same_bits(of(twins.chunks, axis), right);
                expect_same_bits(of(twins.chunks | pv::transpose, axis), right_turned);
                CHECK(pv::chunk_statistics().peak_bytes <= limit);
            }
        }
    }
}

TEST_CASE("groups of chunks that have no states are read once") {
    const auto twins = twins_of({80, 200}, {10, 200}, 4);
    for (const auto& [name, of] : over_an_axis()) {
        if (name == "median of two") continue; // of everything
        CAPTURE(name);
        const MemoryLimit limited(80 * 200 * 8 / 2);
        CHECK(twins.reads_of([&] { of(twins.chunks, 0); }) <= 16);
    }
}

TEST_CASE("each chunk is read once, by way of a file where that is needed") {
    const auto twins = twins_of({80, 200}, {10, 200}, 2);
    const index_t all = 80 * 200 * 8;
    for (const auto& [name, of] : along_an_axis()) {
        CAPTURE(name);
        const MemoryLimit limited(all / 2);
        CHECK(twins.reads_of([&] { of(twins.chunks, 0); }) <= 16);
        CHECK(twins.reads_of([&] { of(twins.chunks, 1); }) == 8);
    }
}

} // namespace lane_slabs_test
