/// Fourier transforms by pocketfft alone.

#include "inputs.hpp"

#include <pocketfft_hdronly.h>

#include <complex>

namespace {

using namespace bench;
using pocketfft::shape_t;
using pocketfft::stride_t;

template <typename T>
stride_t strides_of(const shape_t& shape) {
    stride_t strides(shape.size(), sizeof(T));
    for (std::size_t a = shape.size(); a-- > 1;)
        strides[a - 1] = strides[a] * static_cast<std::ptrdiff_t>(shape[a]);
    return strides;
}
std::size_t size_of(const shape_t& shape) {
    std::size_t size = 1;
    for (const std::size_t extent : shape) size *= extent;
    return size;
}

template <typename P>
void add_complex(const char* name, const std::string& size, shape_t shape, shape_t axes) {
    using C = std::complex<P>;
    add(case_name(name, size, sizeof(P) == 4 ? "complex64" : "complex128"), [=] {
        const auto x = random_memory<C>(size_of(shape), 1);
        return into<C>(size_of(shape), [=](C* out) {
            const stride_t strides = strides_of<C>(shape);
            pocketfft::c2c(shape, strides, strides, axes, true, x.get(), out, P(1));
        });
    });
}
template <typename P>
void add_real(const char* name, const std::string& size, shape_t shape) {
    using C = std::complex<P>;
    add(case_name(name, size, sizeof(P) == 4 ? "float32" : "float64"), [=] {
        shape_t halved = shape;
        halved.back() = shape.back() / 2 + 1;
        const auto x = random_memory<P>(size_of(shape), 1);
        return into<C>(size_of(halved), [=](C* out) {
            pocketfft::r2c(shape, strides_of<P>(shape), strides_of<C>(halved), shape.size() - 1,
                           true, x.get(), out, P(1));
        });
    });
}

template <typename P>
void add_all() {
    for (const std::size_t n : {1024, 1 << 16, 1 << 20, 1'000'000}) {
        add_complex<P>("fft", std::to_string(n), {n}, {0});
        add_real<P>("rfft", std::to_string(n), {n});
    }
    add_complex<P>("fft_rows", "1000x1000", {1000, 1000}, {1});
    add_complex<P>("fft_columns", "1000x1000", {1000, 1000}, {0});
    add_real<P>("rfft_rows", "10000x100", {10'000, 100});
    add_complex<P>("fftn", "200x200x200", {200, 200, 200}, {0, 1, 2});
}

const Cases fourier([] {
    add_all<double>();
    add_all<float>();
});

} // namespace
