#include <purview/functional/statistics/arggroup.hpp>

#include <algorithm>
#include <numeric>

namespace purview::inline v0_1 {

GroupBounds group_bounds(const SortedRuns& runs) {
    const std::vector<index_t>& begins = runs.begins();
    const std::span<const std::int64_t> indexes = as_span(runs.order());
    const auto end_of = [&](std::size_t group) {
        return group + 1 < begins.size() ? begins[group + 1] : std::ssize(indexes);
    };
    std::vector<std::size_t> order(begins.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t group) {
        return indexes[static_cast<std::size_t>(begins[group])];
    });
    GroupBounds bounds;
    for (const std::size_t group : order) {
        bounds.begins.push_back(begins[group]);
        bounds.ends.push_back(end_of(group));
    }
    return bounds;
}

} // namespace purview
