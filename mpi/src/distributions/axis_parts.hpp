#pragma once

#include <purview/mpi/distribution.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Coordinates [begin, end) along an axis.
struct Interval {
    index_t begin = 0;
    index_t end = 0;

    index_t size() const noexcept { return end - begin; }
    friend bool operator==(const Interval&, const Interval&) = default;
};

/// How one axis is divided among the places of an axis of a grid.
class AxisParts {
public:
    /// Blocks that end at these coordinates.
    explicit AxisParts(std::vector<index_t> ends) : ends_(std::move(ends)) {}
    /// Blocks of `block` coordinates dealt out in turn; among one place, all in one piece.
    AxisParts(index_t extent, index_t places, index_t block)
        : ends_{extent}, places_(places), block_(places == 1 ? 0 : block) {}

    index_t extent() const noexcept { return ends_.back(); }
    index_t places() const noexcept {
        return block_ == 0 ? static_cast<index_t>(ends_.size()) : places_;
    }
    /// Whether each place has one interval.
    bool is_blocks() const noexcept { return block_ == 0 || block_ * places_ >= extent(); }
    bool is_divided() const noexcept { return places() > 1; }
    index_t block() const noexcept { return block_; }
    const std::vector<index_t>& ends() const noexcept { return ends_; }

    /// Of one that is in blocks.
    Interval interval(index_t place) const noexcept {
        if (block_ != 0)
            return {std::min(place * block_, extent()), std::min((place + 1) * block_, extent())};
        return {place == 0 ? 0 : ends_[static_cast<std::size_t>(place - 1)],
                ends_[static_cast<std::size_t>(place)]};
    }
    /// How many coordinates a place has.
    index_t count(index_t place) const noexcept;
    /// The place that has a coordinate.
    index_t owner(index_t coordinate) const noexcept {
        if (block_ != 0) return coordinate / block_ % places_;
        return std::upper_bound(ends_.begin(), ends_.end(), coordinate) - ends_.begin();
    }
    /// Where among the coordinates of its owner a coordinate is, and back.
    index_t local_of(index_t coordinate) const noexcept {
        if (block_ != 0) return coordinate / (block_ * places_) * block_ + coordinate % block_;
        return coordinate - interval(owner(coordinate)).begin;
    }
    index_t global_of(index_t place, index_t local) const noexcept {
        if (block_ != 0) return (local / block_ * places_ + place) * block_ + local % block_;
        return interval(place).begin + local;
    }

    friend bool operator==(const AxisParts& a, const AxisParts& b) noexcept;

private:
    std::vector<index_t> ends_;
    index_t places_ = 1;
    index_t block_ = 0; ///< 0: contiguous blocks
};

struct Distribution::State {
    Grid grid;
    Shape shape;
    std::vector<AxisParts> axes; ///< of the tensor

    /// Of all that tells it from others, the same on all ranks.
    std::uint64_t hash() const;
    /// Where a rank is along an axis of the tensor.
    Shape places_of(int rank) const;
    /// The rank at places along the axes of the tensor.
    int rank_at(ShapeSpan places) const noexcept;

    mutable std::atomic<std::uint64_t> known_hash{0};

    State(Grid on, Shape of, std::vector<AxisParts> parts)
        : grid(std::move(on)), shape(std::move(of)), axes(std::move(parts)) {}
};

} // namespace purview
