#pragma once

#include <purview/expression/reduce.hpp>

#include "engine/kernels/table/lane_kernels.hpp"

namespace purview::inline v0_1::engine {

/// The lane operation of a sum, product, minimum or maximum.
constexpr LaneOp lane_operation(Reduction reduction) noexcept {
    switch (reduction) {
    case Reduction::sum: return LaneOp::add;
    case Reduction::product: return LaneOp::multiply;
    case Reduction::minimum: return LaneOp::minimum;
    default: return LaneOp::maximum;
    }
}

} // namespace purview::engine
