#pragma once

#include <purview/base/index.hpp>
#include <purview/sparse/export.hpp>

#include <cstdint>
#include <string>

namespace purview::inline v0_1 {

/// How a Matrix Market file lays out its entries: with their coordinates, or all of them, by
/// columns.
enum class MtxLayout : std::uint8_t { coordinate, array };
/// The values of entries: real numbers, integers, or none (each entry is 1).
enum class MtxField : std::uint8_t {
    decimal, ///< `real` in the file
    integer,
    pattern
};
/// Which entries the file has: all (general); those on and below the diagonal, which are mirrored
/// above it (symmetric); or those below it, which are mirrored and negated (skew-symmetric).
enum class MtxSymmetry : std::uint8_t { general, symmetric, skew_symmetric };

/// The header of a Matrix Market file (`.mtx`), which describes the entries behind it
/// (https://math.nist.gov/MatrixMarket/formats.html).
struct PURVIEW_SPARSE_EXPORT MtxHeader {
    MtxLayout layout = MtxLayout::coordinate;
    MtxField field = MtxField::decimal;
    MtxSymmetry symmetry = MtxSymmetry::general;
    index_t rows = 0;
    index_t columns = 0;
    index_t entries = 0;     ///< lines of entries that the file has, or should have
    index_t data_offset = 0; ///< where these begin, in bytes from the start of the file

    friend bool operator==(const MtxHeader&, const MtxHeader&) = default;
};

/// The header of a file. Throws `FormatError` naming the path and the line for what is no such file
/// or cannot be read, for sizes that overflow and for symmetric matrices that are not square;
/// `DtypeError` for complex and hermitian ones, which Purview does not have.
PURVIEW_SPARSE_EXPORT MtxHeader load_mtx_header(const std::string& path);

} // namespace purview
