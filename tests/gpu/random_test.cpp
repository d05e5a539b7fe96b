// Random expressions over random views, on a device beside the host: bit by bit.
#include "gpu/random_cases.hpp"

#include <support/rounds.hpp>

#include <cstdlib>
#include <string>

namespace {
using namespace gpu_tests;

/// PURVIEW_TEST_SEED, or one that is always the same, so that kernels are found where they were kept.
std::uint64_t first_seed() {
    const char* const text = std::getenv("PURVIEW_TEST_SEED");
    return text == nullptr ? 20261 : std::strtoull(text, nullptr, 10);
}

template <typename T>
void check_expressions(const gpu::Device& d, std::uint64_t offset, int count) {
    for (int i = 0; i < oracle::rounds(count); ++i) {
        const std::uint64_t seed = first_seed() + 1000 * offset + static_cast<std::uint64_t>(i);
        Cases cases(d, seed);
        const Extents shape = cases.shape();
        const Twins<T> x = cases.expression<T>(shape);
        INFO("PURVIEW_TEST_SEED " << seed << ", " << pv::kDType<T>.name() << " of shape "
                                  << pv::to_string(pv::ShapeSpan(shape)) << ": "
                                  << pv::explain(x.host).substr(0, 1500));
        const auto expected = pv::clone(x.host);
        CHECK(difference(gpu::to_host(pv::clone(x.there)), expected) == "");
    }
}

template <typename T>
void check_destinations(const gpu::Device& d, std::uint64_t offset, int count) {
    for (int i = 0; i < oracle::rounds(count); ++i) {
        const std::uint64_t seed = first_seed() + 1000 * offset + static_cast<std::uint64_t>(i);
        Cases cases(d, seed);
        const auto h = cases.elements<T>(cases.shape());
        const auto x = gpu::to_device(h, d);
        const Dimensions to = cases.destination<T>(h.operand().dims);
        const auto shape = to.max_shape();
        const Twins<T> values = cases.view<T>({shape.begin(), shape.end()});
        INFO("PURVIEW_TEST_SEED " << seed << ", " << pv::kDType<T>.name() << " of shape "
                                  << pv::to_string(h.shape()) << ", to " << pv::to_string(shape));
        const auto assign = [&](const pv::MutableTensor<T>& all, const Tensor<T>& v) {
            const pv::MutableTensor<T> part(Operand{all.operand().node, to});
            pv::copy(v * T(2), part);
            pv::copy(part + v, part);
            const auto end = pv::range(all.extent(0) / 2, {});
            const auto begin = pv::range(0, all.extent(0) - all.extent(0) / 2);
            all(end) = all(begin); // overlaps, where the extent is odd
        };
        if (h.rank() == 0) continue;
        assign(h, values.host);
        assign(x, values.there);
        CHECK(difference(gpu::to_host(x), h) == "");
    }
}

template <typename T>
void check_folds(const gpu::Device& d, std::uint64_t offset, int count) {
    for (int i = 0; i < oracle::rounds(count); ++i) {
        const std::uint64_t seed = first_seed() + 1000 * offset + static_cast<std::uint64_t>(i);
        Cases cases(d, seed);
        const Extents shape = cases.shape();
        const Twins<T> x = cases.expression<T>(shape);
        INFO("PURVIEW_TEST_SEED " << seed << ", " << pv::kDType<T>.name() << " of shape "
                                  << pv::to_string(pv::ShapeSpan(shape)) << ": "
                                  << pv::explain(x.host).substr(0, 1500));
        CHECK(is_same(pv::sum(x.there), pv::sum(x.host)));
        if (shape.empty()) continue;
        const index_t axis = cases.pick(std::ssize(shape));
        INFO("along axis " << axis);
        CHECK(difference(pv::clone(gpu::to_host(pv::sum(x.there, {axis}))),
                         pv::clone(pv::sum(x.host, {axis}))) == "");
        CHECK(difference(pv::clone(gpu::to_host(pv::max(x.there, {axis}))),
                         pv::clone(pv::max(x.host, {axis}))) == "");
    }
}

/// A view of a square tensor that has the shape of half of it.
Tensor<float> half_of(const pv::MutableTensor<float>& x, index_t which, index_t by) {
    const index_t n = x.extent(0), k = n / 2;
    const Tensor<float> all = x;
    switch (which) {
    case 0: return all(pv::range(0, k), pv::all);
    case 1: return all(pv::range(by, by + k), pv::all);
    case 2: return pv::transpose(all)(pv::range(by, by + k), pv::all);
    case 3: return pv::flip(all, {0})(pv::range(0, k), pv::all);
    case 4: return pv::rotate(all, {by, -by})(pv::range(0, k), pv::all);
    case 5: return all(pv::range(by % 2, {}, 2), pv::all)(pv::range(0, k), pv::all);
    default: return pv::broadcast(all(by, pv::all), {k, n});
    }
}
/// Assigns to one half what is computed of others.
void assign_overlapping(const pv::MutableTensor<float>& x, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    const auto pick = [&](index_t n) {
        return static_cast<index_t>(random() % static_cast<std::uint64_t>(n));
    };
    const auto any = [&] {
        const index_t which = pick(7);
        return half_of(x, which, 1 + pick(x.extent(0) / 2));
    };
    const index_t which = pick(6), by = 1 + pick(x.extent(0) / 2);
    const pv::MutableTensor<float> to(half_of(x, which, by).operand());
    const Tensor<float> same = to, a = any(), b = any();
    switch (pick(6)) {
    case 0: pv::copy(a, to); break;
    case 1: pv::copy(a * 2 - b, to); break;
    case 2: pv::copy(pv::flip(a + same, {1}), to); break;
    case 3: pv::copy(pv::where(a < b, same, b) + 1, to); break;
    case 4: pv::copy(pv::rotate(same * 2, {1, 3}), to); break;
    default: to += a;
    }
}

TEST_CASE("assignments of what is read elsewhere in the same memory") {
    on_every_computing_device([](const gpu::Device& d) {
        for (int i = 0; i < oracle::rounds(12); ++i) {
            const std::uint64_t seed = first_seed() + 20000 + static_cast<std::uint64_t>(i);
            INFO("PURVIEW_TEST_SEED " << seed);
            const auto h = pv::clone(pv::reshape(pv::arange(1024.f) * 37.f % 101.f, {32, 32}));
            const auto x = gpu::to_device(h, d);
            assign_overlapping(h, seed);
            assign_overlapping(x, seed);
            CHECK(difference(gpu::to_host(x), h) == "");
        }
    });
}

/// As long as it lives, kernels have indexes of 64 bits.
class Wide {
public:
    explicit Wide(const gpu::Device& d) : state_(d.state()) { state_.always_wide = true; }
    ~Wide() { state_.always_wide = false; }
    Wide(const Wide&) = delete;
    Wide& operator=(const Wide&) = delete;

private:
    detail::DeviceState& state_;
};

TEST_CASE("random expressions over random views have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        check_expressions<float>(d, 1, 5);
        check_expressions<std::int32_t>(d, 2, 4);
        check_expressions<double>(d, 3, 3);
        check_expressions<std::int64_t>(d, 4, 3);
        check_expressions<std::uint8_t>(d, 5, 3);
    });
}

