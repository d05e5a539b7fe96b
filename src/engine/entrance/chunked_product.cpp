#include "engine/entrance/chunked_product.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/wrapping.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/expression/graph.hpp>
#include <purview/reader/allocation.hpp>

#include "dtype/element_block.hpp"
#include "engine/boxes/cell_operand.hpp"
#include "engine/boxes/chunk_walk.hpp"
#include "engine/boxes/chunked_parts.hpp"
#include "engine/boxes/in_order.hpp"
#include "engine/entrance/fold_way.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_way.hpp"
#include "engine/reduce/reduced_source.hpp"
#include "reader/chunk_cache.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <complex>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Short segments are joined to so many coordinates, so that adding products up takes little.
constexpr index_t kLeastSummed = 256;
constexpr index_t kLeastKept = 128;
/// Elements of the result that one multiplication has at most; each thread has them in memory of its own.
constexpr index_t kMostMultiplied = index_t{1} << 16;

index_t longest_of(const Shape& ends) {
    index_t longest = 0;
    for (index_t begin = 0; const index_t end : ends)
        longest = std::max(longest, end - std::exchange(begin, end));
    return longest;
}

/// Ends of segments that are ends of chunks of both factors, where there are enough; else of the first one's.
Shape ends_of_both(const Shape& first, const Shape& second) {
    constexpr index_t kLonger = 4;
    if (first.empty() || second.empty()) return first.empty() ? second : first;
    Shape both;
    std::ranges::set_intersection(first, second, std::back_inserter(both));
    return longest_of(both) <= kLonger * longest_of(first) ? both : first;
}

/// Of segments with at least so many coordinates. Without ends of chunks, of four times as many.
Shape joined_ends(const Shape& ends, index_t extent, index_t least) {
    Shape joined;
    index_t begin = 0;
    const auto end_at = [&](index_t end) { joined.push_back(begin = end); };
    if (ends.empty())
        while (begin < extent) end_at(std::min(begin + 4 * least, extent));
    for (const index_t end : ends)
        if (end - begin >= least || end == extent) end_at(end);
    return joined;
}

/// Adds results one after the other, row-major in the box, to their places.
void add_to(const void* results, DType dtype, const Box& box, ShapeSpan shape, bool adds,
            void* out) {
    const auto add = [&]<typename T>(std::type_identity<T>) {
        for_rows(box, shape, [&](index_t from, index_t to, index_t count) {
            const T* const more = static_cast<const T*>(results) + from;
            T* const sums = static_cast<T*>(out) + to;
            if (!adds) return static_cast<void>(std::copy_n(more, count, sums));
            for (index_t i = 0; i < count; ++i) {
                if constexpr (std::is_arithmetic_v<T>)
                    sums[i] = wrapping_sum(sums[i], more[i]);
                else
                    sums[i] += more[i];
            }
        });
    };
    if (dtype == kDType<std::complex<float>>) return add(std::type_identity<std::complex<float>>{});
    if (dtype == kDType<std::complex<double>>)
        return add(std::type_identity<std::complex<double>>{});
    visit_dtype(dtype, "sum", add);
}

/// Calls `f` with parts of a box, halved along the longest of its first axes until they are small enough.
void halve(Box box, std::size_t axes, FunctionRef<void(const Box&)> f) {
    const Shape extents = box.extents();
    index_t size = 1;
    std::size_t longest = 0;
    for (std::size_t a = 0; a < axes; ++a) {
        size *= extents[a];
        if (extents[a] > extents[longest]) longest = a;
    }
    if (size <= kMostMultiplied) return f(box);
    const index_t middle = box.begin[longest] + extents[longest] / 2;
    Box second = box;
    box.end[longest] = second.begin[longest] = middle;
    halve(std::move(box), axes, f);
    halve(std::move(second), axes, f);
}

/// Calls `f(at)` for all places, steps of `by` from 0 on, along some axes; the last axis fastest.
void for_places(ShapeSpan axes, ShapeSpan counts, ShapeSpan by,
                FunctionRef<void(const Shape& at)> f) {
    Shape at(counts.size(), 0);
    for (;;) {
        f(at);
        std::size_t i = axes.size();
        for (; i > 0; --i) {
            const auto axis = static_cast<std::size_t>(axes[i - 1]);
            if ((at[axis] += by[axis]) < counts[axis]) break;
            at[axis] = 0;
        }
        if (i == 0) return;
    }
}

} // namespace

