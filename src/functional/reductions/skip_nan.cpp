#include <purview/base/errors.hpp>
#include <purview/functional/reductions/skip_nan.hpp>

#include <fmt/format.h>

namespace purview {
std::vector<std::int64_t> first_non_nan(const char* what, const ReducedView& view, bool last) {
    const std::vector<std::int64_t> counts = count_non_nan(view);
    for (const std::int64_t count : counts)
        if (count == 0)
            throw ShapeError(
                fmt::format("{}: all elements of a part of shape {} are NaN, and NaN is skipped",
                            what, to_string(view.operand.dims.max_shape())));
    std::vector<std::int64_t> first(static_cast<std::size_t>(view.groups));
    ReducedView not_nan = view;
    not_nan.operand = is_not_nan(view.operand);
    if (last)
        last_arg_extreme(Extreme::greatest, not_nan, first.data());
    else
        arg_extreme(Extreme::greatest, not_nan.operand, not_nan.groups, first.data());
    return first;
}

} // namespace purview
