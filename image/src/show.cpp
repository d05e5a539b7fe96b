#include <purview/dimensions/select.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/predicates.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/image/save_image.hpp>
#include <purview/image/show.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/tensor_index.hpp>

#include <fmt/format.h>

#include <array>
#include <cstdint>

namespace purview::inline v0_1 {
namespace {

/// The colours, with NaN transparent.
MutableTensor<std::uint8_t> with_opacity(const Tensor<std::uint8_t>& colors,
                                         const Tensor<bool>& nans) {
    const Shape shape(nans.shape());
    const auto pixels = empty<std::uint8_t>({shape[0], shape[1], index_t{4}});
    for (index_t channel = 0; channel < 3; ++channel)
        pixels(all, all, channel) = colors(all, all, channel);
    pixels(all, all, 3) = cast<std::uint8_t>(!nans) * std::uint8_t{255};
    return pixels;
}

} // namespace

void show(const AnyTensor& tensor, const std::string& path, const Gradient& gradient,
          const ColorRange& range) {
    const Shape shape(tensor.shape());
    if (shape.size() == 3 && (shape[2] == 3 || shape[2] == 4) && tensor.dtype() == uint8)
        return save_png(path, tensor);
    if (shape.size() != 2)
        throw ShapeError(fmt::format("show: a picture has the shape [height width], or [height "
                                     "width 3] or [height width 4] of uint8, not {} of {}",
                                     to_string(shape), tensor.dtype().name()));
    if (!tensor.dtype().is_builtin()) throw_dtype_unsupported("show", tensor.dtype());
    if (tensor.size() == 0) // refused
        return save_png(path, empty<std::uint8_t>({shape[0], shape[1]}));
    const Tensor<std::uint8_t> colors(colorize_operand(tensor.operand(), gradient, range));
    if (tensor.dtype().is_floating()) {
        const Tensor<double> values(cast_operand(tensor.operand(), float64, Op::cast));
        const Tensor<bool> nans = is_nan(values);
        if (any_of(nans)) return save_png(path, with_opacity(colors, nans));
    }
    // Of a grey gradient, one channel says all.
    if (&gradient == &gradients::grey) return save_png(path, colors(all, all, 0));
    save_png(path, colors);
}

} // namespace purview
