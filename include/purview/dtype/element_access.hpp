#pragma once

#include <purview/dtype/dtype.hpp>

#include <cstring>

namespace purview::inline v0_1 {

/// Reads one element from memory that may be foreign: trivially copyable types need not be aligned,
/// and a bool is true for any nonzero byte.
template <ElementType T>
T load_element(const void* address) {
    if constexpr (std::same_as<T, bool>) {
        return *static_cast<const unsigned char*>(address) != 0;
    } else if constexpr (std::is_trivially_copyable_v<T>) {
        T value;
        std::memcpy(&value, address, sizeof(T));
        return value;
    } else {
        return *static_cast<const T*>(address);
    }
}

/// Writes one element, with the same freedom of alignment as `load_element`.
template <ElementType T>
void store_element(void* address, const T& value) {
    if constexpr (std::is_trivially_copyable_v<T>)
        std::memcpy(address, &value, sizeof(T));
    else
        *static_cast<T*>(address) = value;
}

} // namespace purview
