#pragma once

#include <purview/sparse/mtx_header.hpp>
#include <purview/sparse/tensor_forms.hpp>

#include <concepts>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

/// An element type that a Matrix Market file can hold: a number.
template <typename T>
concept MtxValue = BuiltinType<T> && !std::same_as<T, bool>;

// What is compiled in the library has no constraints: compilers mangle the names of constrained templates in different ways.
template <typename T, typename I>
CsrMatrix<T, I> read_mtx(const std::string& path);
template <typename T, typename I>
CooMatrix<T, I> read_mtx_coo(const std::string& path);
template <typename T>
MutableTensor<T> read_mtx_array(const std::string& path);

/// The entries of a coordinate file in the file's order; those that a symmetry implies follow
/// behind. Throws as `load_mtx`, but takes any number of rows.
template <MtxValue T = double, SparseIndex I = index_t>
CooMatrix<T, I> load_mtx_coo(const std::string& path) {
    return read_mtx_coo<T, I>(path);
}

/// The matrix of an array file, `[rows, columns]`, column-major as in the file unless it is
/// symmetric. Throws as `load_mtx`.
template <MtxValue T = double>
MutableTensor<T> load_mtx_array(const std::string& path) {
    return read_mtx_array<T>(path);
}

/// The matrix of a Matrix Market file (`.mtx`) with coordinates, as compressed rows. Places that
/// come more than once are summed. A symmetric or skew-symmetric file gives the whole matrix; a
/// pattern gives ones.
///
/// The file is mapped, and parsed on as many threads as pay. Numbers are read exactly
/// (`std::from_chars`), in any locale. Lines end with `\n` or `\r\n`; empty ones are skipped.
///
/// Throws `FormatError` naming the path, the line and what it says: for anything that is no entry,
/// coordinates outside of `1 … rows`, entries above the diagonal of a symmetric file, more or fewer
/// entries than promised (nothing is allocated before they have been counted), and for more rows
/// than the file could need, which `load_mtx_coo` takes. `DtypeError` for complex and hermitian
/// files, and for real numbers where T is an integer; `CastError` for an integer that does not fit
/// T, or of which a floating-point T has not all digits; `ShapeError` where I does not fit the coordinates.
template <MtxValue T = double, SparseIndex I = index_t>
CsrMatrix<T, I> load_mtx(const std::string& path) {
    return read_mtx<T, I>(path);
}

/// Writes a general coordinate file: see `save_mtx`.
template <typename T, typename I>
void save_mtx_entries(const std::string& path, const CooMatrix<T, I>& matrix);
/// Writes an array file of a tensor of rank 2, lazy ones too: see `save_mtx`.
template <typename T>
void save_mtx_array(const std::string& path, const Tensor<T>& matrix);

/// Writes a sparse matrix, or a sparse tensor of rank 2, as a general coordinate file, and any
/// other tensor of rank 2 as an array file: `save_mtx(path, matrix)`. Floats are written with as
/// few digits as give the same number when read. The file takes the place of `path` in one step, as
/// with `save_npy`. Throws `FormatError` naming the path and the system's reason, `ShapeError` for
/// another rank, `KindError` for a sparse tensor that is not zero elsewhere.
struct SaveMtxFunction {
    template <SparseMatrix X>
    void operator()(const std::string& path, const X& matrix) const {
        save_mtx_entries(path, to_coo(matrix));
    }
    template <TypedTensor X>
    void operator()(const std::string& path, const X& tensor) const {
        if (is_sparse(tensor)) return save_mtx_entries(path, coo<>(tensor));
        save_mtx_array(path, Tensor<typename X::value_type>(tensor));
    }
};
inline constexpr SaveMtxFunction save_mtx;

// For the built-in numbers these are compiled once, in sparse/src/{load,save}_mtx.cpp.
#define PURVIEW_MTX_LOADS(what, T)                                                                \
 what template PURVIEW_SPARSE_EXPORT CsrMatrix<T, std::int32_t> read_mtx(const std::string&);     \
 what template PURVIEW_SPARSE_EXPORT CsrMatrix<T, std::int64_t> read_mtx(const std::string&);     \
 what template PURVIEW_SPARSE_EXPORT CooMatrix<T, std::int32_t> read_mtx_coo(const std::string&); \
 what template PURVIEW_SPARSE_EXPORT CooMatrix<T, std::int64_t> read_mtx_coo(const std::string&); \
 what template PURVIEW_SPARSE_EXPORT MutableTensor<T> read_mtx_array(const std::string&);
#define PURVIEW_MTX_SAVES(what, T)                                                             \
 what template PURVIEW_SPARSE_EXPORT void save_mtx_entries(const std::string&,                 \
                                                           const CooMatrix<T, std::int32_t>&); \
 what template PURVIEW_SPARSE_EXPORT void save_mtx_entries(const std::string&,                 \
                                                           const CooMatrix<T, std::int64_t>&); \
 what template PURVIEW_SPARSE_EXPORT void save_mtx_array(const std::string&, const Tensor<T>&);
#define PURVIEW_FOR_MTX_VALUES(what)                                                           \
 what(std::int8_t) what(std::int16_t) what(std::int32_t) what(std::int64_t) what(std::uint8_t) \
     what(std::uint16_t) what(std::uint32_t) what(std::uint64_t) what(float) what(double)
#define PURVIEW_EXTERN_MTX(T) PURVIEW_MTX_LOADS(extern, T) PURVIEW_MTX_SAVES(extern, T)
PURVIEW_FOR_MTX_VALUES(PURVIEW_EXTERN_MTX)
#undef PURVIEW_EXTERN_MTX

} // namespace purview
