#include <purview/functional/elementwise/element_view.hpp>

#include <cstring>

namespace purview {

void SameBytes::apply(index_t count, void* out, const void* const* operands) const {
    std::memcpy(out, operands[0], static_cast<std::size_t>(count * size_));
}

} // namespace purview
