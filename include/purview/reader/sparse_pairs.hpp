#pragma once

#include <purview/base/index.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace purview {

class AnyReader;

/// What a sparse reader reveals: the indexes whose elements are stored, ascending and each once, the stored
/// elements, and the fill, which every other element equals. Valid as long as the reader is neither written
/// nor destroyed. A stored element may equal the fill.
struct SparsePairs {
    /// Each `offset` more than the index in the reader; none where they are packed.
    std::span<const index_t> indexes;
    MemoryView values;          ///< one per index
    const void* fill = nullptr; ///< null: the reader is not sparse
    index_t offset = 0;
    /// Where indexes are no list: `packed_count` of these, from `first` on. Null for a list.
    const AnyReader* packed = nullptr;
    index_t first = 0;
    index_t packed_count = 0;
    std::shared_ptr<const void> list_owner = nullptr; ///< of a list that `listed_pairs` has made
    bool are_checked =
        false; ///< that the indexes ascend within the reader: those of a `SparseBuffer` do

    explicit operator bool() const noexcept { return fill != nullptr; }
    index_t stored() const noexcept {
        return packed != nullptr ? packed_count : static_cast<index_t>(indexes.size());
    }
};

/// The pairs of a sparse reader with a list of the indexes, made if they are packed. O(1), but O(stored) for packed ones and
/// for readers of others: `IndexError` unless those ascend within the reader.
PURVIEW_EXPORT SparsePairs listed_pairs(const AnyReader& reader);
/// Those of which the index, as it is stored, lies in [begin, end). O(log stored).
PURVIEW_EXPORT SparsePairs pairs_between(SparsePairs pairs, index_t begin, index_t end) noexcept;

/// What happens where an index is given more than once.
enum class Duplicates : std::uint8_t {
    error, ///< `IndexError` naming the position
    last,  ///< the last one given is stored
    sum,   ///< their sum is stored, added up in the order given
};

/// The greatest logical size of a sparse buffer.
inline constexpr index_t kLargestSparse = index_t{1} << 62;

/// How many of the ascending `indexes` are less than `index`, searched for from position `from` on by
/// doubling steps: O(log distance). Those before `from` are known to be less.
PURVIEW_EXPORT index_t sparse_position(std::span<const index_t> indexes, index_t index,
                                       index_t from = 0) noexcept;
/// The same of indexes that are no list: O(log n), and O(1) reads of each or their rank.
PURVIEW_EXPORT index_t packed_position(const AnyReader& indexes, index_t index) noexcept;

/// Throws `ShapeError` naming `what` unless 0 <= size <= `kLargestSparse`.
PURVIEW_EXPORT void check_sparse_size(const char* what, index_t size);
/// Throws `ShapeError` naming `what` and both numbers where they differ.
PURVIEW_EXPORT void check_pair_count(const char* what, index_t indexes, index_t values);
/// Throws `IndexError` naming `what`, the first position that is wrong and its index, unless indexes ascend, each
/// once, within [0, size). O(n).
PURVIEW_EXPORT void check_sparse_indexes(const char* what, std::span<const index_t> indexes,
                                         index_t size);
PURVIEW_EXPORT void check_sparse_indexes(const char* what, const AnyReader& indexes, index_t size);
[[noreturn]] PURVIEW_EXPORT void throw_duplicate_index(const char* what, index_t index,
                                                       index_t position);

/// The positions of `indexes` in ascending order of them, equal ones as they come; empty if they ascend already,
/// duplicates or not. Throws `IndexError` naming `what`, position and index for one outside of [0, size).
/// O(n), by digits; O(n log n) for few.
PURVIEW_EXPORT std::vector<index_t>
sorted_pair_order(const char* what, std::span<const index_t> indexes, index_t size);

} // namespace purview
