#include <purview/base/errors.hpp>
#include <purview/dimensions/index.hpp>

namespace purview::inline v0_1 {

void Range::throw_zero_step() { throw IndexError("range: step 0 never ends"); }

Range::Resolved Range::resolve(index_t size) const noexcept {
    // As a Python slice clips its bounds: to the first index that can be taken, or one past the
    // last.
    const index_t lowest = step_ > 0 ? 0 : -1;
    const index_t highest = step_ > 0 ? size : size - 1;
    const auto clip = [&](std::optional<index_t> bound, index_t missing) {
        if (!bound) return missing;
        const index_t index = *bound < 0 ? *bound + size : *bound;
        return index < lowest ? lowest : index > highest ? highest : index;
    };
    const index_t first = clip(begin_, step_ > 0 ? lowest : highest);
    const index_t last = clip(end_, step_ > 0 ? highest : lowest);
    const index_t distance = step_ > 0 ? last - first : first - last;
    if (distance <= 0) return {0, step_, 0};
    if (step_ == 1 || step_ == -1) return {first, step_, distance};
    // If one step leaves the axis, there is one index, and only the sign of the step matters.
    if (step_ >= distance || step_ <= -distance) return {first, step_ > 0 ? 1 : -1, 1};
    return {first, step_, (distance - 1) / (step_ > 0 ? step_ : -step_) + 1};
}

} // namespace purview
