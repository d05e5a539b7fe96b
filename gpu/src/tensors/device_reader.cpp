#include "device_reader.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/allocation.hpp>

#include <fmt/format.h>

#include <memory>

namespace purview::inline v0_1::gpu::detail {

void refuse_access(const Buffer& buffer, std::string_view what) {
    throw DeviceError(
        fmt::format("{}: the elements lie in the memory of {}, which the host does not {}: {}",
                    what, buffer.device().driver->label(), what,
                    what == "write" ? "assign to a view, x(range(0, 1)) = 3, or use gpu::to_host(x)"
                                    : "gpu::to_host(x) is a copy here"));
}

Buffer* buffer_of(const AnyReader& reader) {
    const Backend* const own = reader.backend();
    if (own == nullptr || device_of(*own) == nullptr) return nullptr;
    // The storage of readers of such a backend is the Buffer.
    return static_cast<Buffer*>(const_cast<void*>(reader.storage().address));
}

Operand operand_over_buffer(const char* what, BufferPtr buffer, DType dtype, index_t size,
                            bool writable) {
    DeviceState& device = buffer->device();
    Dimensions line = Dimensions::row_major(ShapeSpan(&size, 1));
    const auto made = [&]<typename T>(std::type_identity<T>) {
        auto reader = std::make_shared<DeviceReader<T>>(std::move(buffer), size);
        if (writable) return operand_over(std::move(reader), std::move(line));
        return Operand{make_node<Leaf>(std::shared_ptr<const AnyReader>(std::move(reader))),
                       std::move(line)};
    };
    if (dtype == kDType<Half>) return made(std::type_identity<Half>{});
    if (dtype == kDType<BFloat16>) return made(std::type_identity<BFloat16>{});
    if (!dtype.is_builtin())
        throw DtypeError(fmt::format("{}: elements of type {} have no form on {}", what,
                                     dtype.name(), device.driver->label()));
    return visit_dtype(dtype, what, made);
}

Operand new_on_device(const char* what, DeviceState& device, DType dtype, ShapeSpan shape) {
    Dimensions dims = Dimensions::row_major(shape);
    const index_t size = dims.size();
    const index_t bytes = checked_bytes(size, dtype.size_bytes(), what);
    BufferPtr buffer = new_buffer(device, static_cast<std::size_t>(bytes));
    Operand made = operand_over_buffer(what, std::move(buffer), dtype, size);
    made.dims = std::move(dims);
    return made;
}

} // namespace purview::gpu::detail