TEST_CASE("random expressions by indexes of 64 bits have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        const Wide wide(d);
        check_expressions<double>(d, 6, 4);
        check_expressions<std::int16_t>(d, 7, 2);
        check_destinations<float>(d, 8, 1);
        const auto h = pv::clone(pv::reshape(pv::arange(700.f), {7, 100})); // folds, too
        const auto x = gpu::to_device(h, d);
        CHECK(pv::explain(x * 2).find("64 bits") != std::string::npos);
        CHECK(pv::equals(gpu::to_host(pv::sum(pv::sq(x), {0})), pv::sum(pv::sq(h), {0})));
        CHECK(pv::sum(pv::transpose(x)) == pv::sum(pv::transpose(h)));
    });
}

TEST_CASE("folds of random expressions have the host's bits") {
    on_every_computing_device([](const gpu::Device& d) {
        check_folds<float>(d, 12, 2);
        check_folds<double>(d, 13, 1);
        check_folds<std::int32_t>(d, 14, 1);
    });
}

TEST_CASE("assignments to random views write what the host's do") {
    on_every_computing_device([](const gpu::Device& d) {
        check_destinations<float>(d, 9, 4);
        check_destinations<std::int16_t>(d, 10, 2);
        check_destinations<double>(d, 11, 2);
    });
}

} // namespace
