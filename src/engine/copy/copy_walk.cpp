#include "engine/copy/copy_walk.hpp"

#include <purview/dtype/dtype.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace purview::inline v0_1::engine {
namespace {

/// In bytes. One kernel call moves many rows that are shorter than this; longer rows get a call
/// each.
constexpr index_t kLongestMove = 256;
/// In bytes. The pieces of a row at least this long get a call each.
constexpr index_t kLongRow = 2048;
/// In bytes. Shorter rows are not written past the caches: their ends do not fill cache lines.
constexpr index_t kStreamedRow = 1024;
/// In bytes. Where a short pattern is repeated, this much of it is built up, and then copied.
constexpr index_t kPattern = 8192;
/// The side, in elements, of a square that stays in the first-level cache with the cache lines it
/// is in.
constexpr index_t kSquare = 32;

/// Where the elements of a short row lie on both sides, for `copy_short_rows`. In bytes.
class RowOfFew {
public:
    void add(index_t from, index_t to) {
        if (columns_ == 0) first_ = to;
        in_[static_cast<std::size_t>(columns_)] = from;
        // Relative to the first element of the output, where a packed row begins.
        out_[static_cast<std::size_t>(columns_++)] = to - first_;
    }
    void copy(const KernelTable& kernels, std::size_t element_bytes, const std::byte* from,
              const index_t* from_strides, std::byte* to, const index_t* to_strides, index_t planes,
              index_t rows) const {
        kernels.copy_short_rows(element_bytes, from, from_strides, in_.data(), to + first_,
                                to_strides, out_.data(), planes, rows, columns_);
    }

private:
    std::array<index_t, kMostColumns> in_{};
    std::array<index_t, kMostColumns> out_{};
    index_t columns_ = 0;
    index_t first_ = 0;
};

class CopyWalk {
public:
    CopyWalk(const CopyMoves& moves, const CopyBox& box)
        : moves_(moves),
          kernels_(moves.kernels),
          size_(static_cast<index_t>(moves.element_bytes)),
          box_(box) {}

    void walk(std::size_t axis, std::byte* to, const std::byte* from) {
        const std::size_t left = box_.axes.size() - axis;
        if (left == 2) return plane(to, from);
        if (left == 0) {
            std::memcpy(to, from, moves_.element_bytes);
            return;
        }
        for (const Segment& segment : box_.axes[axis]) {
            if (left == 1) {
                row(segment, to, from);
            } else if (left == 3 && segment.is_plain() && has_small_planes(segment)) {
                small_planes(segment, box_.axes[axis + 1].front(), box_.axes[axis + 2].front(), to,
                             from);
            } else if (left == 3 && segment.is_plain() && has_short_rows()) {
                short_rows(segment, box_.axes[axis + 1].front(), box_.axes[axis + 2].front(), to,
                           from);
            } else {
                for (index_t i = 0; i < segment.extent; ++i)
                    walk(axis + 1, to + segment.to.at(i), from + segment.from.at(i));
            }
        }
    }

private:
    using Segment = CopySegment;

    bool is_unit(const CopySide& side) const { return side.is_unit(size_); }

    const CopyAxis& rows() const { return box_.axes[box_.axes.size() - 2]; }
    const CopyAxis& columns() const { return box_.axes.back(); }

    /// Planes of short rows, such as pixels, go to the kernel many at a time.
    bool has_short_rows() const {
        return rows().size() == 1 && columns().size() == 1 &&
               is_short(rows().front(), columns().front());
    }

    /// Planes of a few elements, such as repeated pixels, that are packed in the destination: each
    /// is a short row of its own.
    bool has_small_planes(const Segment& planes) const {
        if (rows().size() != 1 || columns().size() != 1) return false;
        const Segment& row = rows().front();
        const Segment& column = columns().front();
        return row.is_plain() && column.is_plain() && row.extent <= planes.extent &&
               row.extent <= kMostColumns / column.extent && is_unit(column.to) &&
               row.to.stride == column.extent * size_;
    }

    void small_planes(const Segment& planes, const Segment& rows, const Segment& columns,
                      std::byte* to, const std::byte* from) {
        RowOfFew row;
        for (index_t r = 0; r < rows.extent; ++r)
            for (index_t c = 0; c < columns.extent; ++c)
                row.add(rows.from.at(r) + columns.from.at(c), rows.to.at(r) + columns.to.at(c));
        const std::array in{index_t{0}, planes.from.stride};
        const std::array out{index_t{0}, planes.to.stride};
        row.copy(kernels_, moves_.element_bytes, from + planes.from.offset, in.data(),
                 to + planes.to.offset, out.data(), 1, planes.extent);
    }

