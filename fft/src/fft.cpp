#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/fft/fft.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include "fourier_stage.hpp"
#include "lanes/lanes.hpp"
#include "large_fft.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <type_traits>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The lanes along an axis of row-major memory of such a shape.
lane_transforms::LaneWork lanes_along(ShapeSpan shape, index_t axis) {
    lane_transforms::LaneWork work{};
    const auto at = static_cast<std::size_t>(axis);
    work.lanes = work.inner = 1;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        if (a != at) work.lanes *= shape[a];
        if (a > at) work.inner *= shape[a];
    }
    work.points = work.in_length = work.out_length = shape[at];
    return work;
}

/// The elements of row-major memory; of complex numbers their parts.
template <typename T, typename E>
T* parts_of(const MutableTensor<E>& x) {
    return reinterpret_cast<T*>(as_span(x).data());
}
template <typename T, typename E>
const T* parts_of(const Tensor<E>& x) {
    return reinterpret_cast<const T*>(as_span(x).data());
}

/// Complex numbers where they lie, multiplied by the factor.
template <typename T>
void transform_in_place(const MutableTensor<std::complex<T>>& x, ShapeSpan axes, bool forward,
                        double factor) {
    const Shape shape = x.shape();
    for (std::size_t i = 0; i < axes.size(); ++i) {
        lane_transforms::LaneWork work = lanes_along(shape, axes[i]);
        work.kind = lane_transforms::LaneKind::complex;
        work.forward = forward;
        work.factor = i + 1 == axes.size() ? factor : 1;
        const T* const in = parts_of<T>(x);
        lane_transforms::transform_lanes(work, in, parts_of<T>(x));
    }
}

/// Along the last axis named, into memory of its own. E: what is read, R: what is written.
template <typename T, typename R, typename E>
MutableTensor<R> transformed_last(const FourierWork& work, const Tensor<E>& x, double factor) {
    const index_t last = work.axes.back();
    Shape shape = to_shape(x.shape());
    lane_transforms::LaneWork lanes = lanes_along(shape, last);
    lanes.kind = std::is_same_v<R, T>   ? lane_transforms::LaneKind::to_real
                 : std::is_same_v<E, T> ? lane_transforms::LaneKind::of_real
                                        : lane_transforms::LaneKind::complex;
    lanes.points = work.length;
    lanes.out_length = work.kind == Fourier::of_real ? work.length / 2 + 1 : work.length;
    lanes.forward = !is_inverse(work.kind);
    lanes.factor = factor;
    shape[static_cast<std::size_t>(last)] = lanes.out_length;
    MutableTensor<R> result = empty<R>(shape);
    lane_transforms::transform_lanes(lanes, parts_of<T>(x), parts_of<T>(result));
    return result;
}

/// Complex numbers with parts of T in row-major memory.
template <typename T>
Tensor<std::complex<T>> complex_numbers(const char* what, const Operand& x) {
    require_not_sparse(what, x);
    return contiguous(
        Tensor<std::complex<T>>(convert_operand(x, kDType<std::complex<T>>, Op::cast)));
}

template <typename T>
Operand transformed_as(const FourierWork& work, const Operand& x) {
    using Complex = std::complex<T>;
    const ShapeSpan axes = work.axes;
    if (axes.empty()) return clone(complex_numbers<T>(work.what, x)).operand();
    const ShapeSpan others = axes.first(axes.size() - 1);
    if (work.kind == Fourier::to_real) {
        Tensor<Complex> half = complex_numbers<T>(work.what, x);
        if (!others.empty()) {
            const MutableTensor<Complex> copy = clone(half);
            transform_in_place<T>(copy, others, false, 1);
            half = copy;
        }
        return transformed_last<T, T>(work, half, work.factor).operand();
    }
    const double factor = others.empty() ? work.factor : 1;
    const MutableTensor<Complex> result =
        x.dtype().is_builtin()
            ? transformed_last<T, Complex>(work, in_memory<T>(work.what, x), factor)
            : transformed_last<T, Complex>(work, complex_numbers<T>(work.what, x), factor);
    transform_in_place<T>(result, others, !is_inverse(work.kind), work.factor);
    return result.operand();
}

double scale_of(FftNorm norm, bool inverse, double points) {
    if (norm == FftNorm::ortho) return 1 / std::sqrt(points);
    return inverse == (norm == FftNorm::backward) ? 1 / points : 1;
}

/// The axes as places in the shape, each once.
Shape checked_axes(const char* what, const Operand& x, ShapeSpan axes) {
    Shape places;
    for (const index_t axis : axes) {
        const index_t place = checked_axis(axis, x.dims.rank(), what);
        if (std::ranges::count(places, place) > 0)
            throw IndexError(fmt::format("{}: axis {} is given twice", what, place));
        places.push_back(place);
    }
    return places;
}

} // namespace

Operand transformed_in_memory(const FourierWork& work, const Operand& x) {
    return is_single(x.dtype()) ? transformed_as<float>(work, x) : transformed_as<double>(work, x);
}

void transform_where_it_lies(const FourierWork& work, const Operand& x) {
    const bool forward = !is_inverse(work.kind);
    if (is_single(x.dtype()))
        transform_in_place<float>(MutableTensor<std::complex<float>>(x), work.axes, forward,
                                  work.factor);
    else
        transform_in_place<double>(MutableTensor<std::complex<double>>(x), work.axes, forward,
                                   work.factor);
}

void throw_resized_dim(const char* what, const Dim& dim) {
    throw DimError(
        fmt::format("{}: Dim '{}' keeps its size; order({}) makes a positional axis of it", what,
                    dim.name(), dim.name()));
}

Operand fourier_operand(const char* what, const Operand& x, ShapeSpan axes, Fourier transform,
                        const FftOptions& options) {
    const Shape places = checked_axes(what, x, axes);
    const bool to_real = transform == Fourier::to_real;
    if (places.empty() && (to_real || transform == Fourier::of_real))
        throw IndexError(fmt::format("{}: a tensor of rank 0 has no axis", what));
    Shape points = to_shape(x.dims.max_shape());
    const index_t last = places.empty() ? 0 : places.back();
    if (!places.empty()) {
        index_t& length = points[static_cast<std::size_t>(last)];
        length = options.length.value_or(to_real ? 2 * (length - 1) : length);
    }
    double count = 1;
    for (const index_t place : places) {
        const index_t length = points[static_cast<std::size_t>(place)];
        if (length < 1)
            throw ShapeError(fmt::format("{}: {} points along axis {}", what, length, place));
        count *= static_cast<double>(length);
    }
    if (transform == Fourier::of_real && !x.dtype().is_builtin())
        throw_dtype_unsupported(what, x.dtype());
    const FourierWork work{what, transform, places,
                           places.empty() ? 1 : points[static_cast<std::size_t>(last)],
                           scale_of(options.norm, is_inverse(transform), count)};
    if (x.node->reads(Below::symbol)) return staged_transform(work, x);
    return is_in_chunks(x) && !places.empty() ? transformed_in_parts(work, x)
                                              : transformed_in_memory(work, x);
}

} // namespace purview
