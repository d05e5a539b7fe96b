#pragma once

#include <purview/dtype/dtype.hpp>

namespace purview::inline v0_1 {

constexpr bool is_floating(TypeId id) noexcept {
    return id == TypeId::float32 || id == TypeId::float64;
}
/// Of a built-in type that is not floating: else it is signed, or bool.
constexpr bool is_unsigned(TypeId id) noexcept {
    return id == TypeId::uint8 || id == TypeId::uint16 || id == TypeId::uint32 ||
           id == TypeId::uint64;
}

} // namespace purview
