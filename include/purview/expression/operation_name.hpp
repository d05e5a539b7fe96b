#pragma once

#include <memory>
#include <string>
#include <utility>

namespace purview::inline v0_1 {

/// The name of an operation in messages: a literal, which is not copied, or a text that it shares the
/// ownership of.
class OperationName {
public:
    OperationName(const char* literal) noexcept : text_(literal) {}
    explicit OperationName(std::shared_ptr<const std::string> text) noexcept
        : text_(text->c_str()), owner_(std::move(text)) {}

    const char* text() const noexcept { return text_; }

private:
    const char* text_;
    std::shared_ptr<const std::string> owner_;
};

} // namespace purview
