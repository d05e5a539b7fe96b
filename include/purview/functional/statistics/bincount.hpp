#pragma once

#include <purview/functional/along/search.hpp>
#include <purview/functional/assembly/in_memory.hpp>
#include <purview/tensor/accepting_arrays.hpp>
#include <purview/tensor/stage.hpp>

#include <concepts>
#include <cstdint>

namespace purview {

/// The number of occurrences of each integer. Throws as `bincount` does.
PURVIEW_EXPORT MutableTensor<std::int64_t> counts_of(const Operand& x, index_t min_length);
/// The sum of the weights of each integer. Throws as `bincount` does.
PURVIEW_EXPORT MutableTensor<double> weights_of(const Operand& x, const Operand& weights,
                                                index_t min_length);

/// `bincount(x)`, or a stage, `x | bincount`: element i of the result is the number of integers in
/// `x`, of any shape, that equal i: int64 in memory, of rank 1, one longer than the greatest
/// integer and at least as long as `bincount(x, min_length)` says. `bincount(x, weights)`,
/// `bincount(x, weights, min_length)`: the sums of their weights in float64, added in row-major
/// order. Eager, O(n + length), one thread. Throws `IndexError` for a negative integer,
/// `ShapeError` for weights of another shape, a negative `min_length`, and integers of 2^40 or
/// more, `DtypeError` for types other than integers and bools.
struct BincountFunction : PipelineStage {
    template <NumberTensor X>
    auto operator()(const X& x, index_t min_length = 0) const {
        check_type<X>();
        return counts_of(x.operand(), min_length);
    }
    template <NumberTensor X, NumberTensor W>
    auto operator()(const X& x, const W& weights, index_t min_length = 0) const {
        check_type<X>();
        return weights_of(x.operand(), weights.operand(), min_length);
    }
    template <IndexInteger I>
    auto operator()(I min_length) const {
        return make_stage(*this, static_cast<index_t>(min_length));
    }

private:
    template <typename X>
    static void check_type() {
        if constexpr (TypedTensor<X>)
            static_assert(std::integral<OperandElement<X>>, "bincount: the elements are integers");
    }
};
inline constexpr AcceptingArrays<BincountFunction> bincount;

} // namespace purview
