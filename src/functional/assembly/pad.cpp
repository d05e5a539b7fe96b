#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dimensions/affine_view.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/create_like.hpp>
#include <purview/functional/assembly/pad.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {
namespace {

constexpr const char* kPad = "pad";

/// Up to this many reflections are pieces of their own; more are one tiled piece.
constexpr index_t kMostReflections = 64;

index_t extent(const Operand& x, std::size_t axis) { return x.dims.max_shape()[axis]; }

/// `count` elements `start`, `start + step`, … of an axis; with step 0 one element repeated.
Operand progression(const Operand& x, std::size_t axis, index_t start, index_t step,
                    index_t count) {
    Shape shape = to_shape(x.dims.max_shape());
    Shape origin(shape.size(), 0);
    shape[axis] = count;
    origin[axis] = start;
    std::vector<dimensions::AxisFeed> feeds;
    for (std::size_t a = 0; a < shape.size(); ++a)
        if (a != axis || step != 0)
            feeds.push_back({static_cast<int>(a), static_cast<int>(a), a == axis ? step : 1});
    if (Dimensions::row_major(shape).size() == 0)
        return {x.node, Dimensions::strided(shape, Shape(shape.size(), 0))};
    return {x.node, dimensions::affine_view(x.dims, shape, feeds, origin)};
}

Operand concatenated(std::vector<Operand> pieces, std::size_t axis) {
    return concat_operand(kPad, std::move(pieces), static_cast<index_t>(axis));
}

/// The elements of an axis cyclically, beginning `before` elements before the first one.
Operand wrapped(const Operand& x, std::size_t axis, index_t before, index_t count) {
    const index_t period = extent(x, axis);
    const index_t start = (period - before % period) % period;
    Shape tiled = to_shape(x.dims.max_shape());
    const index_t periods = checked_add(start, count, kPad) / period + 1;
    tiled[axis] = checked_multiply(periods, period, kPad);
    return progression({x.node, dimensions::broadcast(x.dims, tiled)}, axis, start, 1, count);
}

/// The elements forwards and backwards alternately, with the end elements once (reflect) or twice
/// (symmetric).
Operand reflected(const Operand& x, std::size_t axis, PadWidth width, bool twice) {
    const index_t n = extent(x, axis);
    if (n == 1) return progression(x, axis, 0, 0, 1 + width.before + width.after);
    const index_t count = checked_add(checked_add(n, width.before, kPad), width.after, kPad);
    const index_t way = twice ? n : n - 1; // the number of elements in one direction
    if (count / way > kMostReflections) {
        Operand there = progression(x, axis, 0, 1, way);
        Operand back = progression(x, axis, n - 1, -1, way);
        return wrapped(concatenated({std::move(there), std::move(back)}, axis), axis, width.before,
                       count);
    }
    std::vector<Operand> pieces;
    index_t place = (2 * way - width.before % (2 * way)) % (2 * way);
    for (index_t left = count; left > 0;) {
        const bool back = place >= way;
        const index_t some = std::min(left, (back ? 2 * way : way) - place);
        const index_t start = back ? (n - 1) - (place - way) : place;
        pieces.push_back(progression(x, axis, start, back ? -1 : 1, some));
        left -= some;
        place = (place + some) % (2 * way);
    }
    return concatenated(std::move(pieces), axis);
}

Operand filled(const Operand& x, std::size_t axis, PadWidth width, const Operand& fill) {
    const auto side = [&](index_t count) {
        Shape shape = to_shape(x.dims.max_shape());
        shape[axis] = count;
        return Operand{fill.node, dimensions::expand(fill.dims, shape)};
    };
    return concatenated({side(width.before), x, side(width.after)}, axis);
}

Operand pad_axis(Operand x, std::size_t axis, PadWidth width, PadMode mode, const Operand& fill) {
    const index_t n = extent(x, axis);
    const index_t front = std::max(index_t{0}, -width.before);
    const index_t back = std::max(index_t{0}, -width.after);
    if (front > n || back > n - front)
        throw ShapeError(
            fmt::format("pad: an axis of size {} cannot lose {} and {} elements", n, front, back));
    if (front > 0 || back > 0) x = progression(x, axis, front, 1, n - front - back);
    width = {std::max(index_t{0}, width.before), std::max(index_t{0}, width.after)};
    if (width.before == 0 && width.after == 0) return x;
    const index_t left = extent(x, axis);
    if (left == 0 && mode != PadMode::constant)
        throw ShapeError("pad: an axis of size 0 has no elements to repeat");
    switch (mode) {
    case PadMode::constant: return filled(x, axis, width, fill);
    case PadMode::edge:
        return concatenated({progression(x, axis, 0, 0, width.before), x,
                             progression(x, axis, left - 1, 0, width.after)},
                            axis);
    case PadMode::reflect: return reflected(x, axis, width, false);
    case PadMode::symmetric: return reflected(x, axis, width, true);
    case PadMode::wrap:
        return wrapped(x, axis, width.before,
                       checked_add(checked_add(left, width.before, kPad), width.after, kPad));
    }
    std::unreachable();
}

} // namespace

PadWidths pad_widths(std::span<const PadWidth> given, int rank) {
    const auto axes = static_cast<std::size_t>(rank);
    for (const PadWidth& width : given)
        if (width.before == INT64_MIN || width.after == INT64_MIN)
            throw ShapeError("pad: a width is out of range");
    if (given.size() == 1) return PadWidths(axes, given[0]);
    if (given.size() != axes)
        throw ShapeError(fmt::format("pad: {} widths are given for rank {}", given.size(), rank));
    return PadWidths(given.begin(), given.end());
}

Operand pad_operand(const Operand& x, std::span<const PadWidth> widths, PadMode mode,
                    const Operand& fill) {
    Operand result = x;
    const std::size_t first = x.dims.max_shape().size() - widths.size();
    for (std::size_t i = 0; i < widths.size(); ++i)
        result = pad_axis(std::move(result), first + i, widths[i], mode, fill);
    return result;
}

AnyTensor pad_others(const Operand& x, const PadWidths& widths, PadMode mode, double value) {
    if (mode == PadMode::constant && value != 0) throw_dtype_unsupported(kPad, x.dtype());
    const AnyTensor fill = new_tensor(kPad, x.dtype(), ShapeSpan(), true);
    return AnyTensor(pad_operand(x, pad_widths(widths, x.dims.rank()), mode, fill.operand()));
}

} // namespace purview
