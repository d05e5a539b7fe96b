#pragma once

#include "engine/compile/plan.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <memory>
#include <vector>

namespace purview::inline v0_1::engine {

/// Leaves of a plan that step through the same memory at the same stride, and whose elements
/// alternate there: the channels of a pixel, the columns of a narrow table, the places of windows
/// with steps, as x(2 i), x(2 i + 1) and x(2 i + 2). Each column of that memory is copied to
/// scratch once, several columns by one transposition; leaves are columns, from different elements
/// on. In a plan whose inner axes are exchanged, a strided leaf that is the same for all rows of a
/// panel is such a group by itself. What forms a group depends on addresses, which no plan knows: a
/// `Runner` finds it.
class InterleavedLeaves {
public:
    /// A leaf that is loaded at a stride: its element 0, and the bytes from one address to the
    /// next.
    struct Strided {
        ArrayId array = 0;
        const std::byte* first = nullptr;
        index_t stride_bytes = 0;
    };
    using List = boost::container::small_vector<Strided, 8>;

    /// Replaces the groups by those that are found among `strided`, the leaves in the order in
    /// which they are loaded.
    void find(const Plan& plan, List strided);

    /// Forgets what was loaded, as memory may have changed. `keeps`: from now on, a block that is
    /// in scratch already is not loaded again.
    void keep(bool keeps) noexcept {
        keeps_ = keeps;
        for (Group& group : groups_) group.loaded = 0;
    }

    bool empty() const noexcept { return groups_.empty(); }
    bool holds(ArrayId array) const noexcept { return !held_.empty() && held_[array]; }

    /// Calls `f(array, place)` for each leaf: its elements are always copied to the same place.
    template <typename F>
    void for_each(F&& f) {
        for (Group& group : groups_)
            for (const Member& member : group.members)
                f(member.array, group.at(member.column, member.shift));
    }

    /// Loads `count` elements of a leaf, which begin `displacement` bytes after its first one. With
    /// the first leaf of a group all others are loaded; for these, a call does nothing.
    void load(const KernelTable& kernels, ArrayId array, index_t displacement, index_t count);

    /// The number of elements of a block, at most `block`, with which the columns stay in the
    /// first-level cache.
    index_t cached_block_size(index_t block) const noexcept;

private:
    struct Member {
        ArrayId array;
        std::size_t column;
        index_t shift; ///< elements of the column before its first
    };
    /// What is read of a column for `count` elements: [first, last + count).
    struct Column {
        index_t first = 0;
        index_t last = -1; ///< less than the first: nothing

        bool is_read() const noexcept { return first <= last; }
    };
    struct Group {
        Group(const Strided* begin, const Strided* end, index_t stride_bytes, index_t size,
              index_t block);
        void load(const KernelTable& kernels, index_t displacement, index_t count);
        std::byte* at(std::size_t column, index_t element) noexcept {
            return scratch + (static_cast<index_t>(column) * length + element) * size;
        }

        boost::container::small_vector<Member, 8> members;
        boost::container::small_vector<Column, 8> columns;
        const std::byte* first; ///< element 0 of column 0
        index_t stride_bytes;
        index_t size;       ///< of an element
        index_t length = 0; ///< elements from one column of scratch to the next
        index_t used = 0;   ///< columns of which something is read
        index_t loaded = 0; ///< elements in scratch, from the displacement `loaded_at` on
        index_t loaded_at = 0;
        std::unique_ptr<std::byte[]> memory;
        std::byte* scratch = nullptr;
    };

    std::vector<Group> groups_;
    bool keeps_ = false;
    boost::container::small_vector<bool, 8> held_; ///< for each array; empty if there are no groups
};

} // namespace purview::engine
