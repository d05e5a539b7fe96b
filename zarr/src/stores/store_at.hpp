#pragma once

#include <purview/zarr/store.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1::zarr {

/// The store that a path is: a zip file where it ends with `.zip` and is no folder, else a folder.
std::shared_ptr<Store> store_at(const std::string& path);
/// Throws `ReadOnlyError` beginning with `what` for a zip file.
std::shared_ptr<Store> writable_store_at(const std::string& path, const char* what);

/// Where an array or a group at `path` is written: in the outermost of the folders above it that are groups,
/// so that these know of it, or that are missing and become groups. Throws as `writable_store_at` does.
struct PlaceInStore {
    std::shared_ptr<Store> store;
    std::string name;
};
PlaceInStore place_at(const std::string& path, const char* what);

} // namespace purview::zarr
