#include "engine/sparse/gather_keys.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/address_stream.hpp>
#include <purview/dimensions/compose.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "engine/gather/gather.hpp"
#include "engine/places/gathered_places.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <ranges>
#include <span>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

constexpr std::size_t kKeyBlock = 1024;

/// The Dimensions of an index; for a constant, strides of 0.
Dimensions dims_of(const Operand& index) {
    if (index.node->kind() != NodeKind::constant) return index.dims;
    const ShapeSpan shape = index.dims.max_shape();
    return Dimensions::strided(shape, Shape(shape.size(), 0));
}

/// `dims` along `axes` alone, at coordinate 0 of the others.
Dimensions along(Dimensions dims, std::span<const std::size_t> axes) {
    for (std::size_t axis = dims.max_shape().size(); axis-- > 0;)
        if (!std::ranges::count(axes, axis))
            dims = dimensions::select(dims, static_cast<index_t>(axis), index_t{0});
    return dims;
}

bool is_outside(index_t index, index_t extent) noexcept {
    return index < -extent || index >= extent;
}

/// Throws where a view of the gather reads an index that is out of range.
void check_seen_indexes(const Gather& node, std::size_t axis, const Dimensions& view) {
    if (view.size() == 0) return;
    const Operand& index = node.indexes()[static_cast<std::size_t>(node.axes()[axis].number)];
    const index_t extent = node.source().dims.max_shape()[axis];
    Dimensions seen = dimensions::compose(view, dims_of(index));
    std::vector<std::size_t> changing;
    for (std::size_t a = 0; a < seen.max_shape().size(); ++a)
        if (changes_along(seen, a)) changing.push_back(a);
    const Operand read{index.node, along(std::move(seen), changing)};
    const Evaluation evaluation(read, Reads::within_one_operation);
    std::array<index_t, kKeyBlock> block;
    for (index_t begin = 0; begin < read.dims.size(); begin += std::ssize(block)) {
        const index_t count = std::min(std::ssize(block), read.dims.size() - begin);
        evaluation.read(begin, count, block.data());
        for (index_t i = 0; i < count; ++i)
            if (const index_t at = block[static_cast<std::size_t>(i)]; is_outside(at, extent))
                throw_index_outside(node, axis, at, extent);
    }
}

/// `ascending` maps positions to ascending addresses: the positions [first, second) of those in
/// [lowest, highest].
std::pair<index_t, index_t> places_within(const Dimensions& ascending, index_t lowest,
                                          index_t highest) {
    const auto first_from = [&](index_t address) {
        return *std::ranges::lower_bound(
            std::views::iota(index_t{0}, ascending.size()), address, {},
            [&](index_t position) { return ascending.global_to_local(position); });
    };
    return {first_from(lowest), first_from(highest + 1)};
}

} // namespace

Operand unrepeated(const Operand& source) {
    Operand result = source;
    if (source.dims.size() == 0) return result;
    for (std::size_t axis = 0; axis < source.dims.max_shape().size(); ++axis)
        if (source.dims.max_shape()[axis] > 1 && source.dims.strides()[axis] == 0)
            result.dims = dimensions::select(result.dims, static_cast<index_t>(axis), Range(0, 1));
    return result;
}

GatherAxesPlan::GatherAxesPlan(const Gather& node, ShapeSpan source)
    : node_(node),
      source_(to_shape(source)),
      strides_(to_shape(Dimensions::row_major(node.shape()).strides())) {
    link_axes();
    read_axes(source);
}

