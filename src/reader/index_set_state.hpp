#pragma once

#include <purview/reader/index_set.hpp>

#include "reader/index_set_directory.hpp"
#include "reader/roaring.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace purview {

/// Bitmaps of 32 bits, ascending by the upper halves of their indexes, none of them empty.
struct IndexSet::State {
    using Bitmap = std::shared_ptr<const roaring_bitmap_t>;
    struct Part {
        std::uint32_t high;
        Bitmap bitmap;
    };

    /// Takes over a bitmap. Throws `std::bad_alloc` for null, which CRoaring returns where there is no memory.
    static Bitmap owned(roaring_bitmap_t* bitmap);

    using Combine = roaring_bitmap_t* (*)(const roaring_bitmap_t*, const roaring_bitmap_t*);
    /// Part by part. What only one of both has is shared, if it is kept.
    static std::shared_ptr<const State> combined(const State& a, const State& b, Combine combine,
                                                 bool keeps_a, bool keeps_b);

    /// CRoaring does not look at what `malloc` returns. Throws `std::bad_alloc` if there is no room for so many bytes, in
    /// a bitmap of so many containers, and for as much again that it needs meanwhile.
    static void require_room(std::size_t bytes, std::size_t containers);

    /// A bitmap that is empty is left out.
    void add(std::uint32_t high, Bitmap bitmap);
    const Part* find(std::uint32_t high) const noexcept;
    const IndexSetDirectory& directory() const;
    std::vector<std::byte> serialized() const;

    std::vector<Part> parts;
    index_t size = 0;

private:
    mutable std::once_flag made_;
    mutable std::unique_ptr<const IndexSetDirectory> directory_;
};

/// Makes a set of what is known for each 65536 indexes, in ascending order.
class IndexSetBuilder {
public:
    /// Bits of the indexes from `base` on, a multiple of 65536, and how many are set; at most 1024 words.
    void add(index_t base, const std::uint64_t* words, index_t word_count, index_t count);
    IndexSet finish();

    static IndexSet from_directory(const IndexSetDirectory& directory);

private:
    void finish_bitmap();

    struct Container {
        std::uint16_t key;
        std::uint16_t count; ///< less 1
        std::uint32_t offset;
    };

    std::shared_ptr<IndexSet::State> state_;
    std::uint32_t high_ = 0;
    std::vector<Container> containers_;
    std::vector<std::byte> elements_;
};

} // namespace purview
