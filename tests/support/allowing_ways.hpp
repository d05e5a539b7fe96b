#pragma once

#include "engine/ways/way.hpp"

namespace oracle {

/// Allows these ways alone; others are allowed again when it goes.
struct Allowing {
    explicit Allowing(purview::engine::Ways ways) { purview::engine::set_ways(ways); }
    Allowing(const Allowing&) = delete;
    Allowing& operator=(const Allowing&) = delete;
    ~Allowing() { purview::engine::set_ways(purview::engine::Ways::all()); }
};

} // namespace oracle
