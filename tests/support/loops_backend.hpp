#pragma once

#include <purview/evaluation/backend.hpp>

namespace oracle {

/// A second backend: nested loops, one element after the other, straight from the definitions. Takes
/// work on a few thousand elements of the built-in types, and gives the rest to the CPU.
const purview::Backend& loops_backend();

/// Elements that lie elsewhere, of which only reads and writes by block are known, on this backend:
/// what an array on a device is to the library. `results_like` of such an operand gives another one.
purview::Operand elsewhere(const purview::Operand& x);

/// How many works the backend has done since the program began.
int loops_done() noexcept;

/// Work goes to the loops while it lives.
class OnLoops {
public:
    OnLoops() noexcept { purview::set_backend_of_memory(&loops_backend()); }
    OnLoops(const OnLoops&) = delete;
    OnLoops& operator=(const OnLoops&) = delete;
    ~OnLoops() { purview::set_backend_of_memory(nullptr); }
};

} // namespace oracle
