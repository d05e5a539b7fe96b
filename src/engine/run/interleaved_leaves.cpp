#include "engine/run/interleaved_leaves.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The most columns between the first leaf of a group and another, on either side.
constexpr index_t kMostColumnsAside = 16;
/// The most elements of a column between the first elements of two leaves.
constexpr index_t kMostShift = 64;
/// The most bytes between a block and the next one, if that is prefetched.
constexpr index_t kFarthestAhead = index_t{1} << 20;

/// Prefetches memory that is about to be read.
void prefetch(const std::byte* first, index_t bytes) {
    for (index_t at = 0; at < bytes; at += 64) __builtin_prefetch(first + at, 0, 2);
}

/// Whether two leaves of this stride, which begin at `a` and `b`, are worth reading together.
bool read_together(const std::byte* a, const std::byte* b, index_t stride_bytes, index_t size) {
    const index_t apart = std::abs(static_cast<index_t>(reinterpret_cast<std::uintptr_t>(b) -
                                                        reinterpret_cast<std::uintptr_t>(a)));
    const index_t wide = kMostColumnsAside * size;
    return apart % size == 0 &&
           (stride_bytes <= wide ? apart < kMostShift * stride_bytes : apart < wide);
}

} // namespace

InterleavedLeaves::Group::Group(const Strided* begin, const Strided* end, index_t stride,
                                index_t element_size, index_t block)
    : first(begin->first), stride_bytes(stride), size(element_size) {
    for (const Strided* leaf = begin; leaf != end; ++leaf) first = std::min(first, leaf->first);
    index_t last = 0;
    for (const Strided* leaf = begin; leaf != end; ++leaf) {
        const index_t apart = leaf->first - first;
        const auto column = static_cast<std::size_t>(apart % stride_bytes / size);
        const index_t shift = apart / stride_bytes;
        members.push_back({leaf->array, column, shift});
        if (column >= columns.size()) columns.resize(column + 1);
        Column& of = columns[column];
        of = of.is_read() ? Column{std::min(of.first, shift), std::max(of.last, shift)}
                          : Column{shift, shift};
        last = std::max(last, shift);
    }
    used = std::ranges::count_if(columns, &Column::is_read);
    // One line more than is needed, so that columns do not share a few lines of the cache.
    const index_t line = 64 / size;
    length = ((block + last + line - 1) / line + 1) * line;
    memory = std::make_unique_for_overwrite<std::byte[]>(
        static_cast<std::size_t>(std::ssize(columns) * length * size + 64));
    scratch = reinterpret_cast<std::byte*>((reinterpret_cast<std::uintptr_t>(memory.get()) + 63) /
                                           64 * 64);
}

void InterleavedLeaves::Group::load(const KernelTable& kernels, index_t displacement,
                                    index_t count) {
    const std::byte* const from = first + displacement;
    const auto bytes = static_cast<std::size_t>(size);
    // The rows in which each column that is read has an element: of these, all that lies between
    // the first and the last column can be read.
    index_t begin = 0;
    index_t end = columns[0].last + count;
    for (const Column& column : columns)
        if (column.is_read()) {
            begin = std::max(begin, column.first);
            end = std::min(end, column.last + count);
        }
    // Of two columns, `load_strided` takes every other element from whole vectors.
    const bool alternates = stride_bytes == 2 * size && size >= 4;
    if (used > 1 && 2 * used >= std::ssize(columns) && begin < end && !alternates)
        kernels.transpose_2d(bytes, from + begin * stride_bytes, stride_bytes, at(0, begin),
                             length * size, end - begin, std::ssize(columns), false);
    else
        begin = end = 0;
    for (std::size_t i = 0; i < columns.size(); ++i) {
        const Column& column = columns[i];
        const auto rest = [&](index_t row, index_t last) {
            if (row < last)
                kernels.load_strided(bytes,
                                     from + row * stride_bytes + static_cast<index_t>(i) * size,
                                     stride_bytes, at(i, row), last - row);
        };
        if (!column.is_read()) continue;
        rest(column.first, std::max(begin, column.first));
        rest(std::max(end, column.first), column.last + count);
    }
}

void InterleavedLeaves::find(const Plan& plan, List strided) {
    groups_.clear();
    held_.clear();
    while (strided.size() > (plan.inner_axes_exchanged ? 0U : 2U)) {
        const Strided first = strided.front();
        const Array& array = plan.arrays[first.array];
        const Shape& strides = plan.space.operands[array.operand].strides;
        const index_t stride = strides.empty() ? 0 : strides.back() * first.stride_bytes;
        const index_t size = array.dtype.size_bytes();
        const bool steps =
            array.dtype != boolean && size <= 8 && stride >= 2 * size && stride % size == 0;
        List group;
        List others; // in their order
        for (const Strided& leaf : strided) {
            const Array& other = plan.arrays[leaf.array];
            const bool joins =
                leaf.array == first.array ||
                (steps && other.dtype == array.dtype && leaf.stride_bytes == first.stride_bytes &&
                 plan.space.operands[other.operand].strides == strides &&
                 read_together(first.first, leaf.first, stride, size));
            (joins ? group : others).push_back(leaf);
        }
        const bool stays = plan.inner_axes_exchanged && steps &&
                           strides[strides.size() - 2] == 0; // of rank 2 at least
        // Two columns are read as fast one by one.
        if (group.size() > 2 || stays) {
            groups_.emplace_back(group.data(), group.data() + group.size(), stride, size,
                                 plan.block);
            held_.resize(plan.arrays.size(), false);
            for (const Member& member : groups_.back().members) held_[member.array] = true;
        }
        strided = std::move(others);
    }
}

void InterleavedLeaves::load(const KernelTable& kernels, ArrayId array, index_t displacement,
                             index_t count) {
    for (Group& group : groups_)
        if (group.members.front().array == array) {
            if (keeps_ && group.loaded == count && group.loaded_at == displacement) return;
            // The next block is expected to be as far from this one as this one is from the last;
            // mostly it lies in another page.
            if (const index_t ahead = displacement - group.loaded_at;
                ahead != 0 && std::abs(ahead) < kFarthestAhead)
                prefetch(group.first + displacement + ahead, count * group.stride_bytes);
            group.load(kernels, displacement, count);
            group.loaded = count;
            group.loaded_at = displacement;
            return;
        }
}

index_t InterleavedLeaves::cached_block_size(index_t block) const noexcept {
    constexpr index_t kCachedBytes = 24 * 1024;
    constexpr index_t kLeast = 128;
    index_t bytes = 0;
    for (const Group& group : groups_) bytes += std::ssize(group.columns) * group.size;
    if (bytes == 0) return block;
    return std::min(std::max(kCachedBytes / bytes / kLeast, index_t{1}) * kLeast, block);
}

} // namespace purview::engine
