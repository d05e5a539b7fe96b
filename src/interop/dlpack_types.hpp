#pragma once

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/interop/dlpack.hpp>

#include <fmt/format.h>

#include <array>
#include <complex>
#include <cstdint>

namespace purview::inline v0_1::dlpack {

inline constexpr std::uint32_t kMajor = 1;
inline constexpr std::uint32_t kMinor = 1;

struct ElementCode {
    std::uint8_t code;
    std::uint8_t bits;
    DType dtype;
};
inline constexpr std::array kElementCodes{
    ElementCode{6, 8, boolean},
    ElementCode{0, 8, int8},
    ElementCode{0, 16, int16},
    ElementCode{0, 32, int32},
    ElementCode{0, 64, int64},
    ElementCode{1, 8, uint8},
    ElementCode{1, 16, uint16},
    ElementCode{1, 32, uint32},
    ElementCode{1, 64, uint64},
    ElementCode{2, 16, float16},
    ElementCode{2, 32, float32},
    ElementCode{2, 64, float64},
    ElementCode{4, 16, bfloat16},
    ElementCode{5, 64, kDType<std::complex<float>>},
    ElementCode{5, 128, kDType<std::complex<double>>},
};

/// Throws `DtypeError` for elements that have no type here.
inline DType dtype_of(DataType type) {
    for (const ElementCode& known : kElementCodes)
        if (known.code == type.code && known.bits == type.bits && type.lanes == 1)
            return known.dtype;
    throw DtypeError(fmt::format("from_dlpack: elements of type code {} of {} bits and {} lanes "
                                 "have no element type here",
                                 type.code, type.bits, type.lanes));
}
/// Throws `DtypeError` naming `what` for elements that DLPack does not have.
inline DataType code_of(const char* what, DType dtype) {
    for (const ElementCode& known : kElementCodes)
        if (known.dtype == dtype) return {known.code, known.bits, 1};
    throw_dtype_unsupported(what, dtype);
}

} // namespace purview::dlpack
