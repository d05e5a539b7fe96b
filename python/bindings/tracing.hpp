#pragma once

#include "array.hpp"

#include <cstddef>
#include <cstdint>

namespace purview_python {

/// What a traced function is for.
enum class Traces : std::uint8_t {
    part,  ///< of what is traced already, or the step of a loop that runs now
    later, ///< calls that come later, which read what it captures
};

/// While there is one, this thread traces a function of so many symbols.
class Tracing {
public:
    explicit Tracing(std::size_t symbols, Traces what = Traces::part) noexcept;
    ~Tracing();
    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;

private:
    std::size_t symbols_;
    int later_;
};

/// Whether this thread traces a function, in which what symbols are below is recorded instead of computed.
bool is_tracing() noexcept;
/// Whether it does so for later calls: reductions of what the function captures are recorded, too.
bool is_tracing_for_later() noexcept;
/// Whether a reduction of an array is recorded.
inline bool is_recorded(const Array& x) noexcept {
    return is_tracing_for_later() || (is_tracing() && x.operand().node->reads(pv::Below::symbol));
}

/// The number of symbols of all functions that this thread traces, one within the other: the first slot that none of them has.
std::size_t traced_symbols() noexcept;

} // namespace purview_python
