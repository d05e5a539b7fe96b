#pragma once

#include <purview/dtype/dtype.hpp>
#include <purview/io/open_safetensors.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::safetensors {

/// What stands before the elements: 8 bytes for the length of the header, and the header, JSON.
struct Header {
    std::vector<SafetensorsEntry>
        entries; ///< in the order of their bytes, each within the file, all next to each other
    SafetensorsMetadata metadata;
};

/// The longest header accepted, as by the format's own library.
inline constexpr index_t kMaxHeaderBytes = 100'000'000;

/// Reads the header of a whole file, and checks that the arrays take all bytes behind it. Reads no byte outside of
/// `file`, whatever they are. Throws `FormatError` beginning with `where`.
Header parse_header(std::span<const std::byte> file, const std::string& where);

/// Arrays to be written one behind the other; of `entries` the offset is not looked at, and names are unlike. The
/// result has a multiple of 8 bytes. Throws `FormatError` beginning with `where` for texts that are no UTF-8, and for
/// more than a header may have.
std::string format_header(const Header& header, const std::string& where);

/// The type of elements that a file calls so, and what it calls one.
std::optional<DType> dtype_named(std::string_view type);
std::optional<std::string_view> type_of(DType dtype);

} // namespace purview::safetensors
