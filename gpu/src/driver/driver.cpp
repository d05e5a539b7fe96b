#include "driver.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1::gpu::detail {

Kernel::~Kernel() = default;
Driver::~Driver() = default;

void Driver::number(int n) {
    label_ = fmt::format("{}:{} ({})", dialect() == Dialect::cuda ? "cuda" : "opencl", n, name());
}

} // namespace purview
