#pragma once

#include <purview/evaluation/work.hpp>

#include <span>
#include <string>
#include <string_view>

namespace purview::inline v0_1 {

/// Who does work on elements that lie in a place of its own: the memory of a device, say. A reader of
/// such elements names it (`AnyReader::backend`). Backends live as long as the process.
class PURVIEW_EXPORT Backend {
public:
    Backend() = default;
    Backend(const Backend&) = delete;
    virtual ~Backend();

    virtual std::string_view name() const noexcept = 0;
    /// New uninitialised elements in the place where the sources lie, in row-major order: an operand
    /// over a leaf that can be written.
    virtual Operand results_like(std::span<const Operand> sources, DType dtype,
                                 ShapeSpan shape) const = 0;
    /// Whether this backend does the work. If not, the CPU does it, reads what lies elsewhere by its
    /// readers, and writes results by their writer.
    virtual bool takes(const Work& work) const = 0;
    /// Does what it takes.
    virtual void run(const Work& work) const = 0;
    /// How it would do that, for `explain`.
    virtual std::string describe(const Work& work) const = 0;
    /// Whether the CPU may read elements there: throws `DeviceError`, which names `what`, the function
    /// that would, if not. It may, unless a backend says otherwise.
    virtual void check_host_reads(const char* what) const;
    /// Whether functions make results there: throws naming `what`, the function that would, if not. They
    /// do, unless a backend says otherwise.
    virtual void check_results(const char* what) const;
};

/// The backend of this process's processors and memory.
PURVIEW_EXPORT const Backend& cpu() noexcept;

/// The backend that the sources lie on: the CPU's unless one of them says otherwise. O(1) then, else
/// O(nodes). Throws `Error` naming both for sources on different backends; what the CPU has can be
/// read by every one.
PURVIEW_EXPORT const Backend& backend_of(std::span<const Operand> sources);

/// For tests: who does work on what lies in this process's memory, instead of the CPU; null for the
/// CPU. Has to be set while nothing is evaluated.
PURVIEW_EXPORT void set_backend_of_memory(const Backend* backend) noexcept;

} // namespace purview
