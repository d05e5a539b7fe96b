#pragma once

#include "reductions/partial_results.hpp"

#include <purview/evaluation/statistics.hpp>
#include <purview/expression/elementwise.hpp>

#include <span>

namespace purview::inline v0_1::mpi {

inline Operand elements_as(const Operand& x, DType dtype) {
    return x.dtype() == dtype ? x : cast_operand(x, dtype, Op::cast);
}

/// Of states of a type: the bytes of messages are aligned, as all memory that is asked for is.
template <typename State>
class StatesOf : public PartialResults {
protected:
    StatesOf(DType result, AxisOrder order = AxisOrder::of_operand, bool needs_elements = false)
        : PartialResults(result, sizeof(State), order, needs_elements) {}

    static std::span<State> states_at(std::byte* states, index_t count) {
        return {reinterpret_cast<State*>(states), static_cast<std::size_t>(count)};
    }
    static std::span<const State> states_at(const std::byte* states, index_t count) {
        return {reinterpret_cast<const State*>(states), static_cast<std::size_t>(count)};
    }
};

/// Of a variance whose divisor is the number of elements less `correction`, or its square root.
std::unique_ptr<const PartialResults> partial_variance(DType element, index_t correction, bool root,
                                                       bool skips_nan);
std::unique_ptr<const PartialResults> partial_norm(DType element, bool skips_nan);
std::unique_ptr<const PartialResults> partial_place(Extreme extreme, DType element, bool skips_nan);

} // namespace purview
