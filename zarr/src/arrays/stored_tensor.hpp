#pragma once

#include "metadata/array_metadata.hpp"

#include <purview/io/stored_array.hpp>
#include <purview/zarr/store.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1::zarr {

/// The array at `path` of a store as a tensor over its chunks, over those that other tensors of the same
/// array have cached. `writable`: the store again, if elements may be written. `node`: its metadata, which
/// tells it from one that lay there before.
StoredArray stored_array(std::shared_ptr<const Store> store, std::shared_ptr<Store> writable,
                         const std::string& path, ArrayMetadata array, const Json::Value& node,
                         const std::string& where);

/// Whether a tensor reads elements of the array at `path` of a store.
bool reads_from(const AnyTensor& tensor, const Store& store, const std::string& path);

} // namespace purview::zarr
