#include "engine/boxes/loaded_region.hpp"

#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/expression/leaf.hpp>

#include "dtype/element_block.hpp"
#include "engine/copy/copy.hpp"
#include "engine/places/load.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/threads/parallel.hpp"
#include "reader/element_memory.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

using Pieces = std::vector<std::vector<AxisPiece>>; // for each axis

Pieces pieces_of(const Chunks& chunks, const Region& region) {
    Pieces pieces;
    for (std::size_t k = 0; k < region.axes().size(); ++k)
        pieces.push_back(pieces_of(region.axes()[k], chunks.grid().chunk[k]));
    return pieces;
}

Shape row_major_strides(ShapeSpan shape) {
    Shape strides(shape.size(), 1);
    for (std::size_t k = shape.size(); k-- > 1;) strides[k - 1] = strides[k] * shape[k];
    return strides;
}

using Parts = std::span<const AxisPart* const>; // one for each axis

/// Elements that lie at `first + step·i` along each axis, or at those of a list.
struct AxisPlaces {
    index_t first;
    index_t step;
    const std::vector<index_t>& list;
};
AxisPlaces in_chunk(const AxisPart& part) { return {part.from, part.step, part.from_list}; }
AxisPlaces in_region(const AxisPart& part) { return {part.to, 1, part.to_list}; }

Dimensions seen_at(ShapeSpan strides, Parts parts, AxisPlaces places_of(const AxisPart&)) {
    Shape extents;
    Shape steps;
    index_t base = 0;
    bool listed = false;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const AxisPlaces places = places_of(*parts[k]);
        listed = listed || !places.list.empty();
        extents.push_back(parts[k]->count);
        steps.push_back(strides[k] * places.step);
        base += places.first * strides[k];
    }
    if (!listed) return Dimensions::strided(extents, steps, base);
    std::vector<AxisShape> maps;
    for (std::size_t k = 0; k < parts.size(); ++k) {
        const AxisPlaces places = places_of(*parts[k]);
        if (places.list.empty())
            maps.emplace_back(extents[k]);
        else
            maps.emplace_back(std::make_shared<const IndexList>(places.list));
    }
    return Dimensions::raw(maps, steps, Shape(extents.size(), 0), extents, base);
}

/// Copies elements of any type, of which the sources may all be one.
void copy_operand(const Operand& source, const Operand& destination) {
    if (copy_form(source, destination) != CopyForm::none) {
        const CopyPlan plan(*leaf_of(source), source.dims, *leaf_of(destination), destination.dims);
        return plan.run(0, plan.size());
    }
    constexpr index_t kAtOnce = 4096;
    const dimensions::AddressStream from(source.dims);
    const dimensions::AddressStream to(destination.dims);
    const index_t size = source.dims.size();
    ElementBlock block(source.dtype(), std::min(kAtOnce, size));
    for (index_t begin = 0; begin < size; begin += kAtOnce) {
        const index_t count = std::min(kAtOnce, size - begin);
        load_elements(*leaf_of(source), from, begin, count, block.data());
        store_elements(*leaf_of(destination), to, begin, count, block.data());
    }
}

/// Calls `f(now)` for the combinations [begin, end) of one of each axis, row-major.
template <typename Each, typename ListOf, typename F>
void for_combinations(std::size_t axes, ListOf list_of, index_t begin, index_t end, F f) {
    boost::container::small_vector<const Each*, 6> now(axes);
    for (; begin < end; ++begin) {
        index_t left = begin;
        for (std::size_t k = axes; k-- > 0; left /= std::ssize(list_of(k)))
            now[k] = &list_of(k)[static_cast<std::size_t>(left % std::ssize(list_of(k)))];
        f(std::span<const Each* const>(now.data(), now.size()));
    }
}
template <typename ListOf>
index_t count_combinations(std::size_t axes, ListOf list_of) {
    index_t count = 1;
    for (std::size_t k = 0; k < axes; ++k) count *= std::ssize(list_of(k));
    return count;
}

/// Calls `f(pieces)` for the combinations [begin, end) of pieces: for some chunks of a region.
template <typename F>
void for_chunks(const Pieces& pieces, index_t begin, index_t end, F f) {
    for_combinations<AxisPiece>(
        pieces.size(), [&](std::size_t k) -> const auto& { return pieces[k]; }, begin, end, f);
}
index_t count_chunks(const Pieces& pieces) {
    return count_combinations(
        pieces.size(), [&](std::size_t k) -> const auto& { return pieces[k]; });
}

Shape place_of(std::span<const AxisPiece* const> pieces) {
    Shape at;
    for (const AxisPiece* const piece : pieces) at.push_back(piece->chunk);
    return at;
}

index_t number_of(const Chunks& chunks, ShapeSpan at) {
    index_t number = 0;
    for (std::size_t k = 0; k < at.size(); ++k) number = number * chunks.counts()[k] + at[k];
    return number;
}

} // namespace

