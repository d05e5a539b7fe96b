#include <purview/base/errors.hpp>
#include <purview/reader/allocation.hpp>
#include <purview/reader/packed_indexes.hpp>
#include <purview/reader/sparse_pairs.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <utility>

namespace purview::inline v0_1 {
namespace {

/// The number of pairs below which they are sorted by comparison.
constexpr std::size_t kFewStored = 256;
constexpr int kPairDigitBits = 11;
constexpr std::size_t kPairDigits = std::size_t{1} << kPairDigitBits;
/// The number of packed indexes that are decoded at a time.
constexpr index_t kPairBlock = 1024;

struct Pair {
    index_t index;
    index_t position;
};

/// A radix sort from the least significant digit: stable.
void sort_by_digits(std::vector<Pair>& pairs, index_t greatest) {
    std::vector<Pair> other(pairs.size());
    const auto bits = static_cast<int>(std::bit_width(static_cast<std::uint64_t>(greatest)));
    for (int shift = 0; shift < bits; shift += kPairDigitBits) {
        const auto digit = [&](const Pair& pair) {
            return static_cast<std::size_t>(pair.index >> shift) & (kPairDigits - 1);
        };
        std::array<std::size_t, kPairDigits> places{};
        for (const Pair& pair : pairs) ++places[digit(pair)];
        if (std::ranges::find(places, pairs.size()) != places.end()) continue; // all alike
        std::exclusive_scan(places.begin(), places.end(), places.begin(), std::size_t{0});
        for (const Pair& pair : pairs) other[places[digit(pair)]++] = pair;
        pairs.swap(other);
    }
}

/// Checks that indexes ascend after `previous`. Returns the last one, or `previous` if there is
/// none; `position` is that of the first, for messages.
index_t check_ascending(const char* what, std::span<const index_t> indexes, index_t size,
                        index_t previous, index_t position) {
    for (const index_t index : indexes) {
        if (index <= previous || index >= size) [[unlikely]] {
            if (index < 0 || index >= size)
                throw IndexError(fmt::format("{}: index {} at position {} is outside of [0, {})",
                                             what, index, position, size));
            if (index == previous) throw_duplicate_index(what, index, position);
            throw IndexError(fmt::format("{}: index {} at position {} comes after {}", what, index,
                                         position, previous));
        }
        previous = index;
        ++position;
    }
    return previous;
}

void check_packed(const SparsePairs& pairs) {
    const index_t count = pairs.packed_count;
    if (pairs.first < 0 || count < 0 || pairs.first > pairs.packed->size() - count)
        throw IndexError(fmt::format("pairs: {} packed indexes from position {} on of {}", count,
                                     pairs.first, pairs.packed->size()));
}

void check_list(const SparsePairs& pairs, index_t size) {
    index_t end = 0;
    if (__builtin_add_overflow(pairs.offset, size, &end))
        throw IndexError(fmt::format("pairs: the indexes of {} elements overflow from {} on", size,
                                     pairs.offset));
    index_t least = pairs.offset;
    for (std::size_t i = 0; i < pairs.indexes.size(); ++i) {
        const index_t index = pairs.indexes[i];
        if (index < least || index >= end)
            throw IndexError(fmt::format(
                "pairs: index {} at position {} of a sparse reader of the elements [{}, {}) is out "
                "of range, or out of order",
                index, i, pairs.offset, end));
        least = index + 1;
    }
}

} // namespace

index_t sparse_position(std::span<const index_t> indexes, index_t index, index_t from) noexcept {
    const index_t count = std::ssize(indexes);
    index_t step = 1;
    index_t low = from;
    index_t high = from;
    while (high < count && indexes[static_cast<std::size_t>(high)] < index) {
        low = high + 1;
        high += step;
        step *= 2;
    }
    high = std::min(high, count);
    const auto first = indexes.begin();
    return std::lower_bound(first + low, first + high, index) - first;
}

void check_sparse_size(const char* what, index_t size) {
    if (size < 0 || size > kLargestSparse)
        throw ShapeError(fmt::format("{}: size {} is outside of [0, 2^62]", what, size));
}

void check_pair_count(const char* what, index_t indexes, index_t values) {
    if (indexes != values)
        throw ShapeError(fmt::format("{}: {} indexes for {} values", what, indexes, values));
}

void throw_duplicate_index(const char* what, index_t index, index_t position) {
    throw IndexError(
        fmt::format("{}: index {} at position {} is a duplicate", what, index, position));
}

void check_sparse_indexes(const char* what, std::span<const index_t> indexes, index_t size) {
    check_ascending(what, indexes, size, -1, 0);
}

void check_sparse_indexes(const char* what, const AnyReader& indexes, index_t size) {
    std::array<index_t, kPairBlock> block;
    index_t previous = -1;
    for (index_t begin = 0; begin < indexes.size(); begin += kPairBlock) {
        const index_t count = std::min(kPairBlock, indexes.size() - begin);
        indexes.read_into(begin, 1, count, block.data());
        previous = check_ascending(what, std::span(block).first(static_cast<std::size_t>(count)),
                                   size, previous, begin);
    }
}

SparsePairs listed_pairs(const AnyReader& reader) {
    SparsePairs pairs = reader.pairs();
    if (pairs.packed != nullptr) {
        if (!pairs.are_checked) check_packed(pairs);
        std::shared_ptr<void> list = allocate_bytes(
            checked_bytes(pairs.packed_count, sizeof(index_t), "sparse pairs"), alignof(index_t));
        auto* const indexes = static_cast<index_t*>(list.get());
        if (pairs.packed_count > 0)
            pairs.packed->read_into(pairs.first, 1, pairs.packed_count, indexes);
        pairs.indexes = {indexes, static_cast<std::size_t>(pairs.packed_count)};
        pairs.list_owner = std::move(list);
        pairs.packed = nullptr;
    }
    if (!pairs.are_checked) check_list(pairs, reader.size());
    return pairs;
}

SparsePairs pairs_between(SparsePairs pairs, index_t begin, index_t end) noexcept {
    index_t from = 0;
    if (pairs.packed != nullptr) {
        const auto position = [&](index_t index) {
            return std::clamp(packed_position(*pairs.packed, index), pairs.first,
                              pairs.first + pairs.packed_count);
        };
        from = position(begin) - pairs.first;
        pairs.packed_count = position(end) - pairs.first - from;
        pairs.first += from;
    } else {
        from = sparse_position(pairs.indexes, begin);
        const index_t to = sparse_position(pairs.indexes, end, from);
        pairs.indexes = pairs.indexes.subspan(static_cast<std::size_t>(from),
                                              static_cast<std::size_t>(to - from));
    }
    pairs.values.data =
        static_cast<const std::byte*>(pairs.values.data) + from * pairs.values.stride_bytes;
    return pairs;
}

index_t packed_position(const AnyReader& indexes, index_t index) noexcept {
    if (indexes.reader_class() == ReaderClass::packed_indexes)
        return static_cast<const PackedIndexes&>(indexes).rank(index);
    index_t low = 0;
    index_t high = indexes.size();
    while (low < high) {
        const index_t middle = low + (high - low) / 2;
        index_t found = 0;
        indexes.read_into(middle, 1, 1, &found);
        if (found < index)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

std::vector<index_t> sorted_pair_order(const char* what, std::span<const index_t> indexes,
                                       index_t size) {
    index_t greatest = 0;
    index_t previous = 0;
    bool ascending = true;
    for (std::size_t i = 0; i < indexes.size(); ++i) {
        const index_t index = indexes[i];
        if (index < 0 || index >= size)
            throw IndexError(fmt::format("{}: index {} at position {} is outside of [0, {})", what,
                                         index, i, size));
        ascending &= index >= previous;
        greatest = std::max(greatest, index);
        previous = index;
    }
    if (ascending) return {};
    std::vector<Pair> pairs(indexes.size());
    for (std::size_t i = 0; i < indexes.size(); ++i)
        pairs[i] = {indexes[i], static_cast<index_t>(i)};
    if (pairs.size() < kFewStored)
        std::ranges::sort(pairs, [](const Pair& a, const Pair& b) {
            return a.index != b.index ? a.index < b.index : a.position < b.position;
        });
    else
        sort_by_digits(pairs, greatest);
    std::vector<index_t> order(indexes.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = pairs[i].position;
    return order;
}

} // namespace purview
