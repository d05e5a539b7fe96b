// Whether functions are traced.

#include "tracing.hpp"

namespace purview_python {
namespace {

thread_local int tracing = 0;

} // namespace

Tracing::Tracing() noexcept { ++tracing; }
Tracing::~Tracing() { --tracing; }

bool is_tracing() noexcept { return tracing > 0; }

} // namespace purview_python
