#include <purview/base/errors.hpp>
#include <purview/functional/reductions/skip_nan.hpp>

#include <fmt/format.h>

namespace purview {
std::vector<std::int64_t> first_numbers(const char* what, const ReducedView& view, bool last) {
    const std::vector<std::int64_t> counts = count_numbers(view);
    for (const std::int64_t count : counts)
        if (count == 0)
            throw ShapeError(
                fmt::format("{}: all elements of a part of shape {} are NaN, and NaN is skipped",
                            what, to_string(view.operand.dims.max_shape())));
    std::vector<std::int64_t> first(static_cast<std::size_t>(view.groups));
    ReducedView numbers = view;
    numbers.operand = is_number(view.operand);
    if (last)
        last_arg_extreme(Extreme::greatest, numbers, first.data());
    else
        arg_extreme(Extreme::greatest, numbers.operand, numbers.groups, first.data());
    return first;
}

} // namespace purview
