#include "expression/derivatives/zeros_around.hpp"

#include <purview/expression/piecewise.hpp>

#include "expression/derivatives/numbers.hpp"

#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {

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

} // namespace purview::derivatives
