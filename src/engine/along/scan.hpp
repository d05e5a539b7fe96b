#pragma once

#include <purview/evaluation/work.hpp>

namespace purview::inline v0_1::engine {

/// What `scan_lanes` does where no other backend does it.
void scan_on_cpu(const work::Scan& scan, const Operand& source, void* out);

} // namespace purview::engine
