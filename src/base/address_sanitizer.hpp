#pragma once

#include <cstddef>

#if defined(__SANITIZE_ADDRESS__)
# define PURVIEW_ADDRESS_SANITIZER 1
#elif defined(__has_feature)
# if __has_feature(address_sanitizer)
#  define PURVIEW_ADDRESS_SANITIZER 1
# endif
#endif

#ifdef PURVIEW_ADDRESS_SANITIZER
# include <sanitizer/asan_interface.h>
#endif

namespace purview::inline v0_1 {

#ifdef PURVIEW_ADDRESS_SANITIZER
inline constexpr bool kAddressSanitizer = true;
/// Makes the address sanitizer report every access to these bytes.
inline void poison(const void* memory, std::size_t bytes) noexcept {
    ASAN_POISON_MEMORY_REGION(memory, bytes);
}
inline void unpoison(const void* memory, std::size_t bytes) noexcept {
    ASAN_UNPOISON_MEMORY_REGION(memory, bytes);
}
#else
inline constexpr bool kAddressSanitizer = false;
inline void poison(const void*, std::size_t) noexcept {}
inline void unpoison(const void*, std::size_t) noexcept {}
#endif

} // namespace purview
