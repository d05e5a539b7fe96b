#pragma once

#include <purview/io/attributes.hpp>
#include <purview/io/stored_group.hpp>
#include <purview/zarr/store.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1 {

/// A group in a folder, or called `name` in a store (empty: the store is one group), with its attributes:
/// `create_zarr_group("model", {{"Conventions", "CF-1.10"}})`. Groups above that are missing are made. Of
/// one that is there, which keeps its format, the attributes are replaced, and what lies in it stays.
/// Consolidated metadata of it and of those above is removed, as it would not be true any more. Throws
/// `FormatError` where there is an array, for another format than 2 and 3, and where the attributes'
/// `json` is no object; `ReadOnlyError` for zip files.
PURVIEW_ZARR_EXPORT StoredGroup create_zarr_group(const std::string& path,
                                                  const Attributes& attributes = {},
                                                  int format = 3);
PURVIEW_ZARR_EXPORT StoredGroup create_zarr_group(const std::shared_ptr<Store>& store,
                                                  const std::string& name,
                                                  const Attributes& attributes = {},
                                                  int format = 3);

} // namespace purview
