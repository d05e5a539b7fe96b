#pragma once

#include <purview/io/access.hpp>
#include <purview/io/stored_array.hpp>
#include <purview/io/stored_group.hpp>
#include <purview/tensor/tensor.hpp>
#include <purview/zarr/store.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1 {

/// An array in Zarr's format 2 or 3, as a tensor that reads its chunks when elements are wanted, and
/// keeps them within `memory_limit()`. `path` is a folder or a zip file. Chunks that are missing have
/// the fill value. Opening reads metadata alone; `Access::in_memory` reads all chunks at once, into new
/// memory that can be written; `Access::read_write` stores what is assigned, as `create_zarr` says.
/// Throws `ReadOnlyError` for `copy_on_write`, and to write zip files and chunks in fixedscaleoffset.
///
/// Element types: bool, integers, floats, float16, complex numbers, `datetime64` and `timedelta64` as
/// `load_npy` has them, texts (of a length or of any). Codecs: bytes, transpose, gzip, zlib, zstd,
/// blosc, lz4, crc32c, sharding_indexed, vlen-utf8; of format 2 also shuffle, delta,
/// fixedscaleoffset.
///
/// Throws `FormatError` naming the store, the array and what is wrong, `DtypeError` for element types
/// that Purview does not have. Reading a damaged chunk throws `FormatError` naming its key.
PURVIEW_ZARR_EXPORT AnyTensor open_zarr(const std::string& path, Access access = Access::read_only);
/// The array called `name` in a store; empty: the store is one array.
PURVIEW_ZARR_EXPORT AnyTensor open_zarr(const std::shared_ptr<Store>& store,
                                        const std::string& name = "",
                                        Access access = Access::read_only);

/// The same with its static type: a `Tensor<T>`, or, for any other access than `read_only`, a
/// `MutableTensor<T>`. Throws `DtypeError` for elements of another type.
template <ElementType T, Access A = Access::read_only>
auto open_zarr(const std::string& path) {
    if constexpr (A == Access::read_only)
        return open_zarr(path).template as<T>();
    else
        return open_zarr(path, A).template as_mutable<T>();
}
template <ElementType T, Access A = Access::read_only>
auto open_zarr(const std::shared_ptr<Store>& store, const std::string& name = "") {
    if constexpr (A == Access::read_only)
        return open_zarr(store, name).template as<T>();
    else
        return open_zarr(store, name, A).template as_mutable<T>();
}

/// An array with its attributes, the names of its axes, and how its chunks are made.
PURVIEW_ZARR_EXPORT StoredArray open_zarr_array(const std::string& path,
                                                Access access = Access::read_only);
PURVIEW_ZARR_EXPORT StoredArray open_zarr_array(const std::shared_ptr<Store>& store,
                                                const std::string& name = "",
                                                Access access = Access::read_only);

/// A group: arrays and groups by name. Where its metadata is consolidated, that is read once, and
/// listing reads nothing else.
PURVIEW_ZARR_EXPORT StoredGroup open_zarr_group(const std::string& path);
PURVIEW_ZARR_EXPORT StoredGroup open_zarr_group(const std::shared_ptr<Store>& store,
                                                const std::string& name = "");

} // namespace purview
