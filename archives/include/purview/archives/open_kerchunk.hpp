#pragma once

#include <purview/archives/export.hpp>
#include <purview/io/stored_group.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1 {

class Store; // purview/zarr/store.hpp

/// The arrays that kerchunk has found in other files, in its JSON of version 0 or 1: metadata of Zarr, and for
/// each chunk a file, where in it the chunk lies, and how long it is, or its bytes themselves (base64). Files are
/// local: paths, those that are relative from the folder of `path` on, and `file://`. Templates are filled in.
///
/// Throws `FormatError` naming `path` and what is wrong with it; for what is generated (`gen`) and for other
/// addresses (`s3://`), of which reading a chunk says so. A chunk that lies beyond its file is a `FormatError` when it
/// is read.
PURVIEW_ARCHIVES_EXPORT StoredGroup open_kerchunk(const std::string& path);
/// The same as a store, read only.
PURVIEW_ARCHIVES_EXPORT std::shared_ptr<Store> kerchunk_store(const std::string& path);

} // namespace purview
