#pragma once

// What flatc makes of arrow_file.fbs.

#include <arrow_file_generated.h>

#include <cstdint>
#include <string_view>

namespace purview::inline v0_1::ipc {
namespace format = ::purview_arrow_format;

inline constexpr std::string_view kMagic =
    "ARROW1"; ///< a file begins with it, padded, and ends with it
inline constexpr std::string_view kMagicHead{"ARROW1\0\0", 8};
inline constexpr std::uint32_t kContinuation = 0xFFFF'FFFF; ///< before the length of a description
} // namespace purview::ipc
