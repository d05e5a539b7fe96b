// What a device reaches: each case beside a copy of as many bytes on the same device, in the same process.
//     bench_gpu [DEVICE] [--small]
// Rows go to the standard output; benchmarks/gpu/peers.py measures the same cases of CuPy, PyTorch and JAX.
#include <purview/gpu.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

namespace {

namespace pv = purview;
namespace gpu = purview::gpu;
using pv::index_t;
using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point t) {
    return std::chrono::duration<double, std::milli>(Clock::now() - t).count();
}

int passed = 0;
int failed = 0;
void check(bool holds, const std::string& what) {
    ++(holds ? passed : failed);
    if (!holds) std::printf("FAILED: %s\n", what.c_str());
}

class Bench {
public:
    Bench(const gpu::Device& device, bool small) : device_(device), small_(small) {}

    void run() {
        large<float>("float32", small_ ? 1'000'000 : 100'000'000, small_ ? 512 : 16384);
        gpu::trim(device_);
        few();
        large<double>("float64", small_ ? 1'000'000 : 100'000'000, small_ ? 256 : 8192);
        gpu::trim(device_);
        transfers();
        if (!small_) beyond_32_bits();
    }

private:
    using Work = std::function<void()>;

    /// Milliseconds of one call: the median of seven batches that are waited for.
    double median(const Work& work) {
        for (int i = 0; i < 3; ++i) work();
        gpu::synchronize(device_);
        auto t = Clock::now();
        work();
        gpu::synchronize(device_);
        const int n =
            std::clamp(static_cast<int>(10 / std::max(milliseconds_since(t), 1e-3)), 1, 200);
        std::vector<double> all;
        for (int r = 0; r < 7; ++r) {
            t = Clock::now();
            for (int i = 0; i < n; ++i) work();
            gpu::synchronize(device_);
            all.push_back(milliseconds_since(t) / n);
        }
        std::sort(all.begin(), all.end());
        return all[3];
    }

    void row(const std::string& name, double bytes, const Work& work) {
        guarded(name, [&] {
            const double ms = median(work);
            const double rate = bytes / ms / 1e6;
            if (name.starts_with("copy")) copy_ = rate;
            std::printf("%-44s %9.4f ms %8.0f GB/s %6.2f of copy\n", name.c_str(), ms, rate,
                        rate / copy_);
            std::fflush(stdout);
        });
    }
    void guarded(const std::string& name, const Work& work) {
        try {
            work();
        } catch (const std::exception& error) {
            ++failed;
            std::printf("%-44s %.300s\n", name.c_str(), error.what());
        }
    }

    /// Whether a device's elements have the bits of the host's.
    template <typename X, typename Y>
    void same(const std::string& what, const X& there, const Y& here) {
        guarded(what, [&] {
            const auto got = gpu::to_host(there);
            const auto want = pv::clone(here);
            check(got.size() == want.size() &&
                      std::memcmp(got.data(), want.data(),
                                  static_cast<std::size_t>(got.size()) * sizeof(*got.data())) == 0,
                  "bits of " + what);
        });
    }

    static auto chain(const auto& a) { return (((((a + 4) * 2) - 3) / 2) + 6) * 4; }

    template <typename T>
    static pv::MutableTensor<T> random(pv::Shape shape, std::uint64_t seed) {
        auto made = pv::empty<T>(shape);
        std::uint64_t s = 88172645463325252u * (2 * seed + 1);
        for (index_t i = 0; i < made.size(); ++i) {
            s ^= s << 13;
            s ^= s >> 7;
            s ^= s << 17;
            made.data()[i] = static_cast<T>(static_cast<double>(s >> 11) / 4503599627370496.0 - 1);
        }
        return made;
    }

