#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace purview {

/// The first number of a bitmap, of 32 bits, none of whose containers holds runs.
inline constexpr std::uint32_t kWithoutRuns = 12346;
/// The most indexes that a container lists; of more, it holds the bits.
inline constexpr std::uint32_t kLongestList = 4096;

/// Where everything is in a set that is written in the portable format for 64-bit bitmaps: a number of
/// bitmaps (64 bits), and for each the upper 32 bits of its indexes and a 32-bit bitmap. That holds for each
/// 65536 indexes a list of 16-bit numbers, 1024 words of bits, or runs (RoaringFormatSpec).
class IndexSetDirectory {
public:
    /// Reads everything, and believes nothing. Throws `FormatError`.
    explicit IndexSetDirectory(std::vector<std::byte> bytes);

    struct Bitmap {
        std::uint32_t high;
        std::size_t begin; ///< of its bytes
        std::size_t end;
    };
    const std::vector<Bitmap>& bitmaps() const noexcept { return bitmaps_; }
    const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

    index_t size() const noexcept { return starts_.back(); }
    /// The memory that everything takes.
    index_t size_bytes() const noexcept;
    /// How many indexes are less.
    index_t rank(index_t index) const noexcept;
    bool contains(index_t index) const noexcept;
    /// The index at a position, which is one.
    index_t select(index_t position) const noexcept;
    /// The indexes from a position on, of which there are enough.
    void read(index_t begin, std::span<index_t> out) const noexcept;
    /// Whether each of the indexes from `begin` on is in the set.
    void read_mask(index_t begin, std::span<bool> out) const noexcept;

private:
    static constexpr std::size_t kWords = 1024; ///< of a container of bits
    static constexpr std::size_t kWordsOfRank = 16;

    enum class Form : std::uint8_t { list, bits, runs };

    /// The indexes that share all but their last 16 bits.
    struct Container {
        index_t base;
        const std::byte* data;
        std::uint32_t count; ///< indexes
        std::uint32_t runs;
        std::size_t ranks; ///< the first of `ranks_` that belongs to it
        Form form;
    };
    class Parser;

    std::uint16_t word16(const Container& container, std::size_t i) const noexcept;
    std::uint64_t word64(const Container& container, std::size_t i) const noexcept;
    /// How many of a container are less than `low`, in [0, 65536].
    std::uint32_t rank_in(const Container& container, std::uint32_t low) const noexcept;
    std::uint32_t runs_from(const Container& container, std::uint32_t low) const noexcept;
    bool contains_in(const Container& container, std::uint32_t low) const noexcept;
    void read_in(const Container& container, std::uint32_t position,
                 std::span<index_t> out) const noexcept;
    /// The first container whose last index is not less.
    std::size_t container_at(index_t index) const noexcept;

    std::vector<std::byte> bytes_;
    std::vector<Bitmap> bitmaps_;
    std::vector<Container> containers_;
    std::vector<index_t> starts_; ///< indexes before each container, and all of them
    /// Indexes of the container before every 16 words of bits, or before every run.
    std::vector<std::uint16_t> ranks_;
};

} // namespace purview
