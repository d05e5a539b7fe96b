#pragma once

#include <purview/sparse/npz_arrays.hpp>
#include <purview/sparse/tensor_forms.hpp>

#include <string>
#include <vector>

namespace purview::inline v0_1 {

/// A matrix that `scipy.sparse.save_npz` wrote (arrays by name: `load_npz_arrays`), in any of its forms `csr`, `csc` and `coo`, as
/// compressed rows. Rows that are not in order are sorted, and places that come more than once
/// summed, as SciPy reads them. Members may be stored or deflated. Reads the file once: O(bytes +
/// stored + rows).
///
/// Whatever the bytes, nothing is allocated that the file could not hold. Throws `FormatError`
/// naming the path and the member when it is no such file, when members are missing or do not fit
/// together, and for SciPy's other forms (bsr, dia); `IndexError` for pointers that go down and
/// indexes out of range; `DtypeError` when the values are no T; `CastError` for indexes that do not
/// fit I.
template <typename T = double, typename I = index_t>
CsrMatrix<T, I> load_npz(const std::string& path);
/// A matrix that `scipy.sparse.save_npz` wrote, as coordinates in the order of the file. Takes any
/// number of rows; throws as `load_npz` otherwise.
template <typename T = double, typename I = index_t>
CooMatrix<T, I> load_npz_coo(const std::string& path);

/// Writes compressed rows or columns: see `save_npz`.
template <typename T, typename I>
void save_npz_compressed(const std::string& path, const CompressedPointers<T, I>& matrix,
                         Major major, Compression compression);
/// Writes coordinates: see `save_npz`.
template <typename T, typename I>
void save_npz_coo(const std::string& path, const CooMatrix<T, I>& matrix, Compression compression);

/// Writes a sparse matrix for `scipy.sparse.load_npz`, in its own form, or a sparse tensor of rank
/// 2, as coordinates: `save_npz(path, matrix)`. The file takes the place of `path` when it is
/// complete. Throws `FormatError` naming the path and the reason, and what `coo` throws.
struct SaveNpzFunction {
    template <typename T, typename I, Major M>
    void operator()(const std::string& path, const CompressedMatrix<T, I, M>& matrix,
                    Compression compression = Compression::deflated) const {
        save_npz_compressed(path, matrix.raw(), M, compression);
    }
    template <typename T, typename I>
    void operator()(const std::string& path, const CooMatrix<T, I>& matrix,
                    Compression compression = Compression::deflated) const {
        save_npz_coo(path, matrix, compression);
    }
    template <TypedTensor X>
    void operator()(const std::string& path, const X& tensor,
                    Compression compression = Compression::deflated) const {
        save_npz_coo(path, coo<>(tensor), compression);
    }
    /// Arrays by their names, for `numpy.load`: `save_npz(path, {{"x", x}, {"y", y}})`. Row-major, or
    /// column-major as they lie; lazy ones are evaluated in memory. Throws `FormatError` where two
    /// have one name, `DtypeError` for element types that NumPy does not have.
    void operator()(const std::string& path, const std::vector<NpzArray>& arrays,
                    Compression compression = Compression::stored) const {
        save_npz_arrays(path, arrays, compression);
    }
};
inline constexpr SaveNpzFunction save_npz;

// For the built-in types these are compiled once, in sparse/src/{load,save}_npz.cpp.
#define PURVIEW_NPZ_LOADS(what, T, I)                                              \
 what template PURVIEW_SPARSE_EXPORT CsrMatrix<T, I> load_npz(const std::string&); \
 what template PURVIEW_SPARSE_EXPORT CooMatrix<T, I> load_npz_coo(const std::string&);
#define PURVIEW_NPZ_SAVES(what, T, I)                                                              \
 what template PURVIEW_SPARSE_EXPORT void save_npz_compressed(                                     \
     const std::string&, const CompressedPointers<T, I>&, Major, Compression);                     \
 what template PURVIEW_SPARSE_EXPORT void save_npz_coo(const std::string&, const CooMatrix<T, I>&, \
                                                       Compression);
#define PURVIEW_EXTERN_NPZ(T)               \
 PURVIEW_NPZ_LOADS(extern, T, std::int32_t) \
 PURVIEW_NPZ_LOADS(extern, T, std::int64_t) \
 PURVIEW_NPZ_SAVES(extern, T, std::int32_t) \
 PURVIEW_NPZ_SAVES(extern, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_EXTERN_NPZ)
#undef PURVIEW_EXTERN_NPZ

} // namespace purview
