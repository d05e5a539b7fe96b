#pragma once

namespace purview_python {

/// While there is one, this thread traces a function.
class Tracing {
public:
    Tracing() noexcept;
    ~Tracing();
    Tracing(const Tracing&) = delete;
    Tracing& operator=(const Tracing&) = delete;
};

/// Whether this thread traces a function, in which reductions are recorded instead of computed.
bool is_tracing() noexcept;

} // namespace purview_python
