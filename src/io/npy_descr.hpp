#pragma once

#include <purview/dtype/dtype.hpp>

#include <string>
#include <string_view>

namespace purview::inline v0_1::npy {

/// An element type and its byte order, parsed from what NumPy writes, `<f8`, `|b1`, or from what
/// else `np.dtype` reads, which other programs write: `float64`, `<d`, `B`.
struct Descr {
    DType dtype;
    bool byte_swapped; ///< in the other byte order than this machine's
};

/// Throws `DtypeError` for NumPy's types that Purview does not have, `FormatError` for anything
/// else, both beginning with `where` and naming the text. purview::zarr uses it too.
PURVIEW_EXPORT Descr parse_descr(std::string_view text, const std::string& where);

/// NumPy's form of a type in this machine's byte order. Throws `DtypeError` beginning with `where`
/// for those that NumPy does not have.
PURVIEW_EXPORT std::string format_descr(DType dtype, const std::string& where);

/// Text from outside for a message: in single quotes, at most 60 characters, all of them printable.
PURVIEW_EXPORT std::string quoted(std::string_view text);

} // namespace purview::npy
