#pragma once

#include <purview/reader/index_set.hpp>

#include "reader/index_set_directory.hpp"
#include "reader/roaring.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace purview::inline v0_1 {

/// The non-empty 32-bit bitmaps of a set, ascending by the upper halves of their indexes.
struct IndexSet::State {
    using Bitmap = std::shared_ptr<const roaring_bitmap_t>;
    struct Part {
        std::uint32_t high;
        Bitmap bitmap;
    };

    /// Takes over a bitmap. Throws `std::bad_alloc` for null, which CRoaring returns when it is out
    /// of memory.
    static Bitmap owned(roaring_bitmap_t* bitmap);

    using Combine = roaring_bitmap_t* (*)(const roaring_bitmap_t*, const roaring_bitmap_t*);
    /// Combines two sets part by part. A part that only one of them has is shared if it is kept.
    static std::shared_ptr<const State> combined(const State& a, const State& b, Combine combine,
                                                 bool keeps_a, bool keeps_b);

    /// CRoaring does not check what `malloc` returns. Throws `std::bad_alloc` unless there is room
    /// for a bitmap of `bytes` bytes and `containers` containers, and for as much temporary memory.
    static void require_room(std::size_t bytes, std::size_t containers);

    /// Adds a bitmap unless it is empty.
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

/// Builds a set from the bits of each 65536 indexes, in ascending order.
class IndexSetBuilder {
public:
    /// Adds the indexes given by `words`, bit i being index `base` + i; `base` is a multiple of
    /// 65536. `count` is the number of set bits; at most 1024 words.
    void add(index_t base, const std::uint64_t* words, index_t word_count, index_t count);
    IndexSet finish();

    static IndexSet from_directory(const IndexSetDirectory& directory);

private:
    void finish_bitmap();

    struct Container {
        std::uint16_t key;
        std::uint16_t count; ///< minus 1
        std::uint32_t offset;
    };

    std::shared_ptr<IndexSet::State> state_;
    std::uint32_t high_ = 0;
    std::vector<Container> containers_;
    std::vector<std::byte> elements_;
};

} // namespace purview
