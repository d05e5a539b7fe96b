// Defines purview/sparse/matrix_market.hpp.

#include <purview/evaluation/parallel.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/sparse/matrix_market.hpp>
#include <purview/tensor/views.hpp>

#include "mtx_body.hpp"
#include "mtx_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1 {
namespace {

using sparse::MtxBody;

constexpr const char* kWhat = "load_mtx";

/// The mapped file, its header, and what error messages begin with (`where`).
struct OpenMtx {
    MappedFile file;
    std::string where;
    MtxHeader header;

    explicit OpenMtx(const std::string& path)
        : file(path),
          where(fmt::format("{}: '{}'", kWhat, path)),
          header(sparse::parse_mtx_header(file.bytes(), where)) {}

    void require(MtxLayout layout) const {
        if (header.layout == layout) return;
        throw FormatError(layout == MtxLayout::array
                              ? fmt::format("{} holds coordinates and no array", where)
                              : fmt::format("{} holds an array and no coordinates", where));
    }
    template <typename T>
    void require_field() const {
        if (std::is_integral_v<T> && header.field == MtxField::decimal)
            throw DtypeError(
                fmt::format("{} holds real numbers and not {}", where, kDType<T>.name()));
    }
};

template <typename I>
void check_indexes(const OpenMtx& mtx) {
    if constexpr (sizeof(I) < sizeof(index_t)) {
        const index_t extent = std::max(mtx.header.rows, mtx.header.columns);
        if (extent - 1 > std::numeric_limits<I>::max())
            throw ShapeError(fmt::format("{}: int32 cannot say the indexes of {}; use int64",
                                         mtx.where, extent));
    }
}

/// Throws `FormatError` for an entry that its file's symmetry does not allow.
void check_triangle(const MtxBody& body, MtxSymmetry symmetry, index_t row, index_t column,
                    const char* line) {
    if (row < column) body.fail(line, "lies above the diagonal of a symmetric matrix");
    if (row == column && symmetry == MtxSymmetry::skew_symmetric)
        body.fail(line, "lies on the diagonal of a skew-symmetric matrix");
}

/// Throws where pointers for all rows of a file would be out of all proportion to it.
void check_rows(const OpenMtx& mtx) {
    const index_t most = std::max<index_t>(index_t{1} << 22, 64 * mtx.file.size_bytes());
    if (mtx.header.layout == MtxLayout::coordinate && mtx.header.rows > most)
        throw FormatError(fmt::format("{}: {} rows of {} bytes; load_mtx_coo takes them", mtx.where,
                                      mtx.header.rows, mtx.file.size_bytes()));
}

template <typename T, typename I>
CooMatrix<T, I> entries_of(const OpenMtx& mtx) {
    const MtxHeader& header = mtx.header;
    mtx.require(MtxLayout::coordinate);
    mtx.require_field<T>();
    check_indexes<I>(mtx);
    const MtxBody body(mtx.file.bytes(), header, mtx.where); // counts the entries
    const bool is_general = header.symmetry == MtxSymmetry::general;
    const index_t room = is_general ? header.entries : 2 * header.entries;
    MutableTensor<I> rows = empty<I>({room});
    MutableTensor<I> columns = empty<I>({room});
    MutableTensor<T> values = empty<T>({room});
    I* const r = as_span(rows).data();
    I* const c = as_span(columns).data();
    T* const v = as_span(values).data();

    body.for_each_entry([&](index_t k, const char* line, const char* at, const char* end) {
        const index_t row = body.coordinate(at, end, header.rows, line, "row");
        const index_t column = body.coordinate(at, end, header.columns, line, "column");
        if (!is_general) check_triangle(body, header.symmetry, row, column, line);
        r[k] = static_cast<I>(row);
        c[k] = static_cast<I>(column);
        v[k] = header.field == MtxField::pattern ? T{1} : body.value<T>(at, end, line);
        return at;
    });

    index_t stored = header.entries;
    if (!is_general)
        for (index_t k = 0; k < header.entries; ++k) {
            if (r[k] == c[k]) continue;
            r[stored] = c[k];
            c[stored] = r[k];
            v[stored++] =
                header.symmetry == MtxSymmetry::symmetric ? v[k] : wrapping_difference(T{}, v[k]);
        }
    const auto kept = range(0, stored);
    return {header.rows, header.columns, rows(kept), columns(kept), values(kept)};
}

} // namespace

template <typename T, typename I>
CooMatrix<T, I> read_mtx_coo(const std::string& path) {
    return entries_of<T, I>(OpenMtx(path));
}

template <typename T, typename I>
CsrMatrix<T, I> read_mtx(const std::string& path) {
    CooMatrix<T, I> entries;
    {
        const OpenMtx mtx(path);
        check_rows(mtx);
        entries = entries_of<T, I>(mtx);
    }
    return to_csr(entries);
}

template <typename T>
MutableTensor<T> read_mtx_array(const std::string& path) {
    const OpenMtx mtx(path);
    const MtxHeader& header = mtx.header;
    mtx.require(MtxLayout::array);
    mtx.require_field<T>();
    const MtxBody body(mtx.file.bytes(), header, mtx.where);
    const index_t n = header.rows;
    const MutableTensor<T> packed = empty<T>({header.entries});
    T* const in = as_span(packed).data();
    body.for_each_entry([&](index_t k, const char* line, const char* at, const char* end) {
        in[k] = body.value<T>(at, end, line);
        return at;
    });
    if (header.symmetry == MtxSymmetry::general)
        return transpose(reshape(packed, {header.columns, header.rows}));

    const bool is_skew = header.symmetry == MtxSymmetry::skew_symmetric;
    const MutableTensor<T> result = zeros<T>({n, n});
    T* const out = as_span(result).data();
    for (index_t column = 0, k = 0; column < n; ++column)
        for (index_t row = column + (is_skew ? 1 : 0); row < n; ++row, ++k) {
            out[column * n + row] = is_skew ? wrapping_difference(T{}, in[k]) : in[k];
            out[row * n + column] = in[k];
        }
    return result;
}

#define PURVIEW_MAKE_MTX(T) PURVIEW_MTX_LOADS(, T)
PURVIEW_FOR_MTX_VALUES(PURVIEW_MAKE_MTX)
#undef PURVIEW_MAKE_MTX

} // namespace purview
