#pragma once

#include "mpi/ranks.hpp"

#include <purview/purview.hpp>

#include <cstring>

namespace oracle {

/// Whether all ranks have the same bits.
template <typename T>
bool is_everywhere(T value) {
    const purview::index_t ranks = world().size();
    const purview::MutableTensor<T> own = purview::clone(purview::full<T>({1}, value));
    const auto all = purview::mpi::all_gather(
        purview::mpi::from_local(own, purview::mpi::blocks({ranks}, purview::mpi::Grid(world()))));
    for (purview::index_t r = 0; r < ranks; ++r) {
        const T other = all(r);
        if (std::memcmp(&other, &value, sizeof(T)) != 0) return false;
    }
    return true;
}

} // namespace oracle
