#include "engine/gather/copy_lines.hpp"

#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"

#include <algorithm>
#include <cstring>

namespace purview::inline v0_1::engine {
namespace {

/// In bytes: the most of a row that is prefetched; and how far ahead of the row that is copied rows
/// are prefetched (at least kLeastAhead rows).
constexpr index_t kMostAsked = 2048;
constexpr index_t kBytesAhead = 4096;
constexpr index_t kLeastAhead = 2;

} // namespace

void copy_lines(const std::byte* memory, const index_t* addresses, index_t count, index_t size,
                index_t bytes, bool is_far, std::byte* out, bool streaming) {
    const index_t asked = is_far ? std::min(bytes, kMostAsked) : 0;
    const KernelTable& table = kernels();
    const index_t ahead = std::max(kLeastAhead, kBytesAhead / bytes);
    const auto row = [&](index_t i) { return memory + addresses[i] * size; };
    for (index_t i = 0; i < count; ++i, out += bytes) {
        if (i + ahead < count)
            for (index_t at = 0; at < asked; at += kCacheLineBytes)
                __builtin_prefetch(row(i + ahead) + at);
        if (streaming)
            table.copy_streaming(row(i), out, static_cast<std::size_t>(bytes));
        else
            std::memcpy(out, row(i), static_cast<std::size_t>(bytes));
    }
}

} // namespace purview::engine
