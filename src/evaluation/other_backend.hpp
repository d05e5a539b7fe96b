#pragma once

#include <purview/evaluation/backend.hpp>

#include <atomic>
#include <span>

namespace purview::inline v0_1 {

/// What `set_backend_of_memory` has set; null for the CPU.
extern constinit std::atomic<const Backend*> backend_of_memory;

/// Whether work on an operand may be that of another backend than the CPU. A cheap test.
inline bool lies_elsewhere(const Operand& operand) noexcept {
    return operand.node->reads(Below::device) ||
           backend_of_memory.load(std::memory_order_relaxed) != nullptr;
}

/// `backend_of`; null for the CPU's.
const Backend* other_backend_of(std::span<const Operand> operands);

} // namespace purview
