#pragma once

#include <purview/base/config.hpp>
#include <purview/base/index.hpp>

#include <cstdint>
#include <string_view>

namespace purview::inline v0_1::arrow {

/// What an array of Arrow's holds, as far as it is taken over.
enum class Kind : std::uint8_t {
    nothing,   ///< type null
    boolean,   ///< bits
    number,    ///< of `ArrowType::width` bytes: `code` is the letter of the format
    text,      ///< utf8 or binary, offsets of `width` bytes
    text_view, ///< the same as views of `width` bytes, into any number of buffers
    date,      ///< `width` 4: days; 8: milliseconds
    timestamp, ///< int64 counts of `code`: s, m, u, n
    time,      ///< since midnight, counts of `width` bytes
    duration,
    decimal,     ///< integers of `width` bytes, over the power `size` of 10
    fixed_bytes, ///< `size` bytes each
    fixed_list,  ///< `size` elements each
    structure
};

struct ArrowType {
    Kind kind;
    char code = 0;
    index_t width = 0; ///< bytes of an element in its buffer, or of an offset
    index_t size = 0;  ///< elements or bytes in one, decimal places
    std::string_view zone{};

    bool is_integer() const noexcept {
        return kind == Kind::number &&
               std::string_view("cCsSiIlL").find(code) != std::string_view::npos;
    }
    /// Buffers after the validity bitmap; of views without those that they refer to.
    index_t data_buffers() const noexcept {
        return kind == Kind::text                                                             ? 2
               : kind == Kind::nothing || kind == Kind::fixed_list || kind == Kind::structure ? 0
                                                                                              : 1;
    }
    /// All of them. Views have more, one for each buffer that they refer to; the lengths of those are the
    /// last.
    index_t fewest_buffers() const noexcept {
        return kind == Kind::nothing ? 0 : data_buffers() + (kind == Kind::text_view ? 2 : 1);
    }
};

/// The type that a format string says. Throws `DtypeError` naming the column for other types of
/// Arrow's, `FormatError` for what is none. The zone refers to `format`. purview::arrow asks it, too.
PURVIEW_EXPORT ArrowType parse_format(std::string_view format, std::string_view column);

} // namespace purview::arrow
