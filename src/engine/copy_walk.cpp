#include "engine/copy_walk.hpp"

#include <purview/dtype/dtype.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>

namespace purview::engine {
namespace {

/// Rows that are worth a call each.
constexpr index_t kLongRow = 256;
/// Rows that are worth going past the caches: their ends do not fill lines.
constexpr index_t kStreamedRow = 1024;
/// What is written once, and copied from there on, where a pattern is repeated.
constexpr index_t kPattern = 8192;
/// The side of a square of elements that stays in the first-level cache, as do the lines it is in.
constexpr index_t kSquare = 32;

const CopyAxis kOneRow = {{1, {}, {}}};

class Walk {
public:
    Walk(const CopyMoves& moves, const CopyBox& box)
        : moves_(moves),
          kernels_(moves.kernels),
          size_(static_cast<index_t>(moves.element_bytes)),
          box_(box) {}

    void run() {
        if (box_.axes.empty()) {
            std::memcpy(box_.to, box_.from, moves_.element_bytes);
            return;
        }
        inner_ = box_.axes.size() - 1;
        choose_partner();
        rows_ = partner_ < inner_ ? &box_.axes[partner_] : &kOneRow;
        columns_ = &box_.axes[inner_];
        walk(0, box_.to, box_.from);
    }

private:
    using Segment = CopySegment;

    bool is_unit(const CopySide& side) const { return side.is_plain() && side.stride == size_; }

    /// The axis that makes a plane with the innermost one: that of the source's unit stride, if it is
    /// not innermost, so that the plane is a transpose; else the next one.
    void choose_partner() {
        partner_ = inner_ == 0 ? inner_ : inner_ - 1;
        if (is_unit(box_.axes[inner_].front().from)) return;
        index_t longest = 0;
        for (std::size_t axis = 0; axis < inner_; ++axis) {
            const index_t extent = extent_of(box_.axes[axis]);
            if (!is_unit(box_.axes[axis].front().from) || extent <= longest) continue;
            partner_ = axis;
            longest = extent;
        }
    }

    void walk(std::size_t axis, std::byte* to, const std::byte* from) {
        if (axis == partner_ && axis < inner_) ++axis;
        if (axis == inner_) return plane(to, from);
        for (const Segment& segment : box_.axes[axis])
            for (index_t i = 0; i < segment.extent; ++i)
                walk(axis + 1, to + segment.to.at(i), from + segment.from.at(i));
    }

    void plane(std::byte* to, const std::byte* from) {
        // The pieces of a long row follow each other, so that pages are gone through once.
        const bool row_by_row = columns_->size() > 1 && is_unit(columns_->front().to) &&
                                extent_of(*columns_) * size_ >= 8 * kLongRow &&
                                !is_unit(rows_->front().from);
        for (const Segment& rows : *rows_) {
            if (!row_by_row) {
                for (const Segment& columns : *columns_) rectangle(rows, columns, to, from);
                continue;
            }
            for (index_t i = 0; i < rows.extent; ++i)
                for (const Segment& columns : *columns_)
                    row(columns, to + rows.to.at(i), from + rows.from.at(i));
        }
    }

    // --- rectangles --------------------------------------------------------------------------------

    void rectangle(const Segment& rows, const Segment& columns, std::byte* to,
                   const std::byte* from) {
        const bool plain_rows = rows.from.is_plain() && rows.to.is_plain();
        const bool plain_columns = columns.from.is_plain() && columns.to.is_plain();
        const bool unit = is_unit(columns.from) && is_unit(columns.to);
        const index_t row_bytes = columns.extent * size_;
        if (rows.extent == 1) {
            row(columns, to + rows.to.at(0), from + rows.from.at(0));
        } else if (plain_rows && is_unit(rows.from) && is_unit(columns.to) &&
                   columns.from.is_plain() && columns.from.stride != size_) {
            // out[c][r] = in[r][c]: a row of the input is what lies along its unit stride.
            kernels_.transpose_2d(moves_.element_bytes,
                                  from + rows.from.offset + columns.from.offset,
                                  columns.from.stride, to + rows.to.offset + columns.to.offset,
                                  rows.to.stride, columns.extent, rows.extent, moves_.streaming);
        } else if (disagree(rows, columns)) {
            squares(rows, columns, to, from);
        } else if (plain_rows && plain_columns && unit && rows.from.stride == 0 &&
                   rows.to.stride == row_bytes) {
            repeat(to + rows.to.offset + columns.to.offset,
                   from + rows.from.offset + columns.from.offset, row_bytes, rows.extent);
        } else if (unit && !plain_rows && (row_bytes < kStreamedRow || !moves_.streaming)) {
            kernels_.copy_indexed(
                static_cast<std::size_t>(row_bytes), from + rows.from.offset + columns.from.offset,
                rows.from.stride, rows.from.list, to + rows.to.offset + columns.to.offset,
                rows.to.stride, rows.to.list, rows.extent, moves_.far, moves_.streaming);
        } else if (plain_rows && plain_columns && row_bytes < kLongRow) {
            short_rows(rows, columns, to, from);
        } else {
            for (index_t i = 0; i < rows.extent; ++i)
                row(columns, to + rows.to.at(i), from + rows.from.at(i));
        }
    }

