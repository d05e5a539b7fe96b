#pragma once

#include <purview/interop/arrow.hpp>

#include "interop/arrow_slice.hpp"

#include <optional>
#include <string>

namespace purview::inline v0_1::arrow {

/// What a foreign array holds, as tensors over its memory.
struct Values {
    AnyTensor values;                      ///< `[count, …]`
    std::optional<Tensor<bool>> missing{}; ///< `[count]`; none where nothing is
    bool is_filled = false;
    std::string time_zone{};
};

/// What all arrays of one import have in common.
struct Import {
    Owner owner; ///< of all memory that their buffers refer to
    ArrowOptions options;
};

/// What is missing of a slice: a mask that is read from the bitmap.
std::optional<Tensor<bool>> missing_of(const Import& import, const CheckedSlice& checked);
/// The missing of either.
std::optional<Tensor<bool>> missing_of_both(const std::optional<Tensor<bool>>& a,
                                            const std::optional<Tensor<bool>>& b);
/// The values of a slice that is no struct. Its own gaps are not filled yet, those of the elements of lists are. Throws
/// as `from_arrow` does.
Values values_of(const Import& import, const Slice& slice);
/// Reads as the fill of the options what is missing, where there is a fill and the elements are
/// numbers or bools. Throws `CastError` naming the column.
void fill_gaps(const Import& import, std::string_view column, Values& values);

} // namespace purview::arrow
