#pragma once

#include <purview/dtype/dtype.hpp>

namespace purview::inline v0_1::engine {

/// Whether kernels load and store elements of a type as words, whatever they mean: trivially
/// copyable ones of 1, 2, 4, 8 or (as two words) 16 bytes. The built-in types are among them.
inline bool is_of_words(DType dtype) noexcept {
    const TypeDescriptor& type = dtype.descriptor();
    return type.trivial && type.size <= 16 && (type.size & (type.size - 1)) == 0;
}
/// The same without those of two words.
inline bool is_a_word(DType dtype) noexcept {
    return is_of_words(dtype) && dtype.size_bytes() <= 8;
}

} // namespace purview::engine
