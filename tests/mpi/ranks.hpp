#pragma once

#include <purview/mpi/mpi.hpp>

#include <string>

namespace oracle {

/// All ranks of the test program; made at its first use, by all ranks.
inline const purview::mpi::Communicator& world() {
    static const purview::mpi::Communicator communicator;
    return communicator;
}

/// What `f` throws as an E, on this rank; empty if it throws nothing. Anything else goes on.
template <typename E, typename F>
std::string thrown(F f) {
    try {
        f();
    } catch (const E& error) {
        return error.what();
    }
    return {};
}

} // namespace oracle
