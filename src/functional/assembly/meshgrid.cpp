#include <purview/base/checked.hpp>
#include <purview/functional/assembly/meshgrid.hpp>

#include <utility>

namespace purview::inline v0_1 {

Grid grid_of(ShapeSpan sizes, Indexing indexing) {
    Grid grid;
    for (std::size_t i = 0; i < sizes.size(); ++i) grid.axes.push_back(static_cast<index_t>(i));
    if (indexing == Indexing::xy && sizes.size() > 1) std::swap(grid.axes[0], grid.axes[1]);
    grid.shape.resize(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i)
        grid.shape[static_cast<std::size_t>(grid.axes[i])] = sizes[i];
    checked_size(grid.shape, "meshgrid");
    return grid;
}

} // namespace purview
