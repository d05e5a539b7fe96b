#pragma once

#include "expression/derivatives/numbers.hpp"

#include <optional>
#include <utility>

namespace purview::inline v0_1::derivatives {

/// A derivative in two factors. Where `chosen` is 0, which a choice, a view that leaves elements out or a
/// weight makes it, the derivative is 0, whatever `value` is there: infinite or NaN. A 0 that `value` has
/// become by itself is no such 0: times ∞ it is NaN.
struct Slope {
    Operand value;
    std::optional<Operand>
        chosen; ///< numbers or bools, of the shape of `value`; nothing where all are 1

    /// A derivative that is given: its zeros stay.
    static Slope given(const Operand& g);

    /// The product of both factors.
    Operand whole() const;
    /// The product as the only factor, its zeros to stay if some were to.
    Slope as_one_factor() const { return chosen ? given(whole()) : *this; }
    /// Times a factor that was computed from what is differentiated by.
    Slope times(const Operand& d) const { return {Numbers(value.dtype()).times(value, d), chosen}; }
    /// Times a factor that does not depend on that, the zeros of which stay; even if `chosen` is infinite
    /// there, where `it_may_be`.
    Slope weighted(const Operand& weight, bool it_may_be) const;
    /// 0 where `condition` is false.
    Slope where(const Operand& condition) const;
    Slope cast_to(DType dtype) const;

    /// `move`, which brings elements elsewhere, applied to both factors.
    template <typename Move>
    Slope moved(const Move& move) const {
        if (!chosen) return {move(value), std::nullopt};
        const Operand all = move(*chosen);
        const std::optional<double> number = Numbers::value(value);
        return {number ? Numbers(value.dtype()).filled(*number, all.dims.max_shape()) : move(value),
                all};
    }
    /// `sum`, which adds elements up, each of its results at least one of them. With `careful` a sum is 0
    /// for good only where all of its terms are; else wherever it is 0.
    template <typename Sum>
    Slope summed(const Sum& sum, bool careful) const {
        if (!chosen) return {sum(value), std::nullopt};
        if (!careful || Numbers::value(value)) return given(sum(whole()));
        const Numbers in(value.dtype());
        const Operand any =
            in.binary(Op::not_equal, sum(cast_operand(is_chosen(), in.dtype(), Op::cast)), 0);
        return is_weighted() ? marked(any, sum(whole())) : Slope{sum(whole()), any};
    }

    /// Whether `chosen` is a number, by which there may be derivatives, and no choice alone.
    bool is_weighted() const { return chosen && chosen->dtype() != boolean; }
    /// Where `chosen` is not 0.
    Operand is_chosen() const;
    /// `g`, the zeros of which stay where `any` is false.
    static Slope marked(const Operand& any, const Operand& g);
};

/// The sum of two derivatives by the same elements, `careful` as above.
Slope sum(const Slope& a, const Slope& b, bool careful);

} // namespace purview::derivatives