std::optional<PartOfChunk> part_of_chunk(const Chunks& chunks, const Region& region) {
    const ShapeSpan chunk = chunks.grid().chunk;
    const Shape strides = row_major_strides(chunk);
    index_t number = 0;
    index_t base = 0;
    for (std::size_t k = 0; k < chunk.size(); ++k) {
        const AxisRegion& axis = region.axes()[k];
        if (axis.mapped != nullptr || count_pieces(axis, chunk[k]) > 1) return std::nullopt;
        number = number * chunks.counts()[k] + axis.first / chunk[k];
        base += axis.first % chunk[k] * strides[k];
    }
    return PartOfChunk{number, region.view_in(strides, base)};
}

bool reads_whole_chunks(const Chunks& chunks, const Region& region) {
    const ChunkGrid& grid = chunks.grid();
    for (std::size_t k = 0; k < grid.shape.size(); ++k) {
        const AxisRegion& axis = region.axes()[k];
        if (axis.mapped != nullptr || (axis.step != 1 && axis.step != -1)) continue;
        const index_t last = axis.at(axis.count - 1);
        const index_t begin = std::min(axis.first, last);
        const index_t end = std::max(axis.first, last) + 1;
        if (begin % grid.chunk[k] != 0 || (end % grid.chunk[k] != 0 && end != grid.shape[k]))
            return false;
    }
    return true;
}

index_t bytes_to_load(const Chunks& chunks, const Region& region) {
    const index_t chunk = bytes_of_elements(chunks.elements_per_chunk(), chunks);
    return part_of_chunk(chunks, region) ? chunk : region.bytes_put_together(chunks) + chunk;
}

LoadedRegion::LoadedRegion(const Chunks& chunks, const Region& region, How how) {
    if (is_one_chunk(chunks, region, how.once)) return;
    const DType dtype = chunks.element_type();
    counted_ = CountedBytes(region.bytes_put_together(chunks), how.what);
    elements_ = allocate_elements(dtype, region.size());
    node_ = memory_leaf(dtype, elements_.get(), region.size());
    view_ = region.view();
    put_together(chunks, region, how);
}

bool LoadedRegion::is_one_chunk(const Chunks& chunks, const Region& region, bool once) {
    const std::optional<PartOfChunk> part = part_of_chunk(chunks, region);
    if (!part) return false;
    pin_ = pinned_chunk(chunks, part->number, once ? PinFor::once : PinFor::long_use);
    auto* const data = const_cast<std::byte*>(pin_.data()); // only read
    node_ =
        memory_leaf(chunks.element_type(), data, pin_.is_fill() ? 1 : chunks.elements_per_chunk());
    const Dimensions& view = part->view;
    view_ = pin_.is_fill()
                ? Dimensions::strided(view.max_shape(), Shape(view.max_shape().size(), 0))
                : view;
    return true;
}

void LoadedRegion::put_together(const Chunks& chunks, const Region& region, How how) {
    const PinFor use = how.once ? PinFor::copying_once : PinFor::copying;
    const Pieces pieces = pieces_of(chunks, region);
    Shape extents;
    for (const AxisRegion& axis : region.axes()) extents.push_back(axis.count);
    const Shape strides = row_major_strides(extents);
    const Shape chunk_strides = row_major_strides(chunks.grid().chunk);
    const DType dtype = chunks.element_type();
    const auto copy_chunk = [&](std::span<const AxisPiece* const> now) {
        const PinnedChunk pin = pinned_chunk(chunks, number_of(chunks, place_of(now)), use);
        auto* const data = const_cast<std::byte*>(pin.data()); // only read
        const NodePtr chunk =
            memory_leaf(dtype, data, pin.is_fill() ? 1 : chunks.elements_per_chunk());
        const auto parts_of = [&](std::size_t k) -> const auto& { return now[k]->parts; };
        for_combinations<AxisPart>(
            now.size(), parts_of, 0, count_combinations(now.size(), parts_of), [&](Parts parts) {
                const Dimensions to = seen_at(strides, parts, in_region);
                const Dimensions from =
                    pin.is_fill() ? Dimensions::strided(to.max_shape(), Shape(parts.size(), 0))
                                  : seen_at(chunk_strides, parts, in_chunk);
                copy_operand({chunk, from}, {node_, to});
            });
    };
    parallel_for(count_chunks(pieces), 1, how.threads,
                 [&](index_t begin, index_t end) { for_chunks(pieces, begin, end, copy_chunk); });
}

void announce(const Chunks& chunks, const Region& region) {
    const Pieces pieces = pieces_of(chunks, region);
    for_chunks(pieces, 0, count_chunks(pieces),
               [&](std::span<const AxisPiece* const> now) { chunks.will_read(place_of(now)); });
}

} // namespace purview::engine
