#pragma once

#include <purview/base/index_sequence.hpp>
#include <purview/reader/reader.hpp>

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

/// An interval of indexes, [begin, end).
struct IndexInterval {
    index_t begin = 0;
    index_t end = 0;
    friend bool operator==(const IndexInterval&, const IndexInterval&) = default;
};

/// An immutable set of nonnegative indexes: for each 65536 indexes a bitmap, a list or a list of
/// intervals, whichever is smallest (a CRoaring bitmap). A handle: copies share. May be read from
/// several threads at once.
///
/// `rank`, `select` and everything that reads indexes by position need a directory, which the first
/// such call builds: O(containers), and as many bytes again as the set takes.
class PURVIEW_EXPORT IndexSet {
public:
    /// The empty set.
    IndexSet();
    // Not movable: moving copies, which is as cheap, so a moved-from set is unchanged.
    IndexSet(const IndexSet&) = default;
    IndexSet& operator=(const IndexSet&) = default;
    ~IndexSet() = default;
    /// From indexes in any order; repeated ones count once. O(n). Throws `IndexError` for a
    /// negative one.
    IndexSet(std::initializer_list<index_t> indexes);
    explicit IndexSet(std::span<const index_t> indexes);
    /// The indexes [begin, end); empty if `end <= begin`. O(1 + (end - begin) / 65536). Throws
    /// `IndexError` for a negative `begin`, and for more than 2^36 indexes.
    static IndexSet interval(index_t begin, index_t end);

    index_t size() const noexcept;
    bool empty() const noexcept { return size() == 0; }
    /// Whether `index`, which may be any number, is in the set. O(log).
    bool contains(index_t index) const noexcept;
    /// The smallest and the largest index. Throws `IndexError` for the empty set.
    index_t(min)() const;
    index_t(max)() const;
    /// How many indexes of the set are less than `index`. O(log).
    index_t rank(index_t index) const;
    /// The index at a position in ascending order. O(log). Throws `IndexError` outside of [0,
    /// size()).
    index_t select(index_t position) const;
    /// Writes the indexes at positions `begin`, `begin + 1`, … in ascending order. O(log), then
    /// O(1) for each. Throws `IndexError` if there are fewer.
    void read(index_t begin, std::span<index_t> out) const;

    /// The indexes as an interval if they are consecutive; `{0, 0}` for the empty set. O(1).
    std::optional<IndexInterval> as_interval() const;

    /// Union, intersection, difference, and symmetric difference. O(containers).
    friend PURVIEW_EXPORT IndexSet operator|(const IndexSet& a, const IndexSet& b);
    friend PURVIEW_EXPORT IndexSet operator&(const IndexSet& a, const IndexSet& b);
    friend PURVIEW_EXPORT IndexSet operator-(const IndexSet& a, const IndexSet& b);
    friend PURVIEW_EXPORT IndexSet operator^(const IndexSet& a, const IndexSet& b);
    /// The indexes of [begin, end) that are not in the set. Cost and errors as for `interval`.
    IndexSet complement(index_t begin, index_t end) const;
    friend PURVIEW_EXPORT bool operator==(const IndexSet& a, const IndexSet& b);
    /// Whether all of `a` is in `b`.
    friend PURVIEW_EXPORT bool is_subset(const IndexSet& a, const IndexSet& b);
    /// Whether some index is in both sets.
    friend PURVIEW_EXPORT bool intersects(const IndexSet& a, const IndexSet& b);

    /// The indexes, ascending, as a reader: `tensor(set.reader())` is a tensor of them. O(1).
    ReaderPtr<index_t> reader() const;
    /// A mask of `size` bools, true at the indexes of the set, computed when it is read. O(1).
    /// Throws `IndexError` if an index of the set is `size` or more.
    ReaderPtr<bool> mask_reader(index_t size) const;
    /// The indexes as the sequence that a view holds when it is selected by the set, as in
    /// `t(set)`. Its inverse queries (`count`, `find_all`) need no list.
    IndexSequencePtr sequence() const;

    /// The portable format for 64-bit bitmaps (RoaringFormatSpec): what CRoaring's `Roaring64Map`
    /// and others read and write. Little-endian.
    std::vector<std::byte> serialize() const;
    /// Reads what `serialize`, or another library, has written. All input is validated: throws
    /// `FormatError` saying what is wrong, and where. Takes memory in proportion to the bytes.
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
