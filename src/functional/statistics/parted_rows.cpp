#include "functional/statistics/parted_rows.hpp"

#include <purview/base/checked.hpp>
#include <purview/functional/elementwise/element_view.hpp>

#include "expression/stored_leaf.hpp"
#include "functional/reductions/typed_memory.hpp"

#include <algorithm>
#include <cstring>

namespace purview::inline v0_1 {
namespace {

std::size_t bytes_of_values(const Operand& values) {
    return static_cast<std::size_t>(values.dtype().size_bytes());
}

} // namespace

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
      file_(grouping.what, checked_multiply(rows, record_.bytes, grouping.what)),
      buffer_rows_(std::max<index_t>(1, (buffer_bytes >> parts_bits) / record_.bytes)),
      parts_(std::size_t{1} << parts_bits) {
    buffers_.grow((index_t{1} << bits_) * buffer_rows_ * record_.bytes, grouping_.what);
}

std::uint64_t PartedRows::hash_of(const RowBlock& block, std::size_t row) const {
    std::uint64_t hash = 0;
    for (std::size_t k = 0; k < grouping_.keys.size(); ++k)
        hash = hash_with(hash, key_word(grouping_.keys[k].dtype(), block.keys[k][row]));
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
    for (std::size_t row = 0; row < block.rows.size(); ++row) {
        const std::uint64_t hash = hash_of(block, row);
        const auto part =
            static_cast<int>(hash >> (kMostBits * step_) & ((std::uint64_t{1} << bits_) - 1));
        Part& to = own(part);
        if (to.rows + to.buffered == 0) to.hash = hash;
        to.has_one_hash = to.has_one_hash && to.hash == hash;
        std::byte* const at = buffer(part) + to.buffered * record_.bytes;
        std::memcpy(at, &block.rows[row], 8);
        for (std::size_t k = 0; k < keys; ++k)
            std::memcpy(at + 8 * (k + 1), &block.keys[k][row], 8);
        for (std::size_t c = 0; c < values.size(); ++c)
            std::memcpy(at + record_.values_at[c], values[c] + row * sizes[c], sizes[c]);
        if (++to.buffered == buffer_rows_) flush(part);
    }
}

void PartedRows::flush(int part) {
    Part& of = own(part);
    if (of.buffered == 0) return;
    const index_t bytes = of.buffered * record_.bytes;
    file_.write(end_, {buffer(part), static_cast<std::size_t>(bytes)});
    of.segments.emplace_back(end_, of.buffered);
    end_ += bytes;
    of.rows += of.buffered;
    of.buffered = 0;
}

void PartedRows::end() {
    for (int part = 0; part < parts(); ++part) flush(part);
    GrowingBytes().swap(buffers_);
}

void PartedRows::read(const Part& part, std::size_t& segment, index_t& within, index_t rows,
                      std::byte* out) const {
    while (rows > 0) {
        const auto [at, length] = part.segments[segment];
        const index_t count = std::min(rows, length - within);
        file_.read(at + within * record_.bytes,
                   {out, static_cast<std::size_t>(count * record_.bytes)});
        out += count * record_.bytes;
        rows -= count;
        within += count;
        if (within == length) {
            ++segment;
            within = 0;
        }
    }
}

index_t PartedRows::block_bytes(const LargeGrouping& grouping) {
    return 2 * RowRecord(grouping).bytes;
}

void PartedRows::for_each_block(int number, index_t most_rows,
                                const std::function<bool(const RowBlock&)>& f) const {
    const Part& part = own(number);
    most_rows = std::min(most_rows, part.rows);
    if (most_rows == 0) return;
    const std::size_t keys = grouping_.keys.size();
    const CountedBytes counted(most_rows * block_bytes(grouping_), grouping_.what);
    std::vector<std::byte> records(static_cast<std::size_t>(most_rows * record_.bytes));
    std::vector<index_t> rows(static_cast<std::size_t>(most_rows));
    std::vector<std::vector<std::uint64_t>> words(keys);
    for (auto& column : words) column.resize(static_cast<std::size_t>(most_rows));
    std::size_t segment = 0;
    index_t within = 0;
    for (index_t first = 0; first < part.rows; first += most_rows) {
        if (const auto check = before_chunk.load()) check(); // whether the work has been cancelled
        const index_t count = std::min(most_rows, part.rows - first);
        const auto size = static_cast<std::size_t>(count);
        read(part, segment, within, count, records.data());
        RowBlock block{first, std::span(rows).first(size), {}, {}};
        const auto stride = static_cast<std::size_t>(record_.bytes);
        for (std::size_t i = 0; i < size; ++i) {
            const std::byte* const record = &records[i * stride];
            std::memcpy(&rows[i], record, 8);
            for (std::size_t k = 0; k < keys; ++k)
                std::memcpy(&words[k][i], record + 8 * (k + 1), 8);
        }
        for (const auto& column : words) block.keys.push_back(std::span(column).first(size));
        for (std::size_t c = 0; c < grouping_.columns.size(); ++c) {
            const DType dtype = grouping_.columns[c].values.dtype();
            block.values.push_back(new_stored_memory(grouping_.what, dtype,
                                                     Dimensions::row_major(ShapeSpan(&count, 1)),
                                                     /*initialized=*/false));
            std::byte* const to = memory_of(block.values.back());
            const auto bytes = static_cast<std::size_t>(dtype.size_bytes());
            for (std::size_t i = 0; i < size; ++i)
                std::memcpy(to + i * bytes, &records[i * stride] + record_.values_at[c], bytes);
        }
        if (!f(block)) return;
    }
}

} // namespace purview
