#include "run.hpp"

#include "device_reader.hpp"
#include "execution.hpp"
#include "kernel_files.hpp"
#include "transfers.hpp"

#include "../kernels/launch.hpp"
#include "../kernels/text.hpp"
#include "../memory/copies.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/visit_node.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// Of a source that reads the buffer of the destination: whether elements that are written may be read afterwards at other
/// coordinates, through another view.
bool reads_what_is_written(const Operand& source, const Operand& destination) {
    const Buffer* const written = &buffer_below(destination);
    const auto is_other = [&](const Operand& x) {
        const Leaf* const leaf = leaf_of(x);
        return leaf != nullptr && buffer_of(leaf->reader()) == written &&
               x.dims != destination.dims;
    };
    if (leaf_of(source) != nullptr) return is_other(source);
    const std::vector<const Node*> nodes = nodes_below({&source, 1});
    // Through one view, the same elements that it writes: nothing above may be seen through another.
    return !source.dims.is_identity() || std::ranges::any_of(nodes, [&](const Node* node) {
        return node->kind() != NodeKind::elementwise && node->kind() != NodeKind::leaf &&
               node->kind() != NodeKind::constant;
    }) || std::ranges::any_of(nodes, [&](const Node* node) {
        return std::ranges::any_of(operands_of(*node), [&](const Operand& x) {
            return is_other(x) ||
                   (node_as<Elementwise>(*x.node) != nullptr && !x.dims.is_identity());
        });
    });
}

/// Whether results must not be written where elements are read.
bool must_be_apart(const Lowered& x, std::span<Buffer* const> read, const Operand& source,
                   const Operand& destination) {
    const Buffer& written = buffer_below(destination);
    if (std::ranges::none_of(read, [&](const Buffer* b) { return b->overlaps(written); }))
        return false;
    return x.checked || // errors are found by doing it again, with what was read
           std::ranges::any_of(
               read, [&](const Buffer* b) { return b != &written && b->overlaps(written); }) ||
           reads_what_is_written(source, destination);
}

} // namespace

bool DevicePlaces::find(const AnyReader& reader, Place& place) const {
    Buffer* const buffer = buffer_of(reader);
    if (buffer == nullptr || &buffer->device() != &device_) return false;
    place = place_of(*buffer);
    if (std::ranges::find(found_, buffer) == found_.end()) found_.push_back(buffer);
    return true;
}

Place DevicePlaces::place_of(const Buffer& buffer) const {
    // A cl_mem is no address: memory of OpenCL's is aligned for every type.
    const bool is_address = device_.driver->dialect() == Dialect::cuda;
    return {buffer.handle(), buffer.bytes(), 0,
            is_address ? static_cast<std::uint32_t>(buffer.handle() % 16) : 0};
}

LowerOptions options_on(DeviceState& device) {
    LowerOptions options;
    const Capabilities& can = device.driver->capabilities();
    options.float64 = can.float64;
    options.rounds = can.rounded_division || !can.float64;
    options.wide = device.always_wide.load(std::memory_order_relaxed);
    return options;
}

Buffer& buffer_below(const Operand& destination) {
    return *buffer_of(leaf_of(destination)->reader());
}

bool reads_memory_of(const Operand& source, const Buffer& buffer) {
    return std::ranges::any_of(nodes_below({&source, 1}), [&](const Node* node) {
        const auto* const leaf = node_as<Leaf>(*node);
        const Buffer* const read = leaf == nullptr ? nullptr : buffer_of(leaf->reader());
        return read != nullptr && read->overlaps(buffer);
    });
}

Operand with_memory_of(DeviceState& device, const Operand& source, const NodePtr& node,
                       const char* what) {
    Operand memory;
    if (const auto* const leaf = node_as<Leaf>(*node); leaf != nullptr) { // of the host
        const index_t size = leaf->size();
        memory = to_device({node, Dimensions::row_major({&size, 1})}, device);
    } else {
        const Operand computed{node, Dimensions::row_major(shape_of(*node))};
        memory = new_on_device(what, device, node->dtype(), computed.dims.max_shape());
        assign_on_device(device, computed, memory, what);
    }
    return rewritten({&source, 1}, [&](const Node& each, NodePtr own) {
        return &each == node.get() ? memory.node : own;
    })[0];
}

