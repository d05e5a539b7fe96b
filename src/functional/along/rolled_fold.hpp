#pragma once

#include <purview/functional/reductions/built_in_reduction.hpp>

#include <optional>

namespace purview::inline v0_1 {

/// The fold of numbers that computes windows of a reduction incrementally; none for others.
inline std::optional<PlainFold> rolled_fold(const BuiltInReduction& reduction) noexcept {
    std::optional<PlainFold> fold = reduction.as_fold();
    if (fold && (fold->reduction == Reduction::any_of || fold->reduction == Reduction::all_of))
        fold.reset();
    return fold;
}

} // namespace purview
