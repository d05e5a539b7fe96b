#pragma once

#include <purview/fft/export.hpp>
#include <purview/functional/reductions/reduce_over.hpp>
#include <purview/named/reduce_dims.hpp>
#include <purview/tensor/result_handle.hpp>
#include <purview/tensor/stage.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <optional>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {

/// What a transform and its inverse are multiplied by, n being the number of points: NumPy's names.
enum class FftNorm : std::uint8_t {
    backward, ///< 1, and 1 / n: the default
    ortho,    ///< 1 / sqrt(n), both
    forward   ///< 1 / n, and 1
};

/// How a transform along one axis is made.
struct FftOptions {
    FftNorm norm = FftNorm::backward;
    std::optional<index_t>
        length{}; ///< of the axis (of `irfft`, of the result): cut off, or zeros are added behind
};

/// Which transform: of complex numbers, or of real ones, whose second half is that of the first.
enum class Fourier : std::uint8_t { forward, inverse, of_real, to_real };

/// Transforms along some axes of an operand, of symbols a node, the last of which is that of real numbers: complex, or real for `to_real`. In memory, or, of arrays in
/// chunks beyond the memory limit, in chunks.
/// Throws what `fft` does.
PURVIEW_FFT_EXPORT Operand fourier_operand(const char* what, const Operand& x, ShapeSpan axes,
                                           Fourier transform, const FftOptions& options);
/// Has computations loaded that were saved with transforms.
PURVIEW_FFT_EXPORT bool register_fourier_transforms();
inline const bool kAreFourierTransformsRegistered = register_fourier_transforms();
/// Throws `DimError`: a Dim keeps its size, and the transform of real numbers along it has another.
[[noreturn]] PURVIEW_FFT_EXPORT void throw_resized_dim(const char* what, const Dim& dim);

/// What transforms take: numbers, complex ones too, or what is known at run time to be either.
template <typename X>
concept FourierOperand =
    TensorLike<X> && !AxisLike<X> &&
    (!TypedTensor<X> || BuiltinType<typename std::remove_cvref_t<X>::value_type> ||
     std::same_as<typename std::remove_cvref_t<X>::value_type, std::complex<float>> ||
     std::same_as<typename std::remove_cvref_t<X>::value_type, std::complex<double>>);

/// The parts of what results: of float32 and complex64 float32, else float64.
template <typename T>
using FourierPart =
    std::conditional_t<std::same_as<T, float> || std::same_as<T, std::complex<float>>, float,
                       double>;
template <Fourier transform, typename T>
using FourierElement =
    std::conditional_t<transform == Fourier::to_real, FourierPart<T>, std::complex<FourierPart<T>>>;

/// A transform along the axes, or along all positional ones if none are given.
template <Fourier transform, FourierOperand X>
auto fourier(const char* what, const X& x, const Axes* axes, const FftOptions& options) {
    if constexpr (HasDims<X>) {
        constexpr bool kKeepsSize = transform == Fourier::forward || transform == Fourier::inverse;
        if (axes != nullptr)
            for (const AxisOrDim& axis : *axes)
                if (axis.dim && (!kKeepsSize || options.length)) throw_resized_dim(what, *axis.dim);
        auto bound = settled(dim_operand(x));
        const auto chosen = dims_to_reduce(what, bound, axes, false);
        bound.operand = fourier_operand(what, bound.operand, chosen.axes, transform, options);
        return ResultHandle<FourierElement<transform, typename X::value_type>, X>(std::move(bound));
    } else {
        Shape chosen;
        if (axes != nullptr)
            chosen = axes->positional(what);
        else
            for (index_t axis = 0; axis < x.rank(); ++axis) chosen.push_back(axis);
        Operand result = fourier_operand(what, x.operand(), chosen, transform, options);
        if constexpr (kDefersReductions<X>)
            return ResultHandle<FourierElement<transform, typename X::value_type>, X>(
                std::move(result));
        else if constexpr (TypedTensor<X>)
            return MutableTensor<FourierElement<transform, typename X::value_type>>(
                std::move(result));
        else
            return AnyTensor(result);
    }
}

