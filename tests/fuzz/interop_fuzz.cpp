// Whatever a DLPack tensor or the JSON text of a descriptor says, importing it gives a tensor over what it
// describes, or throws an `Error`; the deleter runs once; and no byte outside of the memory is touched: the
// elements are read only where every one of them lies in it.

#include "memory_file.hpp"

#include <purview/base/errors.hpp>
#include <purview/interop/descriptor.hpp>
#include <purview/interop/dlpack.hpp>
#include <purview/tensor/copy.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <string_view>

namespace pv = purview;
namespace dlpack = pv::dlpack;

namespace {

using fuzz::require;

constexpr std::int64_t kBytes = 4096;
constexpr int kMostAxes = 4;

/// What the input says, in its own order.
struct Input {
    std::int32_t device, ndim;
    std::uint8_t code, bits;
    std::uint16_t lanes;
    std::uint8_t has_strides, is_small, flags, major;
    std::uint64_t byte_offset;
    std::array<std::int64_t, kMostAxes> shape, strides;
};

/// Whether every element lies within [0, kBytes) of the memory, in numbers that do not overflow.
bool lies_inside(const Input& input, std::int64_t size) {
    if (input.byte_offset > std::uint64_t{kBytes}) return false;
    __int128 low = static_cast<__int128>(input.byte_offset);
    __int128 high = low + size;
    for (int axis = 0; axis < input.ndim; ++axis) {
        const auto extent = static_cast<__int128>(input.shape[static_cast<std::size_t>(axis)]);
        if (extent < 0 || extent > kBytes) return false;
        if (extent == 0) return true;
        const __int128 reach = (extent - 1) * input.strides[static_cast<std::size_t>(axis)] * size;
        (reach < 0 ? low : high) += reach;
    }
    return low >= 0 && high <= kBytes;
}

void check_dlpack(Input input) {
    alignas(64) static std::array<std::byte, kBytes> memory;
    input.device = input.device % 4;
    input.ndim = input.is_small % 2 == 0 ? input.ndim : std::abs(input.ndim % (kMostAxes + 1));
    if (input.ndim > kMostAxes && input.ndim <= pv::kMaxRank)
        return; // it would promise more axes than it has
    if (input.is_small % 2 == 1) {
        for (std::int64_t& extent : input.shape) extent %= 9;
        for (std::int64_t& stride : input.strides) stride %= 17;
        input.byte_offset %= kBytes;
        input.lanes = 1;
        input.device = 1;
        input.major = 1;
    }
    static int released = 0;
    released = 0;
    dlpack::ManagedTensorVersioned managed{};
    managed.version = {input.major, 0};
    managed.flags = input.flags;
    managed.deleter = [](dlpack::ManagedTensorVersioned*) { ++released; };
    managed.dl_tensor = {
        memory.data(),      {input.device, 0},
        input.ndim,         {input.code, input.bits, input.lanes},
        input.shape.data(), input.has_strides % 2 == 1 ? input.strides.data() : nullptr,
        input.byte_offset};
    try {
        const pv::AnyTensor t = pv::from_dlpack(&managed);
        require(t.rank() == input.ndim, "the rank is the description's");
        require((input.flags & dlpack::kReadOnly) == 0 || t.is_read_only(),
                "what is read-only stays so");
        if (input.has_strides % 2 == 0) {
            std::int64_t stride = 1;
            for (int axis = input.ndim - 1; axis >= 0; --axis) {
                input.strides[static_cast<std::size_t>(axis)] = stride;
                stride *= std::max<std::int64_t>(1, input.shape[static_cast<std::size_t>(axis)]);
            }
        }
        if (lies_inside(input, t.dtype().size_bytes()) && t.size() <= kBytes) {
            const pv::AnyTensor copy = pv::clone_tensor(t);
            require(copy.shape() == t.shape(), "a copy has the shape");
            const dlpack::Export out = pv::to_dlpack(t, pv::Copy::never);
            require(out->dl_tensor.ndim == input.ndim, "an export has the rank");
        }
    } catch (const pv::Error&) {}
    require(released == 1, "the deleter runs once");
}

void check_json(std::string_view text) {
    try {
        const pv::MemoryDescriptor memory = pv::descriptor_from_json(text);
        require(pv::descriptor_from_json(pv::to_json(memory)) == memory,
                "a descriptor that is written and read is the same");
        const pv::AnyTensor t = pv::borrow(memory);
        require(t.shape() == memory.shape, "the shape is the descriptor's");
    } catch (const pv::Error&) {}
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    if (size > 0 && data[0] == '{') {
        check_json(std::string_view(reinterpret_cast<const char*>(data), size));
        return 0;
    }
    Input input{};
    std::memcpy(&input, data, std::min(size, sizeof(input)));
    check_dlpack(input);
    return 0;
}
