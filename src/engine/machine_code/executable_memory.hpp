#pragma once

#include <cstddef>
#include <span>
#include <utility>

namespace purview::inline v0_1::engine {

/// Pages that hold machine code. They are written before they can be executed, and never both.
class ExecutableMemory {
public:
    /// All of them together take at most this many bytes.
    static constexpr std::size_t kMostBytes = std::size_t{4} << 20;

    ExecutableMemory() = default;
    /// A copy of the code; empty if there is no room left, or if the system forbids it.
    explicit ExecutableMemory(std::span<const std::byte> code) noexcept;
    ExecutableMemory(ExecutableMemory&& other) noexcept
        : pages_(std::exchange(other.pages_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    ExecutableMemory& operator=(ExecutableMemory other) noexcept {
        std::swap(pages_, other.pages_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~ExecutableMemory();

    /// The first instruction; null if empty.
    void* data() const noexcept {
        return pages_ == nullptr ? nullptr : static_cast<std::byte*>(pages_) + kBefore;
    }

private:
    /// Sanitizers look at what lies before a function that is called.
    static constexpr std::size_t kBefore = 64;

    void* pages_ = nullptr;
    std::size_t bytes_ = 0;
};

} // namespace purview::engine
