#include <purview/interop/foreign_types.hpp>

#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>

#include "interop/cv_depths.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <complex>

namespace purview::inline v0_1 {
namespace {

/// By the values of PyTorch's `c10::ScalarType`.
struct TorchType {
    int scalar_type;
    DType dtype;
};
constexpr std::array kTorchTypes{
    TorchType{0, uint8},
    TorchType{1, int8},
    TorchType{2, int16},
    TorchType{3, int32},
    TorchType{4, int64},
    TorchType{5, float16},
    TorchType{6, float32},
    TorchType{7, float64},
    TorchType{9, kDType<std::complex<float>>},
    TorchType{10, kDType<std::complex<double>>},
    TorchType{11, boolean},
    TorchType{15, bfloat16},
    TorchType{27, uint16},
    TorchType{28, uint32},
    TorchType{29, uint64},
};

} // namespace

MemoryDescriptor cv_descriptor(void* data, const int* size, const std::size_t* step, int dims,
                               int depth, int channels) {
    if (depth < 0 || depth >= static_cast<int>(kCvDepths.size()))
        throw DtypeError(
            fmt::format("cv::Mat: elements of depth {} have no element type here", depth));
    MemoryDescriptor memory{.pointer = data, .dtype = kCvDepths[static_cast<std::size_t>(depth)]};
    if (dims == 0) // a matrix that was never filled
        memory.shape = memory.strides = {0, 0};
    for (int axis = 0; axis < dims; ++axis) {
        memory.shape.push_back(size[axis]);
        memory.strides.push_back(static_cast<index_t>(step[axis]));
    }
    if (channels > 1) {
        memory.shape.push_back(channels);
        memory.strides.push_back(memory.dtype.size_bytes());
    }
    return memory;
}

MemoryDescriptor torch_descriptor(void* data, ShapeSpan shape, ShapeSpan strides, int scalar_type) {
    const auto known = std::ranges::find(kTorchTypes, scalar_type, &TorchType::scalar_type);
    if (known == kTorchTypes.end())
        throw DtypeError(
            fmt::format("torch::Tensor: scalar type {} has no element type here", scalar_type));
    MemoryDescriptor memory{.pointer = data, .dtype = known->dtype, .shape = to_shape(shape)};
    for (const index_t stride : strides)
        memory.strides.push_back(
            checked_multiply(stride, known->dtype.size_bytes(), "torch::Tensor"));
    return memory;
}

void throw_device(const char* what, const std::string& device) {
    throw DeviceError(fmt::format("{}: the memory lies on device {}, which the processor cannot "
                                  "read: copy it to the host first",
                                  what, device));
}

void throw_torch(const char* what, const char* why) {
    throw ShapeError(fmt::format("{}: the torch::Tensor {}", what, why));
}

void throw_mat_without_owner() {
    throw Error("wrap: this cv::Mat does not own its memory: borrow(mat), or wrap(mat.clone())");
}

} // namespace purview
