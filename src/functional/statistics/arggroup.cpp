#include <purview/functional/statistics/arggroup.hpp>

#include <algorithm>
#include <numeric>

namespace purview {

GroupBounds group_bounds(const std::vector<bool>& is_first, const std::int64_t* indexes) {
    std::vector<index_t> begins;
    for (std::size_t i = 0; i < is_first.size(); ++i)
        if (is_first[i]) begins.push_back(static_cast<index_t>(i));
    const auto end_of = [&](std::size_t group) {
        return group + 1 < begins.size() ? begins[group + 1] : std::ssize(is_first);
    };
    std::vector<std::size_t> order(begins.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::ranges::sort(order, {}, [&](std::size_t group) { return indexes[begins[group]]; });
    GroupBounds bounds;
    for (const std::size_t group : order) {
        bounds.begins.push_back(begins[group]);
        bounds.ends.push_back(end_of(group));
    }
    return bounds;
}

} // namespace purview
