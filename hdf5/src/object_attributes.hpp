#pragma once

#include "library.hpp"

#include <purview/io/attributes.hpp>

#include <string>
#include <vector>

namespace purview::inline v0_1::hdf5 {

// Under the library's lock.

/// What is told about a group or dataset, without what NetCDF-4 and dimension scales keep there for themselves.
Attributes attributes_of(hid_t object, const std::string& where);

/// The names of a dataset's axes: of its dimension scales, or their labels; of a scale its own, `name`. Empty where
/// no axis has one.
std::vector<std::string> dimension_names(hid_t dataset, const std::string& name, int rank,
                                         const std::string& where);

/// Whether it is one of NetCDF-4's dimensions that have no values.
bool is_bare_dimension(hid_t dataset, const std::string& where);

/// The last part of a path, without what NetCDF-4 puts before the name of an array that is called like a dimension.
std::string shown_name(const std::string& path);
/// That part.
inline constexpr const char* kHiddenPrefix = "_nc4_non_coord_";

} // namespace purview::hdf5
