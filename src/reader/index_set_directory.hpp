#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// The cookie (the first 32 bits) of a bitmap without run containers.
inline constexpr std::uint32_t kWithoutRuns = 12346;
/// The most indexes that a list container holds; a container with more has a bit set.
inline constexpr std::uint32_t kLongestList = 4096;

/// A directory of a set in the portable format for 64-bit bitmaps (RoaringFormatSpec): the number
/// of 32-bit bitmaps (64 bits), and for each the upper 32 bits of its indexes and the bitmap. A
/// bitmap has one container for each 65536 indexes: a list of 16-bit numbers, 1024 words of bits,
/// or runs.
class IndexSetDirectory {
public:
    /// Parses and validates all bytes. Throws `FormatError`.
    explicit IndexSetDirectory(std::vector<std::byte> bytes);

    struct Bitmap {
        std::uint32_t high;
        std::size_t begin; ///< the range of its bytes in `bytes()`
        std::size_t end;
    };
    const std::vector<Bitmap>& bitmaps() const noexcept { return bitmaps_; }
    const std::vector<std::byte>& bytes() const noexcept { return bytes_; }

    index_t size() const noexcept { return starts_.back(); }
    /// The bytes of memory that the object takes.
    index_t size_bytes() const noexcept;
    /// The number of indexes of the set that are less than `index`.
    index_t rank(index_t index) const noexcept;
    bool contains(index_t index) const noexcept;
    /// The index at a position. Precondition: 0 <= position < size().
    index_t select(index_t position) const noexcept;
    /// Writes the indexes from position `begin` on. Precondition: there are enough.
    void read(index_t begin, std::span<index_t> out) const noexcept;
    /// Whether each of the indexes from `begin` on is in the set.
    void read_mask(index_t begin, std::span<bool> out) const noexcept;

private:
    static constexpr std::size_t kWords = 1024; ///< of a bit container
    static constexpr std::size_t kWordsOfRank = 16;

    enum class Form : std::uint8_t { list, bits, runs };

    /// The indexes that differ only in their lower 16 bits.
    struct Container {
        index_t base;
        const std::byte* data;
        std::uint32_t count; ///< the number of its indexes
        std::uint32_t runs;
        std::size_t ranks; ///< the position of its first entry in `ranks_`
        Form form;
    };
    class Parser;

    std::uint16_t word16(const Container& container, std::size_t i) const noexcept;
    std::uint64_t word64(const Container& container, std::size_t i) const noexcept;
    /// The number of indexes of a container whose lower bits are less than `low`, in [0, 65536].
    std::uint32_t rank_in(const Container& container, std::uint32_t low) const noexcept;
    std::uint32_t runs_from(const Container& container, std::uint32_t low) const noexcept;
    bool contains_in(const Container& container, std::uint32_t low) const noexcept;
    void read_in(const Container& container, std::uint32_t position,
                 std::span<index_t> out) const noexcept;
    /// The first container whose last index is not less than `index`.
    std::size_t container_at(index_t index) const noexcept;

    std::vector<std::byte> bytes_;
    std::vector<Bitmap> bitmaps_;
    std::vector<Container> containers_;
    std::vector<index_t> starts_; ///< the number of indexes before each container; the last entry
                                  ///< is the total
    /// For each bit container, the number of its indexes before every 16th word; for each run
    /// container, before every run.
    std::vector<std::uint16_t> ranks_;
};

} // namespace purview
