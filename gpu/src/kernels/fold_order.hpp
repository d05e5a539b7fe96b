#pragma once

#include "lowered.hpp"

#include "evaluation/fold_order.hpp"

namespace purview::inline v0_1::gpu::detail {

/// The elements after which lanes are joined.
constexpr index_t chunk_of(Reduction reduction, Stored type) noexcept {
    const bool adds = reduction == Reduction::sum || reduction == Reduction::product;
    return chunk_of_fold(is_float(type) && adds, type == Stored::boolean, bytes_of(type));
}

/// What changes no element that is folded to it, as bits: engine/folds/folds.hpp, Fold::start; or the fold of no elements, Fold::identity.
std::uint64_t start_of(Reduction reduction, Stored type) noexcept;
std::uint64_t identity_of(Reduction reduction, Stored type) noexcept;

// Groups of threads.
inline constexpr std::size_t kFoldThreads = 128; ///< of `Folding::lanes`
inline constexpr index_t kJoinedAtOnce = 1024;   ///< by the 256 threads of `join_text`
constexpr index_t threads_of(Folding::Form form) noexcept {
    return form == Folding::lanes   ? static_cast<index_t>(kLanesOfFloats)
           : form == Folding::eight ? kCellLanes
                                    : 1;
}

} // namespace purview::gpu::detail
