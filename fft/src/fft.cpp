#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/fft/fft.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/tensor_index.hpp>

#include "large_fft.hpp"

#include <fftw3.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <mutex>
#include <new>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using Complex = std::complex<double>;

/// FFTW makes one plan at a time. Never destroyed, so that whoever transforms while the process ends still finds it.
std::mutex& planner() {
    static auto* const mutex = new std::mutex;
    return *mutex;
}

fftw_complex* fftw(Complex* memory) { return reinterpret_cast<fftw_complex*>(memory); }

class Plan {
public:
    explicit Plan(fftw_plan plan) : plan_(plan) {
        if (plan == nullptr) throw std::bad_alloc();
    }
    Plan(const Plan&) = delete;
    Plan& operator=(const Plan&) = delete;
    ~Plan() {
        const std::lock_guard lock(planner());
        fftw_destroy_plan(plan_);
    }
    void run() const { fftw_execute(plan_); }

private:
    fftw_plan plan_;
};

/// Axes of row-major memory, as FFTW takes them.
class Loops {
public:
    Loops(ShapeSpan in, ShapeSpan out, ShapeSpan transformed) {
        const auto in_strides = strides_of(in);
        const auto out_strides = strides_of(out);
        for (std::size_t a = 0; a < in.size(); ++a) {
            const bool chosen = std::ranges::count(transformed, static_cast<index_t>(a)) > 0;
            (chosen ? dims_ : others_)
                .push_back({std::max(in[a], out[a]), in_strides[a], out_strides[a]});
        }
    }
    int rank() const { return static_cast<int>(dims_.size()); }
    const fftw_iodim64* dims() const { return dims_.data(); }
    fftw_iodim64* dims() { return dims_.data(); }
    int other_rank() const { return static_cast<int>(others_.size()); }
    const fftw_iodim64* others() const { return others_.data(); }

private:
    static std::vector<index_t> strides_of(ShapeSpan shape) {
        std::vector<index_t> strides(shape.size(), 1);
        for (std::size_t a = shape.size(); a-- > 1;) strides[a - 1] = strides[a] * shape[a];
        return strides;
    }

    std::vector<fftw_iodim64> dims_;
    std::vector<fftw_iodim64> others_;
};

template <typename Make>
void run(const Make& make) {
    std::unique_lock lock(planner());
    const fftw_plan made = make();
    lock.unlock();
    Plan(made).run();
}

/// Complex numbers where they lie.
void transform_in_place(const MutableTensor<Complex>& x, ShapeSpan axes, int sign) {
    if (x.empty() || axes.empty()) return;
    const Shape shape = x.shape();
    const Loops loops(shape, shape, axes);
    fftw_complex* const memory = fftw(as_span(x).data());
    run([&] {
        return fftw_plan_guru64_dft(loops.rank(), loops.dims(), loops.other_rank(), loops.others(),
                                    memory, memory, sign, FFTW_ESTIMATE);
    });
}

/// Along one axis, from n real numbers to n / 2 + 1 complex ones.
MutableTensor<Complex> transform_of_real(const MutableTensor<double>& x, index_t axis) {
    const Shape shape = x.shape();
    Shape halved = shape;
    halved[static_cast<std::size_t>(axis)] = shape[static_cast<std::size_t>(axis)] / 2 + 1;
    MutableTensor<Complex> result = zeros<Complex>(halved);
    if (x.empty()) return result;
    const Loops loops(shape, halved, ShapeSpan(&axis, 1));
    run([&] {
        return fftw_plan_guru64_dft_r2c(loops.rank(), loops.dims(), loops.other_rank(),
                                        loops.others(), as_span(x).data(),
                                        fftw(as_span(result).data()), FFTW_ESTIMATE);
    });
    return result;
}

