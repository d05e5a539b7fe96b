#include <purview/base/checked.hpp>
#include <purview/mpi/distribution.hpp>

#include "distributions/axis_parts.hpp"
#include "messages/ranks.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>

namespace purview::inline v0_1::mpi {

// --- grids ---------------------------------------------------------------------------------------

Grid::Grid(Communicator communicator)
    : communicator_(std::move(communicator)), extents_{index_t{communicator_.size()}} {}

Grid::Grid(Communicator communicator, AxisValues extents)
    : communicator_(std::move(communicator)), extents_(to_shape(extents)) {
    const int ranks = communicator_.size();
    const auto refuse = [&](const char* why) {
        throw DistributionError(fmt::format("Grid: {} ranks cannot be put on a grid of {}: {}",
                                            ranks, purview::to_string(extents), why));
    };
    if (extents_.empty()) refuse("it has no axes");
    index_t known = 1;
    std::vector<int> left;
    for (const index_t extent : extents_) {
        if (extent == -1)
            left.push_back(0);
        else if (extent < 1)
            refuse("each axis has at least one");
        else if (known > ranks / extent)
            refuse("they are too few");
        else
            known *= extent;
    }
    if (left.empty() ? known != ranks : ranks % known != 0)
        refuse(left.empty() ? "they are too many" : "what is left is not divided evenly");
    if (left.empty()) return;
    if (MPI_Dims_create(static_cast<int>(ranks / known), static_cast<int>(left.size()),
                        left.data()) != MPI_SUCCESS)
        refuse("MPI_Dims_create has failed");
    auto next = left.begin();
    for (index_t& extent : extents_)
        if (extent == -1) extent = *next++;
}

Shape Grid::place_of(int rank) const {
    if (rank < 0 || rank >= communicator_.size())
        throw IndexError(fmt::format("rank {} of {}", rank, communicator_.size()));
    Shape place(extents_.size(), 0);
    index_t left = rank;
    for (std::size_t a = extents_.size(); a-- > 0; left /= extents_[a])
        place[a] = left % extents_[a];
    return place;
}

// --- axes ----------------------------------------------------------------------------------------

index_t AxisParts::count(index_t place) const noexcept {
    if (block_ == 0) return interval(place).size();
    const index_t round = block_ * places_;
    const index_t rest = extent() % round - place * block_;
    return extent() / round * block_ + std::clamp<index_t>(rest, 0, block_);
}

bool operator==(const AxisParts& a, const AxisParts& b) noexcept {
    if (a.extent() != b.extent() || a.places() != b.places()) return false;
    if (a.block_ != 0 && b.block_ != 0 && a.block_ == b.block_) return true;
    if (!a.is_blocks() || !b.is_blocks()) return false;
    for (index_t place = 0; place < a.places(); ++place)
        if (a.interval(place) != b.interval(place)) return false;
    return true;
}

Shape Distribution::State::places_of(int rank) const {
    Shape places = grid.place_of(rank);
    places.resize(shape.size(), 0);
    return places;
}

int Distribution::State::rank_at(ShapeSpan places) const noexcept {
    index_t rank = 0;
    for (std::size_t a = 0; a < grid.extents().size(); ++a)
        rank = rank * grid.extents()[a] + places[a];
    return static_cast<int>(rank);
}

std::uint64_t Distribution::State::hash() const {
    if (const std::uint64_t known = known_hash) return known;
    CallText text;
    for (const index_t extent : grid.extents()) text.add_hash(static_cast<std::uint64_t>(extent));
    for (const AxisParts& axis : axes) {
        text.add_hash(static_cast<std::uint64_t>(axis.block()));
        for (const index_t end : axis.ends()) text.add_hash(static_cast<std::uint64_t>(end));
    }
    return known_hash = text.hash() | 1;
}

// --- distributions -------------------------------------------------------------------------------

namespace {

std::shared_ptr<Distribution::State> undivided(const char* what, ShapeSpan shape,
                                               const Grid& grid) {
    checked_size(shape, what);
    if (grid.extents().size() > shape.size())
        throw DistributionError(fmt::format("{}: a grid of {} has more axes than the shape {}",
                                            what, purview::to_string(grid.extents()),
                                            purview::to_string(shape)));
    auto state =
        std::make_shared<Distribution::State>(grid, to_shape(shape), std::vector<AxisParts>());
    return state;
}

std::vector<index_t> even_ends(index_t extent, index_t places) {
    std::vector<index_t> ends;
    for (index_t place = 1; place <= places; ++place)
        ends.push_back(extent / places * place + std::min(extent % places, place));
    return ends;
}

index_t places_along(const Grid& grid, std::size_t axis) noexcept {
    return axis < grid.extents().size() ? grid.extents()[axis] : 1;
}

} // namespace

Distribution blocks(AxisValues shape, const Grid& grid) {
    const auto state = undivided("blocks", shape, grid);
    for (std::size_t a = 0; a < shape.size(); ++a)
        state->axes.emplace_back(even_ends(shape[a], places_along(grid, a)));
    return Distribution(state);
}

Distribution blocks(AxisValues shape, const Grid& grid,
                    const std::vector<std::vector<index_t>>& sizes) {
    const auto state = undivided("blocks", shape, grid);
    if (sizes.size() != grid.extents().size())
        throw DistributionError(fmt::format("blocks: sizes of {} axes for a grid of {}",
                                            sizes.size(), purview::to_string(grid.extents())));
    for (std::size_t a = 0; a < shape.size(); ++a) {
        if (a >= sizes.size()) {
            state->axes.emplace_back(std::vector<index_t>{shape[a]});
            continue;
        }
        std::vector<index_t> ends;
        index_t end = 0;
        bool fits = std::ssize(sizes[a]) == grid.extents()[a];
        for (const index_t size : sizes[a]) {
            fits = fits && size >= 0 && size <= shape[a] - end;
            if (fits) ends.push_back(end += size);
        }
        if (!fits || end != shape[a])
            throw DistributionError(
                fmt::format("blocks: the sizes {} along axis {} do not divide {} elements among {} "
                            "places",
                            purview::to_string(sizes[a]), a, shape[a], grid.extents()[a]));
        state->axes.emplace_back(std::move(ends));
    }
    return Distribution(state);
}

Distribution blocks_of_chunks(AxisValues shape, const Grid& grid, AxisValues chunk) {
    if (chunk.size() != shape.size() ||
        std::ranges::any_of(ShapeSpan(chunk), [](index_t length) { return length < 1; }))
        throw ShapeError(fmt::format("blocks_of_chunks: chunks of {} for shape {}",
                                     purview::to_string(chunk), purview::to_string(shape)));
    const Distribution even = blocks(shape, grid); // which checks the grid
    std::vector<std::vector<index_t>> sizes;
    for (std::size_t a = 0; a < grid.extents().size(); ++a) {
        const index_t places = grid.extents()[a];
        const index_t chunks = shape[a] / chunk[a] + (shape[a] % chunk[a] != 0 ? 1 : 0);
        std::vector<index_t>& along = sizes.emplace_back();
        index_t end = 0;
        for (index_t place = 1; place <= places; ++place) {
            const index_t count = place * (chunks / places) + place * (chunks % places) / places;
            const index_t next = count == chunks ? shape[a] : count * chunk[a];
            along.push_back(next - end);
            end = next;
        }
    }
    return blocks(shape, grid, sizes);
}

Distribution cyclic(AxisValues shape, const Grid& grid, AxisValues block_sizes) {
    const auto state = undivided("cyclic", shape, grid);
    if (block_sizes.size() != grid.extents().size())
        throw DistributionError(fmt::format("cyclic: block sizes {} for a grid of {}",
                                            purview::to_string(block_sizes),
                                            to_string(grid.extents())));
    for (std::size_t a = 0; a < shape.size(); ++a) {
        const index_t places = places_along(grid, a);
        if (a >= block_sizes.size()) {
            state->axes.emplace_back(std::vector<index_t>{shape[a]});
            continue;
        }
        if (block_sizes[a] < 1)
            throw DistributionError(
                fmt::format("cyclic: a block of {} along axis {}", block_sizes[a], a));
        // A block that is longer than the axis is as good as one that is as long.
        state->axes.emplace_back(shape[a], places,
                                 std::min(block_sizes[a], std::max<index_t>(shape[a], 1)));
    }
    return Distribution(state);
}

ShapeSpan Distribution::shape() const noexcept { return state_->shape; }
const Grid& Distribution::grid() const noexcept { return state_->grid; }

bool Distribution::is_blocks() const noexcept {
    return std::ranges::all_of(state_->axes, &AxisParts::is_blocks);
}

Box Distribution::box(int rank) const {
    const Shape places = state_->places_of(rank);
    Box box;
    for (std::size_t a = 0; a < places.size(); ++a) {
        const AxisParts& axis = state_->axes[a];
        if (!axis.is_blocks())
            throw DistributionError(fmt::format(
                "box: rank {} has no box of axis {}, which is dealt out in blocks of {}: "
                "see coordinates",
                rank, a, axis.block()));
        const Interval interval = axis.interval(places[a]);
        box.begin.push_back(interval.begin);
        box.end.push_back(interval.end);
    }
    return box;
}

std::vector<index_t> Distribution::coordinates(int rank, index_t axis) const {
    const auto a = static_cast<std::size_t>(
        checked_index(axis, static_cast<index_t>(state_->shape.size()), 0, "coordinates"));
    const index_t place = state_->places_of(rank)[a];
    std::vector<index_t> coordinates(static_cast<std::size_t>(state_->axes[a].count(place)));
    for (std::size_t i = 0; i < coordinates.size(); ++i)
        coordinates[i] = state_->axes[a].global_of(place, static_cast<index_t>(i));
    return coordinates;
}

Shape Distribution::local_shape(int rank) const {
    Shape places = state_->places_of(rank);
    for (std::size_t a = 0; a < places.size(); ++a) places[a] = state_->axes[a].count(places[a]);
    return places;
}

bool operator==(const Distribution& a, const Distribution& b) noexcept {
    if (a.state_ == b.state_) return true;
    return a.state_->shape == b.state_->shape && a.state_->grid == b.state_->grid &&
           a.state_->axes == b.state_->axes;
}

std::string to_string(const Distribution& d) {
    const Distribution::State& state = d.state();
    std::string parts;
    for (const AxisParts& axis : state.axes) {
        parts += parts.empty() ? "" : " x ";
        if (axis.block() != 0) {
            parts += fmt::format("cyclic({})", axis.block());
            continue;
        }
        std::vector<index_t> sizes;
        for (index_t place = 0; place < axis.places(); ++place)
            sizes.push_back(axis.interval(place).size());
        const auto [least, most] = std::ranges::minmax(sizes);
        if (sizes.size() == 1)
            parts += fmt::format("{}", most);
        else if (sizes == std::vector<index_t>(sizes.size(), most) || most - least <= 1)
            parts += fmt::format("{} blocks of {}", sizes.size(), most);
        else
            parts += fmt::format("blocks of {}", fmt::join(sizes, " "));
    }
    return fmt::format("{} on a grid of {}: {}", purview::to_string(state.shape),
                       purview::to_string(state.grid.extents()), parts);
}

} // namespace purview
