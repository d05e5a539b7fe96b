#include <purview/base/errors.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/functional/along/convolve.hpp>
#include <purview/functional/along/rolling_window.hpp>
#include <purview/reader/buffer.hpp>

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {
namespace {

/// A limit far from overflow; an axis may well have as many elements.
constexpr double kMostRadius = 1e9;

/// The taps in memory.
Operand convolution_taps(const char* what, const Operand& taps, DType dtype, bool reversed) {
    if (taps.dims.rank() != 1)
        throw ShapeError(fmt::format("{}: the taps have rank 1, and not shape {}", what,
                                     to_string(taps.dims.max_shape())));
    if (taps.dims.size() == 0) throw ShapeError(fmt::format("{}: there are no taps", what));
    Operand line = cast_operand(taps, dtype, Op::cast);
    if (reversed) line.dims = dimensions::flip(line.dims);
    return visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        const MutableTensor<T> kept = empty<T>({line.dims.size()});
        Evaluation(line).read(0, line.dims.size(), as_span(kept).data());
        return kept.operand();
    });
}

Operand correlated(const char* what, const AxisParts& parts, const Operand& taps,
                   ConvolveOptions options) {
    const index_t n = parts.length;
    const index_t k = taps.dims.size();
    Shape shape = to_shape(parts.operand.dims.max_shape());
    if (options.mode == ConvolveMode::valid && k > n)
        throw ShapeError(
            fmt::format("{}: {} taps have no valid place along an axis of size {}", what, k, n));
    const Segments reach = convolved_segments(taps, options);
    const index_t added = parts.is_padded ? 0 : reach.before + reach.behind;
    if (shape.empty() && reach.before + reach.behind != k - 1)
        throw ShapeError(fmt::format("{}: a tensor of rank 0 has no axis to grow", what));
    return visit_dtype(parts.operand.dtype(), what, [&]<typename T>(std::type_identity<T>) {
        PaddedLanes lanes = padded_lanes(what, parts, reach.before, reach.behind, options.edge);
        if (!shape.empty()) shape.back() = n == 0 ? 0 : n + added - k + 1;
        MutableTensor<T> result = empty<T>(shape);
        if (!result.empty())
            correlate_groups(lanes, as_span(Tensor<T>(taps)).data(), k, as_span(result).data());
        return result.operand();
    });
}

} // namespace

Segments convolved_segments(const Operand& taps, ConvolveOptions options) {
    const index_t k = taps.dims.size();
    Segments windows{.window = k, .edge = options.edge};
    if (options.mode == ConvolveMode::full) windows.before = windows.behind = k - 1;
    if (options.mode == ConvolveMode::same) {
        windows.before = k / 2;
        windows.behind = k - 1 - k / 2;
    }
    return cut_for(WindowWork::pieces, windows);
}

void require_same_size(const char* what, const ChosenAxis& axis, ConvolveMode mode) {
    if (axis && axis->dim && mode != ConvolveMode::same)
        throw ShapeError(
            fmt::format("{}: along Dim '{}', which keeps its size, the mode has to be `same`", what,
                        axis->dim->name()));
}

DType convolved_dtype(const char* what, DType elements, DType taps) {
    return reduced_dtype<FoldOperation<SumFold>>(what, promote(elements, taps, what));
}

Operand convolved(const char* what, const AxisParts& parts, const Operand& taps, DType result,
                  bool reversed, ConvolveOptions options) {
    require_host_reads(what, parts.operand);
    require_host_reads(what, taps);
    AxisParts typed = parts;
    typed.operand = cast_operand(parts.operand, result, Op::cast);
    return correlated(what, typed, convolution_taps(what, taps, result, reversed), options);
}

MutableTensor<double> gaussian_window(double sigma, double truncate) {
    const double radius = std::floor(truncate * sigma + 0.5);
    if (!(sigma > 0) || !(radius >= 0) || !(radius < kMostRadius))
        throw Error(fmt::format(
            "gaussian1d: the standard deviation has to be finite and greater than 0, and where the window ends "
            "not less; they are {} and {}",
            sigma, truncate));
    const auto r = static_cast<index_t>(radius);
    const MutableTensor<double> window = empty<double>({2 * r + 1});
    double* const out = as_span(window).data();
    double weight = 0;
    for (index_t i = -r; i <= r; ++i) {
        const double z = static_cast<double>(i) / sigma;
        weight += out[i + r] = std::exp(-0.5 * z * z);
    }
    for (index_t i = 0; i <= 2 * r; ++i) out[i] /= weight;
    return window;
}

} // namespace purview
