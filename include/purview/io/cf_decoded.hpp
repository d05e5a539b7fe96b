#pragma once

#include <purview/io/stored_array.hpp>

namespace purview::inline v0_1 {

/// `cf_decoded(array)`: the numbers that an array stands for by its attributes, as the CF conventions
/// have them: NaN where an element is `_FillValue` or one of `missing_value`, elsewhere
/// x * `scale_factor` + `add_offset`. float32 and float64 stay, float16 becomes float32, integers
/// become float64; an array without these attributes, or of other elements than numbers, is as it is.
/// Lazy, O(1) to compose.
PURVIEW_EXPORT AnyTensor cf_decoded(const StoredArray& array);

} // namespace purview