/// A box of a factor in memory.
class ChunkedProduct::Panel {
public:
    Panel(const Side& side, const Box& box) : box_(box) {
        const Operand part{side.operand.node, part_of(side.operand.dims, box)};
        if (side.in_place) {
            operand_ = part;
            return;
        }
        const Operand own = over_axes(part, side.axes);
        const DType dtype = own.dtype();
        counted_ =
            CountedBytes(checked_bytes(own.dims.size(), dtype.size_bytes(), "matmul"), "matmul");
        void* memory = nullptr;
        operand_ = {new_memory_leaf(dtype, own.dims.size(), memory),
                    packed_over(box.extents(), side.axes)};
        const Operand place{operand_.node, Dimensions::row_major(own.dims.max_shape())};
        AssignWay(own, place, allowed_ways()).run();
    }
    /// Another view of a panel's memory.
    Panel(const Side& side, const Box& box, const Panel& other)
        : box_(box), operand_{other.operand_.node, packed_over(box.extents(), side.axes)} {}

    const Box& box() const noexcept { return box_; }
    Operand in(const Box& box) const {
        return {operand_.node, part_of(operand_.dims, box.after(negative_begin()))};
    }

private:
    Shape negative_begin() const {
        Shape begin = box_.begin;
        for (index_t& each : begin) each = -each;
        return begin;
    }

    Box box_; ///< along axes that the factor does not have: all
    CountedBytes counted_;
    Operand operand_;
};

bool ChunkedProduct::find(const work::Fold& fold, const Operand& source) {
    if (fold.reduction != Reduction::sum || product_at(source) == nullptr || is_sparse(source))
        return false;
    Reason refusal = nullptr;
    const auto contraction = find_contraction(source, fold.groups, refusal);
    if (!contraction || contraction->m.empty() || contraction->n.empty()) return false;
    source_ = &source;
    const ShapeSpan shape = source.dims.max_shape();
    kept_ = kept_axes(shape, fold.groups);
    const Factor* const factors[] = {&contraction->a, &contraction->b};
    const ContractedAxes* const own[] = {&contraction->m, &contraction->n};
    for (std::size_t i = 0; i < 2; ++i) {
        const Factor& factor = *factors[i];
        if (storage_kind_of(*factor.operand.node) <= Kind::sparse) return false;
        Side& side = sides_[i];
        side.operand = factor.operand;
        side.in_place = factor.memory != nullptr;
        for (const ContractedAxes* const axes : {&contraction->batch, own[i], &contraction->k})
            for (const ContractedAxis& axis : *axes)
                side.axes.push_back(static_cast<index_t>(axis.root));
        std::ranges::sort(side.axes, {}, [&](index_t axis) {
            return std::pair(-std::abs(factor.strides[static_cast<std::size_t>(axis)]), axis);
        });
        for (const ContractedAxis& axis : *own[i])
            own_[i].push_back(static_cast<index_t>(axis.root));
    }
    for (const ContractedAxes* const axes : {&contraction->batch, &contraction->k})
        for (const ContractedAxis& axis : *axes) steps_.push_back(static_cast<index_t>(axis.root));
    one_panel_ = is_one_panel();
    find_ends();
    return true;
}

/// Whether both factors are one, with other axes in the place of its own.
bool ChunkedProduct::is_one_panel() const {
    const auto& [a, b] = sides_;
    if (a.in_place || a.operand.node != b.operand.node || a.axes.size() != b.axes.size())
        return false;
    const auto is_own = [&](std::size_t side, index_t axis) {
        return std::ranges::find(own_[side], axis) != own_[side].end();
    };
    for (std::size_t i = 0; i < a.axes.size(); ++i)
        if (a.axes[i] != b.axes[i] && !(is_own(0, a.axes[i]) && is_own(1, b.axes[i]))) return false;
    return over_axes(a.operand, a.axes).dims == over_axes(b.operand, b.axes).dims;
}

/// Of each factor, along the root's axes; empty for axes that it does not have.
std::array<std::vector<Shape>, 2> ChunkedProduct::chunk_ends() {
    std::array<std::vector<Shape>, 2> ends;
    for (std::size_t i = 0; i < 2; ++i) {
        const Side& side = sides_[i];
        ends[i].resize(source_->dims.max_shape().size());
        if (!side.operand.node->reads(Below::blocks)) continue;
        const Operand own = over_axes(side.operand, side.axes);
        const ChunkWalk walk(own, nullptr, CellGrid::Small::apart);
        if (walk) reading_bytes_ = std::max(reading_bytes_, walk.fewest_bytes());
        if (!walk || !walk.pieces().empty()) continue;
        for (std::size_t a = 0; a < side.axes.size(); ++a) {
            Shape place(side.axes.size(), 0);
            for (index_t& at = place[a]; at < walk.grid().counts()[a]; ++at)
                ends[i][static_cast<std::size_t>(side.axes[a])].push_back(
                    walk.grid().box_of(place).end[a]);
        }
    }
    return ends;
}

