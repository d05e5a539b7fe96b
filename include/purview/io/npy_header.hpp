#pragma once

#include <purview/dtype/dtype.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

namespace purview {

/// No header may be longer, so that a lying length costs little. Those of built-in types have 118
/// bytes or a few more.
inline constexpr index_t kMaxNpyHeaderBytes = index_t{1} << 20;

/// A duration, or a time point since 1970, in a unit that NumPy has, counted in int64.
template <typename T>
concept NpyTime = (DurationElement<T> || PointElement<T>)&&sizeof(T) == 8 &&
                  std::is_trivially_copyable_v<T>&& kElementName<T>.ends_with(']');

/// What the header of an `.npy` file says of the elements behind it
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
struct PURVIEW_EXPORT NpyHeader {
    DType dtype = float64;
    bool byte_swapped = false; ///< the elements are in the byte order that is not this machine's
    bool column_major = false; ///< `fortran_order`: the first axis is the fastest
    Shape shape;               ///< at most 64 axes
    index_t data_offset = 0;   ///< where the elements begin, in bytes from the start of the file
    int version = 1;           ///< 1, 2 or 3

    /// The number of elements.
    index_t size() const noexcept;
    /// The bytes that the elements take. With `data_offset` they fit `index_t`.
    index_t data_bytes() const noexcept { return size() * dtype.size_bytes(); }

    friend bool operator==(const NpyHeader&, const NpyHeader&) = default;
};

/// Where the elements of a file begin, by its first 12 bytes (10 will do for version 1). Throws
/// `FormatError` beginning with `where` for a wrong magic, version or length, or for too few bytes.
PURVIEW_EXPORT index_t npy_data_offset(std::span<const std::byte> bytes,
                                       const std::string& where = "parse_npy_header");

/// Reads the header that a file begins with, given the whole file or any prefix that holds the header.
/// A pure function, linear in the length of the header; whatever the bytes, it reads none outside of
/// them. Every error begins with `where`. Throws `FormatError` for what is no such header, or for a
/// shape that no tensor can have, and `DtypeError` for element types that Purview does not have
/// (structured, object, string, complex, …).
PURVIEW_EXPORT NpyHeader parse_npy_header(std::span<const std::byte> bytes,
                                          const std::string& where = "parse_npy_header");

/// The bytes that an `.npy` file with such elements begins with, to the letter those of `numpy.save`:
/// version 1 and 64-byte aligned. Elements are in this machine's byte order. The header's
/// `byte_swapped`, `data_offset` and `version` are not looked at.
PURVIEW_EXPORT std::string format_npy_header(const NpyHeader& header);

} // namespace purview
