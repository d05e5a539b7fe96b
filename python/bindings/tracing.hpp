#pragma once

#include <cstddef>

namespace purview_python {

/// While there is one, this thread traces a function of so many symbols.
class Tracing {
public:
    explicit Tracing(std::size_t symbols) noexcept;
    ~Tracing();
    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;

private:
    std::size_t symbols_;
};

/// Whether this thread traces a function, in which reductions are recorded instead of computed.
bool is_tracing() noexcept;

/// The number of symbols of all functions that this thread traces, one within the other: the first slot that none of them has.
std::size_t traced_symbols() noexcept;

} // namespace purview_python
