#include <purview/base/checked.hpp>
#include <purview/reader/concat_buffers.hpp>

#include <algorithm>

namespace purview::inline v0_1 {

void ConcatLayout::append(index_t part_size) {
    starts_.push_back(checked_add(starts_.back(), part_size, "concat_buffers"));
}

std::size_t ConcatLayout::part_of(index_t i) const noexcept {
    // The last part that begins at or before `i`; empty parts before it begin there too.
    const auto after = std::upper_bound(starts_.begin(), starts_.end(), i);
    return static_cast<std::size_t>(after - starts_.begin()) - 1;
}

ConcatLayout::Run ConcatLayout::first_run(index_t begin, index_t step,
                                          std::size_t count) const noexcept {
    const std::size_t part = part_of(begin);
    Run run{part, begin - starts_[part], count};
    if (step > 0)
        run.count =
            std::min(count, static_cast<std::size_t>((starts_[part + 1] - 1 - begin) / step) + 1);
    else if (step < 0 && count > 1)
        run.count = std::min(count, static_cast<std::size_t>(run.begin / -step) + 1);
    return run;
}

} // namespace purview
