#pragma once

#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/places/buffers.hpp"

#include <algorithm>
#include <cstdint>

namespace purview::inline v0_1::engine {

/// Keys that have slots: `count` of them from `least` on.
struct KeySlots {
    std::int64_t least = 0;
    index_t count = 0;
    index_t groups = 0; ///< where their number decides how rows are cut into blocks, else 0

    index_t deciding() const noexcept { return groups > 0 ? groups : count; }
    /// The key minus `least` (the difference wraps), in [0, count): a key that has changed since
    /// the range was found, as another thread may write to memory that is wrapped, has the last
    /// slot.
    index_t slot_of(std::int64_t key) const noexcept {
        return static_cast<index_t>(
            std::min(static_cast<std::uint64_t>(key) - static_cast<std::uint64_t>(least),
                     static_cast<std::uint64_t>(count - 1)));
    }
};

/// The most slots of a table that integers index: of any number of rows up to kSmallGroupTable.
inline constexpr std::uint64_t kSmallGroupTable = 1 << 16;
inline std::uint64_t most_slots(index_t rows) noexcept {
    return std::max(kSmallGroupTable, 2 * static_cast<std::uint64_t>(rows));
}

/// The slot of each row: that of its key, an int64 of `operand`.
struct SlotRows {
    const Operand& operand;
    KeySlots slots;
};

/// A value for each slot or group, in memory that is recycled if it is large.
template <typename T>
class GroupEntries {
public:
    GroupEntries() = default;
    explicit GroupEntries(index_t count)
        : buffer_(allocate_uninitialized_buffer<T>(count)), data_(data_of(buffer_)), size_(count) {}
    GroupEntries(index_t count, T value) : GroupEntries(count) { std::fill(begin(), end(), value); }

    index_t size() const noexcept { return size_; }
    bool empty() const noexcept { return size_ == 0; }
    T& operator[](index_t i) const noexcept { return data_[i]; }
    T* begin() const noexcept { return data_; }
    T* end() const noexcept { return data_ + size_; }
    /// The same memory, of which only `count` entries count.
    GroupEntries first(index_t count) const {
        GroupEntries some = *this;
        some.size_ = count;
        return some;
    }
    Operand operand() const {
        return operand_over(buffer_, Dimensions::row_major(ShapeSpan(&size_, 1)));
    }

private:
    BufferPtr<T> buffer_;
    T* data_ = nullptr;
    index_t size_ = 0;
};

// Blocks of rows are folded into tables, which are joined in order. The length of a block depends
// on the numbers of rows and slots alone, not on the number of threads.

/// The number of rows of each slot.
GroupEntries<index_t> count_groups(const SlotRows& rows);

/// Folds the values of each slot in the type `A`: double, int64 or uint64. A slot without rows has
/// the start value of the fold; for sums of floats this is -0, which no sum of one or more values
/// is.
template <typename A>
GroupEntries<A> fold_groups(Reduction reduction, const SlotRows& rows, const Operand& values);

/// The `groups` slots that have rows, in the order in which they appear first. Stops reading once
/// all are found; fewer, if keys have changed since they were counted.
GroupEntries<index_t> slots_as_they_appear(const SlotRows& rows, index_t groups);

} // namespace purview::engine
