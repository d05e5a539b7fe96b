#pragma once

#include "base/address_sanitizer.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

namespace purview::inline v0_1 {

/// The free blocks of one thread, by their size in units of kUnit bytes: nodes and small buffers
/// are made and dropped in loops. Any thread may free a block, which it keeps for itself. The address
/// sanitizer is to see each use of a block that is gone: under it none is kept.
class FreeBlocks {
public:
    static constexpr std::size_t kUnit = 64;
    static constexpr std::size_t kSizes = 11; ///< up to a buffer of 64 float64 values
    static constexpr std::uint8_t kMostOfASize = 64;

    /// A block that was kept, which `operator delete` may free; null if there is none. `bytes` is
    /// rounded up to what a new one has to have.
    void* take(std::size_t& bytes) noexcept {
        const std::size_t units = (bytes + kUnit - 1) / kUnit;
        if (kAddressSanitizer || units > kSizes) return nullptr;
        Block* const block = first_[units];
        if (block == nullptr) {
            bytes = units * kUnit;
            return nullptr;
        }
        first_[units] = block->next;
        ++room_[units];
        return block;
    }
    /// Keeps a block of `bytes`, or frees it.
    void give(void* block, std::size_t bytes) noexcept {
        const std::size_t units = (bytes + kUnit - 1) / kUnit;
        if (kAddressSanitizer || units > kSizes || (room_[units] == 0 && !begin())) {
            ::operator delete(block);
            return;
        }
        --room_[units];
        first_[units] = new (block) Block{first_[units]};
    }

private:
    /// A block of memory that nothing uses: it holds the address of the next one.
    struct Block {
        Block* next;
    };

    /// At the first block: sees to it that all are freed when the thread ends. False if there is no
    /// room, also after that.
    bool begin() noexcept;

    std::array<Block*, kSizes + 1> first_{};
    std::array<std::uint8_t, kSizes + 1> room_{};
    bool begun_ = false;
};

[[gnu::tls_model("initial-exec")]] extern constinit thread_local FreeBlocks free_blocks;

} // namespace purview
