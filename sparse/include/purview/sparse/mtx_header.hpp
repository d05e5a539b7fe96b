#pragma once

#include <purview/base/index.hpp>
#include <purview/sparse/export.hpp>

#include <cstdint>
#include <string>

namespace purview {

/// How a Matrix Market file lays out its entries: with their coordinates, or all of them, by columns.
enum class MtxLayout : std::uint8_t { coordinate, array };
/// What values are: numbers, integers, or not there (each entry is 1).
enum class MtxField : std::uint8_t { real, integer, pattern };
/// Which entries are there: all, or those on and below the diagonal, or those below it, negated above.
enum class MtxSymmetry : std::uint8_t { general, symmetric, skew_symmetric };

/// What the beginning of a Matrix Market file (`.mtx`) says of the entries behind it
/// (https://math.nist.gov/MatrixMarket/formats.html).
struct PURVIEW_SPARSE_EXPORT MtxHeader {
    MtxLayout layout = MtxLayout::coordinate;
    MtxField field = MtxField::real;
    MtxSymmetry symmetry = MtxSymmetry::general;
    index_t rows = 0;
    index_t columns = 0;
    index_t entries = 0;     ///< lines of entries that the file has, or should have
    index_t data_offset = 0; ///< where these begin, in bytes from the start of the file

    friend bool operator==(const MtxHeader&, const MtxHeader&) = default;
};

/// What a file says. Throws `FormatError` naming the path and the line for what is no such file or cannot be read, for sizes
/// that overflow and for symmetric matrices that are not square; `DtypeError` for complex and hermitian ones, which
/// Purview does not have.
PURVIEW_SPARSE_EXPORT MtxHeader load_mtx_header(const std::string& path);

} // namespace purview
