#pragma once

#include <purview/dtype/dtype.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <type_traits>

namespace purview::inline v0_1 {

/// The longest header accepted, so that a wrong length in a file costs little. Headers of built-in
/// types have 118 bytes or a few more.
inline constexpr index_t kMaxNpyHeaderBytes = index_t{1} << 20;

/// A duration or a time point since 1970, counted in 64 bits in a unit that NumPy has.
template <typename T>
concept NpyTime = (DurationElement<T> || PointElement<T>)&&sizeof(T) == 8 &&
                  std::is_trivially_copyable_v<T>&& kElementName<T>.ends_with(']');

/// A number that NumPy has: a built-in type, complex64, complex128 or float16.
template <typename T>
concept NpyNumber = BuiltinType<T> ||(ComplexElement<T> && sizeof(T) <= 16) || kElementName<T> ==
                                                                                   "float16";

/// What the header of an `.npy` file says about its elements
/// (https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html).
struct PURVIEW_EXPORT NpyHeader {
    DType dtype = float64;
    bool byte_swapped = false; ///< the elements are in the other byte order than this machine's
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

/// The offset of the elements in a file, from its first 12 bytes (10 suffice for version 1). Throws
/// `FormatError` beginning with `where` for a wrong magic number, version or length, or too few
/// bytes.
PURVIEW_EXPORT index_t npy_data_offset(std::span<const std::byte> bytes,
                                       const std::string& where = "parse_npy_header");

/// Parses the header of a file, given the whole file or any prefix that contains the header. A pure
/// function, linear in the length of the header; reads no byte outside of `bytes`, whatever they
/// are. Every error message begins with `where`. Throws `FormatError` for an invalid header, or for
/// a shape that no tensor can have, and `DtypeError` for element types that Purview does not have
/// (structured, object, string, complex, …).
PURVIEW_EXPORT NpyHeader parse_npy_header(std::span<const std::byte> bytes,
                                          const std::string& where = "parse_npy_header");

/// The header of an `.npy` file with such elements, byte for byte as `numpy.save` writes it:
/// version 1, 64-byte aligned, in this machine's byte order. Ignores `byte_swapped`, `data_offset`
/// and `version` of `header`. Throws, beginning with `where`, `DtypeError` for element types that
/// NumPy does not have.
PURVIEW_EXPORT std::string format_npy_header(const NpyHeader& header,
                                             const std::string& where = "save_npy");

} // namespace purview