    template <typename T>
    void large(const std::string& type, index_t n, index_t m) {
        const double bytes = sizeof(T) * static_cast<double>(n);
        {
            const auto hx = random<T>({n}, 1);
            const auto hy = random<T>({n}, 2);
            const auto x = gpu::to_device(hx, device_);
            const auto y = gpu::to_device(hy, device_);
            auto z = gpu::to_device(hx, device_);
            row("copy " + type, 2 * bytes, [&] { pv::copy(x, z); });
            row("chain of six " + type, 2 * bytes, [&] { (void)pv::clone(chain(x)); });
            row("x + y " + type, 3 * bytes, [&] { (void)pv::clone(x + y); });
            row("exp(x) " + type, 2 * bytes, [&] { (void)pv::clone(pv::exp(x)); });
            row("tanh(x) * y " + type, 3 * bytes, [&] { (void)pv::clone(pv::tanh(x) * y); });
            row("x[::-1] * 2 " + type, 2 * bytes, [&] { (void)pv::clone(pv::flip(x) * 2); });
            row("x + rotate(x, 1) " + type, 2 * bytes,
                [&] { (void)pv::clone(x + pv::rotate(x, {1})); });
            const auto half = [&](const auto& a) { return a(pv::range(0, n, 2)); };
            row("x[::2] + y[::2] " + type, 2.5 * bytes,
                [&] { (void)pv::clone(half(x) + half(y)); });
            row("sum((x-y)^2) " + type, 2 * bytes, [&] { (void)pv::sum(pv::sq(x - y)); });
            row("max(x) " + type, bytes, [&] { (void)pv::max(x); });
            // As peers do: the number stays on the device, and is not waited for.
            const auto line = [n](const auto& a) { return pv::reshape(a, {1, n}); };
            row("sum((x-y)^2), left there " + type, 2 * bytes,
                [&] { (void)pv::sum(pv::sq(line(x) - line(y)), {1}); });
            row("max(x), left there " + type, bytes, [&] { (void)pv::max(line(x), {1}); });
            same("the chain, " + type, chain(x), chain(hx));
            same("the rotation, " + type, x + pv::rotate(x, {1}), hx + pv::rotate(hx, {1}));
            guarded("sum", [&] {
                check(pv::sum(pv::sq(x - y)) == pv::sum(pv::sq(hx - hy)),
                      "bits of the sum, " + type);
                check(pv::max(x) == pv::max(hx), "the greatest, " + type);
            });
        }
        gpu::trim(device_);
        const double cells = sizeof(T) * static_cast<double>(m) * static_cast<double>(m);
        const std::string size = " " + std::to_string(m) + "^2 " + type;
        const auto ha = random<T>({m, m}, 3);
        const auto a = gpu::to_device(ha, device_);
        row("a + transpose(a)" + size, 3 * cells, [&] { (void)pv::clone(a + pv::transpose(a)); });
        row("clone of transpose(a)" + size, 2 * cells, [&] { (void)pv::clone(pv::transpose(a)); });
        row("a - row[None, :]" + size, 2 * cells, [&] { (void)pv::clone(a - a(0, pv::all)); });
        const auto stencil = [m](const auto& q) {
            const auto in = [&](index_t i, index_t j) {
                return q(pv::range(1 + i, m - 1 + i), pv::range(1 + j, m - 1 + j));
            };
            return in(0, 0) * 4 - in(-1, 0) - in(1, 0) - in(0, -1) - in(0, 1);
        };
        row("five-point stencil" + size, 2 * cells, [&] { (void)pv::clone(stencil(a)); });
        row("sum over axis 1" + size, cells, [&] { (void)pv::sum(a, {1}); });
        row("sum over axis 0" + size, cells, [&] { (void)pv::sum(a, {0}); });
        row("softmax of rows" + size, 2 * cells, [&] { (void)pv::clone(pv::softmax(a, 1)); });
        row("variance over axis 1" + size, cells, [&] { (void)pv::variance(a, 1); });
        row("argmax over axis 1" + size, cells, [&] { (void)pv::argmax(a, 1); });
        for (const index_t k : small_ ? std::vector<index_t>{64} : std::vector<index_t>{256, 4096})
            guarded("matmul", [&] {
                const auto hb = random<T>({k, k}, 4);
                const auto b = gpu::to_device(hb, device_);
                row("matmul " + std::to_string(k) + " " + type,
                    3 * sizeof(T) * static_cast<double>(k * k), [&] { (void)pv::matmul(b, b); });
                if (k > 256) return;
                const auto error = pv::abs(gpu::to_host(pv::matmul(b, b)) - pv::matmul(hb, hb));
                check(pv::max(error) < (sizeof(T) == 4 ? 1e-3 : 1e-11), "matmul, " + type);
            });
        same("the stencil, " + type, stencil(a), stencil(ha));
        same("a + transpose(a), " + type, a + pv::transpose(a), ha + pv::transpose(ha));
        same("a - row, " + type, a - a(0, pv::all), ha - ha(0, pv::all));
        same("a rotated, " + type, a + pv::rotate(a, {3, -5}), ha + pv::rotate(ha, {3, -5}));
        guarded("sums over axes", [&] {
            same("sum over axis 1, " + type, pv::sum(a, {1}), pv::sum(ha, {1}));
            same("sum over axis 0, " + type, pv::sum(a, {0}), pv::sum(ha, {0}));
        });
    }

