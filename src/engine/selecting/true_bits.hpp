#pragma once

#include <purview/base/index.hpp>
#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>

#include <cstdint>
#include <vector>

namespace purview::inline v0_1::engine {

/// The elements of a bool operand, in row-major order, as bits: a 64th of the memory that all
/// indexes would take. Computed on several threads where that pays.
class TrueBits {
public:
    /// Elements of a chunk, whose true ones are counted together: as many as a container of an
    /// index set has.
    static constexpr index_t kChunk = index_t{1} << 16;
    static constexpr index_t kChunkWords = kChunk / 64;

    /// Reads every element once. `source` must be of bools.
    explicit TrueBits(const Operand& source);

    /// The number of true elements.
    index_t count() const noexcept { return starts_.back(); }
    index_t chunks() const noexcept { return std::ssize(starts_) - 1; }
    /// The number of true elements before a chunk, and in it.
    index_t start(index_t chunk) const noexcept { return starts_[static_cast<std::size_t>(chunk)]; }
    index_t count(index_t chunk) const noexcept { return start(chunk + 1) - start(chunk); }
    /// The words of a chunk; bits behind the last element are 0.
    const std::uint64_t* words(index_t chunk) const noexcept {
        return words_ + chunk * kChunkWords;
    }
    index_t word_count(index_t chunk) const noexcept {
        const index_t words = (size_ + 63) / 64 - chunk * kChunkWords;
        return words < kChunkWords ? words : kChunkWords;
    }

    /// Whether the bools of an operand are contiguous in memory, and packed from there.
    static bool packs_memory(const Operand& source);

    /// Writes the indexes of the true elements, `count()` of them.
    void write_positions(index_t* out) const;

private:
    index_t size_;
    BufferPtr<std::uint64_t> buffer_;
    std::uint64_t* words_;
    std::vector<index_t> starts_;
};

} // namespace purview::engine
