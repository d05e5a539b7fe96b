#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/mpi/distribution.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace purview::inline v0_1::mpi {

/// The elements of others that a rank needs again and again, of what lies in blocks along one axis: they are asked for once.
/// An element is a row, of some bytes.
class PURVIEW_MPI_EXPORT NeededElements {
public:
    /// `needed`: coordinates of others, ascending. A call of all ranks, between two agreements.
    NeededElements(const char* what, const Distribution& d, std::vector<index_t> needed);

    /// The same on all ranks, and for no other one.
    std::uint64_t number() const noexcept { return number_; }
    /// How many lie before this rank's block, in it, and all together with those behind.
    index_t before() const noexcept { return before_; }
    index_t own() const noexcept { return own_; }
    index_t all() const noexcept { return own_ + static_cast<index_t>(needed_.size()); }
    /// Where an element lies among all of these, in the order of their coordinates. Precondition: it is one of them.
    index_t place_of(index_t coordinate) const noexcept;

    /// Copies this rank's block and what it needs of others to `all`. A call of all ranks, one message from each rank to each that
    /// needs something of it.
    void gather(const char* what, const void* own, void* all, std::size_t bytes) const;
    /// The other way: what this rank has for the elements of others goes to these, where `add(place, element)` is called with
    /// each place in the block, in the order of the ranks.
    void give_back(const char* what, const void* all, std::size_t bytes,
                   FunctionRef<void(index_t place, const void* element)> add) const;

private:
    struct FromRank {
        int rank;
        index_t begin; ///< among all
        index_t count;
    };
    struct ToRank {
        int rank;
        std::vector<index_t> places; ///< in the block
    };

    Communicator communicator_;
    std::uint64_t number_ = 0;
    index_t begin_ = 0; ///< of the block
    index_t own_ = 0;
    index_t before_ = 0;
    std::vector<index_t> needed_;
    std::vector<FromRank> from_;
    std::vector<ToRank> to_;
};

} // namespace purview
