#include "expression/derivatives/rows.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/dimensions/transpose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/gather.hpp>
#include <purview/expression/piecewise.hpp>
#include <purview/expression/progression.hpp>

#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {
namespace {

Operand zeros(DType dtype, ShapeSpan shape) {
    return visit_dtype(dtype, "gradient", [&]<typename T>(std::type_identity<T>) {
        return constant_operand(T{}, shape);
    });
}

} // namespace

Operand rows_first(Operand x, std::size_t lead) {
    x.dims = dimensions::move_axis(x.dims, static_cast<index_t>(lead), 0);
    return x;
}
Operand rows_behind(Operand x, std::size_t lead) {
    x.dims = dimensions::move_axis(x.dims, 0, static_cast<index_t>(lead));
    return x;
}

std::vector<Operand> each_row(std::span<const Operand> all, index_t row) {
    std::vector<Operand> rows;
    for (const Operand& each : all)
        rows.push_back({each.node, dimensions::select(each.dims, 0, row)});
    return rows;
}
std::vector<Operand> each_range(std::span<const Operand> all, const Range& range) {
    std::vector<Operand> rows;
    for (const Operand& each : all)
        rows.push_back({each.node, dimensions::select(each.dims, 0, range)});
    return rows;
}
Operand rows_and(const Operand& rows, const Operand& more) {
    Shape shape = to_shape(rows.dims.max_shape());
    Shape begin(shape.size(), 0);
    std::vector<Shape> begins{begin};
    begin[0] = shape[0];
    begins.push_back(std::move(begin));
    shape[0] += more.dims.max_shape()[0];
    return piecewise_operand("concat", {rows, more}, std::move(begins), shape);
}

Operand segments_taken(const Operand& count, index_t length) {
    const Operand more =
        binary_operand(Op::add, count, constant_operand<index_t>(length - 1), int64, int64);
    return binary_operand(Op::divide, more, constant_operand<index_t>(length), int64, int64);
}
Operand steps_of_segments(const Operand& count, index_t segments, index_t length) {
    const auto binary = [](Op op, const Operand& x, const Operand& y) {
        return binary_operand(op, x, y, int64, int64);
    };
    const auto number = [](index_t value) { return constant_operand<index_t>(value); };
    const Operand begins =
        binary(Op::multiply, progression_operand(0, segments - 1), number(length));
    const Operand rest = binary(Op::subtract, count, begins);
    return binary(Op::maximum, binary(Op::minimum, rest, number(length)), number(0));
}

Operand segments_of(const Operand& rows, index_t segments, index_t length) {
    Shape shape = to_shape(rows.dims.max_shape());
    Operand all = rows;
    if (const index_t missing = segments * length - shape[0]; missing > 0) {
        Shape rest = shape;
        rest[0] = missing;
        Shape begin(shape.size(), 0);
        std::vector<Shape> begins{begin};
        begin[0] = shape[0];
        begins.push_back(std::move(begin));
        shape[0] = segments * length;
        all = piecewise_operand("pad", {rows, zeros(rows.dtype(), rest)}, std::move(begins), shape);
    }
    shape[0] = length;
    shape.insert(shape.begin(), segments);
    all.dims = dimensions::reshape(all.dims, shape);
    return all;
}

Operand steps_of(Operand segments, index_t rows) {
    Shape shape = to_shape(segments.dims.max_shape());
    shape[1] *= shape[0];
    shape.erase(shape.begin());
    segments.dims =
        dimensions::select(dimensions::reshape(segments.dims, shape), 0, Range(0, rows));
    return segments;
}

/// Row i of n is row n - 1 - i. Rows behind the n are those of steps that were not taken: zeros.
Operand RowOrder::turned(const Operand& rows) const {
    if (!loop_.rule().is_backwards) return rows;
    const index_t axis = 0;
    if (!loop_.rule().is_counted)
        return {rows.node, dimensions::flip(rows.dims, ShapeSpan(&axis, 1))};
    const Shape shape = to_shape(rows.dims.max_shape());
    if (shape[0] == 0) return rows;
    const Operand& count = loop_.operands()[0];
    Operand last = binary_operand(Op::subtract, count, constant_operand<index_t>(1), int64, int64);
    Operand number = progression_operand(0, shape[0] - 1);
    Shape column(shape.size(), 1);
    column[0] = shape[0];
    number.dims = dimensions::reshape(number.dims, column);
    Operand place =
        binary_operand(Op::maximum, binary_operand(Op::subtract, last, number, int64, int64),
                       constant_operand<index_t>(0), int64, int64);
    GatherAxes axes{GatherAxis::at(0)};
    for (std::size_t a = 1; a < shape.size(); ++a)
        axes.push_back(GatherAxis::along(static_cast<index_t>(a)));
    const Operand gathered = gather_operand("gradient", rows, std::move(axes), {&place, 1}, shape);
    Operand is_taken = binary_operand(Op::less, number, count, int64, boolean);
    is_taken.dims = dimensions::expand(is_taken.dims, shape);
    return choose_operand(std::move(is_taken), gathered, zeros(rows.dtype(), shape), rows.dtype());
}

} // namespace purview::derivatives
