#include "expression/derivatives/slope.hpp"

#include "expression/derivatives/zeros_around.hpp"

namespace purview::inline v0_1::derivatives {
namespace {

bool shows_same(const Operand& x, const Operand& y) { return x.node == y.node && x.dims == y.dims; }

/// The operation that `x` shows as it is.
const Elementwise* operation_of(const Operand& x, Op op) {
    const auto* const operation = node_as<Elementwise>(*x.node);
    const bool is = operation != nullptr && operation->op() == op && x.dims.is_identity() &&
                    same_extents(x.dims.max_shape(), operation->shape());
    return is ? operation : nullptr;
}

/// What was chosen by the last choice, of what had been chosen before; nothing where that was all.
struct LastChoice {
    Operand condition;
    bool is_first; ///< where the condition holds
    std::optional<Operand> before;

    Operand of(const Numbers& in, const Operand& x) const {
        return is_first ? in.choose(condition, x, in.number(0)) : in.choose(condition, 0, x);
    }
};
LastChoice of_condition(const Operand& x, std::optional<Operand> before) {
    const Elementwise* const opposite = operation_of(x, Op::logical_not);
    return {opposite ? opposite->operand(0) : x, opposite == nullptr, std::move(before)};
}
std::optional<LastChoice> last_choice(const Operand& chosen) {
    if (const Elementwise* const choice = operation_of(chosen, Op::choose)) {
        if (Numbers::value(choice->operand(2)) == 0.)
            return LastChoice{choice->operand(0), true, choice->operand(1)};
        if (Numbers::value(choice->operand(1)) == 0.)
            return LastChoice{choice->operand(0), false, choice->operand(2)};
    }
    if (chosen.dtype() != boolean) return std::nullopt;
    if (const Elementwise* const both = operation_of(chosen, Op::logical_and))
        return of_condition(both->operand(1), both->operand(0));
    return of_condition(chosen, std::nullopt);
}

/// Whether one of two choices is made wherever the other is not, of the same.
bool are_opposite(const LastChoice& a, const LastChoice& b) {
    const bool of_same =
        a.before && b.before ? shows_same(*a.before, *b.before) : !a.before && !b.before;
    return of_same && a.is_first != b.is_first && shows_same(a.condition, b.condition);
}

} // namespace

Slope Slope::given(const Operand& g) {
    const std::optional<double> number = Numbers::value(g);
    if (number && *number != 0) return {g, std::nullopt};
    return {Numbers(g.dtype()).filled(1, g.dims.max_shape()), g};
}

Operand Slope::whole() const {
    const Numbers in(value.dtype());
    if (!chosen) return value;
    if (chosen->dtype() != boolean) return in.scaled(*chosen, value);
    return of_condition(*chosen, std::nullopt).of(in, value);
}

Slope Slope::weighted(const Operand& weight, bool it_may_be) const {
    const Numbers in(value.dtype());
    const std::optional<double> number = Numbers::value(weight);
    if (number && *number != 0) return times(weight);
    const Operand each{weight.node, dimensions::expand(weight.dims, value.dims.max_shape())};
    if (!chosen) return {value, each};
    if (chosen->dtype() != boolean)
        return {value, it_may_be ? in.scaled_by_both(*chosen, each) : in.scaled(*chosen, each)};
    return {value, Slope{each, chosen}.whole()};
}

Slope Slope::where(const Operand& condition) const {
    const Operand each{condition.node, dimensions::expand(condition.dims, value.dims.max_shape())};
    if (!chosen) return {value, each};
    if (chosen->dtype() == boolean)
        return {value, binary_operand(Op::logical_and, *chosen, each, boolean, boolean)};
    return {value, Slope{*chosen, each}.whole()};
}

Slope Slope::cast_to(DType dtype) const {
    const auto cast = [&](const Operand& x) { return cast_operand(x, dtype, Op::wrapping_cast); };
    if (!chosen) return {cast(value), std::nullopt};
    return {cast(value), chosen->dtype() == boolean ? *chosen : cast(*chosen)};
}

Operand Slope::is_chosen() const {
    return chosen->dtype() == boolean ? *chosen
                                      : Numbers(value.dtype()).binary(Op::not_equal, *chosen, 0);
}

Slope Slope::marked(const Operand& any, const Operand& g) {
    // g stays a factor where it is 0 for good: it may be a weight, by which it has a derivative.
    const Numbers in(g.dtype());
    return {in.choose(any, g, in.number(1)), in.choose(any, 1, g)};
}

Slope sum(const Slope& a, const Slope& b, bool careful) {
    const Numbers in(a.value.dtype());
    if (a.chosen && b.chosen && shows_same(*a.chosen, *b.chosen))
        return {in.sum(a.value, b.value), a.chosen};
    const auto sum_of_both = [&] {
        const Operand x = a.whole(), y = b.whole();
        const std::optional<Operand> ranges = sum_of_ranges(x, y);
        return ranges ? *ranges : in.sum(x, y);
    };
    if (!a.chosen || !b.chosen) return {sum_of_both(), std::nullopt};
    const std::optional<LastChoice> of_a = last_choice(*a.chosen);
    const std::optional<LastChoice> of_b = last_choice(*b.chosen);
    if (of_a && of_a->before && shows_same(*of_a->before, *b.chosen))
        return {in.sum(of_a->of(in, a.value), b.value), b.chosen};
    if (of_b && of_b->before && shows_same(*of_b->before, *a.chosen))
        return {in.sum(a.value, of_b->of(in, b.value)), a.chosen};
    if (of_a && of_b && are_opposite(*of_a, *of_b))
        return {of_a->is_first ? in.choose(of_a->condition, a.value, b.value)
                               : in.choose(of_a->condition, b.value, a.value),
                of_a->before};
    const Operand both = sum_of_both();
    const bool are_numbers = Numbers::value(a.value) && Numbers::value(b.value);
    if (!careful || are_numbers) return Slope::given(both);
    const Operand any =
        binary_operand(Op::logical_or, a.is_chosen(), b.is_chosen(), boolean, boolean);
    return a.is_weighted() || b.is_weighted() ? Slope::marked(any, both) : Slope{both, any};
}

} // namespace purview::derivatives
