#include "evaluation/placed_results.hpp"

#include "dtype/element_block.hpp"
#include "dtype/element_bytes.hpp"
#include "engine/places/memory_leaf.hpp"
#include "evaluation/large_results.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kIndexBytes = sizeof(std::int64_t);
constexpr index_t kMostPlacedParts = 4096;
constexpr index_t kCachedBytes = index_t{1} << 22;
constexpr index_t kRecordsRead = 1 << 14; ///< at a time

/// The results of a part, as a logarithm: as many as the caches hold while they are put in order, and memory has room for.
int bits_of_part(index_t size, DType dtype) {
    const index_t room = std::min(memory_left() / 8, kCachedBytes) / dtype.size_bytes();
    const index_t length = std::max(room, size / kMostPlacedParts + 1);
    return static_cast<int>(std::bit_width(static_cast<std::uint64_t>(length)));
}

} // namespace

PlacedResults::PlacedResults(const char* what, DType dtype, index_t size)
    : what_(what),
      dtype_(dtype),
      size_(size),
      bits_(bits_of_part(size, dtype)),
      records_(what, size, kIndexBytes + dtype.size_bytes(), ((size - 1) >> bits_) + 1,
               memory_left() / 8) {}

void PlacedResults::add(std::span<const std::int64_t> indexes, const void* results) {
    with_element_bytes(dtype_.size_bytes(), [&](auto bytes) {
        const auto* from = static_cast<const std::byte*>(results);
        for (const std::int64_t index : indexes) {
            std::byte* const record = records_.append(index >> bits_);
            std::memcpy(record, &index, kIndexBytes);
            std::memcpy(record + kIndexBytes, from, bytes);
            from += bytes;
        }
    });
}

void PlacedResults::put_in_order(RecordReader records, std::byte* to) const {
    const index_t mask = (index_t{1} << bits_) - 1;
    with_element_bytes(dtype_.size_bytes(), [&](auto bytes) {
        for (; records.held() > 0; records.drop(records.held()))
            for (index_t i = 0; i < records.held(); ++i) {
                const std::byte* const record = records.record(i);
                std::int64_t index = 0;
                std::memcpy(&index, record, kIndexBytes);
                std::memcpy(to + static_cast<std::size_t>(index & mask) * bytes,
                            record + kIndexBytes, bytes);
            }
    });
}

Operand PlacedResults::take(const Operand& source, ShapeSpan shape) {
    records_.end();
    AppendedResults results(what_, source, dtype_, size_);
    const index_t length = std::min(index_t{1} << bits_, size_);
    const CountedBytes counted(length * dtype_.size_bytes(), what_);
    ElementBlock ordered(dtype_, length);
    const index_t most = std::clamp<index_t>(
        memory_left() / 8 / (kIndexBytes + dtype_.size_bytes()), 1, kRecordsRead);
    for (index_t part = 0; part < records_.parts(); ++part) {
        put_in_order(records_.read(part, most), ordered.at(0));
        const index_t count = records_.size(part);
        results.append(engine::memory_operand(dtype_, ordered.data(), ShapeSpan(&count, 1)));
    }
    return results.in_shape(shape);
}

} // namespace purview