    void plane(std::byte* to, const std::byte* from) {
        // The pieces of a long row follow each other, so that pages are gone through once.
        const bool row_by_row = columns().size() > 1 && is_unit(columns().front().to) &&
                                extent_of(columns()) * size_ >= kLongRow &&
                                !is_unit(rows().front().from);
        for (const Segment& rows : this->rows()) {
            if (!row_by_row) {
                for (const Segment& columns : this->columns()) rectangle(rows, columns, to, from);
                continue;
            }
            for (index_t i = 0; i < rows.extent; ++i)
                for (const Segment& columns : this->columns())
                    row(columns, to + rows.to.at(i), from + rows.from.at(i));
        }
    }

    // --- rectangles ------------------------------------------------------------------------------

    void rectangle(const Segment& rows, const Segment& columns, std::byte* to,
                   const std::byte* from) {
        const bool unit = is_unit(columns.from) && is_unit(columns.to);
        const index_t row_bytes = columns.extent * size_;
        const std::byte* const in = from + rows.from.offset + columns.from.offset;
        std::byte* const out = to + rows.to.offset + columns.to.offset;
        if (rows.extent == 1) {
            row(columns, to + rows.to.at(0), from + rows.from.at(0));
        } else if (box_.transposed) {
            // out[c][r] = in[r][c]: a row of the input is what lies along its unit stride.
            kernels_.transpose_2d(moves_.element_bytes, in, columns.from.stride, out,
                                  rows.to.stride, columns.extent, rows.extent, moves_.streaming);
        } else if (strides_are_crossed(rows, columns)) {
            squares(rows, columns, to, from);
        } else if (unit && is_repeated(rows, row_bytes)) {
            repeat(out, in, row_bytes, rows.extent);
        } else if (unit && (row_bytes > 8 || !rows.is_plain()) &&
                   row_bytes < (moves_.streaming ? kStreamedRow : kLongestMove)) {
            kernels_.copy_indexed(static_cast<std::size_t>(row_bytes), in, rows.from.stride,
                                  rows.from.list, out, rows.to.stride, rows.to.list, rows.extent,
                                  moves_.far, moves_.streaming);
        } else if (is_short(rows, columns)) {
            short_rows({1, {}, {}}, rows, columns, to, from);
        } else {
            single_rows(rows, columns, to, from);
        }
    }

    /// Row by row. One that reads the same as the row before, as where an image is enlarged by lists, is copied from
    /// there if that is faster.
    void single_rows(const Segment& rows, const Segment& columns, std::byte* to,
                     const std::byte* from) {
        const bool repeats = !moves_.streaming && is_unit(columns.to) && !is_unit(columns.from);
        for (index_t i = 0; i < rows.extent; ++i) {
            std::byte* const out = to + rows.to.at(i);
            if (repeats && i > 0 && rows.from.at(i) == rows.from.at(i - 1))
                std::memcpy(out + columns.to.offset, to + rows.to.at(i - 1) + columns.to.offset,
                            static_cast<std::size_t>(columns.extent * size_));
            else
                row(columns, out, from + rows.from.at(i));
        }
    }

    bool is_repeated(const Segment& rows, index_t row_bytes) const {
        return rows.is_plain() && rows.from.stride == 0 && rows.to.stride == row_bytes;
    }

    /// Rows of a few elements that no other kernel is for.
    bool is_short(const Segment& rows, const Segment& columns) const {
        if (!rows.is_plain() || rows.extent == 1 || columns.extent > kMostColumns) return false;
        const index_t row_bytes = columns.extent * size_;
        const bool unit = is_unit(columns.from) && is_unit(columns.to);
        return !box_.transposed && !(unit && is_repeated(rows, row_bytes)) &&
               (!unit || row_bytes <= 16);
    }

    void short_rows(const Segment& planes, const Segment& rows, const Segment& columns,
                    std::byte* to, const std::byte* from) {
        RowOfFew row;
        for (index_t i = 0; i < columns.extent; ++i) row.add(columns.from.at(i), columns.to.at(i));
        const std::array in{planes.from.stride, rows.from.stride};
        const std::array out{planes.to.stride, rows.to.stride};
        row.copy(kernels_, moves_.element_bytes, from + planes.from.offset + rows.from.offset,
                 in.data(), to + planes.to.offset + rows.to.offset, out.data(), planes.extent,
                 rows.extent);
    }

    /// Whether neighbours in a row of the destination are far from each other in the source, and
    /// neighbours in a column are near.
    bool strides_are_crossed(const Segment& rows, const Segment& columns) const {
        const index_t across = std::abs(rows.from.stride);
        const index_t along = std::abs(columns.from.stride);
        return across != 0 && columns.extent > kSquare && rows.extent > 1 && across < 64 &&
               2 * across <= along && along >= 64;
    }

