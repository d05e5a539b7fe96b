#include "engine/gather/piecewise_reader.hpp"

#include "engine/compile/plan.hpp"
#include "engine/kernels/table/selection.hpp"
#include "engine/places/words.hpp"
#include "engine/run/runner.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <limits>

namespace purview::inline v0_1::engine {
namespace {

/// Shorter runs of a piece are not worth a call of their own.
constexpr index_t kShortestRun = 256;
/// Elements between two that are picked are read as well, up to this step.
constexpr index_t kLongestStep = 16;
/// Where short runs of pieces alternate, this many bytes of the result are put together at a time.
constexpr index_t kAlternatingBytes = index_t{1} << 15;

} // namespace

PiecewiseReader::PiecewiseReader(const PiecewiseSource& source)
    : source_(source),
      dtype_(source.node_.dtype()),
      size_(dtype_.size_bytes()),
      word_(is_of_words(dtype_) ? size_ : 0),
      block_(word_ > 0 ? std::max(kBlock, kAlternatingBytes / word_) : kBlock),
      runners_(source.parts_.size()),
      blocks_(source.parts_.size()),
      cursors_(source.parts_.size()) {
    for (std::size_t i = 0; i < runners_.size(); ++i)
        if (source.parts_[i].memory == nullptr)
            runners_[i] =
                std::make_unique<Runner>(*source.parts_[i].plan, *source.parts_[i].values);
}

PiecewiseReader::~PiecewiseReader() = default;

void PiecewiseReader::copy(const std::byte* from, index_t count, std::byte* out) const {
    if (word_ > 0) // which may be misaligned
        std::memcpy(out, from, static_cast<std::size_t>(count * word_));
    else
        dtype_.descriptor().copy(from, out, count);
}

void PiecewiseReader::read(index_t begin, index_t count, std::byte* out, bool) {
    if (!source_.addresses_) return read_in_order(begin, count, out);
    source_.addresses_->runs(begin, count, [&](index_t address, index_t step, index_t length) {
        if (step == 1 || length == 1)
            read_in_order(address, length, out);
        else
            read_at_step(address, step, length, out);
        out += length * size_;
    });
}

void PiecewiseReader::read_at_step(index_t address, index_t step, index_t count, std::byte* out) {
    const index_t stride = step < 0 ? -step : step;
    if (stride > kLongestStep) {
        for (index_t i = 0; i < count; ++i) read_in_order(address + i * step, 1, out + i * size_);
        return;
    }
    if (!picked_) picked_ = std::make_unique<ElementBlock>(dtype_, kBlock);
    while (count > 0) {
        const index_t some = stride == 0 ? count : std::min(count, (kBlock - 1) / stride + 1);
        const index_t first = step < 0 ? address + (some - 1) * step : address;
        read_in_order(first, stride == 0 ? 1 : (some - 1) * stride + 1, picked_->at(0));
        for (index_t i = 0; i < some; ++i)
            copy(picked_->at(address + i * step - first), 1, out + i * size_);
        address += some * step;
        count -= some;
        out += some * size_;
    }
}

Shape PiecewiseReader::coordinates_of(index_t place) const {
    Shape coordinates = source_.shape_;
    for (std::size_t a = coordinates.size(); a-- > 0;) {
        const index_t extent = source_.shape_[a];
        coordinates[a] = place % extent;
        place /= extent;
    }
    return coordinates;
}

index_t PiecewiseReader::elements_before(const Part& part, index_t place) const {
    index_t inside = 1; // elements of the part for one step along the axes in front
    for (std::size_t a = 0; a < part.begin.size(); ++a) inside *= part.end[a] - part.begin[a];
    const index_t last = source_.shape_[0];
    index_t below = 1;
    for (std::size_t a = 1; a < source_.shape_.size(); ++a) below *= source_.shape_[a];
    if (place >= last * below) return inside;
    index_t before = 0;
    for (std::size_t a = 0; a < part.begin.size(); ++a) {
        const index_t coordinate = place / below;
        place %= below;
        inside /= part.end[a] - part.begin[a];
        before += std::clamp(coordinate - part.begin[a], index_t{0}, part.end[a] - part.begin[a]) *
                  inside;
        if (coordinate < part.begin[a] || coordinate >= part.end[a]) break;
        if (a + 1 < part.begin.size()) below /= source_.shape_[a + 1];
    }
    return before;
}

void PiecewiseReader::read_part(std::size_t part, index_t begin, index_t count, std::byte* out) {
    if (const std::byte* const memory = source_.parts_[part].memory; memory != nullptr)
        return copy(memory + begin * size_, count, out);
    runners_[part]->run_into(begin, count, out);
}

void PiecewiseReader::read_in_order(index_t begin, index_t count, std::byte* out) {
    while (count > 0) {
        const Shape coordinates = coordinates_of(begin);
        const auto part = static_cast<std::size_t>(
            std::ranges::find_if(source_.parts_,
                                 [&](const Part& each) {
                                     for (std::size_t a = 0; a < coordinates.size(); ++a)
                                         if (coordinates[a] < each.begin[a] ||
                                             coordinates[a] >= each.end[a])
                                             return false;
                                     return true;
                                 }) -
            source_.parts_.begin());
        index_t done = std::min(source_.parts_[part].end.back() - coordinates.back(), count);
        if (done >= kShortestRun || done == count) {
            read_part(part, elements_before(source_.parts_[part], begin), done, out);
        } else {
            const index_t row = source_.shape_.back();
            done = std::min(count, block_);
            if (done > row) done -= (coordinates.back() + done) % row; // whole rows are faster
            read_alternating(begin, done, out);
        }
        begin += done;
        count -= done;
        out += done * size_;
    }
}

void PiecewiseReader::read_alternating(index_t begin, index_t count, std::byte* out) {
    for (std::size_t i = 0; i < source_.parts_.size(); ++i) {
        const Part& part = source_.parts_[i];
        const index_t from = elements_before(part, begin);
        const index_t to = elements_before(part, begin + count);
        cursors_[i] = part.memory == nullptr ? nullptr : part.memory + from * size_;
        if (from == to || part.memory != nullptr) continue;
        if (!blocks_[i]) blocks_[i] = std::make_unique<ElementBlock>(dtype_, block_);
        read_part(i, from, to - from, blocks_[i]->at(0));
        cursors_[i] = blocks_[i]->at(0);
    }
    interleave_rows(begin, count, out);
}

void PiecewiseReader::interleave_rows(index_t begin, index_t count, std::byte* out) {
    Shape at = coordinates_of(begin);
    const std::size_t inner = at.size() - 1;
    const index_t row = source_.shape_[inner];
    find_row(at);
    const auto next_rows = [&](index_t rows) {
        at[inner] = 0;
        for (std::size_t a = inner; a-- > 0; rows = 1) {
            at[a] += rows;
            if (at[a] < source_.shape_[a]) break;
            at[a] = 0;
        }
        if (inner > 0 && (at[inner - 1] == 0 || at[inner - 1] >= row_.same_until)) find_row(at);
    };
    while (count > 0) {
        if (at[inner] == 0 && inner > 0 && word_ > 0 && count >= 2 * row) {
            const index_t same = std::min(row_.same_until, source_.shape_[inner - 1]);
            const index_t rows = std::min(count / row, same - at[inner - 1]);
            interleave_whole_rows(rows, out);
            out += rows * row * size_;
            count -= rows * row;
            next_rows(rows);
            continue;
        }
        for (const std::size_t i : row_.parts) {
            const Part& part = source_.parts_[i];
            if (part.end[inner] <= at[inner]) continue;
            const index_t some = std::min(part.end[inner] - at[inner], count);
            const std::byte*& from = cursors_[i];
            copy(from, some, out);
            from += some * size_;
            out += some * size_;
            at[inner] += some;
            count -= some;
            if (count == 0) return;
        }
        next_rows(1);
    }
}

void PiecewiseReader::interleave_whole_rows(index_t rows, std::byte* out) {
    const index_t row = source_.shape_.back();
    const auto parts = std::ssize(row_.parts);
    if (parts == row && parts > 1 && word_ <= 8) {
        transpose_parts(rows, out);
    } else {
        for (const std::size_t i : row_.parts) {
            const index_t begin = source_.parts_[i].begin.back();
            const index_t bytes = (source_.parts_[i].end.back() - begin) * word_;
            kernels().copy_indexed(static_cast<std::size_t>(bytes), cursors_[i], bytes, nullptr,
                                   out + begin * word_, row * word_, nullptr, rows, false, false);
        }
    }
    for (const std::size_t i : row_.parts)
        cursors_[i] +=
            rows * (source_.parts_[i].end.back() - source_.parts_[i].begin.back()) * word_;
}

/// The rows of single elements of all parts: parts that lie at equal distances, as two do, and
/// several of one tensor often, are transposed where they lie; others are copied to such places.
void PiecewiseReader::transpose_parts(index_t rows, std::byte* out) {
    const auto parts = std::ssize(row_.parts);
    const auto address = [&](std::size_t k) {
        return reinterpret_cast<std::intptr_t>(cursors_[row_.parts[k]]);
    };
    const std::byte* from = cursors_[row_.parts[0]];
    index_t apart = address(1) - address(0);
    bool regular = true;
    for (std::size_t k = 2; k < row_.parts.size(); ++k)
        regular = regular && address(k) - address(k - 1) == apart;
    if (!regular) {
        // One cache line more, so that parts do not share a few lines of the cache.
        const index_t gap = 64 / word_;
        if (!planes_) planes_ = std::make_unique<ElementBlock>(dtype_, block_ + parts * gap);
        apart = (rows + gap) * word_;
        for (std::size_t k = 0; k < row_.parts.size(); ++k)
            std::memcpy(planes_->at(0) + static_cast<index_t>(k) * apart, cursors_[row_.parts[k]],
                        static_cast<std::size_t>(rows * word_));
        from = planes_->at(0);
    }
    kernels().transpose_2d(static_cast<std::size_t>(word_), from, apart, out, parts * word_, parts,
                           rows, false);
}

void PiecewiseReader::find_row(ShapeSpan coordinates) {
    const std::size_t inner = coordinates.size() - 1;
    row_.parts.clear();
    row_.same_until = std::numeric_limits<index_t>::max();
    for (std::size_t i = 0; i < source_.parts_.size(); ++i) {
        const Part& part = source_.parts_[i];
        bool contains_row = true;
        for (std::size_t a = 0; a < inner && contains_row; ++a)
            contains_row = coordinates[a] >= part.begin[a] && coordinates[a] < part.end[a];
        if (inner > 0)
            for (const index_t bound : {part.begin[inner - 1], part.end[inner - 1]})
                if (bound > coordinates[inner - 1])
                    row_.same_until = std::min(row_.same_until, bound);
        if (contains_row) row_.parts.push_back(i);
    }
    std::ranges::sort(row_.parts, {},
                      [&](std::size_t i) { return source_.parts_[i].begin[inner]; });
}

} // namespace purview::engine
