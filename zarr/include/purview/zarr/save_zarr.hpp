#pragma once

#include <purview/base/axis_values.hpp>
#include <purview/dtype/dtype.hpp>
#include <purview/tensor/stage.hpp>
#include <purview/tensor/tensor.hpp>
#include <purview/zarr/store.hpp>
#include <purview/zarr/zarr_options.hpp>

#include <memory>
#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// A new array in a folder, or called `name` in a store (empty: the store is one array), whose elements
/// are the fill until they are written. Its metadata is written now, its chunks when elements are: when
/// a call that writes returns, they are in the store. A chunk (a shard, if there are any) is encoded
/// whole; one of which only a part is written is read first, under a lock, so that threads may write
/// different elements; processes may write different chunks. Chunks that become the fill are erased.
/// Writing whole chunks costs encoding them; writing one element, reading and encoding a chunk.
///
/// Groups above that are missing are made, and their consolidated metadata, which would not be true any
/// more, is removed. Throws `FormatError` where there is an array already, unless `options.overwrite`,
/// or a group; what the options are refused for (`ZarrOptions`); `ReadOnlyError` for zip files.
PURVIEW_ZARR_EXPORT AnyTensor create_zarr(const std::string& path, DType dtype, AxisValues shape,
                                          const ZarrOptions& options = {});
PURVIEW_ZARR_EXPORT AnyTensor create_zarr(const std::shared_ptr<Store>& store,
                                          const std::string& name, DType dtype, AxisValues shape,
                                          const ZarrOptions& options = {});
/// The same with its static type.
template <ElementType T>
MutableTensor<T> create_zarr(const std::string& path, AxisValues shape,
                             const ZarrOptions& options = {}) {
    return create_zarr(path, kDType<T>, shape, options).template as_mutable<T>();
}
template <ElementType T>
MutableTensor<T> create_zarr(const std::shared_ptr<Store>& store, const std::string& name,
                             AxisValues shape, const ZarrOptions& options = {}) {
    return create_zarr(store, name, kDType<T>, shape, options).template as_mutable<T>();
}

/// Stores any tensor as a new array: `save_zarr(path, x, options)`, or `x | save_zarr(path, options)`,
/// also as `name` in a store. Lazy tensors are evaluated chunk by chunk, on several threads; the memory
/// that takes is within `memory_limit()`. To store an array in other chunks, save it so: where these lie
/// across its own so that the limit would have it read more than twice, it is first stored in chunks
/// between, in a folder below `std::filesystem::temp_directory_path()` (TMPDIR), which needs the room.
///
/// Metadata is written last: a process that is killed leaves no array. What throws leaves none either.
/// With `options.overwrite` the new chunks are stored beside those of the array that is there, which is
/// replaced when all are computed, and stays where computing throws: both need room. A tensor that is
/// known to read the array to be replaced is refused by `FormatError`. One call at a time may replace an
/// array; who opens it while chunks are moved may find some of both. Throws further what
/// `create_zarr` and `copy` do.
struct SaveZarrFunction {
    void operator()(const std::string& path, const AnyTensor& x,
                    const ZarrOptions& options = {}) const {
        save(path, x, options);
    }
    void operator()(const std::shared_ptr<Store>& store, const std::string& name,
                    const AnyTensor& x, const ZarrOptions& options = {}) const {
        save(store, name, x, options);
    }
    auto operator()(std::string path, ZarrOptions options = {}) const {
        return Stage([path = std::move(path), options = std::move(options)]<TensorLike X>(
                         const X& x) { save(path, x, options); });
    }
    auto operator()(std::shared_ptr<Store> store, std::string name,
                    ZarrOptions options = {}) const {
        return Stage([store = std::move(store), name = std::move(name),
                      options = std::move(options)]<TensorLike X>(const X& x) {
            save(store, name, x, options);
        });
    }

private:
    PURVIEW_ZARR_EXPORT static void save(const std::string& path, const AnyTensor& x,
                                         const ZarrOptions& options);
    PURVIEW_ZARR_EXPORT static void save(const std::shared_ptr<Store>& store,
                                         const std::string& name, const AnyTensor& x,
                                         const ZarrOptions& options);
};
inline constexpr SaveZarrFunction save_zarr;

/// Makes an array longer by a tensor that has its extents along all axes but `axis`, cast with checks.
/// The elements are stored first, then the new shape: whoever opens the array meanwhile, or after the
/// writer was killed, sees it as it was. One writer at a time. Tensors that are open keep their shape.
/// Throws `ShapeError`, `FormatError` where there is no array.
PURVIEW_ZARR_EXPORT void append_zarr(const std::string& path, const AnyTensor& x, int axis = 0);
PURVIEW_ZARR_EXPORT void append_zarr(const std::shared_ptr<Store>& store, const std::string& name,
                                     const AnyTensor& x, int axis = 0);

} // namespace purview
