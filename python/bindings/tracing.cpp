// Whether functions are traced.

#include "tracing.hpp"

namespace purview_python {
namespace {

thread_local int tracing = 0;
thread_local int tracing_for_later = 0;
thread_local std::size_t symbols = 0;

} // namespace

Tracing::Tracing(std::size_t of_this, Traces what) noexcept
    : symbols_(of_this), later_(what == Traces::later ? 1 : 0) {
    ++tracing;
    tracing_for_later += later_;
    symbols += symbols_;
}
Tracing::~Tracing() {
    --tracing;
    tracing_for_later -= later_;
    symbols -= symbols_;
}

bool is_tracing() noexcept { return tracing > 0; }
bool is_tracing_for_later() noexcept { return tracing_for_later > 0; }
std::size_t traced_symbols() noexcept { return symbols; }

} // namespace purview_python
