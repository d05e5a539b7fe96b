#include "expression/derivatives/reduction_rules.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/flip.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/expression/piecewise.hpp>

#include "expression/derivatives/led_views.hpp"
#include "expression/derivatives/numbers.hpp"

#include <array>
#include <utility>
#include <vector>

namespace purview::inline v0_1::derivatives {
namespace {

Operand result_of(const Reduce& fold) {
    const index_t groups = fold.groups();
    return {NodePtr(&fold), Dimensions::row_major(ShapeSpan(&groups, 1))};
}

/// What belongs to each group at each of its elements.
Operand spread(const Reduce& fold, const Operand& of_groups, std::size_t lead) {
    const Operand& x = fold.operand();
    const index_t groups = fold.groups();
    const index_t length = groups == 0 ? 0 : x.dims.size() / groups;
    Operand each = led_reshape(of_groups, lead, std::array{groups, index_t{1}});
    each.dims = dimensions::expand(each.dims, led_shape(each, lead, std::array{groups, length}));
    return led_reshape(each, lead, x.dims.max_shape());
}

/// The sums of what belongs to the elements of each group.
Operand sums(const Reduce& fold, Operand x, std::size_t lead) {
    const index_t groups = fold.groups();
    const Shape shape = led_shape(x, lead, ShapeSpan(&groups, 1));
    index_t count = 1;
    for (const index_t extent : shape) count *= extent;
    return reduce_operand(Reduction::sum, std::move(x), count, shape);
}

/// For each element of the groups, the product of all the others: from products of pairs, of pairs
/// of pairs and so on, each of which is multiplied by the product of all beside it. Nothing is
/// divided, so that it is as exact where elements are 0.
Operand products_of_others(const Reduce& fold, const Numbers& in) {
    const index_t groups = fold.groups();
    Operand products =
        led_reshape(fold.operand(), 0, std::array{groups, fold.operand().dims.size() / groups});
    std::vector<Operand> levels; // each of two halves along the last axis: [groups, 2, half]
    std::vector<index_t> lengths;
    for (index_t length = products.dims.max_shape()[1]; length > 1; length = (length + 1) / 2) {
        lengths.push_back(length);
        if (length % 2 != 0)
            products = concat_operand("product",
                                      {products, in.filled(1, std::array{groups, index_t{1}})}, 1);
        const index_t half = (length + 1) / 2;
        levels.push_back(led_reshape(products, 0, std::array{groups, index_t{2}, half}));
        const auto part = [&](index_t number) {
            return Operand{levels.back().node, dimensions::select(levels.back().dims, 1, number)};
        };
        products = in.binary(Op::multiply, part(0), part(1));
    }
    Operand others = in.filled(1, std::array{groups, index_t{1}});
    while (!levels.empty()) {
        const index_t half = levels.back().dims.max_shape()[2];
        const Operand beside{levels.back().node,
                             dimensions::flip(levels.back().dims, std::array{index_t{1}})};
        const Operand both = in.binary(
            Op::multiply, beside, led_reshape(others, 0, std::array{groups, index_t{1}, half}));
        others = led_reshape(both, 0, std::array{groups, 2 * half});
        others.dims = dimensions::select(others.dims, 1, Range(0, lengths.back()));
        levels.pop_back();
        lengths.pop_back();
    }
    return led_reshape(others, 0, fold.operand().dims.max_shape());
}

/// Whether a sum adds up products of elements that repeat.
bool is_of_matrices(const Reduce& fold) {
    const auto* const product = node_as<Elementwise>(*fold.operand().node);
    return product != nullptr && product->op() == Op::multiply &&
           (product->operand(0).dims.is_broadcast() || product->operand(1).dims.is_broadcast());
}

/// Where the elements of each group are its extreme, and among how many it is shared. Both are NaN
/// where an element is.
struct Extremes {
    Operand are;
    Operand count;
};
Extremes extremes(const Reduce& fold, const Numbers& in) {
    const Operand& x = fold.operand();
    const Operand are =
        binary_operand(Op::logical_or, in.binary(Op::equal, x, spread(fold, result_of(fold), 0)),
                       in.binary(Op::not_equal, x, x), boolean, boolean);
    return {are, sums(fold, cast_operand(are, in.dtype(), Op::cast), 0)};
}

} // namespace

Slope reverse(const Reduce& fold, const Slope& g, std::size_t lead) {
    const Numbers in(g.value.dtype());
    const ShapeSpan shape = fold.operand().dims.max_shape();
    if (fold.operand().dims.size() == 0)
        return Slope::given(in.filled(0, led_shape(g.value, lead, shape)));
    const auto spread_out = [&](const Operand& x) { return spread(fold, x, lead); };
    switch (fold.reduction()) {
    case Reduction::product: return g.moved(spread_out).times(products_of_others(fold, in));
    case Reduction::minimum:
    case Reduction::maximum: {
        const Extremes extreme = extremes(fold, in);
        return Slope{in.binary(Op::divide, g.value, extreme.count), g.chosen}
            .moved(spread_out)
            .where(extreme.are);
    }
    default: return (is_of_matrices(fold) ? g.as_one_factor() : g).moved(spread_out);
    }
}

Slope forward(const Reduce& fold, const Slope& t, std::size_t lead, bool careful) {
    const Numbers in(t.value.dtype());
    const index_t groups = fold.groups();
    if (fold.operand().dims.size() == 0)
        return Slope::given(in.filled(0, led_shape(t.value, lead, ShapeSpan(&groups, 1))));
    const auto add_up = [&](const Operand& x) { return sums(fold, x, lead); };
    switch (fold.reduction()) {
    case Reduction::product: return t.times(products_of_others(fold, in)).summed(add_up, careful);
    case Reduction::minimum:
    case Reduction::maximum: {
        const Extremes extreme = extremes(fold, in);
        const Slope sum = t.where(extreme.are).summed(add_up, careful);
        return {in.binary(Op::divide, sum.value, extreme.count), sum.chosen};
    }
    default: return t.summed(add_up, careful);
    }
}

} // namespace purview::derivatives
