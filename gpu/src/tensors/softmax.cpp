#include "softmax.hpp"

#include "device_reader.hpp"
#include "fold.hpp"
#include "run.hpp"

#include <purview/dimensions/repeated_groups.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>

#include <fmt/format.h>

#include <utility>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr const char* kSoftmax = "softmax";

std::optional<RowSoftmax> rows_of(DeviceState& device, index_t groups, const Operand& source) {
    return RowSoftmax::of(source.dims.size() / groups, device.driver->capabilities().group_size);
}

void in_one_pass(DeviceState& device, const RowSoftmax& rows, index_t groups, const Operand& source,
                 const Operand& out) {
    LowerOptions options = options_on(device);
    options.softmax = &rows;
    const ShapeSpan shape = source.dims.max_shape();
    launch_on_device(
        device, source, out, Dimensions::row_major(shape), options, kSoftmax, nullptr, [&] {
            return CheckedWork{work::Softmax{groups}, source, to_shape(shape), kSoftmax};
        });
}

/// Maxima, exponentials and their sums, quotients.
void in_passes(DeviceState& device, index_t groups, const Operand& source, const Operand& out) {
    const DType dtype = source.dtype();
    const ShapeSpan shape = source.dims.max_shape();
    const Operand result{out.node, Dimensions::row_major(shape)};
    const Operand of_groups = new_on_device(kSoftmax, device, dtype, ShapeSpan(&groups, 1));
    const Operand repeated{of_groups.node, dimensions::repeated_groups(shape, groups)};
    const auto apply = [&](Op op, const Operand& x, const Operand& y) {
        return elementwise<2>(op, dtype, {x, y});
    };
    assign_on_device(device, source, result, kSoftmax);
    fold_on_device(device, {Reduction::maximum, groups}, result, of_groups);
    assign_on_device(device, unary_operand(Op::exp, apply(Op::subtract, result, repeated), dtype),
                     result, kSoftmax);
    fold_on_device(device, {Reduction::sum, groups}, result, of_groups);
    assign_on_device(device, apply(Op::divide, result, repeated), result, kSoftmax);
}

} // namespace

void softmax_on_device(DeviceState& device, index_t groups, const Operand& source,
                       const Operand& destination) {
    const bool in_place = destination.node->reads(Below::device) &&
                          destination.dims.is_identity() &&
                          !reads_memory_of(source, buffer_below(destination));
    const auto compute = [&](const Operand& out) {
        if (const auto rows = rows_of(device, groups, source))
            in_one_pass(device, *rows, groups, source, out);
        else
            in_passes(device, groups, source, out);
    };
    to_results_on_device(device, kSoftmax, source.dtype(), destination, in_place, compute);
}

std::string describe_softmax_on_device(DeviceState& device, index_t groups, const Operand& source) {
    const auto rows = rows_of(device, groups, source);
    return fmt::format("way: {} on {}\n",
                       rows ? fmt::format("rows of {} in the registers of {} threads each",
                                          rows->length, rows->threads)
                            : std::string("maxima, exponentials with their sums, quotients"),
                       device.driver->label());
}

} // namespace purview::gpu::detail
