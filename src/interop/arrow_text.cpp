#include "interop/arrow_text.hpp"

#include "base/utf8.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace purview::inline v0_1::arrow {
TextColumn::TextColumn(index_t size) {
    offsets_.reserve(static_cast<std::size_t>(size) + 1);
    offsets_.push_back(0);
}

void TextColumn::append(std::string_view text) {
    bytes_ += text;
    offsets_.push_back(std::ssize(bytes_));
    is_utf8_ = is_utf8_ && purview::is_utf8(text);
}

bool TextColumn::is_large() const noexcept {
    return std::ssize(bytes_) > std::numeric_limits<std::int32_t>::max();
}

Layout TextColumn::layout(char format) && {
    if (format == kAnyText) format = is_large() ? is_utf8_ ? 'U' : 'Z' : is_utf8_ ? 'u' : 'z';
    auto bytes = std::make_shared<const std::string>(std::move(bytes_));
    if (format == 'U' || format == 'Z') {
        auto offsets = std::make_shared<const std::vector<std::int64_t>>(std::move(offsets_));
        return {std::string(1, format), {offsets->data(), bytes->data()}, {offsets, bytes}};
    }
    auto offsets = std::make_shared<std::vector<std::int32_t>>(offsets_.size());
    std::ranges::transform(offsets_, offsets->begin(),
                           [](std::int64_t offset) { return static_cast<std::int32_t>(offset); });
    return {std::string(1, format), {offsets->data(), bytes->data()}, {offsets, bytes}};
}

} // namespace purview::arrow
