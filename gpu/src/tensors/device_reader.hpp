#pragma once

#include <purview/evaluation/backend.hpp>
#include <purview/expression/node.hpp>
#include <purview/reader/read_writer.hpp>

#include "../memory/buffer.hpp"

#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// Who works on what lies on a device. One for each, which is never destroyed.
const Backend& backend_of(DeviceState& device);
/// The device of such a backend; null for other backends.
DeviceState* device_of(const Backend& backend) noexcept;

/// Throws `DeviceError`: the host's processors do not reach elements on a device.
[[noreturn]] void refuse_access(const Buffer& buffer, std::string_view what);

/// The buffer that the reader's elements lie in, from its beginning on; null for what lies in the host's memory.
Buffer* buffer_of(const AnyReader& reader);

/// Elements in memory of a device, one after the other. Only its backend reads and writes them: reads by the host throw, so that
/// nothing travels unnoticed.
template <typename T>
class DeviceReader final : public ReadWriter<T> {
public:
    DeviceReader(BufferPtr buffer, index_t size) : buffer_(std::move(buffer)), size_(size) {}

    index_t size() const override { return size_; }
    const Backend* backend() const noexcept override { return &backend_of(buffer_->device()); }
    /// The address of the object stands for the memory, which has no address on the host.
    StorageId storage() const noexcept override { return {buffer_.get(), 1}; }
    std::vector<StorageId> storages() const override { return {storage()}; }

    T read(index_t) const override { refuse_access(*buffer_, "read"); }
    void read_block(index_t, index_t, std::span<T>) const override {
        refuse_access(*buffer_, "read");
    }
    void gather(std::span<const index_t>, std::span<T>) const override {
        refuse_access(*buffer_, "read");
    }
    using purview::Writer<T>::write;
    void write(index_t, const T&) override { refuse_access(*buffer_, "write"); }
    void write_block(index_t, index_t, std::span<const T>) override {
        refuse_access(*buffer_, "write");
    }
    void scatter(std::span<const index_t>, std::span<const T>) override {
        refuse_access(*buffer_, "write");
    }

private:
    BufferPtr buffer_;
    index_t size_;
};

/// The first `size` elements of a buffer in a row, which may be written or not. Throws as `new_on_device`.
Operand operand_over_buffer(const char* what, BufferPtr buffer, DType dtype, index_t size,
                            bool writable = true);
/// New uninitialised elements on a device. Throws `DtypeError` naming `what` for types other than the built-in ones and floats of
/// 16 bits.
Operand new_on_device(const char* what, DeviceState& device, DType dtype, ShapeSpan shape);

} // namespace purview::gpu::detail
