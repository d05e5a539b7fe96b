#pragma once

#include "engine/folds/fold_kind.hpp"

#include <utility>

namespace purview::inline v0_1::engine {

/// The least and the greatest element of `source`, which is read from memory once; both are NaN if
/// an element is.
std::pair<FoldValue, FoldValue> extremes_of(const Operand& source);

/// The same for elements of type `T`. A result that is zero is +0.
template <typename T>
std::pair<T, T> extremes_of(const Operand& source) {
    const auto [least, greatest] = extremes_of(source);
    return {static_cast<T>(least.as<T>() + T{}), static_cast<T>(greatest.as<T>() + T{})};
}

} // namespace purview::engine
