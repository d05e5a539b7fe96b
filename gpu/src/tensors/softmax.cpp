#include "softmax.hpp"

#include "device_reader.hpp"
#include "execution.hpp"
#include "fold.hpp"
#include "run.hpp"
#include "transfers.hpp"

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

void in_one_pass(DeviceState& device, const RowSoftmax& rows, index_t groups, const Operand& whole,
                 const Operand& out) {
    Operand source = whole;
    Buffer& written = buffer_below(out);
    LowerOptions options = options_on(device);
    options.softmax = &rows;
    while (true) {
        const PlacesThere places(device);
        const Execution::Use in_use;
        Lowered& lowered = in_use.lowered();
        lower(lowered, source,
              {places.place_of(written), Dimensions::row_major(source.dims.max_shape())}, places,
              options, kSoftmax);
        if (const NodePtr cut = lowered.cut; cut != nullptr) {
            source = with_memory_of(device, source, cut, kSoftmax);
            continue;
        }
        places.found().push_back(&written);
        in_use.run(device, lowered, places.found(), [&] {
            return CheckedWork{work::Softmax{groups}, whole, to_shape(whole.dims.max_shape()),
                               kSoftmax};
        });
        return;
    }
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
    assign_there(device, source, result, kSoftmax);
    fold_there(device, {Reduction::maximum, groups}, result, of_groups);
    assign_there(device, unary_operand(Op::exp, apply(Op::subtract, result, repeated), dtype),
                 result, kSoftmax);
    fold_there(device, {Reduction::sum, groups}, result, of_groups);
    assign_there(device, apply(Op::divide, result, repeated), result, kSoftmax);
}

} // namespace

void softmax_there(DeviceState& device, index_t groups, const Operand& source,
                   const Operand& destination) {
    const bool stays = destination.node->reads(Below::device) && destination.dims.is_identity();
    const Operand out =
        stays ? destination
              : new_on_device(kSoftmax, device, source.dtype(), destination.dims.max_shape());
    if (const auto rows = rows_of(device, groups, source))
        in_one_pass(device, *rows, groups, source, out);
    else
        in_passes(device, groups, source, out);
    if (stays) return;
    if (destination.node->reads(Below::device))
        return assign_there(device, out, destination, kSoftmax);
    copy_to_host(out, destination, kSoftmax);
}

std::string tell_softmax_there(DeviceState& device, index_t groups, const Operand& source) {
    const auto rows = rows_of(device, groups, source);
    return fmt::format("way: {} on {}\n",
                       rows ? fmt::format("rows of {} in the registers of {} threads each",
                                          rows->length, rows->threads)
                            : std::string("maxima, exponentials with their sums, quotients"),
                       device.driver->label());
}

} // namespace purview::gpu::detail
