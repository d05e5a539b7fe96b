#include "expressions/plan_builder.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/piecewise.hpp>

#include <algorithm>

namespace purview::inline v0_1::mpi {
namespace {

Dimensions seen_in(const Dimensions& seen, const Operand& operand) {
    return dimensions::compose(seen, operand.dims);
}

/// The longest stretch of positions among runs that come in the order of their positions.
Interval longest_stretch(const Runs& runs) {
    Interval longest;
    Interval now;
    for (const Run& run : runs) {
        if (run.position != now.end) now = {run.position, run.position};
        now.end = run.position + run.count;
        if (now.size() > longest.size()) longest = now;
    }
    return longest;
}

/// Coordinates of a box of pieces' coordinates, as the whole of `extents`.
Dimensions from_begin(ShapeSpan shape, ShapeSpan begin, ShapeSpan extents) {
    const Shape strides = strides_in_order(extents);
    index_t base = 0;
    for (std::size_t a = 0; a < shape.size(); ++a) base -= begin[a] * strides[a];
    return Dimensions::strided(shape, strides, base);
}

} // namespace

DistributedPlan::Builder::Builder(DistributedPlan& plan, Ranks& ranks, const Graph& graph,
                                  const Dimensions& part)
    : plan_(plan), graph_(graph), rank_(ranks.rank()), part_(part) {
    inside_.begin = Shape(part_.max_shape().size(), 0);
    inside_.end = to_shape(part_.max_shape());
    for (const Source& source : graph.sources()) {
        places_.push_back(source.distribution.state().places_of(rank_));
        to_local_.push_back(to_local(source.distribution, rank_));
    }
}

std::vector<Fetch::Want> DistributedPlan::Builder::build(Cut cut) {
    if (part_.size() == 0) return {};
    if (cut == Cut::yes) find_inside(graph_.root(), seen_in(part_, graph_.root()));
    make_boxes();
    for (PartBox& box : plan_.boxes_) {
        box_ = &box;
        made_.clear();
        push(*graph_.root().node, seen_in(part_of(part_, box.box), graph_.root()));
    }
    finish();
    return std::move(wants_);
}

// --- where nothing of other ranks is needed ------------------------------------------------------

void DistributedPlan::Builder::keep_inside(const SeenPart& seen, std::size_t source,
                                           const Box& where) {
    if (graph_.sources()[source].whole.node) return; // all of it is read here
    if (!seen.is_followed()) return;                 // fetched for all boxes
    const Distribution::State& state = graph_.sources()[source].distribution.state();
    Box kept = inside_;
    for (std::size_t k = 0; k < state.axes.size(); ++k) {
        const AxisParts& parts = state.axes[k];
        if (has_all(seen.region()[k], parts, places_[source][k])) continue;
        if (seen.follower(k) < 0) return;
        const auto r = static_cast<std::size_t>(seen.follower(k));
        const index_t extent = seen.view().max_shape()[r];
        const Interval own = longest_stretch(
            runs_by_place(seen.region()[k], parts)[static_cast<std::size_t>(places_[source][k])]);
        if (own.size() < (extent + 1) / 2) return; // most of it comes from other ranks
        if (own.begin > 0) kept.begin[r] = std::max(kept.begin[r], where.begin[r] + own.begin);
        if (own.end < extent) kept.end[r] = std::min(kept.end[r], where.begin[r] + own.end);
    }
    for (std::size_t r = 0; r < kept.begin.size(); ++r)
        if (kept.begin[r] >= kept.end[r]) return;
    inside_ = kept;
}

void DistributedPlan::Builder::find_inside(const Operand& root, const Dimensions& all) {
    std::vector<Seen> left{
        {root.node.get(), all, {Shape(all.max_shape().size(), 0), to_shape(all.max_shape())}}};
    while (!left.empty()) {
        const Seen next = std::move(left.back());
        left.pop_back();
        find_inside(next, left);
    }
}

void DistributedPlan::Builder::find_inside(const Seen& at, std::vector<Seen>& left) {
    const auto& [node_at, seen, where] = at;
    const Node& node = *node_at;
    if (!node.reads(Below::device)) return;
    auto& known = made_[{graph_.number_of(node), seen.hash()}]; // each once
    if (std::ranges::find(known, seen, [](const auto& each) -> const Dimensions& {
            return each.first;
        }) != known.end())
        return;
    known.emplace_back(seen, 0);
    if (const int source = graph_.source_of(node); source >= 0) {
        const auto s = static_cast<std::size_t>(source);
        return keep_inside(SeenPart(seen, graph_.sources()[s].distribution.shape()), s, where);
    }
    if (const Piecewise* const pieces = node_as<Piecewise>(node)) {
        const SeenPart place(seen, pieces->shape());
        if (!place.is_followed()) return;
        for (std::size_t i = 0; i < pieces->operands().size(); ++i) {
            const Operand& piece = pieces->operands()[i];
            Box within = where; // of the coordinates that lie in the piece
            Box part{Shape(where.begin.size(), 0), extents_of(where)};
            bool is_box = true;
            for (std::size_t k = 0; k < pieces->shape().size() && is_box; ++k) {
                const index_t begin = pieces->begins()[i][k];
                const index_t end = begin + piece.dims.max_shape()[k];
                const AxisParts parts(std::vector<index_t>{begin, end, pieces->shape()[k]});
                const AxisCoordinates& read = place.region()[k];
                if (has_all(read, parts, 1)) continue;
                const Runs runs = runs_by_place(read, parts)[1];
                const Interval stretch = longest_stretch(runs);
                is_box = place.follower(k) >= 0 && stretch.size() > 0 &&
                         stretch.size() == count_of(runs);
                if (!is_box) break;
                const auto r = static_cast<std::size_t>(place.follower(k));
                part.begin[r] = stretch.begin;
                part.end[r] = stretch.end;
                within.begin[r] = where.begin[r] + stretch.begin;
                within.end[r] = where.begin[r] + stretch.end;
            }
            if (!is_box) continue;
            const Dimensions in_piece = dimensions::compose(
                part_of(seen, part),
                from_begin(pieces->shape(), pieces->begins()[i], piece.dims.max_shape()));
            left.push_back({piece.node.get(), seen_in(in_piece, piece), within});
        }
        return;
    }
    for (const Operand& each : operands_of(node))
        left.push_back({each.node.get(), seen_in(seen, each), where});
}

void DistributedPlan::Builder::make_boxes() {
    // Slabs around the inside, axis by axis; then the inside.
    Box left{Shape(part_.max_shape().size(), 0), to_shape(part_.max_shape())};
    for (std::size_t a = 0; a < left.begin.size(); ++a) {
        if (inside_.begin[a] > left.begin[a]) {
            Box slab = left;
            slab.end[a] = left.begin[a] = inside_.begin[a];
            plan_.boxes_.push_back({slab, {}});
        }
        if (inside_.end[a] < left.end[a]) {
            Box slab = left;
            slab.begin[a] = left.end[a] = inside_.end[a];
            plan_.boxes_.push_back({slab, {}});
        }
    }
    plan_.boxes_.push_back({left, {}});
}

// --- the expression in a box ---------------------------------------------------------------------

const std::uint32_t* DistributedPlan::Builder::made_before(const Node& node,
                                                           const Dimensions& seen) const {
    const auto found = made_.find({graph_.number_of(node), seen.hash()});
    if (found == made_.end()) return nullptr;
    for (const auto& [view, step] : found->second)
        if (view == seen) return &step;
    return nullptr;
}

void DistributedPlan::Builder::push(const Node& root, const Dimensions& seen) {
    // Operands before their users, without recursion: expressions may be deep.
    std::vector<Unfinished> stack;
    const auto open = [&](const Node& node, const Dimensions& view) {
        Unfinished& opened = stack.emplace_back();
        opened.node = &node;
        opened.seen = view;
        opened.step.node = graph_.number_of(node);
        if (const int source = graph_.source_of(node); source >= 0)
            push_source(opened.step, static_cast<std::size_t>(source), view);
        else if (!node.reads(Below::device))
            opened.step.view = view;
        else if (const Piecewise* const pieces = node_as<Piecewise>(node))
            open_pieces(opened, *pieces);
        else {
            opened.step.shape = to_shape(view.max_shape());
            for (const Operand& each : operands_of(node))
                opened.operands.push_back({each.node, seen_in(view, each)});
        }
    };
    open(root, seen);
    while (!stack.empty()) {
        Unfinished& now = stack.back();
        if (now.step.operands.size() < now.operands.size()) {
            const Operand& next = now.operands[now.step.operands.size()];
            if (const std::uint32_t* const made = made_before(*next.node, next.dims))
                now.step.operands.push_back(*made);
            else
                open(*next.node, Dimensions(next.dims)); // which moves what is on the stack
            continue;
        }
        made_[{now.step.node, now.seen.hash()}].emplace_back(
            now.seen, static_cast<std::uint32_t>(box_->steps.size()));
        box_->steps.push_back(std::move(now.step));
        stack.pop_back();
    }
}

bool DistributedPlan::Builder::is_own(const SeenPart& seen, std::size_t source) const {
    const Distribution::State& state = graph_.sources()[source].distribution.state();
    for (std::size_t k = 0; k < state.axes.size(); ++k)
        if (!has_all(seen.region()[k], state.axes[k], places_[source][k])) return false;
    return true;
}

int DistributedPlan::Builder::want(const SeenPart& seen, std::size_t source) {
    for (std::size_t w = 0; w < wants_.size(); ++w) {
        if (wants_[w].source != source) continue;
        if (!(seen.is_followed() && may_join_[w]) && !(wants_[w].region == seen.region())) continue;
        if (std::optional<DistributedRegion> both = joined(wants_[w].region, seen.region())) {
            wants_[w].region = std::move(*both);
            return static_cast<int>(w);
        }
    }
    wants_.push_back({source, seen.region()});
    may_join_.push_back(seen.is_followed());
    return static_cast<int>(wants_.size() - 1);
}

void DistributedPlan::Builder::push_source(Step& step, std::size_t source, const Dimensions& view) {
    const Source& x = graph_.sources()[source];
    step.source = static_cast<int>(source);
    if (x.whole.node) {
        step.view = seen_in(view, x.whole);
        return;
    }
    SeenPart seen(view, x.distribution.shape());
    if (is_own(seen, source)) {
        const Dimensions in_part = dimensions::compose(view, to_local_[source]);
        step.view = x.part.dims.is_identity() ? in_part : dimensions::compose(in_part, x.part.dims);
        return;
    }
    step.want = want(seen, source);
    step.seen = seen_.size();
    seen_.push_back(std::move(seen));
    box_->waits = true;
}

void DistributedPlan::Builder::open_pieces(Unfinished& opened, const Piecewise& pieces) {
    const Dimensions& seen = opened.seen;
    Step& step = opened.step;
    // The coordinates that are read lie in a box; of pieces, what is in that box is enough.
    Shape begin;
    Shape extents;
    const SeenPart place(seen, pieces.shape());
    for (const AxisCoordinates& axis : place.region()) {
        index_t lowest = axis.at(0);
        index_t highest = lowest;
        const bool is_even = axis.list.empty() &&
                             axis.first + axis.step * (axis.count - 1) < axis.extent &&
                             axis.first + axis.step * (axis.count - 1) >= 0;
        for (index_t i = is_even ? axis.count - 1 : 0; i < axis.count; ++i) {
            lowest = std::min(lowest, axis.at(i));
            highest = std::max(highest, axis.at(i));
        }
        begin.push_back(lowest);
        extents.push_back(highest - lowest + 1);
    }
    for (std::size_t i = 0; i < pieces.operands().size(); ++i) {
        const Operand& piece = pieces.operands()[i];
        Box part;
        Shape at;
        bool is_empty = false;
        for (std::size_t k = 0; k < begin.size(); ++k) {
            const index_t own = pieces.begins()[i][k];
            const index_t from = std::max(begin[k], own);
            const index_t to = std::min(begin[k] + extents[k], own + piece.dims.max_shape()[k]);
            is_empty |= from >= to;
            part.begin.push_back(from - own);
            part.end.push_back(to - own);
            at.push_back(from - begin[k]);
        }
        if (is_empty) continue;
        opened.operands.push_back({piece.node, part_of(piece.dims, part)});
        step.begins.push_back(at);
    }
    step.shape = extents;
    step.view = dimensions::compose(seen, from_begin(pieces.shape(), begin, extents));
}

void DistributedPlan::Builder::finish() {
    for (PartBox& box : plan_.boxes_)
        for (Step& step : box.steps)
            if (step.want >= 0)
                step.view =
                    seen_[step.seen].view_in(wants_[static_cast<std::size_t>(step.want)].region);
}

} // namespace purview