void ChunkedProduct::find_ends() {
    const auto ends = chunk_ends();
    const bool first = sides_[0].operand.node->reads(Below::blocks);
    const ShapeSpan shape = source_->dims.max_shape();
    for (std::size_t axis = 0; axis < shape.size(); ++axis) {
        const Shape chunks = ends_of_both(ends[first ? 0 : 1][axis], ends[first ? 1 : 0][axis]);
        ends_.push_back(joined_ends(chunks, shape[axis], axis < kept_ ? kLeastKept : kLeastSummed));
        counts_.push_back(std::ssize(ends_[axis]));
    }
}

/// The segments from `first` on, `counts` of them as far as there are.
Box ChunkedProduct::box_at(ShapeSpan first, ShapeSpan counts) const {
    Box box;
    for (std::size_t axis = 0; axis < ends_.size(); ++axis) {
        const Shape& ends = ends_[axis];
        const index_t last = std::min(first[axis] + counts[axis], counts_[axis]);
        box.begin.push_back(first[axis] == 0 ? 0 : ends[static_cast<std::size_t>(first[axis] - 1)]);
        box.end.push_back(ends[static_cast<std::size_t>(last - 1)]);
    }
    return box;
}

/// Of so many segments, at most.
index_t ChunkedProduct::bytes_of(const Side& side, ShapeSpan counts) const {
    if (side.in_place) return 0;
    double bytes = static_cast<double>(side.operand.dtype().size_bytes());
    for (const index_t own : side.axes) {
        const auto axis = static_cast<std::size_t>(own);
        bytes *= static_cast<double>(
            std::min(counts[axis] * longest_of(ends_[axis]), source_->dims.max_shape()[axis]));
    }
    constexpr double kMost = 1e15;
    return static_cast<index_t>(std::min(bytes, kMost));
}

/// Takes fewer segments along the factor's own axes, until it fits or there is one.
void ChunkedProduct::fit(const Side& side, Shape& counts, index_t room) const {
    for (const index_t own : own_[&side == &sides_[0] ? 0 : 1]) {
        index_t& count = counts[static_cast<std::size_t>(own)];
        const index_t all = count;
        if (bytes_of(side, counts) <= room) return;
        count = 1;
        const index_t bytes = std::max<index_t>(bytes_of(side, counts), 1);
        count = std::clamp<index_t>(room / bytes, 1, all);
    }
}

ChunkedProduct::Parts ChunkedProduct::choose_parts() const {
    Shape all = counts_;
    for (const index_t step : steps_) all[static_cast<std::size_t>(step)] = 1;
    Parts parts{0, {all, all}, {bytes_of(sides_[0], all), bytes_of(sides_[1], all)}};
    if (one_panel_) parts.bytes[1] = 0;
    const index_t room = memory_left() / 2;
    if (parts.bytes[0] + parts.bytes[1] <= room) return parts;
    parts.bytes[1] = bytes_of(sides_[1], all);
    const std::size_t held = parts.held = parts.bytes[0] <= parts.bytes[1] ? 0 : 1;
    const std::size_t other = 1 - held;
    // The other one has a quarter of the room, or what one segment takes.
    Shape least = all;
    fit(sides_[other], least, 0);
    const index_t least_other =
        std::max(bytes_of(sides_[other], least), std::min(parts.bytes[other], room / 4));
    fit(sides_[held], parts.segments[held], room - least_other);
    parts.bytes[held] = bytes_of(sides_[held], parts.segments[held]);
    fit(sides_[other], parts.segments[other], room - parts.bytes[held]);
    parts.bytes[other] = bytes_of(sides_[other], parts.segments[other]);
    return parts;
}

