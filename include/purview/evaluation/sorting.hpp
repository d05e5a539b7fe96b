#pragma once

#include <purview/evaluation/destination.hpp>

#include <cstdint>

namespace purview::inline v0_1 {

/// Which elements come first. NaN comes last in either order.
enum class SortOrder : std::uint8_t { ascending, descending };
inline constexpr SortOrder ascending = SortOrder::ascending;
inline constexpr SortOrder descending = SortOrder::descending;

/// For each of `groups` equal parts of the global order, the indexes within the part that sort its
/// elements, one part after the other, int64. Stable: equal elements, 0 and -0, and NaNs among themselves
/// keep their order. Built-in types only. O(n), a radix sort; needs up to 24 bytes of temporary
/// memory per element of a part. Parts of at most 255 elements, if there are several, are sorted by
/// a network, side by side. On several threads if that is worth it.
PURVIEW_EXPORT void argsort_groups(const Operand& source, index_t groups, SortOrder order,
                                   const Destination& out);

/// For each part, its elements in the order that `argsort_groups` gives, of the source's type. O(n):
/// a radix sort of the elements themselves, or the counts of integers whose range is at most as
/// large as a part; needs as much temporary memory as a part.
PURVIEW_EXPORT void sort_groups(const Operand& source, index_t groups, SortOrder order,
                                const Destination& out);

/// Each element once, ascending, NaN last; of -0 and 0 the first that occurs. `out` has room for all
/// elements. Returns how many there are. Otherwise as `sort_groups`.
PURVIEW_EXPORT index_t distinct_elements(const Operand& source, void* out);

/// For each part, the indexes of the elements that sort before element `kth` (ascending indexes),
/// then the index of that element, then the remaining ones (ascending). Built-in types; 0 <= kth <
/// length. O(n).
PURVIEW_EXPORT void argpartition_groups(const Operand& source, index_t groups, index_t kth,
                                        SortOrder order, std::int64_t* out);
/// For each part, the indexes of its first `count` elements in sorted order. 0 <= count <= length.
/// O(n + count log count).
PURVIEW_EXPORT void arg_first_groups(const Operand& source, index_t groups, index_t count,
                                     SortOrder order, std::int64_t* out);

} // namespace purview
