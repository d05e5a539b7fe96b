// Whether functions are traced.

#include "tracing.hpp"

namespace purview_python {
namespace {

thread_local int tracing = 0;
thread_local std::size_t symbols = 0;

} // namespace

Tracing::Tracing(std::size_t of_this) noexcept : symbols_(of_this) {
    ++tracing;
    symbols += symbols_;
}
Tracing::~Tracing() {
    --tracing;
    symbols -= symbols_;
}

bool is_tracing() noexcept { return tracing > 0; }
std::size_t traced_symbols() noexcept { return symbols; }

} // namespace purview_python
