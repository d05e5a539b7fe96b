#pragma once

#include "mpi/ranks.hpp"
#include "support/random_choice.hpp"

#include <purview/purview.hpp>

#include <vector>

namespace oracle {

namespace pm = purview::mpi;

/// A grid of as many axes as fit, and blocks, uneven blocks or cyclic parts on it: the same on all ranks.
inline pm::Distribution random_distribution(Random& random, purview::ShapeSpan shape) {
    const auto rank = static_cast<index_t>(shape.size());
    const index_t axes = random.between(1, std::min<index_t>(rank, 3));
    std::vector<index_t> extents(static_cast<std::size_t>(axes), -1);
    if (axes > 1 && random.one_in(2)) {
        std::fill(extents.begin(), extents.end(), 1); // one axis alone, not always the first
        extents[static_cast<std::size_t>(random.between(0, axes - 1))] = -1;
    }
    const pm::Grid grid(world(), purview::Shape(extents.begin(), extents.end()));
    switch (random.between(0, 3)) {
    case 0: {
        purview::Shape sizes;
        for (index_t a = 0; a < axes; ++a) sizes.push_back(random.between(1, 4));
        return pm::cyclic(shape, grid, sizes);
    }
    case 1: {
        std::vector<std::vector<index_t>> sizes;
        for (std::size_t a = 0; a < grid.extents().size(); ++a) {
            sizes.emplace_back(static_cast<std::size_t>(grid.extents()[a]), 0);
            for (index_t i = 0; i < shape[a]; ++i)
                ++sizes[a][static_cast<std::size_t>(random.between(0, grid.extents()[a] - 1))];
        }
        return pm::blocks(shape, grid, sizes);
    }
    default: return pm::blocks(shape, grid);
    }
}

/// Values that tell elements apart.
inline purview::MutableTensor<double> random_values(Random& random, purview::ShapeSpan shape) {
    auto x = purview::zeros(shape);
    for (auto&& value : x) value = static_cast<double>(random.between(-50, 50)) / 4;
    return x;
}

} // namespace oracle
