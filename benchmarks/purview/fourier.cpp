/// Fourier transforms of complex numbers and of real ones.

#include "inputs.hpp"

#include <purview/fft/fft.hpp>

#include <complex>

namespace {

using namespace bench;

template <typename T, typename Transform>
void add_transform(const char* name, const std::string& size, pv::Shape shape,
                   Transform transform) {
    add(case_name(name, size, dtype_name<T>()), [=] {
        const auto x = random_tensor<T>(shape, 1);
        return made([=] { return transform(x); });
    });
}

template <typename P>
void add_all() {
    using C = std::complex<P>;
    const auto along = [](pv::index_t axis) {
        return [=](const auto& x) { return pv::fft(x, axis); };
    };
    for (const pv::index_t n : {1024, 1 << 16, 1 << 20, 1'000'000}) {
        add_transform<C>("fft", std::to_string(n), {n}, along(0));
        add_transform<P>("rfft", std::to_string(n), {n}, [](const auto& x) { return pv::rfft(x); });
    }
    add_transform<C>("fft_rows", "1000x1000", {1000, 1000}, along(1));
    add_transform<C>("fft_columns", "1000x1000", {1000, 1000}, along(0));
    add_transform<P>("rfft_rows", "10000x100", {10'000, 100},
                     [](const auto& x) { return pv::rfft(x); });
    add_transform<C>("fftn", "200x200x200", {200, 200, 200},
                     [](const auto& x) { return pv::fftn(x); });
}

const Cases fourier([] {
    add_all<double>();
    add_all<float>();
});

} // namespace
