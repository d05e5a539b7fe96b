#include "large_fft.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/function_ref.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/functional/assembly/pad.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>

#include "evaluation/lane_slabs.hpp"
#include "evaluation/large_results.hpp"
#include "functional/reductions/slab_results.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <complex>
#include <numbers>
#include <span>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// Takes a part of what a pass makes, and where it begins.
using PutPart = FunctionRef<void(const Operand& part, ShapeSpan begin)>;

/// Bytes that are counted for each element of a slab while it is transformed: in order, with another length, the result,
/// and what lanes are copied to.
constexpr index_t kBeside = 4 * sizeof(std::complex<double>);

Operand box_of(const Operand& x, ShapeSpan begin, ShapeSpan extents) {
    return {x.node, box_from(x.dims, begin, extents)};
}

void transform_slabs(const FourierWork& work, const Operand& x, PutPart put) {
    const auto transform = [&](const Operand& slab, ShapeSpan begin) {
        CountedBytes counted(slab.dims.size() * kBeside, work.what);
        const Operand made = transformed_in_memory(work, slab);
        counted = CountedBytes();
        counted = CountedBytes(made.dims.size() * made.dtype().size_bytes(), work.what);
        put(made, begin);
    };
    for_each_slab(work.what, x, work.axes, transform, kBeside);
}

/// exp(2 π i turn / n), to about an ulp: the angle is taken from the nearest quarter of the circle, exactly.
std::complex<double> on_circle(index_t turn, index_t n) {
    const index_t quarter = (4 * turn + n / 2) / n;
    const auto rest = static_cast<double>(4 * turn - quarter * n);
    const double angle = std::numbers::pi / 2 * (rest / static_cast<double>(n));
    const std::complex<double> near(std::cos(angle), std::sin(angle));
    switch (quarter % 4) {
    case 1: return {-near.imag(), near.real()};
    case 2: return -near;
    case 3: return {near.imag(), -near.real()};
    default: return near;
    }
}

/// Lanes that have no room, along one axis: each a matrix in a temporary file, whose columns are transformed, then its
/// rows, after a turn of each element; the result is that matrix transposed (Gentleman and Sande 1966; Bailey 1990).
/// T: of the parts.
template <typename T>
class LaneMatrices {
    using Complex = std::complex<T>;

public:
    /// Throws `MemoryLimitError`.
    LaneMatrices(const FourierWork& work, const Operand& x)
        : work_(work),
          axis_(static_cast<std::size_t>(work.axes.back())),
          inverse_(work.kind == Fourier::inverse || work.kind == Fourier::to_real) {
        rows_ = static_cast<index_t>(std::sqrt(static_cast<double>(work.length)));
        while (work.length % rows_ != 0) --rows_;
        columns_ = work.length / rows_;
        if (columns_ > memory_left() / kBytes) throw_no_room();
        matrices_ = temporary_results(work.what, kDType<Complex>,
                                      split(x.dims.max_shape(), rows_, columns_));
    }

    void transform(const Operand& x, PutPart put) {
        store(work_.kind == Fourier::to_real ? all_points(x) : x);
        transform_along(axis_, true);
        transform_along(axis_ + 1, false);
        put_results(put);
    }

private:
    static constexpr index_t kBytes =
        sizeof(std::complex<double>) + kBeside; ///< of an element of a slab

    [[noreturn]] void throw_no_room() const {
        throw MemoryLimitError(fmt::format(
            "{}: a lane of {} points along axis {} goes through memory in parts of {}, whose {} "
            "bytes are more than the memory limit, {} bytes, leaves: another length that has "
            "divisors near its square root, or a larger limit, makes room",
            work_.what, work_.length, axis_, columns_, columns_ * kBytes, memory_limit()));
    }

    /// A shape with rows and columns for the axis, and one with the axis for rows and columns.
    Shape split(ShapeSpan shape, index_t row, index_t column) const {
        Shape result = to_shape(shape);
        result[axis_] = row;
        result.insert(result.begin() + static_cast<std::ptrdiff_t>(axis_) + 1, column);
        return result;
    }
    Shape merged(ShapeSpan shape) const {
        Shape result = to_shape(shape);
        result[axis_] *= result[axis_ + 1];
        result.erase(result.begin() + static_cast<std::ptrdiff_t>(axis_) + 1);
        return result;
    }

