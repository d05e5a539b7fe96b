// Defines purview/mpi/evaluate.hpp.

#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/own_values.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/gathers.hpp"
#include "expressions/plan.hpp"
#include "expressions/seen_part.hpp"

#include <purview/evaluation/evaluate.hpp>

#include <algorithm>
#include <optional>

namespace purview::inline v0_1::mpi {
namespace {

/// A box cut into pieces of one length along each axis, in row-major order.
class CutBox {
public:
    CutBox(Box box, const Shape& lengths) : box_(std::move(box)), lengths_(lengths) {
        for (std::size_t a = 0; a < lengths_.size(); ++a) {
            const index_t extent = box_.end[a] - box_.begin[a];
            counts_.push_back((extent + lengths_[a] - 1) / lengths_[a]);
            count_ *= counts_.back();
        }
    }
    index_t count() const noexcept { return count_; }
    /// One without elements beyond the last.
    Box piece(index_t number) const {
        if (number >= count_) return {box_.begin, box_.begin};
        Box piece = box_;
        for (std::size_t a = lengths_.size(); a-- > 0;) {
            piece.begin[a] += number % counts_[a] * lengths_[a];
            piece.end[a] = std::min(piece.begin[a] + lengths_[a], box_.end[a]);
            number /= counts_[a];
        }
        return piece;
    }

private:
    Box box_;
    Shape lengths_;
    Shape counts_;
    index_t count_ = 1;
};

/// Whole chunks, as many as `most` elements have, along the last axis first; one at least.
Shape lengths_of(ShapeSpan shape, ShapeSpan chunk, index_t most) {
    Shape lengths;
    index_t elements = 1;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        lengths.push_back(std::clamp<index_t>(chunk[a], 1, std::max<index_t>(shape[a], 1)));
        elements *= lengths[a];
    }
    for (std::size_t a = shape.size(); a-- > 0;) {
        const index_t chunks = (shape[a] + lengths[a] - 1) / lengths[a];
        const index_t together =
            std::clamp<index_t>(most / elements, 1, std::max<index_t>(chunks, 1));
        elements *= together;
        lengths[a] *= together;
        if (together < chunks) break;
    }
    return lengths;
}

} // namespace

Operand in_box(const Operand& x, const Box& box) { return {x.node, part_of(x.dims, box)}; }

void evaluate_in_boxes(const char* what, const Operand& e, const Distribution& d, ShapeSpan chunk,
                       index_t bytes, FunctionRef<void(const Operand&, const Box&)> take) {
    Ranks& ranks = d.communicator().ranks();
    const ExitNotice exit_notice(ranks, what);
    std::optional<Graph> graph;
    agree(ranks, what, [&](CallText& call) {
        require_shape(what, e.dims.max_shape(), d);
        require_dense(what, e);
        require_sendable(what, e.dtype());
        describe(call, d);
        graph.emplace(what, e, ranks, Graph::Evaluated());
        call.add_hash(graph->hash());
    });
    if (graph->has_gathers())
        graph.emplace(what, e, ranks, evaluate_gathers(ranks, what, *graph, d));
    join_number(Reduction::minimum, int64, &bytes, d.communicator()); // ranks may have other limits
    const Shape lengths = lengths_of(d.shape(), chunk, bytes / e.dtype().size_bytes());
    index_t rounds = 0;
    for (int rank = 0; rank < ranks.size(); ++rank)
        rounds = std::max(rounds, CutBox(d.box(rank), lengths).count());
    const CutBox own(d.box(), lengths);
    const Dimensions whole = Dimensions::row_major(d.shape());
    for (index_t round = 0; round < rounds; ++round) {
        const Box box = own.piece(round);
        const DistributedPlan plan(ranks, what, *graph, part_of(whole, box));
        std::vector<Operand> fetched;
        std::optional<Operand> values;
        collective(ranks, what, [&] {
            fetched = plan.memory(what, *graph);
            values = new_elements(what, e.dtype(), extents_of(box));
        });
        collective(ranks, what, [&] {
            plan.run(ranks, what, *graph, fetched, [&](const Operand& operand, const Box& within) {
                purview::assign(operand, in_box(*values, within));
            });
        });
        fetched.clear();
        collective(ranks, what, [&] {
            if (values->dims.size() > 0) take(*values, box);
        });
    }
}

} // namespace purview
