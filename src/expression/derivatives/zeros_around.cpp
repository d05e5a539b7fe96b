#include "expression/derivatives/zeros_around.hpp"

#include <purview/expression/piecewise.hpp>

#include "expression/derivatives/numbers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {
namespace {

/// What lies along one axis, between zeros.
struct Range {
    index_t begin;
    Operand x;
};
index_t end_of(const Range& range, std::size_t axis) {
    return range.begin + range.x.dims.max_shape()[axis];
}

/// The only axis along which pieces are cut; none of other pieces.
std::optional<std::size_t> cut_axis(const Piecewise& pieces) {
    std::optional<std::size_t> cut;
    for (const Operand& piece : pieces.operands())
        for (std::size_t axis = 0; axis < pieces.shape().size(); ++axis) {
            if (piece.dims.max_shape()[axis] == pieces.shape()[axis]) continue;
            if (cut && *cut != axis) return std::nullopt;
            cut = axis;
        }
    return cut;
}
std::vector<Range> ranges_of(const Piecewise& pieces, std::size_t axis) {
    std::vector<Range> ranges;
    for (std::size_t i = 0; i < pieces.operands().size(); ++i)
        if (Numbers::value(pieces.operands()[i]) != 0.)
            ranges.push_back({pieces.begins()[i][axis], pieces.operands()[i]});
    return ranges;
}

} // namespace

Operand zeros_around(const Operand& x, ShapeSpan begin, ShapeSpan whole) {
    std::vector<Operand> pieces{x};
    std::vector<Shape> begins{to_shape(begin)};
    // Before and behind the range of each axis, within the ranges of the axes before it.
    Shape at(whole.size(), 0);
    Shape box = to_shape(whole);
    const Numbers numbers(x.dtype());
    for (std::size_t axis = 0; axis < whole.size(); ++axis) {
        const index_t count = x.dims.max_shape()[axis];
        const auto add = [&](index_t from, index_t to) {
            if (from == to) return;
            at[axis] = from;
            box[axis] = to - from;
            pieces.push_back(numbers.filled(0, box));
            begins.push_back(at);
        };
        add(0, begin[axis]);
        add(begin[axis] + count, whole[axis]);
        at[axis] = begin[axis];
        box[axis] = count;
    }
    return pieces.size() == 1
               ? x
               : piecewise_operand("pad", std::move(pieces), std::move(begins), whole);
}

std::optional<Operand> sum_of_ranges(const Operand& x, const Operand& y) {
    const Piecewise *const a = piecewise_of(x), *const b = piecewise_of(y);
    if (a == nullptr || b == nullptr || x.dims != y.dims || a->dtype() != b->dtype() ||
        !same_extents(a->shape(), b->shape()))
        return std::nullopt;
    const std::optional<std::size_t> axis = cut_axis(*a);
    if (!axis || cut_axis(*b) != axis) return std::nullopt;
    const Numbers in(a->dtype());
    std::vector<Range> all = ranges_of(*a, *axis);
    for (Range& range : ranges_of(*b, *axis)) {
        const index_t begin = range.begin, end = end_of(range, *axis);
        const auto other = std::ranges::find_if(all, [&](const Range& each) {
            return each.begin < end && end_of(each, *axis) > begin;
        });
        if (other == all.end())
            all.push_back(std::move(range));
        else if (other->begin == begin && end_of(*other, *axis) == end)
            other->x = in.sum(other->x, range.x);
        else
            return std::nullopt;
    }
    std::ranges::sort(all, {}, &Range::begin);
    std::vector<Operand> pieces;
    std::vector<Shape> begins;
    Shape at(a->shape().size(), 0);
    Shape box = to_shape(a->shape());
    const index_t whole = box[*axis];
    index_t done = 0;
    const auto put = [&](index_t begin, std::optional<Operand> piece) {
        if (piece || begin > done) {
            at[*axis] = piece ? begin : done;
            box[*axis] = begin - done;
            begins.push_back(at);
            pieces.push_back(piece ? std::move(*piece) : in.filled(0, box));
        }
    };
    for (Range& range : all) {
        put(range.begin, std::nullopt);
        done = end_of(range, *axis);
        put(range.begin, std::move(range.x));
    }
    put(whole, std::nullopt);
    return Operand{piecewise_operand("pad", std::move(pieces), std::move(begins), a->shape()).node,
                   x.dims};
}

} // namespace purview::derivatives
