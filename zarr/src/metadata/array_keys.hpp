#pragma once

#include "metadata/array_metadata.hpp"

#include <purview/zarr/store.hpp>

#include <string>

namespace purview::inline v0_1::zarr {

/// Whether the store has keys that chunks of an array at `path` have.
bool has_chunks(const Store& store, const std::string& path, const ArrayMetadata& array);
/// Throws `FormatError` beginning with `where` if below these keys lie others than chunks: what `erase_array` would remove,
/// too.
void require_chunks_alone(const Store& store, const std::string& path, const ArrayMetadata& array,
                          const std::string& where);
/// Removes the metadata and all chunks of an array. What else lies beside them stays.
void erase_array(Store& store, const std::string& path, const ArrayMetadata& array);

/// Makes the groups above `path` that are missing, and removes the consolidated metadata of those that are
/// there. Throws `FormatError` beginning with `what` where an array is among them.
void update_groups(Store& store, const std::string& path, int format, const std::string& what);

} // namespace purview::zarr
