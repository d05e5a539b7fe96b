#pragma once

#include <string>

namespace purview::inline v0_1::gpu::detail {

/// Begins to watch for a fork and for the end of `main`: called once, when the drivers are open.
void watch_process();
/// Whether this is the child of a process that had opened the drivers, which do not survive that.
bool is_forked() noexcept;
/// Throws `DeviceError` that names the device in such a child.
void check_not_forked(const std::string& device);
/// Whether nothing is to be released any more: `main` has ended, or this is such a child.
bool is_left_alone() noexcept;

} // namespace purview
