#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <concepts>
#include <span>
#include <vector>

namespace purview::inline v0_1::engine {

/// Copies the values of pairs at `positions`, -1 being the fill, to constructed elements at `out`.
void gather_pairs(DType dtype, const SparsePairs& pairs, std::span<const index_t> positions,
                  void* out);

/// Whether an element is of a built-in type and 0 or false.
bool is_zero(DType dtype, const void* element);
/// Whether an element is neither infinite nor NaN.
bool is_finite_element(DType dtype, const void* element);

/// The positions of values that are not finite.
template <std::floating_point T>
std::vector<index_t> not_finite_positions(MemoryView values, index_t count);

/// Whether `count` contiguous values are finite, as all are that are not floats.
template <typename T>
bool are_finite(const T* values, index_t count) {
    if constexpr (std::floating_point<T>)
        return not_finite_positions<T>({values, static_cast<index_t>(sizeof(T))}, count).empty();
    else
        return true;
}

} // namespace purview::engine
