#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

enum class Dialect : std::uint8_t { cuda, opencl };

/// A `CUdeviceptr` or a `cl_mem`; 0 is none. Places in it are (handle, offset in bytes), as OpenCL has no addresses.
using Handle = std::uint64_t;
using StreamHandle = void*; ///< `CUstream`, `cl_command_queue`
using EventHandle = void*;  ///< `CUevent`, `cl_event`

/// An argument of a kernel: its bits, and how many of its bytes count. Memory is passed as a handle; where in it is an
/// argument of its own.
struct Argument {
    std::uint64_t bits = 0;
    std::uint32_t bytes = 8;
    bool is_buffer = false;
};

/// Code that was loaded onto a device.
class Kernel {
public:
    Kernel() = default;
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;
    virtual ~Kernel();
};
using KernelPtr = std::shared_ptr<Kernel>;

struct MatrixProducts;

/// What a device can.
struct Capabilities {
    bool float64 = true;
    bool rounded_division = true;       ///< of float32, and its square root
    bool denormals = true;              ///< of float32
    std::size_t group_size = 1024;      ///< work items in a group, at most
    std::size_t local_bytes = 48 << 10; ///< memory that a group shares, at most
    std::size_t units = 1;              ///< multiprocessors, compute units
};

/// What is counted, for `statistics`.
struct Counters {
    std::atomic<std::uint64_t> kernels_built{0}, launches{0}, bytes_in{0}, bytes_out{0};
};

/// A device of one of the two systems. Any thread may call it. Functions throw `DeviceError` that names the device, the
/// driver's function and its code; those that release are silent. Copies, fills and launches return before they are done: memory of the host
/// has to stay until then.
class Driver {
public:
    Driver() = default;
    Driver(const Driver&) = delete;
    Driver& operator=(const Driver&) = delete;
    virtual ~Driver();

    virtual Dialect dialect() const noexcept = 0;
    /// What the driver calls it.
    virtual const std::string& name() const noexcept = 0;
    virtual std::size_t memory_bytes() const noexcept = 0;
    virtual const Capabilities& capabilities() const noexcept = 0;
    /// What a binary depends on beside its source: architecture, compiler, driver, options.
    virtual std::string build_identity() = 0;

    /// 0 where memory is short.
    virtual Handle allocate(std::size_t bytes) = 0;
    virtual void release(Handle handle) noexcept = 0;

    virtual StreamHandle make_stream() = 0;
    virtual void release_stream(StreamHandle stream) noexcept = 0;
    virtual void synchronize(StreamHandle stream) = 0;

    virtual void copy_in(StreamHandle stream, Handle to, std::size_t offset, const void* from,
                         std::size_t bytes) = 0;
    virtual void copy_out(StreamHandle stream, void* to, Handle from, std::size_t offset,
                          std::size_t bytes) = 0;
    /// The two must not overlap.
    virtual void copy_within(StreamHandle stream, Handle to, std::size_t to_offset, Handle from,
                             std::size_t from_offset, std::size_t bytes) = 0;
    /// Repeats a pattern of 1, 2, 4, 8 or 16 bytes, of which `offset` and `bytes` are multiples.
    virtual void fill(StreamHandle stream, Handle to, std::size_t offset,
                      std::span<const std::byte> pattern, std::size_t bytes) = 0;

    /// What is done when all that was begun on a stream so far is.
    virtual EventHandle record(StreamHandle stream) = 0;
    /// What is begun on the stream from now on waits for the event.
    virtual void wait(StreamHandle stream, EventHandle event) = 0;
    virtual void wait_on_host(EventHandle event) = 0;
    virtual bool has_happened(EventHandle event) = 0;
    virtual void release_event(EventHandle event) noexcept = 0;

    /// Source to a binary that can be kept.
    virtual std::vector<std::byte> compile(const std::string& source) = 0;
    virtual KernelPtr load(std::span<const std::byte> binary, const std::string& entry) = 0;
    virtual void launch(StreamHandle stream, const Kernel& kernel, std::size_t groups,
                        std::size_t group_size, std::span<const Argument> arguments) = 0;

    /// The name of the device's BLAS, which is looked for by the first call; empty where there is none.
    virtual const std::string& blas() = 0;
    /// Begins products by that BLAS, which has to have them (`has_leading_dimensions`).
    virtual void multiply(StreamHandle stream, const MatrixProducts& products) = 0;

    /// Whether copies from and to this memory of the host are as fast as they can be: they need no pinned block in between.
    virtual bool is_pinned(const void* host) noexcept = 0;
    virtual void* allocate_pinned(std::size_t bytes) = 0;
    virtual void release_pinned(void* host) noexcept = 0;
    /// What kernels know pinned memory by; 0 where they do not reach memory of the host.
    virtual Handle handle_of_pinned(void* host) const noexcept = 0;

    /// "cuda:0 (NVIDIA H100)": what errors call it.
    const std::string& label() const noexcept { return label_; }
    void number(int n);
    Counters counters;

private:
    std::string label_;
};

/// The devices of a system. Why there are none, or not all, is added to `reasons`.
std::vector<std::unique_ptr<Driver>> cuda_devices(std::vector<std::string>& reasons);
std::vector<std::unique_ptr<Driver>> opencl_devices(std::vector<std::string>& reasons);

} // namespace purview