    void short_rows(const Segment& rows, const Segment& columns, std::byte* to,
                    const std::byte* from) {
        const std::array out{rows.to.stride, columns.to.stride};
        const std::array in{rows.from.stride, columns.from.stride};
        kernels_.copy_2d(moves_.element_bytes, from + rows.from.offset + columns.from.offset,
                         in.data(), to + rows.to.offset + columns.to.offset, out.data(),
                         rows.extent, columns.extent);
    }

    /// Neighbours in the destination's rows are far from each other in the source, and neighbours in
    /// its columns are near.
    bool disagree(const Segment& rows, const Segment& columns) const {
        return rows.from.is_plain() && rows.from.stride != 0 && columns.extent > kSquare &&
               rows.extent > 1 && std::abs(rows.from.stride) < 64 &&
               2 * std::abs(rows.from.stride) <= std::abs(columns.from.stride) &&
               std::abs(columns.from.stride) >= 64;
    }

    void squares(const Segment& rows, const Segment& columns, std::byte* to,
                 const std::byte* from) {
        for (index_t r = 0; r < rows.extent; r += kSquare) {
            const index_t row_end = std::min(r + kSquare, rows.extent);
            for (index_t c = 0; c < columns.extent; c += kSquare) {
                const Segment piece = columns.part(c, std::min(c + kSquare, columns.extent));
                if (piece.from.is_plain() && piece.to.is_plain() && rows.to.is_plain())
                    short_rows(rows.part(r, row_end), piece, to, from);
                else
                    for (index_t i = r; i < row_end; ++i)
                        row(piece, to + rows.to.at(i), from + rows.from.at(i));
            }
        }
    }

    // --- rows --------------------------------------------------------------------------------------

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

    /// `count` times the same bytes, one after the other.
    void repeat(std::byte* to, const std::byte* from, index_t bytes, index_t count) const {
        if (bytes == size_ && count * size_ <= kPattern)
            return kernels_.fill(moves_.element_bytes, from, to, count);
        if (bytes >= kPattern) {
            for (index_t i = 0; i < count; ++i) copy_bytes(to + i * bytes, from, bytes);
            return;
        }
        const index_t pattern = std::min(count, kPattern / bytes);
        if (bytes == size_) {
            kernels_.fill(moves_.element_bytes, from, to, pattern);
        } else {
            std::memcpy(to, from, static_cast<std::size_t>(bytes));
            for (index_t done = 1; done < pattern;) {
                const index_t more = std::min(done, pattern - done);
                std::memcpy(to + done * bytes, to, static_cast<std::size_t>(more * bytes));
                done += more;
            }
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
    std::size_t inner_ = 0;
    std::size_t partner_ = 0;
    const CopyAxis* rows_ = nullptr;
    const CopyAxis* columns_ = nullptr;
};

void normalise(const KernelTable& kernels, CastBlock cast, const CopyBox& box, std::size_t axis,
               std::byte* to) {
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
            normalise(kernels, cast, box, axis + 1, to + segment.to.at(i));
    }
}

} // namespace

void copy_box_elements(const CopyMoves& moves, const CopyBox& box) { Walk(moves, box).run(); }

void normalise_bools(const KernelTable& kernels, const CopyBox& box) {
    normalise(kernels, kernels.find_cast(TypeId::uint8, TypeId::boolean, false), box, 0, box.to);
}

} // namespace purview::engine