    void squares(const Segment& rows, const Segment& columns, std::byte* to,
                 const std::byte* from) {
        const auto square = [&](index_t r, index_t c) {
            const Segment piece = columns.part(c, std::min(c + kSquare, columns.extent));
            for (index_t i = r; i < std::min(r + kSquare, rows.extent); ++i)
                row(piece, to + rows.to.at(i), from + rows.from.at(i));
        };
        // Where rows are read through a list, near ones may come much later: a band of columns is
        // walked first, and stays in the cache.
        if (rows.from.is_plain()) {
            for (index_t r = 0; r < rows.extent; r += kSquare)
                for (index_t c = 0; c < columns.extent; c += kSquare) square(r, c);
        } else {
            for (index_t c = 0; c < columns.extent; c += kSquare)
                for (index_t r = 0; r < rows.extent; r += kSquare) square(r, c);
        }
    }

    // --- rows ------------------------------------------------------------------------------------

    void row(const Segment& columns, std::byte* to, const std::byte* from) {
        const CopySide& in = columns.from;
        const CopySide& out = columns.to;
        const index_t count = columns.extent;
        from += in.offset;
        to += out.offset;
        if (!in.is_plain() || !out.is_plain()) {
            kernels_.copy_indexed(moves_.element_bytes, from, in.stride, in.list, to, out.stride,
                                  out.list, count, moves_.far, moves_.streaming);
        } else if (out.stride == size_ && in.stride == size_) {
            copy_bytes(to, from, count * size_);
        } else if (out.stride == size_ && in.stride == 0) {
            repeat(to, from, size_, count);
        } else if (out.stride == size_) {
            kernels_.load_strided(moves_.element_bytes, from, in.stride, to, count);
        } else if (in.stride == size_) {
            kernels_.store_strided(moves_.element_bytes, from, to, out.stride, count);
        } else {
            const std::array outs{index_t{0}, out.stride};
            const std::array ins{index_t{0}, in.stride};
            kernels_.copy_2d(moves_.element_bytes, from, ins.data(), to, outs.data(), 1, count);
        }
    }

    void copy_bytes(std::byte* to, const std::byte* from, index_t count) const {
        if (moves_.streaming && count >= kStreamedRow)
            kernels_.copy_streaming(from, to, static_cast<std::size_t>(count));
        else
            std::memcpy(to, from, static_cast<std::size_t>(count));
    }

    /// Writes the same `bytes` bytes `count` times, one after the other.
    void repeat(std::byte* to, const std::byte* from, index_t bytes, index_t count) const {
        if (bytes == size_) {
            const bool past = moves_.streaming && count * bytes >= kStreamedRow;
            (past ? kernels_.fill_streaming : kernels_.fill)(moves_.element_bytes, from, to, count);
            return;
        }
        if (bytes >= kPattern) {
            for (index_t i = 0; i < count; ++i) copy_bytes(to + i * bytes, from, bytes);
            return;
        }
        const index_t pattern = std::min(count, kPattern / bytes);
        std::memcpy(to, from, static_cast<std::size_t>(bytes));
        for (index_t done = 1; done < pattern;) {
            const index_t more = std::min(done, pattern - done);
            std::memcpy(to + done * bytes, to, static_cast<std::size_t>(more * bytes));
            done += more;
        }
        for (index_t done = pattern; done < count;) {
            const index_t more = std::min(pattern, count - done);
            copy_bytes(to + done * bytes, to, more * bytes);
            done += more;
        }
    }

    const CopyMoves& moves_;
    const KernelTable& kernels_;
    const index_t size_;
    const CopyBox& box_;
};

void normalise(CastBlock cast, const CopyBox& box, std::size_t axis, std::byte* to) {
    if (axis == box.axes.size()) {
        *to = static_cast<std::byte>(*to != std::byte{0});
        return;
    }
    const bool last = axis + 1 == box.axes.size();
    for (const CopySegment& segment : box.axes[axis]) {
        if (last && segment.to.is_plain() && segment.to.stride == 1) {
            std::byte* const row = to + segment.to.offset;
            static_cast<void>(cast(row, row, segment.extent));
            continue;
        }
        for (index_t i = 0; i < segment.extent; ++i)
            normalise(cast, box, axis + 1, to + segment.to.at(i));
    }
}

} // namespace

void copy_box_elements(const CopyMoves& moves, const CopyBox& box) {
    CopyWalk(moves, box).walk(0, box.to, box.from);
}

void normalise_bools(const KernelTable& kernels, const CopyBox& box) {
    normalise(kernels.find_cast(TypeId::uint8, TypeId::boolean, false), box, 0, box.to);
}

} // namespace purview::engine