    /// Microseconds: until the host goes on, and until the device is done.
    void few() {
        for (const index_t n : {1'000, 10'000, 100'000, 1'000'000}) {
            const auto x = gpu::to_device(random<float>({n}, 1), device_);
            const auto y = gpu::to_device(random<float>({n}, 2), device_);
            const auto measure = [&](const char* name, const Work& work) {
                guarded(name, [&] {
                    for (int i = 0; i < 10; ++i) work();
                    gpu::synchronize(device_);
                    constexpr int asked = 50; // at once: a device's queue has room for so many
                    constexpr int waited = 300;
                    std::vector<double> all;
                    for (int r = 0; r < 41; ++r) {
                        const auto t = Clock::now();
                        for (int i = 0; i < asked; ++i) work();
                        all.push_back(milliseconds_since(t) * 1000 / asked);
                        gpu::synchronize(device_);
                    }
                    std::sort(all.begin(), all.end());
                    const double ask = all[20];
                    const auto t = Clock::now();
                    for (int i = 0; i < waited; ++i) {
                        work();
                        gpu::synchronize(device_);
                    }
                    std::printf("%-32s of %8lld: asked %7.2f us, waited %7.2f us\n", name,
                                static_cast<long long>(n), ask,
                                milliseconds_since(t) * 1000 / waited);
                    std::fflush(stdout);
                });
            };
            auto z = gpu::to_device(random<float>({n}, 3), device_);
            measure("copy", [&] { pv::copy(x, z); }); // nearly all of it the driver's
            measure("chain of six", [&] { (void)pv::clone(chain(x)); });
            measure("sum((x-y)^2), a number", [&] { (void)pv::sum(pv::sq(x - y)); });
        }
    }

    void transfers() {
        const index_t n = small_ ? 1'000'000 : 100'000'000;
        const auto h = random<float>({n}, 1);
        const double bytes = 4 * static_cast<double>(n);
        auto there = gpu::to_device(h, device_);
        const auto rate = [&](const char* name, const Work& work) {
            guarded(name,
                    [&] { std::printf("%-44s %8.1f GB/s\n", name, bytes / median(work) / 1e6); });
        };
        rate("to the device, pageable", [&] { pv::copy(h, there); });
        auto here = pv::empty<float>({n});
        rate("to the host, pageable", [&] { pv::copy(there, here); });
        check(pv::equals(here, h), "what was copied there and back");
    }

    void beyond_32_bits() {
        const index_t n = 3'000'000'017;
        guarded("beyond 32 bits", [&] {
            const auto x =
                gpu::to_device(pv::broadcast(pv::tensor({std::uint8_t{5}}), {n}), device_);
            const auto three = std::uint8_t{3};
            row("x + 3, 3e9 uint8", 2. * static_cast<double>(n),
                [&] { (void)pv::clone(x + three); });
            const auto far = x(pv::range(n - 1, -n - 1, -1'000'000'000));
            same("elements 1e9 apart", far * three, pv::full({4}, std::uint8_t{15}));
        });
        gpu::trim(device_);
        guarded("beyond 32 bits", [&] {
            const index_t m = 50'000;
            const double cells = static_cast<double>(m) * static_cast<double>(m);
            const auto a =
                gpu::to_device(pv::broadcast(pv::tensor({std::uint8_t{5}}), {m, m}), device_);
            row("a + transpose(a) 50000^2 uint8", 3 * cells,
                [&] { (void)pv::clone(a + pv::transpose(a)); });
            row("a[:, ::-1] + 1 50000^2 uint8", 2 * cells,
                [&] { (void)pv::clone(pv::flip(a, {1}) + std::uint8_t{1}); });
        });
    }

    gpu::Device device_;
    bool small_;
    double copy_ = 1;
};

} // namespace

int main(int count, char** values) {
    const std::vector<std::string> arguments(values + 1, values + count);
    const bool small = std::ranges::count(arguments, "--small") > 0;
    const auto named =
        std::ranges::find_if(arguments, [](const auto& a) { return !a.starts_with("--"); });
    const gpu::Device device = gpu::device(named == arguments.end() ? "" : *named);
    std::printf("%s:%d, %s\n", std::string(device.backend()).c_str(), device.number(),
                device.name().c_str());
    Bench(device, small).run();
    const auto done = gpu::statistics(device);
    std::printf("%llu kernels built, %llu launches\n%d passed, %d failed\n",
                static_cast<unsigned long long>(done.kernels_built),
                static_cast<unsigned long long>(done.launches), passed, failed);
    return failed == 0 ? 0 : 1;
}
