#include "functional/statistics/parted_rows.hpp"

#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/elementwise/element_view.hpp>

#include "expression/stored_leaf.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reader/strided_elements.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

std::size_t bytes_of_values(const Operand& values) {
    return static_cast<std::size_t>(values.dtype().size_bytes());
}

} // namespace

int parts_at_once(index_t bytes) {
    constexpr index_t kFewestBytes = index_t{1} << 18; // of a part
    return static_cast<int>(std::clamp<index_t>(bytes / kFewestBytes, 1, index_t{threads()}));
}

void for_each_part(int parts, int at_once, FunctionRef<void(int)> f) {
    constexpr double kNanosecondsOfPart = 1e6;
    std::atomic<int> next = 0;
    parallel_ranges(at_once, 1, kNanosecondsOfPart * parts, [&](index_t begin, index_t end) {
        try {
            for (; begin < end; ++begin)
                for (int part = next++; part < parts; part = next++) f(part);
        } catch (...) {
            next = parts;
            throw;
        }
    });
}

RowRecord::RowRecord(const LargeGrouping& grouping) {
    bytes = 8 * (1 + std::ssize(grouping.keys));
    for (const GroupedColumn& column : grouping.columns) {
        values_at.push_back(bytes);
        bytes += (column.values.dtype().size_bytes() + 7) / 8 * 8;
    }
}

PartedRows::PartedRows(const LargeGrouping& grouping, index_t rows, int parts_bits, int step,
                       index_t buffer_bytes)
    : grouping_(grouping),
      record_(grouping),
      bits_(parts_bits),
      step_(step),
      records_(grouping.what, rows, record_.bytes, index_t{1} << parts_bits, buffer_bytes),
      hashes_(std::size_t{1} << parts_bits) {}

std::uint64_t PartedRows::hash_of(const RowBlock& block, std::size_t row) const {
    std::uint64_t hash = 0;
    hash_rows(grouping_, block, static_cast<index_t>(row), 1, &hash, nullptr);
    return hash;
}

void PartedRows::add(const RowBlock& block) {
    const std::size_t keys = grouping_.keys.size();
    std::vector<const std::byte*> values;
    std::vector<std::size_t> sizes;
    for (const Operand& column : block.values) {
        values.push_back(memory_of(column));
        sizes.push_back(bytes_of_values(column));
    }
    constexpr index_t kHashed = 256;
    std::uint64_t hashes[kHashed];
    for (index_t i = 0; i < block.count(); ++i) {
        if (i % kHashed == 0)
            hash_rows(grouping_, block, i, std::min(kHashed, block.count() - i), hashes, nullptr);
        const std::uint64_t hash = hashes[i % kHashed];
        const auto row = static_cast<std::size_t>(i);
        const auto part =
            static_cast<int>(hash >> (kMostBits * step_) & ((std::uint64_t{1} << bits_) - 1));
        Hash& of_part = hashes_[static_cast<std::size_t>(part)];
        if (rows(part) == 0) of_part.first = hash;
        of_part.is_only = of_part.is_only && of_part.first == hash;
        std::byte* const at = records_.append(part);
        std::memcpy(at, &block.rows[row], 8);
        for (std::size_t k = 0; k < keys; ++k)
            std::memcpy(at + 8 * (k + 1), &block.keys[k][row], 8);
        for (std::size_t c = 0; c < values.size(); ++c) {
            const std::byte* const from = values[c] + row * sizes[c];
            if (sizes[c] == 8)
                std::memcpy(at + record_.values_at[c], from, 8); // without a call
            else
                std::memcpy(at + record_.values_at[c], from, sizes[c]);
        }
    }
}

void PartedRows::end() { records_.end(); }

index_t PartedRows::block_bytes(const LargeGrouping& grouping) {
    return 2 * RowRecord(grouping).bytes;
}

void PartedRows::for_each_block(int part, index_t most_rows,
                                const std::function<bool(const RowBlock&)>& f) const {
    const std::size_t keys = grouping_.keys.size();
    RecordReader reader = records_.read(part, most_rows);
    const auto most = static_cast<std::size_t>(reader.held());
    const CountedBytes counted(reader.held() * record_.bytes, grouping_.what);
    std::vector<index_t> rows(most);
    std::vector<std::vector<std::uint64_t>> words(keys, std::vector<std::uint64_t>(most));
    const auto copy_column = [&](DType dtype, index_t at, void* to) {
        copy_elements(dtype, reader.held(), {reader.record(0) + at, record_.bytes},
                      {to, dtype.size_bytes()});
    };
    index_t first = 0;
    while (reader.held() > 0) {
        const index_t count = reader.held();
        const auto size = static_cast<std::size_t>(count);
        RowBlock block{first, std::span(rows).first(size), {}, {}};
        copy_column(int64, 0, rows.data());
        for (std::size_t k = 0; k < keys; ++k) {
            copy_column(uint64, 8 * static_cast<index_t>(k + 1), words[k].data());
            block.keys.push_back(std::span(words[k]).first(size));
        }
        for (std::size_t c = 0; c < grouping_.columns.size(); ++c) {
            const DType dtype = grouping_.columns[c].values.dtype();
            block.values.push_back(new_stored_memory(grouping_.what, dtype,
                                                     Dimensions::row_major(ShapeSpan(&count, 1)),
                                                     /*initialized=*/false));
            copy_column(dtype, record_.values_at[c], memory_of(block.values.back()));
        }
        if (!f(block)) return;
        reader.drop(count);
        first += count;
    }
}

} // namespace purview
