#pragma once

#include <purview/base/index.hpp>
#include <purview/sparse/export.hpp>

#include <cstdint>
#include <span>
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

/// Reads the beginning of a file, given the whole file or any prefix that holds it. Whatever the bytes, it
/// reads none outside of them. Every error begins with `where` and names the line. Throws `FormatError` for
/// what is no such file, for sizes that overflow and for symmetric matrices that are not square;
/// `DtypeError` for complex and hermitian ones, which Purview does not have.
PURVIEW_SPARSE_EXPORT MtxHeader parse_mtx_header(std::span<const std::byte> bytes,
                                                 const std::string& where = "parse_mtx_header");

/// The same of a file. Throws `FormatError` naming the path also when it cannot be read.
PURVIEW_SPARSE_EXPORT MtxHeader load_mtx_header(const std::string& path);

/// The lines that such a file begins with.
PURVIEW_SPARSE_EXPORT std::string format_mtx_header(const MtxHeader& header);

} // namespace purview
