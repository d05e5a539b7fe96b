#pragma once

#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <utility>

namespace purview::inline v0_1::engine {

/// A stored entry while it is moved: its new index, and a payload: its position in the source, or
/// the bits of its value.
struct Entry {
    index_t index = 0;
    std::uint64_t payload = 0;
};

/// The most entries of one sparse tensor.
inline constexpr index_t kMostEntries = index_t{1} << 30;

[[noreturn]] void throw_too_many_entries(const char* what);

inline std::shared_ptr<void> entry_memory(index_t count) {
    return allocate_bytes(checked_bytes(count, sizeof(Entry), "sparse"));
}

/// A list of entries in recycled memory, with room for `expected` of them, which grows as needed.
/// Throws `KindError` naming `what` beyond 2³⁰ entries.
class Entries {
public:
    Entries(index_t expected, const char* what) : what_(what) { grow(expected); }

    index_t count() const noexcept { return count_; }
    bool ascending() const noexcept { return ascending_; }
    std::span<Entry> all() noexcept { return {data_, static_cast<std::size_t>(count_)}; }
    index_t least() const noexcept { return least_; }
    index_t greatest() const noexcept { return greatest_; }

    void add(index_t index, std::uint64_t payload) { add_if(true, index, payload); }
    /// The same without a branch, for entries of which nobody can foresee whether they are added.
    void add_if(bool keep, index_t index, std::uint64_t payload) {
        if (count_ == room_) grow(2 * room_);
        ascending_ &= !keep | (last_ < index);
        last_ = keep ? index : last_;
        least_ = keep ? std::min(least_, index) : least_;
        greatest_ = keep ? std::max(greatest_, index) : greatest_;
        data_[count_] = {index, payload};
        count_ += index_t{keep};
    }

private:
    void grow(index_t room) {
        if (room_ == kMostEntries) throw_too_many_entries(what_);
        room = std::clamp<index_t>(room, 64, kMostEntries);
        std::shared_ptr<void> larger = entry_memory(room);
        auto* const data = static_cast<Entry*>(larger.get());
        if (count_ > 0) std::copy_n(data_, count_, data);
        memory_ = std::move(larger);
        data_ = data;
        room_ = room;
    }

    const char* what_;
    std::shared_ptr<void> memory_;
    Entry* data_ = nullptr;
    index_t count_ = 0;
    index_t room_ = 0;
    index_t last_ = -1;
    index_t least_ = std::numeric_limits<index_t>::max();
    index_t greatest_ = -1;
    bool ascending_ = true;
};

/// Writes the entries, sorted by index, to two lists of `entries.count()` places: their indexes,
/// and the lowest `width` bytes of each payload. Entries with equal index / `run` must be in
/// ascending order already; the order of entries with the same index is unspecified. The entries
/// themselves are overwritten. O(count), a radix sort.
void sort_entries(Entries& entries, index_t run, index_t* indexes, std::byte* payloads, int width);

} // namespace purview::engine
