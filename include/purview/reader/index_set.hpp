#pragma once

#include <purview/base/index_sequence.hpp>
#include <purview/reader/reader.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace purview {

/// Consecutive indexes: `begin`, … , `end - 1`.
struct IndexInterval {
    index_t begin = 0;
    index_t end = 0;
    friend bool operator==(const IndexInterval&, const IndexInterval&) = default;
};

/// An immutable set of indexes, of any that an `index_t` holds and that is not negative: a compressed
/// bitmap (CRoaring's), a list or a run of intervals for each 65536 indexes, whichever is smallest. A
/// handle: copies share. Safe to read from several threads.
///
/// `rank`, `select` and everything that reads indexes by position need a directory, which the first of
/// them builds: O(containers), and as many bytes again as the set takes.
class PURVIEW_EXPORT IndexSet {
public:
    /// The empty set.
    IndexSet();
    // Moving copies, which is as cheap: a set that was moved from is what it was.
    IndexSet(const IndexSet&) = default;
    IndexSet& operator=(const IndexSet&) = default;
    ~IndexSet() = default;
    /// Of indexes in any order; repeats count once. O(n). Throws `IndexError` for a negative one.
    IndexSet(std::initializer_list<index_t> indexes);
    explicit IndexSet(std::span<const index_t> indexes);
    /// `begin`, … , `end - 1`; empty if `end <= begin`. O(1 + (end - begin) / 65536). Throws `IndexError` for a negative
    /// `begin`, and for more than 2^36 indexes.
    static IndexSet interval(index_t begin, index_t end);

    index_t size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    /// Any index; O(log).
    bool contains(index_t index) const noexcept;
    /// The least and the greatest index. Throws `IndexError` if there is none.
    index_t(min)() const;
    index_t(max)() const;
    /// How many are less than `index`. O(log).
    index_t rank(index_t index) const;
    /// The index at a position in ascending order. O(log). Throws `IndexError` outside of [0, size()).
    index_t select(index_t position) const;
    /// The indexes at `begin`, `begin + 1`, … O(log) and O(1) for each. Throws `IndexError` if there are fewer.
    void read(index_t begin, std::span<index_t> out) const;

    /// The indexes, if they are consecutive; `{0, 0}` if there is none. O(1).
    std::optional<IndexInterval> as_interval() const;

    /// Union, intersection, difference, and what is in one of both. O(containers).
    friend PURVIEW_EXPORT IndexSet operator|(const IndexSet& a, const IndexSet& b);
    friend PURVIEW_EXPORT IndexSet operator&(const IndexSet& a, const IndexSet& b);
    friend PURVIEW_EXPORT IndexSet operator-(const IndexSet& a, const IndexSet& b);
    friend PURVIEW_EXPORT IndexSet operator^(const IndexSet& a, const IndexSet& b);
    /// What of `begin`, … , `end - 1` is not in the set. As `interval`.
    IndexSet complement(index_t begin, index_t end) const;
    friend PURVIEW_EXPORT bool operator==(const IndexSet& a, const IndexSet& b);
    /// Whether all of `a` is in `b`.
    friend PURVIEW_EXPORT bool is_subset(const IndexSet& a, const IndexSet& b);
    /// Whether both have an index.
    friend PURVIEW_EXPORT bool intersects(const IndexSet& a, const IndexSet& b);

    /// The indexes as a reader, ascending: `tensor(set.reader())` is a tensor of them. O(1).
    ReaderPtr<index_t> reader() const;
    /// The bools of `size` places: true at the indexes, computed when they are read. O(1). Throws
    /// `IndexError` if an index lies behind them.
    ReaderPtr<bool> mask_reader(index_t size) const;
    /// What a view keeps when it is selected by: `t(set)`. Inverse questions are answered without a list.
    IndexSequencePtr sequence() const;

    /// The portable format for 64-bit bitmaps (RoaringFormatSpec): what CRoaring's `Roaring64Map` and
    /// others read and write. Little-endian.
    std::vector<std::byte> serialize() const;
    /// Reads what `serialize` has written, or another library. Everything is validated: throws
    /// `FormatError` that says what is wrong, and where. Takes memory in proportion to the bytes.
    static IndexSet deserialize(std::span<const std::byte> bytes);

private:
    friend class IndexSetBuilder;
    struct State;
    explicit IndexSet(std::shared_ptr<const State> state) noexcept : state_(std::move(state)) {}

    std::shared_ptr<const State> state_;
};

PURVIEW_EXPORT bool is_subset(const IndexSet& a, const IndexSet& b);
PURVIEW_EXPORT bool intersects(const IndexSet& a, const IndexSet& b);

} // namespace purview
