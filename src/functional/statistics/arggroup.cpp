#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/functional/statistics/arggroup.hpp>

#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace purview::inline v0_1 {

std::shared_ptr<const void> counted_keys(const char* what, const Operand& keys, index_t row_bytes) {
    if (!keys.node->reads(Below::blocks)) return nullptr;
    const index_t bytes =
        checked_bytes(keys.dims.size(), keys.dtype().size_bytes() + row_bytes, what);
    const index_t left = memory_left();
    if (bytes > left - left / 8) // of chunks that are read
        throw MemoryLimitError(fmt::format(
            "{}: {} bytes for the keys of {} rows, which it groups in memory, are more than what the "
            "memory limit, {} bytes, leaves; group_by_reduce goes beyond it",
            what, bytes, keys.dims.size(), memory_limit()));
    return std::make_shared<const CountedBytes>(bytes, what);
}

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