/// Axes of the result along which one index varies are linked, transitively.
void GatherAxesPlan::link_axes() {
    const std::size_t rank = node_.shape().size();
    std::vector<std::size_t> root(rank);
    std::iota(root.begin(), root.end(), std::size_t{0});
    std::vector<std::size_t> first_axis; // of each index
    for (const Operand& index : node_.indexes()) {
        const Dimensions dims = dims_of(index);
        std::size_t first = kNone;
        for (std::size_t axis = 0; axis < rank; ++axis) {
            if (!changes_along(dims, axis)) continue;
            if (first == kNone) first = axis;
            const std::size_t from = root[axis];
            for (std::size_t& each : root)
                if (each == from) each = root[first];
        }
        first_axis.push_back(first);
    }
    std::vector<std::size_t> group_of_root(rank + 1, kNone); // the last entry: of indexes that vary
                                                             // along no axis
    group_of_axis_.assign(rank, kNone);
    for (std::size_t i = 0; i < first_axis.size(); ++i) {
        const std::size_t own = first_axis[i] == kNone ? rank : root[first_axis[i]];
        std::size_t& group = group_of_root[own];
        if (group == kNone) {
            group = groups_.size();
            LinkedAxes& linked = groups_.emplace_back();
            for (std::size_t axis = 0; axis < rank; ++axis) {
                if (own == rank || root[axis] != own) continue;
                linked.axes.push_back(axis);
                group_of_axis_[axis] = group;
            }
        }
        groups_[group].indexes.push_back(i);
        group_of_index_.push_back(group);
    }
}

void GatherAxesPlan::read_axes(ShapeSpan source) {
    const std::size_t rank = node_.shape().size();
    const bool is_empty = std::ranges::count(source, 0) > 0; // then no key is in range
    std::vector<std::size_t> read_by(rank, kNone); // the first axis that is read along one
    reads_.resize(source.size());
    for (std::size_t axis = source.size(); axis-- > 0;) {
        Read& read = reads_[axis];
        const GatherAxis& given = node_.axes()[axis];
        const auto number = static_cast<std::size_t>(given.number);
        read.group = given.computed ? group_of_index_[number] : group_of_axis_[number];
        if (read.group == kNone) {
            read.stride = strides_[number];
            if (source[axis] != 1) read_by[number] = axis;
        } else {
            index_t& extent = groups_[read.group].extent;
            read.stride = extent;
            if (!is_empty) extent *= source[axis];
        }
    }
    for (std::size_t axis = 0; axis < source.size(); ++axis) {
        if (reads_[axis].group != kNone || source[axis] == 1) continue;
        const std::size_t first = read_by[static_cast<std::size_t>(node_.axes()[axis].number)];
        if (first != axis) reads_[axis].twin = first;
    }
    for (std::size_t axis = 0; axis < rank; ++axis)
        if (group_of_axis_[axis] == kNone && read_by[axis] == kNone && node_.shape()[axis] != 1)
            repeated_.push_back(axis);
}

index_t GatherAxesPlan::ordered_run() const noexcept {
    // The coordinates along the axes in front of the counted ones decide those of all axes of the
    // source, except of the axes that are read along the counted ones.
    index_t run = 1;
    std::size_t behind = reads_.size();
    for (std::size_t axis = node_.shape().size(); axis-- > 0;) {
        if (node_.shape()[axis] == 1) continue;
        const auto reads_it = [&](std::size_t a) {
            return reads_[a].group == kNone && source_[a] != 1 && reads_[a].twin == kNone &&
                   static_cast<std::size_t>(node_.axes()[a].number) == axis;
        };
        std::size_t read = 0;
        while (read < behind && !reads_it(read)) ++read;
        if (read == behind) break;
        behind = read;
        run *= node_.shape()[axis];
    }
    return run;
}

std::optional<Dimensions> GatherAxesPlan::as_view() const {
    const std::size_t rank = source_.size();
    if (node_.shape().size() != rank || groups_.size() != node_.indexes().size())
        return std::nullopt;
    index_t listed = 0;
    for (std::size_t a = 0; a < rank; ++a) {
        const GatherAxis& given = node_.axes()[a];
        const auto number = static_cast<std::size_t>(given.number);
        if (!given.computed) {
            if (number != a || node_.shape()[a] != source_[a]) return std::nullopt;
            continue;
        }
        const LinkedAxes& linked = groups_[group_of_index_[number]];
        if (linked.axes.size() != 1 || linked.axes[0] != a) return std::nullopt;
        if (listed += node_.shape()[a]; listed > kMostEntries) return std::nullopt;
    }
    Dimensions view = Dimensions::row_major(source_);
    for (std::size_t a = 0; a < rank; ++a) {
        const GatherAxis& given = node_.axes()[a];
        if (!given.computed) continue;
        const Operand& index = node_.indexes()[static_cast<std::size_t>(given.number)];
        std::vector<index_t> list(static_cast<std::size_t>(node_.shape()[a]));
        Evaluation({index.node, along(dims_of(index), {&a, 1})})
            .read(0, std::ssize(list), list.data());
        for (index_t& at : list) {
            if (is_outside(at, source_[a])) return std::nullopt;
            if (at < 0) at += source_[a];
        }
        view =
            dimensions::select(view, static_cast<index_t>(a), make_index_sequence(std::move(list)));
    }
    return view;
}

