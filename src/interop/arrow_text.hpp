#pragma once

#include "interop/arrow_owned.hpp"

#include <purview/base/index.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::arrow {

/// Instead of a format of texts: the one that they need.
inline constexpr char kAnyText = 0;

/// Strings one after another, as Arrow lays them out.
class TextColumn {
public:
    explicit TextColumn(index_t size);

    void append(std::string_view text);
    bool is_utf8() const noexcept { return is_utf8_; }
    /// Whether the offsets need 64 bits.
    bool is_large() const noexcept;
    /// As the format that Arrow has for it, u, z, U or Z; of kAnyText utf8, or binary if any of them is not UTF-8, large from
    /// 2³¹ bytes on. What is large must not go into a format that is not.
    Layout layout(char format) &&;

private:
    std::vector<std::int64_t> offsets_;
    std::string bytes_;
    bool is_utf8_ = true;
};

} // namespace purview::arrow
