#include "layer_search.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>

namespace purview::inline v0_1::dimensions {
namespace {

// The inverse of a modulo m, for gcd(a, m) = 1 and m >= 1 (extended Euclidean algorithm).
index_t inverse_mod(index_t a, index_t m) {
    index_t r0 = m;
    index_t r1 = floor_mod(a, m);
    index_t t0 = 0;
    index_t t1 = 1;
    while (r1 != 0) {
        const index_t q = r0 / r1;
        std::swap(r0 -= q * r1, r1);
        std::swap(t0 -= q * t1, t1);
    }
    return floor_mod(t0, m);
}

} // namespace

LayerPlan::LayerPlan(const LayerView& layer)
    : is_empty(std::ranges::find(layer.extents, 0) != layer.extents.end()) {
    if (is_empty) return;
    using Role = Axis::Role;
    lowest_address = layer.base;
    std::vector<int> moving; // the axes that the address depends on
    for (int a = 0; a < layer.rank(); ++a) {
        const CoordinateBounds bounds = coordinate_bounds(layer, a);
        const index_t stride = layer.strides[as_size(a)];
        Axis axis;
        axis.layer = layer;
        axis.index = a;
        axis.extent = layer.extents[as_size(a)];
        axis.flipped = stride < 0;
        axis.lowest = bounds.lowest;
        axis.highest = bounds.highest;
        axis.span = bounds.highest - bounds.lowest;
        lowest_address += stride * (axis.flipped ? bounds.highest : bounds.lowest);
        if (axis.span != 0 && stride != 0) {
            axis.size = axis.flipped ? -stride : stride;
            axis.role = Role::divided;
            moving.push_back(a);
        }
        total_span += axis.size * axis.span;
        axes.push_back(axis);
    }

    // A block ends where all strides so far are multiples of a number that exceeds the span of the
    // remaining ones.
    std::sort(moving.begin(), moving.end(),
              [this](int a, int b) { return axes[as_size(a)].size > axes[as_size(b)].size; });
    index_t rest = total_span;
    Block block;
    for (const int a : moving) {
        const Axis& axis = axes[as_size(a)];
        block.members.push_back(a);
        block.divisor = std::gcd(block.divisor, axis.size);
        block.span += axis.size * axis.span;
        rest -= axis.size * axis.span;
        if (block.divisor <= rest) continue;
        std::sort(block.members.begin(), block.members.end());
        blocks.push_back(std::exchange(block, Block{}));
    }

    is_ordered = true;
    std::size_t place = 0;
    for (const Axis& axis : axes) {
        if (axis.extent == 1) continue;
        is_ordered = is_ordered && axis.layer.is_plain(axis.index) && !axis.flipped &&
                     axis.role != Role::free && blocks[place].members.size() == 1 &&
                     blocks[place].members[0] == axis.index;
        ++place;
    }

    for (Block& b : blocks) {
        if (b.members.size() > 1)
            prepare_search(b);
        else
            axes[as_size(b.members[0])].role = Role::divided;
    }
    // When all roles are known: dead ends are worth detecting ahead after an axis with several
    // candidates.
    const auto several = [this](int begin, int end) {
        for (int a = begin; a < end; ++a)
            if (axes[as_size(a)].role != Role::divided || !axes[as_size(a)].layer.is_plain(a))
                return true;
        return false;
    };
    for (Block& b : blocks) {
        b.checks_ahead = several(0, b.members[0]);
        for (const int a : b.members) {
            Axis& axis = axes[as_size(a)];
            axis.checks_ahead = axis.next_searched >= 0 &&
                                (!axis.layer.is_plain(a) || several(a + 1, axis.next_searched));
        }
    }
}

// From the last axis of a block to the first, what the axes after it can contribute.
void LayerPlan::prepare_search(const Block& block) {
    index_t rest_span = 0;
    index_t rest_gcd = 0;
    int next = -1;
    for (std::size_t i = block.members.size(); i-- > 0;) {
        Axis& axis = axes[as_size(block.members[i])];
        axis.role = Axis::Role::searched;
        axis.rest_span = rest_span;
        axis.rest_gcd = rest_gcd;
        axis.next_searched = next;
        if (rest_gcd != 0) {
            axis.common = std::gcd(axis.size, rest_gcd);
            axis.inverse = inverse_mod(axis.size / axis.common, rest_gcd / axis.common);
        }
        rest_span += axis.size * axis.span;
        rest_gcd = std::gcd(rest_gcd, axis.size);
        next = axis.index;
    }
}

bool LayerPlan::Axis::solve(index_t residual, index_t& first, index_t& apart,
                            index_t& count) const noexcept {
    // The axes that follow contribute between 0 and rest_span, in multiples of rest_gcd.
    if (residual < 0) return false;
    const index_t over = residual - rest_span;
    const index_t least = over <= 0 ? 0 : (over - 1) / size + 1;
    const index_t greatest = std::min(span, residual / size);
    if (least > greatest) return false;
    if (rest_gcd == 0) {
        if (greatest * size != residual) return false;
        first = greatest;
        apart = 1;
        count = 1;
        return true;
    }
    // size·y ≡ residual (mod rest_gcd)
    if (residual % common != 0) return false;
    apart = rest_gcd / common;
    const index_t solution = multiply_mod(residual / common, inverse, apart);
    first = least + floor_mod(solution - least, apart);
    if (first > greatest) return false;
    count = (greatest - first) / apart + 1;
    return true;
}

void LayerPlan::Axis::find(index_t first, index_t apart, index_t count, Candidates& found) const {
    found.residues.clear();
    found.rewind();
    found.limit = extent;
    if (layer.is_plain(index)) {
        const index_t last = first + apart * (count - 1);
        found.residues.push_back(flipped ? highest - last : first);
        found.period = apart;
        found.limit = (flipped ? highest - first : last) + 1;
        return;
    }
    const AxisMap& map = layer.maps[as_size(index)];
    found.period = map.period == 0 ? extent : map.cycle();
    const index_t divisor = map.period == 0 ? 1 : map.period / found.period;
    const index_t inverse_step =
        map.period == 0 ? 0 : inverse_mod(map.step / divisor, found.period);
    const auto add_u = [&](index_t u) {
        if (map.period == 0) {
            if (u >= 0 && u < extent) found.residues.push_back(u);
            return;
        }
        if (u < 0 || u >= map.period || (u - map.phase) % divisor != 0) return;
        const index_t g = multiply_mod((u - map.phase) / divisor, inverse_step, found.period);
        if (g < extent) found.residues.push_back(g);
    };
    const auto is_wanted = [&](index_t m) {
        const index_t y = flipped ? highest - m : m - lowest;
        return y >= first && (y - first) % apart == 0 && (y - first) / apart < count;
    };
    if (map.table == nullptr) {
        for (index_t i = 0; i < count; ++i) {
            const index_t y = first + i * apart;
            add_u(flipped ? highest - y : lowest + y);
        }
    } else if (const index_t used = std::min(extent, found.period); count > used) {
        for (index_t g = 0; g < used; ++g)
            if (is_wanted(map(g))) found.residues.push_back(g);
        return;
    } else {
        for (index_t i = 0; i < count; ++i) {
            const index_t y = first + i * apart;
            for (const index_t position : map.table->find_all(flipped ? highest - y : lowest + y))
                if ((position - map.offset) % map.scale == 0)
                    add_u((position - map.offset) / map.scale);
        }
    }
    std::sort(found.residues.begin(), found.residues.end());
}

bool LayerPlan::is_feasible(int a, index_t residual, std::uint64_t& steps) const {
    const Axis& axis = axes[as_size(a)];
    index_t first = 0;
    index_t apart = 0;
    index_t count = 0;
    ++steps;
    if (!axis.solve(residual, first, apart, count)) return false;
    const bool plain = axis.layer.is_plain(a);
    Candidates found;
    for (index_t i = 0; i < count; ++i) {
        const index_t y = first + i * apart;
        if (!plain) {
            axis.find(y, 1, 1, found);
            if (found.residues.empty()) continue;
        }
        if (axis.next_searched < 0 ||
            is_feasible(axis.next_searched, residual - axis.size * y, steps))
            return true;
    }
    return false;
}

LayerSearch::LayerSearch(const LayerPlan& plan, index_t address, std::uint64_t most_steps)
    : plan_(&plan), most_steps_(most_steps) {
    index_t residual = 0;
    if (plan.is_empty || address < plan.lowest_address ||
        __builtin_sub_overflow(address, plan.lowest_address, &residual) ||
        residual > plan.total_span)
        return;
    levels_.resize(plan.axes.size() + 1);
    for (const LayerPlan::Axis& axis : plan.axes) {
        if (axis.role != LayerPlan::Axis::Role::free) continue;
        Candidates& every = levels_[as_size(axis.index)].candidates;
        every.residues.push_back(0);
        every.limit = axis.extent;
    }
    for (const LayerPlan::Block& block : plan.blocks) {
        ++steps_;
        const index_t part = residual / block.divisor * block.divisor;
        if (part > block.span) return;
        residual -= part;
        Level& level = levels_[as_size(block.members[0])];
        if (block.members.size() > 1) {
            level.residual = part;
            if (block.checks_ahead && !plan.is_feasible(block.members[0], part, steps_)) return;
            continue;
        }
        plan.axes[as_size(block.members[0])].find(part / block.divisor, 1, 1, level.candidates);
        if (level.candidates.residues.empty()) return;
    }
    if (residual != 0) return;
    depth_ = 0;
}

void LayerSearch::open(int a) {
    Level& level = levels_[as_size(a)];
    const LayerPlan::Axis& axis = plan_->axes[as_size(a)];
    if (axis.role != LayerPlan::Axis::Role::searched) {
        level.candidates.rewind();
        return;
    }
    index_t first = 0;
    index_t apart = 0;
    index_t count = 0;
    if (axis.solve(level.residual, first, apart, count))
        axis.find(first, apart, count, level.candidates);
    else
        level.candidates.residues.clear();
}

bool LayerSearch::next(index_t& index) {
    if (depth_ < 0) return false;
    const int rank = static_cast<int>(plan_->axes.size());
    if (!is_started_) {
        is_started_ = true;
        if (rank == 0) {
            depth_ = -1;
            index = 0;
            return true;
        }
        open(0);
    }
    while (depth_ >= 0) {
        Level& level = levels_[as_size(depth_)];
        const LayerPlan::Axis& axis = plan_->axes[as_size(depth_)];
        if (++steps_ > most_steps_) return false;
        if (!level.candidates.next(level.g)) {
            --depth_;
            continue;
        }
        if (axis.next_searched >= 0) {
            const index_t residual = level.residual - axis.contribution(level.g);
            if (axis.checks_ahead && !plan_->is_feasible(axis.next_searched, residual, steps_))
                continue;
            levels_[as_size(axis.next_searched)].residual = residual;
        }
        // Unsigned: the box of differences that `is_unique` searches may have more elements than an
        // index can count; it does not use the indexes.
        const auto here = static_cast<index_t>(static_cast<std::uint64_t>(level.before) *
                                                   static_cast<std::uint64_t>(axis.extent) +
                                               static_cast<std::uint64_t>(level.g));
        if (depth_ + 1 == rank) {
            index = here;
            return true;
        }
        ++depth_;
        levels_[as_size(depth_)].before = here;
        open(depth_);
    }
    return false;
}

} // namespace purview::dimensions
