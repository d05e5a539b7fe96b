#include "transfers.hpp"

#include "checks.hpp"
#include "device_reader.hpp"
#include "run.hpp"

#include "../memory/copies.hpp"
#include "../memory/device_state.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/backend.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/gpu/transfers.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::gpu {
namespace detail {
namespace {

std::size_t bytes_of_elements(const Operand& x) {
    return static_cast<std::size_t>(x.dims.size() * x.dtype().size_bytes());
}

/// Elements one after the other in the host's memory, or null.
const std::byte* contiguous_memory(const Operand& x) {
    const Leaf* const leaf = leaf_of(x);
    if (leaf == nullptr || !leaf->memory() || !x.dims.is_contiguous() ||
        leaf->memory().stride_bytes != leaf->dtype().size_bytes())
        return nullptr;
    return static_cast<const std::byte*>(leaf->memory().data) +
           x.dims.base() * leaf->memory().stride_bytes;
}

Operand in_host_memory(const Operand& source) {
    Operand copy = cpu().results_like({}, source.dtype(), source.dims.max_shape());
    assign(source, copy);
    return copy;
}

/// All elements of a leaf on a device, in their order.
bool is_whole_on_device(const Operand& x) {
    const Leaf* const leaf = leaf_of(x);
    return leaf != nullptr && buffer_of(leaf->reader()) != nullptr && x.dims.is_contiguous();
}

} // namespace

DeviceState* device_below(const Operand& source) {
    const Backend& backend = purview::backend_of({&source, 1});
    return &backend == &cpu() ? nullptr : device_of(backend);
}

Operand to_device(const Operand& source, DeviceState& device) {
    if (is_sparse(source))
        throw KindError(
            fmt::format("to_device: a sparse {} of shape {} would become dense: to_dense(x) first",
                        source.dtype().name(), to_string(source.dims.max_shape())));
    DeviceState* const from = device_below(source);
    if (from != nullptr && from != &device) return to_device(to_host(source), device);
    const Operand result =
        new_on_device("to_device", device, source.dtype(), source.dims.max_shape());
    if (source.dims.size() == 0) return result;
    if (from != nullptr || node_as<Constant>(*source.node) != nullptr) {
        assign_on_device(device, source, result, "to_device");
        return result;
    }
    const std::byte* elements = contiguous_memory(source);
    const Operand copy = elements == nullptr ? in_host_memory(source) : source;
    if (elements == nullptr) elements = contiguous_memory(copy);
    copy_in(*buffer_of(leaf_of(result)->reader()), 0, elements, bytes_of_elements(source));
    return result;
}

Operand to_host(const Operand& source) {
    if (!source.node->reads(Below::device)) return in_host_memory(source);
    const Operand result = cpu().results_like({}, source.dtype(), source.dims.max_shape());
    copy_to_host(source, result, "to_host");
    return result;
}

void copy_to_host(const Operand& source, const Operand& destination, const char* what) {
    if (source.dims.size() == 0) return;
    const Leaf& leaf = *leaf_of(destination);
    if (contiguous_memory(destination) == nullptr || !leaf.writable_memory()) {
        const Operand here = cpu().results_like({}, source.dtype(), source.dims.max_shape());
        copy_to_host(source, here, what);
        return assign(here, destination);
    }
    DeviceState* const from = device_below(source);
    Operand there = source;
    if (!is_whole_on_device(source)) {
        there = new_on_device(what, *from, source.dtype(), source.dims.max_shape());
        assign_on_device(*from, source, there, what);
    }
    checks_of(*from).use(*buffer_of(leaf_of(there)->reader()));
    copy_out(const_cast<std::byte*>(contiguous_memory(destination)),
             *buffer_of(leaf_of(there)->reader()),
             static_cast<std::size_t>(there.dims.base() * source.dtype().size_bytes()),
             bytes_of_elements(source));
    from->settle(false);
}

} // namespace detail

Operand operand_on_device(const Operand& source, const Device& device) {
    return detail::to_device(source, device.state());
}
Operand operand_on_host(const Operand& source) { return detail::to_host(source); }
std::optional<Device> device_below(const Operand& source) {
    detail::DeviceState* const found = detail::device_below(source);
    return found == nullptr ? std::nullopt : std::optional<Device>(*found);
}

} // namespace purview::gpu
