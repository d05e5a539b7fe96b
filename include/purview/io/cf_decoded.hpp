#pragma once

#include <purview/io/stored_array.hpp>

namespace purview::inline v0_1 {

/// `cf_decoded(array)`: the numbers that an array stands for by its attributes, as the CF conventions
/// have them: NaN where an element is `_FillValue` or one of `missing_value`, compared in its own type,
/// elsewhere x * `scale_factor` + `add_offset`. float32 and float64 stay, float16 becomes float32,
/// integers become float64; an array without these attributes, or of other elements than numbers, is as
/// it is. Integers whose `_Unsigned` is "true" or "false" are read as such first, and so is their
/// `_FillValue`. In Zarr's format 2 the fill value is `_FillValue` where there is no such attribute, as
/// in xarray; `valid_min`, `valid_max` and `valid_range` mask nothing, as there. Lazy, O(1) to compose.
///
/// Numbers whose `units` are "days since 1850-01-01" and the like, from nanoseconds to days, become
/// `sys_time<microseconds>`, of nanoseconds `sys_time<nanoseconds>`, NaT where an element is missing or
/// NaN; reading throws `CastError` for what lies outside of these. Their `calendar` is the standard one
/// (before 1582-10-15 the Julian one) or "proleptic_gregorian"; others, months and years, which have no
/// fixed length, and dates that are none throw `FormatError` that names them. So does a `scale_factor` or
/// `add_offset` that is neither a number nor a list of one.
PURVIEW_EXPORT AnyTensor cf_decoded(const StoredArray& array);

} // namespace purview
