#include "distributions/derived.hpp"

#include <algorithm>
#include <memory>

namespace purview::inline v0_1::mpi {

Distribution blocks_on(const Grid& grid, ShapeSpan shape) {
    return blocks(AxisValues(shape),
                  grid.extents().size() <= shape.size() ? grid : Grid(grid.communicator()));
}

Distribution divided(const Communicator& communicator, ShapeSpan shape,
                     std::vector<AxisParts> parts) {
    Shape extents;
    for (const AxisParts& axis : parts) extents.push_back(axis.places());
    while (extents.size() > 1 && extents.back() == 1) extents.pop_back();
    return Distribution(std::make_shared<Distribution::State>(Grid(communicator, extents),
                                                              to_shape(shape), std::move(parts)));
}

Distribution blocks_along_alone(const Distribution& d, ShapeSpan shape, std::size_t axis) {
    const index_t ranks = d.communicator().size();
    std::vector<AxisParts> parts;
    for (std::size_t a = 0; a < shape.size(); ++a) {
        std::vector<index_t> ends;
        const index_t count = a == axis ? ranks : 1;
        for (index_t i = 1; i <= count; ++i) ends.push_back(shape[a] * i / count);
        parts.emplace_back(std::move(ends));
    }
    return divided(d.communicator(), shape, std::move(parts));
}

Distribution in_blocks_along(const Distribution& d, index_t axis) {
    const auto a = static_cast<std::size_t>(axis);
    if (d.state().axes[a].is_blocks()) return d;
    const auto state =
        std::make_shared<Distribution::State>(d.grid(), d.state().shape, d.state().axes);
    state->axes[a] = blocks(AxisValues(d.shape()), d.grid()).state().axes[a];
    return Distribution(state);
}

Group ranks_along(const Distribution& d, ShapeSpan axes, int rank) {
    const Shape places = d.state().places_of(rank);
    Group group{{0}, 0};
    for (std::size_t a = 0; a < d.grid().extents().size(); ++a) {
        const auto extent = static_cast<int>(d.grid().extents()[a]);
        const auto own = static_cast<int>(places[a]);
        const bool is_along = std::ranges::find(axes, static_cast<index_t>(a)) != axes.end();
        std::vector<int> ranks;
        for (const int first : group.ranks)
            for (int place = is_along ? 0 : own; place < (is_along ? extent : own + 1); ++place)
                ranks.push_back(first * extent + place);
        group.ranks = std::move(ranks);
        if (is_along) group.place = group.place * extent + own;
    }
    return group;
}

} // namespace purview
