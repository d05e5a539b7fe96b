#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// Compiled kernels in a folder, `$PURVIEW_GPU_CACHE` (`off`: none), by default `$XDG_CACHE_HOME/purview/gpu` or
/// `~/.cache/purview/gpu`: later processes need no compiler for them. Files are written aside and renamed, have a checksum, and what was
/// not used for longest goes beyond 256 MiB. Never throws: what cannot be read or written is compiled again.
class KernelFiles {
public:
    /// The folder that the environment names.
    static KernelFiles& of_process();
    explicit KernelFiles(std::string folder, std::size_t most_bytes = std::size_t{256} << 20);

    /// A name for what `source` becomes by this compiler and for this device: a hash of both, never of what was compiled.
    static std::string name_of(std::string_view source, std::string_view build_identity);
    std::optional<std::vector<std::byte>> read(const std::string& name) const noexcept;
    void write(const std::string& name, std::span<const std::byte> binary) noexcept;

    /// Why nothing is kept; empty if files are.
    const std::string& why_not() const noexcept { return why_not_; }

private:
    void remove_oldest() const;

    std::string folder_;
    std::size_t most_bytes_;
    std::string why_not_;
};

} // namespace purview::gpu::detail
