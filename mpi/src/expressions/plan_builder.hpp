#pragma once

#include "expressions/plan.hpp"

#include <purview/expression/piecewise.hpp>

#include <map>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Makes the boxes of a plan, and finds what has to be fetched for them.
class DistributedPlan::Builder {
public:
    Builder(DistributedPlan& plan, Ranks& ranks, const Graph& graph, const Dimensions& part);
    std::vector<Fetch::Want> build(Cut cut);

private:
    /// Coordinates [begin, end) along each axis of the part where everything that sources give lies on this rank; as far as it has been
    /// found.
    void keep_inside(const SeenPart& seen, std::size_t source, const Box& where);
    struct Seen {
        const Node* node;
        Dimensions view;
        Box where; ///< the coordinates of the part that the view is of
    };
    void find_inside(const Operand& root, const Dimensions& all);
    void find_inside(const Seen& at, std::vector<Seen>& left);
    void make_boxes();

    /// A step whose operands are being made.
    struct Unfinished {
        const Node* node = nullptr;
        Dimensions seen{};
        Step step{};
        std::vector<Operand> operands{}; ///< as they are seen
    };
    void push(const Node& root, const Dimensions& seen);
    const std::uint32_t* made_before(const Node& node, const Dimensions& seen) const;
    void push_source(Step& step, std::size_t source, const Dimensions& seen);
    void open_pieces(Unfinished& opened, const Piecewise& pieces);
    bool is_own(const SeenPart& seen, std::size_t source) const;
    int want(const SeenPart& seen, std::size_t source);
    void finish();

    DistributedPlan& plan_;
    const Graph& graph_;
    int rank_;
    Dimensions part_;
    Box inside_;
    std::vector<Shape> places_; ///< of this rank, in each source
    std::vector<Dimensions>
        to_local_; ///< of each source: from global addresses to those of the part's node

    PartBox* box_ = nullptr; ///< that is being made
    std::map<std::pair<std::uint32_t, std::size_t>,
             std::vector<std::pair<Dimensions, std::uint32_t>>>
        made_;                   ///< steps of the box, by node and hash of the view
    std::vector<SeenPart> seen_; ///< by those who read what is fetched
    std::vector<Fetch::Want> wants_;
    std::vector<bool> may_join_;
};

} // namespace purview