    /// With the second half of the spectrum of real numbers, which mirrors the first.
    Operand all_points(const Operand& half) const {
        const auto axis = static_cast<index_t>(axis_);
        const Dimensions mirrored =
            dimensions::select(half.dims, axis, Range((work_.length - 1) / 2, 0, -1));
        return concat_operand(work_.what, {half, complex_conjugate({half.node, mirrored})}, axis);
    }

    /// Writes what slabs have of rows: the end of one, whole ones, the beginning of one.
    void store(const Operand& x) {
        const auto axis = static_cast<index_t>(axis_);
        for_each_slab(work_.what, x, {}, [&](const Operand& slab, ShapeSpan begin) {
            const Operand numbers = convert_operand(slab, kDType<Complex>, Op::cast);
            const index_t first = begin[axis_];
            const index_t end = first + slab.dims.max_shape()[axis_];
            for (index_t at = first; at < end;) {
                const index_t column = at % columns_;
                const bool is_whole = column == 0 && end - at >= columns_;
                const index_t to =
                    is_whole ? end - end % columns_ : std::min(at - column + columns_, end);
                const Dimensions part =
                    dimensions::select(numbers.dims, axis, Range(at - first, to - first));
                const Shape extents = is_whole
                                          ? split(part.max_shape(), (to - at) / columns_, columns_)
                                          : split(part.max_shape(), 1, to - at);
                assign({numbers.node, dimensions::reshape(part, extents)},
                       box_of(matrices_, split(begin, at / columns_, column), extents));
                at = to;
            }
        });
    }

    void transform_along(std::size_t axis, bool turned) {
        const index_t length = matrices_.dims.max_shape()[axis];
        const FourierWork work{work_.what, inverse_ ? Fourier::inverse : Fourier::forward,
                               Shape{static_cast<index_t>(axis)}, length, 1};
        transform_slabs(work, matrices_, [&](const Operand& part, ShapeSpan begin) {
            if (turned) turn(MutableTensor<Complex>(part), begin[axis_ + 1]);
            assign(part, box_of(matrices_, begin, part.dims.max_shape()));
        });
    }

    /// Turns element (k, j) of matrices of all rows, with the columns from `begin` on, by the angle k j of n.
    void turn(const MutableTensor<Complex>& part, index_t begin) const {
        const Shape shape = part.shape();
        const index_t columns = shape[axis_ + 1];
        index_t inner = 1; // elements of other axes that lie together
        for (std::size_t a = axis_ + 2; a < shape.size(); ++a) inner *= shape[a];
        const std::span<Complex> elements = as_span(part);
        const index_t lines = part.size() / inner;
        for (index_t line = 0; line < lines; ++line) {
            const index_t k = line / columns % rows_;
            auto w = static_cast<Complex>(on_circle(k * (begin + line % columns), work_.length));
            if (!inverse_) w = std::conj(w);
            for (index_t i = 0; i < inner; ++i) {
                Complex& z = elements[static_cast<std::size_t>(line * inner + i)];
                z = {z.real() * w.real() - z.imag() * w.imag(),
                     z.real() * w.imag() + z.imag() * w.real()};
            }
        }
    }

    /// Columns are what lies together in the result.
    void put_results(PutPart put) const {
        const index_t length = work_.kind == Fourier::of_real ? work_.length / 2 + 1 : work_.length;
        const auto axis = static_cast<index_t>(axis_);
        const Range columns(0, (length - 1) / rows_ + 1);
        const Operand wanted{matrices_.node, dimensions::select(matrices_.dims, axis + 1, columns)};
        const auto put_lanes = [&](const Operand& slab, ShapeSpan begin) {
            const CountedBytes counted(slab.dims.size() * index_t{sizeof(std::complex<double>)},
                                       work_.what);
            Shape order;
            for (index_t a = 0; a < slab.dims.rank(); ++a) order.push_back(a);
            std::swap(order[axis_], order[axis_ + 1]);
            const Operand transposed{slab.node, dimensions::transpose(slab.dims, order)};
            const MutableTensor<Complex> lines = clone(Tensor<Complex>(transposed));
            for (Complex& z : as_span(lines)) z *= static_cast<T>(work_.factor);
            Shape first = to_shape(begin);
            first[axis_] = 1;
            first[axis_ + 1] *= rows_;
            first = merged(first);
            const Operand all = lines.operand();
            const Operand lanes{all.node, dimensions::reshape(all.dims, merged(lines.shape()))};
            const Operand kept{
                lanes.node, dimensions::select(lanes.dims, axis, Range(0, length - first[axis_]))};
            put(work_.kind == Fourier::to_real ? real_part(kept) : kept, first);
        };
        for_each_slab(work_.what, wanted, ShapeSpan(&axis, 1), put_lanes, kBeside);
    }

