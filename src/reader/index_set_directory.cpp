#include "reader/index_set_directory.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

template <typename T>
T load(const std::byte* at) noexcept {
    static_assert(std::endian::native == std::endian::little, "the format is little-endian");
    T value;
    std::memcpy(&value, at, sizeof(T));
    return value;
}

} // namespace

std::uint16_t IndexSetDirectory::word16(const Container& container, std::size_t i) const noexcept {
    return load<std::uint16_t>(container.data + 2 * i);
}
std::uint64_t IndexSetDirectory::word64(const Container& container, std::size_t i) const noexcept {
    return load<std::uint64_t>(container.data + 8 * i);
}

/// The number of runs that begin at or before `low`.
std::uint32_t IndexSetDirectory::runs_from(const Container& container,
                                           std::uint32_t low) const noexcept {
    std::uint32_t first = 0;
    std::uint32_t last = container.runs;
    while (first < last) {
        const std::uint32_t middle = (first + last) / 2;
        if (word16(container, 2 * std::size_t{middle}) <= low)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

std::uint32_t IndexSetDirectory::rank_in(const Container& container,
                                         std::uint32_t low) const noexcept {
    if (low > 0xffff) return container.count;
    switch (container.form) {
    case Form::list: {
        std::uint32_t first = 0;
        std::uint32_t last = container.count;
        while (first < last) {
            const std::uint32_t middle = (first + last) / 2;
            if (word16(container, middle) < low)
                first = middle + 1;
            else
                last = middle;
        }
        return first;
    }
    case Form::bits: {
        const std::size_t word = low / 64;
        std::size_t at = word / kWordsOfRank * kWordsOfRank;
        std::uint32_t rank = ranks_[container.ranks + word / kWordsOfRank];
        for (; at < word; ++at)
            rank += static_cast<std::uint32_t>(std::popcount(word64(container, at)));
        const std::uint64_t below = word64(container, word) & ((std::uint64_t{1} << low % 64) - 1);
        return rank + static_cast<std::uint32_t>(std::popcount(below));
    }
    case Form::runs: {
        const std::uint32_t runs = runs_from(container, low);
        if (runs == 0) return 0;
        const std::size_t run = runs - 1;
        const std::uint32_t begin = word16(container, 2 * run);
        const std::uint32_t length = word16(container, 2 * run + 1) + 1U;
        return ranks_[container.ranks + run] + std::min(low - begin, length);
    }
    }
    return 0;
}

bool IndexSetDirectory::contains_in(const Container& container, std::uint32_t low) const noexcept {
    if (container.form == Form::bits) return (word64(container, low / 64) >> low % 64 & 1) != 0;
    return rank_in(container, low + 1) != rank_in(container, low);
}

void IndexSetDirectory::read_in(const Container& container, std::uint32_t position,
                                std::span<index_t> out) const noexcept {
    const index_t base = container.base;
    switch (container.form) {
    case Form::list:
        for (std::size_t i = 0; i < out.size(); ++i)
            out[i] = base + word16(container, position + i);
        return;
    case Form::bits: {
        const std::uint16_t* const ranks = ranks_.data() + container.ranks;
        const auto rank =
            std::upper_bound(ranks, ranks + kWords / kWordsOfRank, position) - ranks - 1;
        std::size_t word = static_cast<std::size_t>(rank) * kWordsOfRank;
        std::uint32_t skipped = position - ranks[rank];
        std::uint64_t bits = word64(container, word);
        for (std::uint32_t count;
             (count = static_cast<std::uint32_t>(std::popcount(bits))) <= skipped;
             bits = word64(container, ++word))
            skipped -= count;
        for (; skipped > 0; --skipped) bits &= bits - 1;
        for (std::size_t i = 0; i < out.size();) {
            for (; bits != 0 && i < out.size(); bits &= bits - 1)
                out[i++] = base + static_cast<index_t>(word * 64) + std::countr_zero(bits);
            if (i < out.size()) bits = word64(container, ++word);
        }
        return;
    }
    case Form::runs: {
        const std::uint16_t* const ranks = ranks_.data() + container.ranks;
        auto run = static_cast<std::size_t>(
            std::upper_bound(ranks, ranks + container.runs, position) - ranks - 1);
        std::uint32_t offset = position - ranks[run];
        for (std::size_t i = 0; i < out.size(); ++run, offset = 0) {
            const index_t begin = base + word16(container, 2 * run);
            const std::uint32_t length = word16(container, 2 * run + 1) + 1U;
            for (; offset < length && i < out.size(); ++offset) out[i++] = begin + offset;
        }
        return;
    }
    }
}

std::size_t IndexSetDirectory::container_at(index_t index) const noexcept {
    const auto at = std::partition_point(
        containers_.begin(), containers_.end(),
        [index](const Container& container) { return (container.base | 0xffff) < index; });
    return static_cast<std::size_t>(at - containers_.begin());
}

index_t IndexSetDirectory::size_bytes() const noexcept {
    const auto bytes_of = []<typename T>(const std::vector<T>& list) {
        return static_cast<index_t>(list.capacity() * sizeof(T));
    };
    return bytes_of(bytes_) + bytes_of(bitmaps_) + bytes_of(containers_) + bytes_of(starts_) +
           bytes_of(ranks_);
}

index_t IndexSetDirectory::rank(index_t index) const noexcept {
    const std::size_t at = container_at(index);
    if (at == containers_.size()) return size();
    const Container& container = containers_[at];
    if (index <= container.base) return starts_[at];
    return starts_[at] + rank_in(container, static_cast<std::uint32_t>(index - container.base));
}

bool IndexSetDirectory::contains(index_t index) const noexcept {
    const std::size_t at = container_at(index);
    if (at == containers_.size() || index < containers_[at].base) return false;
    return contains_in(containers_[at], static_cast<std::uint32_t>(index - containers_[at].base));
}

index_t IndexSetDirectory::select(index_t position) const noexcept {
    index_t index = 0;
    read(position, {&index, 1});
    return index;
}

void IndexSetDirectory::read(index_t begin, std::span<index_t> out) const noexcept {
    if (out.empty()) return;
    auto at = static_cast<std::size_t>(std::upper_bound(starts_.begin(), starts_.end(), begin) -
                                       starts_.begin() - 1);
    for (index_t position = begin - starts_[at]; !out.empty(); ++at, position = 0) {
        const auto left = static_cast<std::size_t>(containers_[at].count - position);
        const std::size_t count = std::min(left, out.size());
        read_in(containers_[at], static_cast<std::uint32_t>(position), out.first(count));
        out = out.subspan(count);
    }
}

void IndexSetDirectory::read_mask(index_t begin, std::span<bool> out) const noexcept {
    std::fill(out.begin(), out.end(), false);
    const index_t end = begin + static_cast<index_t>(out.size());
    index_t block[256];
    index_t position = rank(begin);
    while (position < size()) {
        const auto count = static_cast<std::size_t>(std::min<index_t>(256, size() - position));
        read(position, {block, count});
        for (std::size_t i = 0; i < count; ++i) {
            if (block[i] >= end) return;
            out[static_cast<std::size_t>(block[i] - begin)] = true;
        }
        position += static_cast<index_t>(count);
    }
}

} // namespace purview