void ChunkedProduct::multiply(const Panel& a, const Panel& b, const Box& box, bool adds,
                              std::byte* out) const {
    const Operand factors[] = {a.in(box), b.in(box)};
    const Shape extents = box.extents();
    const Operand product{with_operands(*source_->node, factors), Dimensions::row_major(extents)};
    const Box kept{to_shape(ShapeSpan(box.begin).first(kept_)),
                   to_shape(ShapeSpan(box.end).first(kept_))};
    const DType dtype = source_->dtype();
    ElementBlock sums(dtype, kept.size());
    reduce_on_cpu({Reduction::sum, kept.size()}, product, sums.data());
    add_to(sums.data(), dtype, kept, source_->dims.max_shape().first(kept_), adds, out);
}

void ChunkedProduct::run(std::byte* out) const {
    const Parts parts = choose_parts();
    if (const index_t bytes = parts.bytes[0] + parts.bytes[1] + reading_bytes_;
        bytes > memory_left())
        throw MemoryLimitError(
            fmt::format("matmul: {} bytes, of the least parts of both factors and of chunks, are "
                        "more than the memory limit, {} bytes, leaves; smaller chunks need less",
                        bytes, memory_limit()));
    const std::size_t held = parts.held;
    const std::size_t other = 1 - held;
    const Shape& all = counts_;
    const Shape one(ends_.size(), 1);
    const bool is_whole = one_panel_ && parts.segments[0] == parts.segments[1];
    // What is multiplied is cut where segments end, whatever the parts are.
    const auto multiply_panels = [&](const Panel& a, const Panel& b, const Shape& first,
                                     bool adds) {
        Shape counts = one;
        for (std::size_t i = 0; i < 2; ++i)
            for (const index_t own : own_[i]) {
                const auto axis = static_cast<std::size_t>(own);
                counts[axis] = std::min(parts.segments[i][axis], all[axis] - first[axis]);
            }
        Shape axes = own_[0];
        axes.insert(axes.end(), own_[1].begin(), own_[1].end());
        std::vector<Box> boxes;
        for_places(axes, counts, one, [&](const Shape& at) {
            Shape place = first;
            for (std::size_t axis = 0; axis < place.size(); ++axis) place[axis] += at[axis];
            halve(box_at(place, one), kept_, [&](const Box& box) { boxes.push_back(box); });
        });
        in_order(std::ssize(boxes), threads(),
                 [&](index_t i) { multiply(a, b, boxes[static_cast<std::size_t>(i)], adds, out); });
    };
    // The box of a panel: all along the axes that the factor does not have.
    const auto panel_box = [&](std::size_t side, const Shape& first) {
        Shape from = first;
        Shape counts = parts.segments[side];
        for (const index_t own : own_[1 - side]) {
            from[static_cast<std::size_t>(own)] = 0;
            counts[static_cast<std::size_t>(own)] = all[static_cast<std::size_t>(own)];
        }
        return box_at(from, counts);
    };
    for_places(steps_, all, one, [&](const Shape& step) {
        bool adds = false;
        for (std::size_t axis = kept_; axis < step.size(); ++axis) adds = adds || step[axis] > 0;
        for_places(own_[held], all, parts.segments[held], [&](const Shape& of_held) {
            const auto both = [&](const Shape& of_other) {
                Shape first = step;
                for (const index_t own : own_[held])
                    first[static_cast<std::size_t>(own)] = of_held[static_cast<std::size_t>(own)];
                for (const index_t own : own_[other])
                    first[static_cast<std::size_t>(own)] = of_other[static_cast<std::size_t>(own)];
                return first;
            };
            const Panel first(sides_[held], panel_box(held, both(step)));
            for_places(own_[other], all, parts.segments[other], [&](const Shape& of_other) {
                const Shape at = both(of_other);
                const Box box = panel_box(other, at);
                const Panel second =
                    is_whole ? Panel(sides_[other], box, first) : Panel(sides_[other], box);
                multiply_panels(held == 0 ? first : second, held == 0 ? second : first, at, adds);
            });
        });
    });
    count_way(Way::chunks);
}

std::string ChunkedProduct::describe() const {
    const Parts parts = choose_parts();
    const auto parts_along = [&](const Shape& axes, const Shape& by) {
        index_t count = 1;
        for (const index_t each : axes) {
            const auto axis = static_cast<std::size_t>(each);
            count *= (counts_[axis] + by[axis] - 1) / by[axis];
        }
        return count;
    };
    return fmt::format(
        "product of panels in {} steps, A in parts: {}, B in parts: {}; bytes held: {}",
        parts_along(steps_, parts.segments[0]), parts_along(own_[0], parts.segments[0]),
        parts_along(own_[1], parts.segments[1]), parts.bytes[0] + parts.bytes[1]);
}

} // namespace purview::engine
