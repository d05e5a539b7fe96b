#include <purview/base/inline_vector.hpp>

#include <algorithm>
#include <limits>
#include <stdexcept>

namespace purview::inline v0_1 {

void* allocate_elements(std::size_t& count, std::size_t capacity, std::size_t size,
                        std::size_t alignment) {
    constexpr std::size_t kMost = std::numeric_limits<std::uint32_t>::max();
    if (count > kMost) throw std::length_error("InlineVector: more than 2^32 - 1 elements");
    count = std::min(std::max(count, capacity + capacity / 2), kMost);
    return alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__
               ? ::operator new(count* size)
               : ::operator new(count* size, std::align_val_t(alignment));
}

void free_elements(void* elements, std::size_t alignment) noexcept {
    if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__)
        ::operator delete(elements);
    else
        ::operator delete(elements, std::align_val_t(alignment));
}

} // namespace purview