template <Fourier transform>
struct FftFunction : PipelineStage {
    static constexpr const char* kName = transform == Fourier::forward   ? "fft"
                                         : transform == Fourier::inverse ? "ifft"
                                         : transform == Fourier::of_real ? "rfft"
                                                                         : "irfft";
    template <FourierOperand X>
    auto operator()(const X& x, const FftOptions& options = {}) const {
        return along(x, AxisOrDim(-1), options);
    }
    template <FourierOperand X, AxisLike A>
    auto operator()(const X& x, const A& axis, const FftOptions& options = {}) const {
        return along(x, AxisOrDim(axis), options);
    }
    template <AxisLike A>
    auto operator()(const A& axis, const FftOptions& options = {}) const {
        return make_stage(*this, axis, options);
    }
    auto operator()(const FftOptions& options) const { return make_stage(*this, options); }

private:
    template <FourierOperand X>
    static auto along(const X& x, const AxisOrDim& axis, const FftOptions& options) {
        const Axes axes{axis};
        return fourier<transform>(kName, x, &axes, options);
    }
};

/// `fft(x)`, `fft(x, axis)`, `fft(x, axis, {.norm = FftNorm::ortho, .length = n})`: the discrete Fourier transform along an axis or a Dim, the last axis if
/// none is given, NumPy's: element k is the sum of x(j) exp(-2 π i j k / n). Of numbers and complex numbers; complex numbers of the shape of
/// `x`, under its dims: of float32 and complex64 complex64, of others complex128; of an `AnyTensor` an `AnyTensor`. By pocketfft: the root of the mean
/// of the squares of errors is about 1e-15 log2(n) of that of the elements, of complex64 6e-8 log2(n). Or a stage. Eager, O(n log n) for any length, on
/// all threads; a lane has the same bits beside any others, on any number of threads.
///
/// In a traced function it is a node, of all points in memory, which is printed, saved as `fft.fft`, and differentiated, as are functions of complex numbers
/// by real ones that the arithmetic, `conj`, `real`, `imag`, `abs` and `where` make.
///
/// Arrays in chunks that have no room in the memory limit go by slabs of whole lanes, along as many axes at once as have room, and a lane that has
/// none, with 80 bytes for each point, as a matrix of n1 x n2 = n points in a temporary file, by its columns and rows, which is read and written
/// three times. Results beyond the limit are chunks in a temporary file. What differs from the same in memory is rounding.
///
/// Throws `ShapeError` for no points, `IndexError` for an axis that is not there or given twice, `DimError` for a Dim whose size would change,
/// `DtypeError`, `KindError` of sparse tensors, `MemoryLimitError` for a lane that has no room, and no n1 and n2 that have: a prime number of points,
/// say. What is made ready for lengths is kept for the next transforms, up to about 32 MiB.
inline constexpr FftFunction<Fourier::forward> fft;
/// `ifft(x)`: the inverse: the sum of x(k) exp(2 π i j k / n), divided by n. Otherwise as `fft`.
inline constexpr FftFunction<Fourier::inverse> ifft;
/// `rfft(x)`: the transform of real numbers: the first n / 2 + 1 elements of `fft(x)`, as the others mirror them. Not of complex numbers.
inline constexpr FftFunction<Fourier::of_real> rfft;
/// `irfft(x)`, `irfft(x, axis, {.length = n})`: the inverse of `rfft`: n real numbers, an even 2 (m - 1) for m elements if nothing is said.
inline constexpr FftFunction<Fourier::to_real> irfft;

template <Fourier transform>
struct FftnFunction : PipelineStage {
    static constexpr const char* kName = transform == Fourier::forward   ? "fftn"
                                         : transform == Fourier::inverse ? "ifftn"
                                         : transform == Fourier::of_real ? "rfftn"
                                                                         : "irfftn";
    template <FourierOperand X>
    auto operator()(const X& x, FftNorm scaling = FftNorm::backward) const {
        return fourier<transform>(kName, x, nullptr, {.norm = scaling});
    }
    template <FourierOperand X>
    auto operator()(const X& x, const Axes& axes, const FftOptions& options = {}) const {
        return fourier<transform>(kName, x, &axes, options);
    }
    auto operator()(const Axes& axes, const FftOptions& options = {}) const {
        return make_stage(*this, axes, options);
    }
};
/// `fftn(x)`, `fftn(x, {0, 1})`, `fftn(x, axes, {.norm = FftNorm::ortho})`: the transform along several axes or Dims, all positional axes if none are
/// given. A length is that of the last axis named. Otherwise as `fft`.
inline constexpr FftnFunction<Fourier::forward> fftn;
/// `ifftn(x)`: its inverse.
inline constexpr FftnFunction<Fourier::inverse> ifftn;
/// `rfftn(x)`: of real numbers: the last axis named has the first n / 2 + 1 elements.
inline constexpr FftnFunction<Fourier::of_real> rfftn;
/// `irfftn(x)`: its inverse.
inline constexpr FftnFunction<Fourier::to_real> irfftn;

} // namespace purview