KeyedPlaces GatherAxesPlan::keys_of(std::size_t group, const AddressRange& asked,
                                    const std::vector<Dimensions>& views, const char* what) const {
    const LinkedAxes& linked = groups_[group];
    const std::span<const std::size_t> axes(linked.axes.data(), linked.axes.size());
    Shape shape;
    Shape places;
    Shape keys;
    index_t reach = 0; // of the group in the result
    const index_t size = element_count(node_.shape());
    for (const std::size_t axis : axes) {
        shape.push_back(node_.shape()[axis]);
        places.push_back(strides_[axis]);
        keys.push_back(0);
        reach += (shape.back() - 1) * strides_[axis];
        for (std::size_t a = 0; a < reads_.size(); ++a)
            if (!node_.axes()[a].computed && source_[a] != 1 &&
                static_cast<std::size_t>(node_.axes()[a].number) == axis)
                keys.back() += reads_[a].stride;
    }
    const Dimensions in_result = Dimensions::strided(shape, places);
    const auto [begin, end] =
        places_within(in_result, asked.lowest - (size - 1 - reach), asked.highest);
    if (end - begin > kMostEntries)
        throw KindError(fmt::format("{}: {} places with indexes of their own would be looked at; "
                                    "write to_dense, or read a part",
                                    what, end - begin));

    struct Use {
        std::size_t axis;
        index_t extent;
        index_t stride;
        bool is_checked = false;
    };
    struct Index {
        Evaluation values;
        std::vector<Use> uses;
    };
    std::vector<Index> indexes;
    for (const std::size_t number : linked.indexes) {
        const Operand& index = node_.indexes()[number];
        indexes.push_back({Evaluation({index.node, along(dims_of(index), axes)}), {}});
        for (std::size_t a = 0; a < reads_.size(); ++a)
            if (node_.axes()[a].computed && node_.axes()[a].number == static_cast<index_t>(number))
                indexes.back().uses.push_back({a, node_.source().dims.max_shape()[a],
                                               source_[a] == 1 ? 0 : reads_[a].stride});
    }

    const dimensions::AddressStream key_stream(Dimensions::strided(shape, keys));
    const dimensions::AddressStream place_stream(in_result);
    Entries entries(end - begin, what);
    std::array<index_t, kKeyBlock> key;
    std::array<index_t, kKeyBlock> place;
    std::array<index_t, kKeyBlock> at;
    for (index_t j = begin; j < end; j += std::ssize(key)) {
        const auto count = static_cast<std::size_t>(std::min(std::ssize(key), end - j));
        key_stream.read(j, std::span(key).first(count));
        place_stream.read(j, std::span(place).first(count));
        for (Index& index : indexes) {
            index.values.read(j, static_cast<index_t>(count), at.data());
            for (Use& use : index.uses)
                for (std::size_t i = 0; i < count; ++i) {
                    if (is_outside(at[i], use.extent)) [[unlikely]] {
                        // An index out of range is an error only if a view reads it.
                        if (!std::exchange(use.is_checked, true))
                            for (const Dimensions& view : views)
                                check_seen_indexes(node_, use.axis, view);
                        key[i] = -1;
                    } else if (key[i] >= 0) {
                        key[i] += (at[i] < 0 ? at[i] + use.extent : at[i]) * use.stride;
                    }
                }
        }
        for (std::size_t i = 0; i < count; ++i)
            if (key[i] >= 0) entries.add(key[i], static_cast<std::uint64_t>(place[i]));
    }
    return KeyedPlaces(entries);
}

} // namespace purview::engine
