#pragma once

#include <purview/base/index.hpp>
#include <purview/reader/memory_view.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace purview::inline v0_1 {

class AnyReader;

/// What a sparse reader reveals: the indexes of the stored elements, ascending and without repeats,
/// the stored elements, and the fill, which every other element equals. Valid until the reader is
/// written or destroyed. A stored element may equal the fill.
struct SparsePairs {
    /// Each is `offset` more than the index in the reader. Empty if the indexes are packed.
    std::span<const index_t> indexes;
    MemoryView values;          ///< one per index
    const void* fill = nullptr; ///< null: the reader is not sparse
    index_t offset = 0;
    /// A reader of the indexes if they are not a list; those of the pairs are `packed_count` of
    /// them, from position `first` on. Null for a list.
    const AnyReader* packed = nullptr;
    index_t first = 0;
    index_t packed_count = 0;
    std::shared_ptr<const void> list_owner = nullptr; ///< owner of a list that `listed_pairs` has
                                                      ///< made
    bool are_checked =
        false; ///< the indexes are known to ascend and to lie within the reader, as those of a
               ///< `SparseBuffer` are

    explicit operator bool() const noexcept { return fill != nullptr; }
    index_t stored() const noexcept {
        return packed != nullptr ? packed_count : static_cast<index_t>(indexes.size());
    }
};

/// The pairs of a sparse reader with their indexes as a list, which is made if they are packed.
/// O(1) for the library's readers of lists; O(stored) for packed indexes, and for users' readers,
/// which are checked: throws `IndexError` unless their indexes ascend and lie within the reader.
PURVIEW_EXPORT SparsePairs listed_pairs(const AnyReader& reader);
/// The pairs whose indexes, as they are stored, lie in [begin, end). O(log stored).
PURVIEW_EXPORT SparsePairs pairs_between(SparsePairs pairs, index_t begin, index_t end) noexcept;

/// What happens where an index is given more than once.
enum class Duplicates : std::uint8_t {
    error, ///< `IndexError` naming the position
    last,  ///< the last one given is stored
    sum,   ///< their sum is stored, added up in the order given
};

/// The largest logical size of a sparse buffer.
inline constexpr index_t kLargestSparse = index_t{1} << 62;

/// How many of the ascending `indexes` are less than `index`, by a search in doubling steps from
/// position `from`: O(log distance). All indexes before `from` are known to be less.
PURVIEW_EXPORT index_t sparse_position(std::span<const index_t> indexes, index_t index,
                                       index_t from = 0) noexcept;
/// How many of the ascending `indexes`, which are not a list, are less than `index`: O(log n)
/// steps, each of which reads one index, or their `rank`.
PURVIEW_EXPORT index_t packed_position(const AnyReader& indexes, index_t index) noexcept;

/// Throws `ShapeError` naming `what` unless 0 <= size <= `kLargestSparse`.
PURVIEW_EXPORT void check_sparse_size(const char* what, index_t size);
/// Throws `ShapeError` naming `what` and both numbers where they differ.
PURVIEW_EXPORT void check_pair_count(const char* what, index_t indexes, index_t values);
/// Throws `IndexError` naming `what`, the first wrong position and its index, unless the indexes
/// ascend without repeats and lie in [0, size). O(n).
PURVIEW_EXPORT void check_sparse_indexes(const char* what, std::span<const index_t> indexes,
                                         index_t size);
PURVIEW_EXPORT void check_sparse_indexes(const char* what, const AnyReader& indexes, index_t size);
[[noreturn]] PURVIEW_EXPORT void throw_duplicate_index(const char* what, index_t index,
                                                       index_t position);

/// The permutation that sorts `indexes` stably; empty if they ascend already, with or without
/// duplicates. Throws `IndexError` naming `what`, position and index for one outside of [0, size).
/// O(n), a radix sort; O(n log n) for few.
PURVIEW_EXPORT std::vector<index_t>
sorted_pair_order(const char* what, std::span<const index_t> indexes, index_t size);

} // namespace purview
