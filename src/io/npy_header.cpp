#include <purview/base/checked.hpp>
#include <purview/io/npy_header.hpp>

#include "io/npy_descr.hpp"

#include <fmt/format.h>

#include <limits>

namespace purview::inline v0_1 {
namespace {

constexpr std::size_t kPrefixBytes = 10; // magic, version, and the length in two bytes
constexpr std::size_t kAlignment = 64;
constexpr std::size_t kGrowthDigits = 21;

/// `(2, 3)`, and `(2,)`: a Python tuple.
std::string python_tuple(ShapeSpan shape) {
    if (shape.size() == 1) return fmt::format("({},)", shape[0]);
    std::string text = "(";
    for (const index_t extent : shape) {
        if (text.size() > 1) text += ", ";
        text += std::to_string(extent);
    }
    return text += ')';
}

} // namespace

index_t NpyHeader::size() const noexcept {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    return size;
}

// numpy/lib/_format_impl.py, _write_array_header and _wrap_header.
std::string format_npy_header(const NpyHeader& header, const std::string& where) {
    checked_size(header.shape, "format_npy_header");
    std::string dict =
        fmt::format("{{'descr': '{}', 'fortran_order': {}, 'shape': {}, }}",
                    npy::format_descr(header.dtype, where), header.column_major ? "True" : "False",
                    python_tuple(header.shape));
    // Padding that lets the slowest axis grow in place, as NumPy writes it.
    if (!header.shape.empty()) {
        const index_t growing = header.column_major ? header.shape.back() : header.shape.front();
        dict.append(kGrowthDigits - std::to_string(growing).size(), ' ');
    }
    // As NumPy does, adds 64 bytes of padding if the length is already a multiple of 64.
    dict.append(kAlignment - (kPrefixBytes + dict.size() + 1) % kAlignment, ' ');
    dict += '\n';
    if (dict.size() > std::numeric_limits<std::uint16_t>::max())
        throw ShapeError(fmt::format("format_npy_header: {} axes are more than a tensor has",
                                     header.shape.size()));

    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(dict.size() & 0xff);
    bytes += static_cast<char>(dict.size() >> 8);
    return bytes += dict;
}

} // namespace purview