    const FourierWork& work_;
    std::size_t axis_;
    bool inverse_;
    index_t rows_;
    index_t columns_;
    Operand matrices_;
};

/// Numbers as they are transformed, lazily: the last axis has all points that are read.
Operand with_points(const FourierWork& work, const Operand& x) {
    const bool is_real = x.dtype().is_builtin() && work.kind != Fourier::to_real;
    const DType dtype = is_real ? part_dtype(complex_of(x.dtype())) : complex_of(x.dtype());
    const Operand numbers = convert_operand(x, dtype, Op::cast);
    const auto last = static_cast<std::size_t>(work.axes.back());
    PadWidths widths(x.dims.max_shape().size(), {0, 0});
    widths[last].after = points_read(work) - x.dims.max_shape()[last];
    if (widths[last].after == 0) return numbers;
    const Operand zero = convert_operand(constant_operand(0.), dtype, Op::cast);
    return pad_operand(numbers, widths, PadMode::constant, zero);
}

/// The next axes of a list, which go together, at the end of which is the one that comes last: as many as have room, or
/// one that has none.
Shape next_axes(const Operand& x, ShapeSpan axes) {
    Shape some{axes.front()};
    while (some.size() < axes.size() && slabs_have_room(x, some, kBeside)) {
        some.push_back(axes[some.size()]);
        if (slabs_have_room(x, some, kBeside)) continue;
        some.pop_back();
        break;
    }
    return some;
}

} // namespace

bool is_in_chunks(const Operand& x) {
    const DType dtype = x.dtype();
    return x.node->reads(Below::blocks) && x.dims.size() > 0 &&
           (dtype.is_builtin() || is_complex(dtype)) &&
           x.node->known_storage_kind() > Kind::sparse && !x.node->reads(Below::device);
}

Operand transformed_in_parts(const FourierWork& work, const Operand& x) {
    const bool to_real = work.kind == Fourier::to_real;
    Shape order = work.axes; // in which they are transformed
    if (!to_real) std::ranges::reverse(order);
    Operand now = with_points(work, x);
    for (std::size_t done = 0; done < order.size();) {
        FourierWork part = work;
        part.axes = next_axes(now, ShapeSpan(order).subspan(done));
        const bool first = std::exchange(done, done + part.axes.size()) == 0;
        const bool last = done == order.size();
        const bool fits = slabs_have_room(now, part.axes, kBeside);
        if (!to_real) std::ranges::reverse(part.axes);
        const auto back = static_cast<std::size_t>(part.axes.back());
        if (!last) part.factor = 1;
        if (to_real ? !last : !first) {
            part.length = now.dims.max_shape()[back];
            part.kind =
                to_real || work.kind == Fourier::inverse ? Fourier::inverse : Fourier::forward;
        }
        const auto transform = [&](PutPart put) {
            if (fits)
                transform_slabs(part, now, put);
            else if (is_single(now.dtype()))
                LaneMatrices<float>(part, now).transform(now, put);
            else
                LaneMatrices<double>(part, now).transform(now, put);
        };
        const auto transform_into = [&](const Operand& there) {
            transform([&](const Operand& made, ShapeSpan begin) {
                assign(made, box_of(there, begin, made.dims.max_shape()));
            });
        };
        if (!first && part.kind != Fourier::to_real) {
            if (now.node->reads(Below::blocks))
                transform_into(now);
            else
                transform_where_it_lies(part, now);
        } else if (!last && to_real) {
            const Operand between =
                temporary_results(work.what, complex_of(now.dtype()), now.dims.max_shape());
            transform_into(between);
            now = between;
        } else {
            Shape shape = to_shape(now.dims.max_shape());
            shape[back] = part.kind == Fourier::of_real ? part.length / 2 + 1 : part.length;
            SlabResults results(work.what, x);
            transform(
                [&](const Operand& made, ShapeSpan begin) { results.add(made, begin, shape); });
            now = std::move(results).take();
        }
    }
    return now;
}

} // namespace purview