/// Along one axis, from n / 2 + 1 complex numbers, which are lost, to n real ones.
MutableTensor<double> transform_to_real(const MutableTensor<Complex>& x, index_t axis,
                                        index_t length) {
    Shape shape = x.shape();
    shape[static_cast<std::size_t>(axis)] = length;
    MutableTensor<double> result = zeros<double>(shape);
    if (result.empty()) return result;
    Loops loops(x.shape(), shape, ShapeSpan(&axis, 1));
    loops.dims()->n = length;
    run([&] {
        return fftw_plan_guru64_dft_c2r(loops.rank(), loops.dims(), loops.other_rank(),
                                        loops.others(), fftw(as_span(x).data()),
                                        as_span(result).data(), FFTW_ESTIMATE);
    });
    return result;
}

/// A copy of the elements in a shape of which one axis has another length: cut off, or followed by zeros.
template <typename T>
MutableTensor<T> resized(const Tensor<T>& x, index_t axis, index_t length) {
    Shape shape = x.shape();
    index_t& extent = shape[static_cast<std::size_t>(axis)];
    const index_t kept = std::min(extent, length);
    const bool longer = length > extent;
    extent = length;
    MutableTensor<T> result = longer ? zeros<T>(shape) : empty<T>(shape);
    std::vector<TensorIndex> part(shape.size(), TensorIndex(all));
    part[static_cast<std::size_t>(axis)] = TensorIndex(range(0, kept));
    copy(Tensor<T>(select_operand(x.operand(), part)),
         MutableTensor<T>(select_operand(result.operand(), part)));
    return result;
}

Tensor<Complex> complex_numbers(const char* what, const Operand& x) {
    require_not_sparse(what, x);
    if (x.dtype() == kDType<Complex>) return contiguous(Tensor<Complex>(x));
    if (x.dtype() == kDType<std::complex<float>>) {
        const Tensor<std::complex<float>> narrow = contiguous(Tensor<std::complex<float>>(x));
        MutableTensor<Complex> result = empty<Complex>(narrow.shape());
        std::ranges::copy(as_span(narrow), as_span(result).begin());
        return result;
    }
    const Tensor<double> real = in_memory<double>(what, x);
    MutableTensor<Complex> result = empty<Complex>(real.shape());
    std::ranges::copy(as_span(real), as_span(result).begin());
    return result;
}

double scale_of(FftNorm norm, bool inverse, double points) {
    if (norm == FftNorm::ortho) return 1 / std::sqrt(points);
    return inverse == (norm == FftNorm::backward) ? 1 / points : 1;
}

template <typename T>
Operand scaled(const MutableTensor<T>& x, double factor) {
    if (factor != 1)
        for (T& element : as_span(x)) element *= factor;
    return x.operand();
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
    const Shape& axes = work.axes;
    const index_t last = axes.empty() ? 0 : axes.back();
    const ShapeSpan others(axes.data(), axes.empty() ? 0 : axes.size() - 1);
    if (work.kind == Fourier::of_real) {
        const auto result =
            transform_of_real(resized(in_memory<double>(work.what, x), last, work.length), last);
        transform_in_place(result, others, FFTW_FORWARD);
        return scaled(result, work.factor);
    }
    const Tensor<Complex> numbers = complex_numbers(work.what, x);
    if (work.kind == Fourier::to_real) {
        const auto halved = resized(numbers, last, points_read(work));
        transform_in_place(halved, others, FFTW_BACKWARD);
        return scaled(transform_to_real(halved, last, work.length), work.factor);
    }
    const MutableTensor<Complex> result =
        axes.empty() ? clone(numbers) : resized(numbers, last, work.length);
    transform_where_it_lies(work, result.operand());
    return result.operand();
}

void transform_where_it_lies(const FourierWork& work, const Operand& x) {
    const MutableTensor<Complex> numbers(x);
    transform_in_place(numbers, work.axes,
                       work.kind == Fourier::inverse ? FFTW_BACKWARD : FFTW_FORWARD);
    scaled(numbers, work.factor);
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
    const bool inverse = to_real || transform == Fourier::inverse;
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
                           scale_of(options.norm, inverse, count)};
    return is_in_chunks(x) && !places.empty() ? transformed_in_parts(work, x)
                                              : transformed_in_memory(work, x);
}

} // namespace purview
