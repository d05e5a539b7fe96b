#pragma once

#include "expressions/region.hpp"
#include "messages/ranks.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/expression/node.hpp>

#include <vector>

namespace purview::inline v0_1::mpi {

/// Who sends which elements to whom, so that each rank has the regions of distributed tensors that it
/// wants. Made once, by asking; then run any number of times.
class Fetch {
public:
    struct Want {
        std::size_t source;
        DistributedRegion region;
    };

    Fetch() = default;
    /// `wants` are this rank's; `sources` the distributions of the tensors. A call of all ranks.
    Fetch(Ranks& ranks, const char* what, std::span<const Distribution> sources,
          std::vector<Want> wants);

    const std::vector<Want>& wants() const noexcept { return wants_; }
    /// Whether this rank sends anything.
    bool sends() const noexcept { return !outgoing_.empty(); }

    /// Brings the elements of each want, row-major, to an operand of as many: `parts` are this rank's of each source. A call of all
    /// ranks. A target may be where a part lies: what lies in both stays. `meanwhile` is called while messages travel. Takes memory for a few chunks that are packed. What it, reading or writing throws is
    /// thrown when everything has been sent.
    void run(Ranks& ranks, const char* what, std::span<const Operand> parts,
             std::span<const Operand> targets, FunctionRef<void()> meanwhile) const;

private:
    /// Of ranks that talk at a time.
    static constexpr int kDistances = 4;

    /// The part of a want that one rank has; or of a source, for another rank's want.
    struct Piece {
        std::size_t number; ///< of the want, or of the source
        std::vector<Runs> axes;
        index_t size() const noexcept;
    };
    struct FromRank {
        int rank;
        std::vector<Piece> pieces;
    };

    void ask(Ranks& ranks, const char* what, std::span<const Distribution> sources);

    std::vector<Want> wants_;
    std::vector<Piece> own_;             ///< that this rank has itself
    std::vector<FromRank> incoming_;     ///< by the distance of ranks: from this one downwards
    std::vector<FromRank> outgoing_;     ///< and upwards
    std::vector<std::size_t> source_of_; ///< of each want
};

} // namespace purview