void launch_on_device(DeviceState& device, Operand source, const Operand& out, const Dimensions& to,
                      const LowerOptions& options, const char* what, Buffer* also,
                      FunctionRef<CheckedWork()> work) {
    Buffer& written = buffer_below(out);
    while (true) {
        const DevicePlaces places(device);
        const Execution::Use in_use;
        Lowered& lowered = in_use.lowered();
        lower(lowered, source, {places.place_of(written), to}, places, options, what);
        if (const NodePtr cut = lowered.cut; cut != nullptr) {
            source = with_memory_of(device, source, cut, what);
            continue;
        }
        places.found().push_back(&written);
        if (also != nullptr) places.found().push_back(also);
        return in_use.run(device, lowered, places.found(), work);
    }
}

void assign_on_device(DeviceState& device, const Operand& source, const Operand& destination,
                      const char* what) {
    if (destination.dims.size() == 0) return;
    Buffer& written = buffer_below(destination);
    const DevicePlaces places(device);
    const Execution::Use in_use;
    Lowered& lowered = in_use.lowered();
    const LowerOptions options = options_on(device);
    lower(lowered, source, {places.place_of(written), destination.dims}, places, options, what);
    if (must_be_apart(lowered, places.found(), source, destination)) {
        const Operand apart = new_on_device(what, device, source.dtype(), source.dims.max_shape());
        assign_on_device(device, source, apart, what);
        return assign_on_device(device, apart, destination, what);
    }
    if (lowered.cut != nullptr) {
        const NodePtr cut = lowered.cut;
        return assign_on_device(device, with_memory_of(device, source, cut, what), destination,
                                what);
    }
    if (lowered.size == 0) return;
    places.found().push_back(&written);
    in_use.run(device, lowered, places.found(), [&] {
        return CheckedWork{work::Assign{}, source, to_shape(source.dims.max_shape()), what};
    });
}

void to_results_on_device(DeviceState& device, const char* what, DType dtype,
                          const Operand& destination, bool in_place,
                          FunctionRef<void(const Operand& out)> compute) {
    if (in_place) return compute(destination);
    const Operand out = new_on_device(what, device, dtype, destination.dims.max_shape());
    compute(out);
    if (destination.node->reads(Below::device))
        assign_on_device(device, out, destination, what);
    else
        copy_to_host(out, destination, what);
}

std::string describe_assignment_on_device(DeviceState& device, const Operand& source,
                                          const Operand& destination) {
    const DevicePlaces places(device);
    Lowered lowered;
    // To memory of the host it goes by way of memory there.
    const bool is_on_device = destination.node->reads(Below::device);
    lower(lowered, source,
          is_on_device ? ResultPlace{places.place_of(buffer_below(destination)), destination.dims}
                       : ResultPlace{{}, Dimensions::row_major(source.dims.max_shape())},
          places, options_on(device));
    if (lowered.cut != nullptr)
        return fmt::format("way: kernels on {}, as {}\n", device.driver->label(), lowered.why_cut);
    std::string key;
    key_of(lowered, key);
    const std::string& why_not = KernelFiles::of_process().why_not();
    const std::string slow = why_slow(lowered);
    return fmt::format("way: a kernel of form {} on {}, {}{}{}{}{}\n", name_of(lowered.form),
                       device.driver->label(),
                       Execution::kernels(device).has(key) ? "built before" : "to be built",
                       why_not.empty() ? "" : fmt::format(", not kept as {}", why_not),
                       lowered.wide ? ", by indexes of 64 bits" : "",
                       slow.empty() ? "" : ", because ", slow);
}

} // namespace purview::gpu::detail
