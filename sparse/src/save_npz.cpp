// Defines purview/sparse/npz.hpp.

#include <purview/io/npy_header.hpp>
#include <purview/sparse/npz.hpp>

#include "zip_archive.hpp"

#include <array>

namespace purview::inline v0_1 {
namespace {

using sparse::ZipWriter;

template <typename T>
void add_array(ZipWriter& file, const std::string& name, const T* first, index_t count) {
    NpyHeader header;
    header.dtype = kDType<T>;
    header.shape.push_back(count);
    file.add(name + ".npy", format_npy_header(header),
             std::as_bytes(std::span(first, static_cast<std::size_t>(count))));
}

/// Adds the members that SciPy has beside a matrix's arrays: the form, as bytes of rank 0, and the
/// shape.
void add_form(ZipWriter& file, const char* form, const std::array<index_t, 2>& shape) {
    // The format asks that what comes before the data is a multiple of 64 bytes long.
    std::string dict = "{'descr': '|S3', 'fortran_order': False, 'shape': (), }";
    dict.append(128 - 10 - dict.size() - 1, ' ');
    dict += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dict.size());
    bytes += '\0';
    file.add("format.npy", bytes + dict + form, {});
    add_array(file, "shape", shape.data(), 2);
}

} // namespace

template <typename T, typename I>
void save_npz_compressed(const std::string& path, const CompressedPointers<T, I>& matrix,
                         Major major, Compression compression) {
    const std::array<index_t, 2> shape{matrix.rows, matrix.columns};
    const index_t majors = major == Major::row ? matrix.rows : matrix.columns;
    ZipWriter file("save_npz", path, compression == Compression::deflated);
    add_array(file, "indices", matrix.indices, matrix.stored);
    add_array(file, "indptr", matrix.pointers, majors + 1);
    add_form(file, major == Major::row ? "csr" : "csc", shape);
    add_array(file, "data", matrix.values, matrix.stored);
    file.commit();
}

template <typename T, typename I>
void save_npz_coo(const std::string& path, const CooMatrix<T, I>& matrix, Compression compression) {
    const std::array<index_t, 2> shape{matrix.rows(), matrix.columns()};
    ZipWriter file("save_npz", path, compression == Compression::deflated);
    add_array(file, "row", as_span(matrix.row_indices()).data(), matrix.stored());
    add_array(file, "col", as_span(matrix.column_indices()).data(), matrix.stored());
    add_form(file, "coo", shape);
    add_array(file, "data", as_span(matrix.values()).data(), matrix.stored());
    file.commit();
}

#define PURVIEW_MAKE_NPZ(T)           \
 PURVIEW_NPZ_SAVES(, T, std::int32_t) \
 PURVIEW_NPZ_SAVES(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_NPZ)
#undef PURVIEW_MAKE_NPZ

} // namespace purview
