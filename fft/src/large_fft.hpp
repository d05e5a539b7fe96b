#pragma once

#include <purview/fft/fft.hpp>

#include <complex>

namespace purview::inline v0_1 {

/// A transform along axes, each there once, the last of which gets so many points. What results is multiplied by the
/// factor.
struct FourierWork {
    const char* what;
    Fourier kind;
    Shape axes;
    index_t length;
    double factor;
};

/// How many elements the transform reads along its last axis: others are cut off, or zeros.
constexpr index_t points_read(const FourierWork& work) noexcept {
    return work.kind == Fourier::to_real ? work.length / 2 + 1 : work.length;
}

constexpr bool is_inverse(Fourier kind) noexcept {
    return kind == Fourier::inverse || kind == Fourier::to_real;
}
/// Whether numbers are transformed in single precision: float32 and complex64.
inline bool is_single(DType dtype) noexcept {
    return dtype == kDType<float> || dtype == kDType<std::complex<float>>;
}

/// The complex numbers that an operand of such elements is transformed in.
inline DType complex_of(DType dtype) noexcept {
    return is_single(dtype) ? kDType<std::complex<float>> : kDType<std::complex<double>>;
}

/// The transform, all of it in memory.
Operand transformed_in_memory(const FourierWork& work, const Operand& x);
/// The transform, `forward` or `inverse`, of complex numbers in row-major memory, where they lie.
void transform_where_it_lies(const FourierWork& work, const Operand& x);

/// Whether an operand is numbers, or complex ones, over arrays of chunks.
bool is_in_chunks(const Operand& x);
/// The transform of such an operand within the memory limit: along as many axes at once as slabs of whole lanes have
/// room for, a lane that has no room in steps. Throws `MemoryLimitError` where the length of such a lane has no divisors
/// that have room.
Operand transformed_in_parts(const FourierWork& work, const Operand& x);

} // namespace purview
