// Defines driver/driver.hpp.
#include "blas.hpp"
#include "driver.hpp"
#include "opencl_functions.hpp"
#include "process.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <mutex>
#include <new>

namespace purview::inline v0_1::gpu::detail {
namespace {

/// The names of codes that a program may come to see.
std::string cl_error_text(int code) {
    const auto name = [&] {
        switch (code) {
        case -1: return "CL_DEVICE_NOT_FOUND";
        case -2: return "CL_DEVICE_NOT_AVAILABLE";
        case -3: return "CL_COMPILER_NOT_AVAILABLE";
        case -4: return "CL_MEM_OBJECT_ALLOCATION_FAILURE";
        case -5: return "CL_OUT_OF_RESOURCES";
        case -6: return "CL_OUT_OF_HOST_MEMORY";
        case -11: return "CL_BUILD_PROGRAM_FAILURE";
        case -14: return "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST";
        case -30: return "CL_INVALID_VALUE";
        case -36: return "CL_INVALID_COMMAND_QUEUE";
        case -38: return "CL_INVALID_MEM_OBJECT";
        case -42: return "CL_INVALID_BINARY";
        case -46: return "CL_INVALID_KERNEL_NAME";
        case -49: return "CL_INVALID_ARG_INDEX";
        case -51: return "CL_INVALID_ARG_SIZE";
        case -52: return "CL_INVALID_KERNEL_ARGS";
        case -54: return "CL_INVALID_WORK_GROUP_SIZE";
        case -61: return "CL_INVALID_BUFFER_SIZE";
        case -63: return "CL_INVALID_GLOBAL_WORK_SIZE";
        default: return "error";
        }
    };
    return fmt::format("{} ({})", name(), code);
}

/// What an OpenCL function tells about an object: texts end with a null.
template <typename Info, typename... Object>
std::string cl_text(Info info, unsigned which, Object... object) {
    std::size_t bytes = 0;
    if (info(object..., which, 0, nullptr, &bytes) != 0) return {};
    std::string text(bytes, '\0');
    if (bytes == 0 || info(object..., which, bytes, text.data(), nullptr) != 0) return {};
    return text.substr(0, text.find('\0'));
}

class ClKernel final : public Kernel {
public:
    ClKernel(const OpenClFunctions& functions, void* program) : cl(functions), program_(program) {}
    ~ClKernel() override {
        if (is_left_alone()) return;
        if (handle != nullptr) cl.release_kernel(handle);
        cl.release_program(program_);
    }
    const OpenClFunctions& cl;
    void* handle = nullptr;
    mutable std::mutex mutex; ///< it holds its arguments
    mutable bool was_launched = false;

private:
    void* program_;
};

class OpenClDriver final : public Driver {
public:
    OpenClDriver(const OpenClFunctions& cl, void* platform, void* device)
        : cl_(cl), device_(device) {
        name_ = cl_text(cl_.device_info, 0x102B, device_);
        identity_ = fmt::format("{} {}; {}; {}", cl_text(cl_.platform_info, 0x0902, platform),
                                cl_text(cl_.platform_info, 0x0901, platform),
                                cl_text(cl_.device_info, 0x102F, device_),
                                cl_text(cl_.device_info, 0x102D, device_));
        std::uint64_t memory = 0, local = 0, single = 0, wide = 0, kind = 0;
        std::uint32_t units = 0;
        std::size_t group = 0;
        info(0x101F, memory);
        info(0x1023, local);
        info(0x1000, kind);
        info(0x1002, units);
        info(0x1004, group);
        info(0x101B, single);
        info(0x1032, wide);
        memory_bytes_ = memory;
        is_gpu_ = (kind & 4) != 0;
        capabilities_ = {.float64 = wide != 0,
                         .rounded_division = (single & 128) != 0,
                         .denormals = (single & 1) != 0,
                         .group_size = group,
                         .local_bytes = local,
                         .units = units};
    }
    bool is_gpu() const noexcept { return is_gpu_; }

    Dialect dialect() const noexcept override { return Dialect::opencl; }
    const std::string& name() const noexcept override { return name_; }
    std::size_t memory_bytes() const noexcept override { return memory_bytes_; }
    const Capabilities& capabilities() const noexcept override { return capabilities_; }
    std::string build_identity() override { return fmt::format("{}; {}", identity_, options()); }

    Handle allocate(std::size_t bytes) override {
        void* const context = entered();
        int code = 0;
        void* memory = cl_.create_buffer(context, 1 /* read and write */, bytes, nullptr, &code);
        // Allocation failure, out of resources, out of the host's memory, and more than the device can give at once.
        if (code == -4 || code == -5 || code == -6 || code == -61) return 0;
        check(code, "clCreateBuffer");
        return reinterpret_cast<Handle>(memory);
    }
    void release(Handle handle) noexcept override {
        if (!is_left_alone()) cl_.release_buffer(memory_of(handle));
    }

    StreamHandle make_stream() override {
        void* const context = entered();
        int code = 0;
        void* queue = cl_.create_queue(context, device_, 0, &code);
        check(code, "clCreateCommandQueue");
        return queue;
    }
    void release_stream(StreamHandle stream) noexcept override {
        if (!is_left_alone()) cl_.release_queue(stream);
    }
    void synchronize(StreamHandle stream) override {
        entered();
        check(cl_.finish(stream), "clFinish");
    }

    void copy_in(StreamHandle stream, Handle to, std::size_t offset, const void* from,
                 std::size_t bytes) override {
        if (bytes == 0) return;
        entered();
        check(cl_.write(stream, memory_of(to), 0, offset, bytes, from, 0, nullptr, nullptr),
              "clEnqueueWriteBuffer");
        begin(stream);
        counters.bytes_in += bytes;
    }
    void copy_out(StreamHandle stream, void* to, Handle from, std::size_t offset,
                  std::size_t bytes) override {
        if (bytes == 0) return;
        entered();
        check(cl_.read(stream, memory_of(from), 0, offset, bytes, to, 0, nullptr, nullptr),
              "clEnqueueReadBuffer");
        begin(stream);
        counters.bytes_out += bytes;
    }
    void copy_within(StreamHandle stream, Handle to, std::size_t to_offset, Handle from,
                     std::size_t from_offset, std::size_t bytes) override {
        if (bytes == 0) return;
        entered();
        check(cl_.copy(stream, memory_of(from), memory_of(to), from_offset, to_offset, bytes, 0,
                       nullptr, nullptr),
              "clEnqueueCopyBuffer");
        begin(stream);
    }
    void fill(StreamHandle stream, Handle to, std::size_t offset,
              std::span<const std::byte> pattern, std::size_t bytes) override {
        if (bytes == 0) return;
        entered();
        check(cl_.fill(stream, memory_of(to), pattern.data(), pattern.size(), offset, bytes, 0,
                       nullptr, nullptr),
              "clEnqueueFillBuffer");
        begin(stream);
    }

    EventHandle record(StreamHandle stream) override {
        entered();
        void* event = nullptr;
        check(cl_.marker(stream, 0, nullptr, &event), "clEnqueueMarkerWithWaitList");
        begin(stream); // another queue must not wait for what is not begun
        return event;
    }
    void wait(StreamHandle stream, EventHandle event) override {
        entered();
        check(cl_.barrier(stream, 1, &event, nullptr), "clEnqueueBarrierWithWaitList");
    }
    void wait_on_host(EventHandle event) override {
        entered();
        check(cl_.wait_for_events(1, &event), "clWaitForEvents");
    }
    bool has_happened(EventHandle event) override {
        entered();
        int status = 0; // 0 is complete, and errors are negative
        check(cl_.event_info(event, 0x11D3, sizeof status, &status, nullptr), "clGetEventInfo");
        return status <= 0;
    }
    void release_event(EventHandle event) noexcept override {
        if (!is_left_alone()) cl_.release_event(event);
    }

    std::vector<std::byte> compile(const std::string& source) override {
        void* const context = entered();
        const char* text = source.c_str();
        int code = 0;
        void* program = cl_.from_source(context, 1, &text, nullptr, &code);
        check(code, "clCreateProgramWithSource");
        const ClKernel owner(cl_, program);
        build(program);
        ++counters.kernels_built;
        std::size_t bytes = 0;
        check(cl_.program_info(program, 0x1165, sizeof bytes, &bytes, nullptr), "clGetProgramInfo");
        std::vector<std::byte> binary(bytes);
        std::byte* place = binary.data();
        check(cl_.program_info(program, 0x1166, sizeof place, &place, nullptr), "clGetProgramInfo");
        return binary;
    }
    KernelPtr load(std::span<const std::byte> binary, const std::string& entry) override {
        void* const context = entered();
        const std::size_t bytes = binary.size();
        const auto* data = reinterpret_cast<const unsigned char*>(binary.data());
        int code = 0, status = 0;
        void* program = cl_.from_binary(context, 1, &device_, &bytes, &data, &status, &code);
        check(code != 0 ? code : status, "clCreateProgramWithBinary");
        auto kernel = std::make_shared<ClKernel>(cl_, program);
        build(program);
        kernel->handle = cl_.create_kernel(program, entry.c_str(), &code);
        check(code, "clCreateKernel");
        return kernel;
    }
    void launch(StreamHandle stream, const Kernel& kernel, std::size_t groups,
                std::size_t group_size, std::span<const Argument> arguments) override {
        if (groups == 0) return;
        entered();
        const auto& k = static_cast<const ClKernel&>(kernel);
        const std::size_t items = groups * group_size;
        const std::lock_guard lock(k.mutex);
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (const int code = cl_.set_argument(k.handle, static_cast<unsigned>(i),
                                                  arguments[i].bytes, &arguments[i].bits);
                code != 0)
                throw DeviceError(fmt::format("{}: clSetKernelArg: {} for argument {} of {} bytes",
                                              label(), cl_error_text(code), i, arguments[i].bytes));
        check(cl_.enqueue(stream, k.handle, 1, nullptr, &items, &group_size, 0, nullptr, nullptr),
              "clEnqueueNDRangeKernel");
        begin(stream);
        ++counters.launches;
        // A driver on the host, as PoCL, compiles what is launched for the first time on a thread of its own, which does not
        // survive the end of the program.
        if (!is_gpu_ && !std::exchange(k.was_launched, true)) check(cl_.finish(stream), "clFinish");
    }

    const std::string& blas() override {
        entered();
        std::call_once(blas_once_, [&] { blas_ = open_clblast(label()); });
        return blas_ == nullptr ? no_blas_ : blas_->name();
    }
    void multiply(StreamHandle stream, const MatrixProducts& products) override {
        entered();
        blas_->begin(stream, products);
        begin(stream);
        ++counters.launches;
    }

    // The driver copies pageable memory as fast as any.
    bool is_pinned(const void*) noexcept override { return true; }
    void* allocate_pinned(std::size_t bytes) override {
        return ::operator new (bytes, std::align_val_t{4096});
    }
    Handle handle_of_pinned(void*) const noexcept override { return 0; }
    void release_pinned(void* host) noexcept override {
        ::operator delete (host, std::align_val_t{4096});
    }

private:
    static void* memory_of(Handle handle) { return reinterpret_cast<void*>(handle); }

    template <typename T>
    void info(unsigned which, T& value) {
        if (cl_.device_info(device_, which, sizeof value, &value, nullptr) != 0) value = 0;
    }
    /// The context, made when it is first used.
    void* entered() {
        check_not_forked(label());
        std::call_once(once_, [&] {
            int code = 0;
            context_ = cl_.create_context(nullptr, 1, &device_, nullptr, nullptr, &code);
            check(code, "clCreateContext");
        });
        return context_;
    }
    void begin(StreamHandle stream) { check(cl_.flush(stream), "clFlush"); }
    void check(int code, const char* function) const {
        if (code != 0)
            throw DeviceError(fmt::format("{}: {}: {}", label(), function, cl_error_text(code)));
    }
    const char* options() const {
        return capabilities_.rounded_division
                   ? "-cl-std=CL1.2 -cl-fp32-correctly-rounded-divide-sqrt"
                   : "-cl-std=CL1.2";
    }
    void build(void* program) {
        const int code = cl_.build_program(program, 1, &device_, options(), nullptr, nullptr);
        if (code == 0) return;
        const std::string log = cl_text(cl_.build_info, 0x1183, program, device_);
        throw DeviceError(fmt::format("{}: a kernel was not compiled: {}\n{}", label(),
                                      cl_error_text(code), log.substr(0, 4000)));
    }

    const OpenClFunctions& cl_;
    void* device_;
    void* context_ = nullptr;
    std::once_flag once_, blas_once_;
    std::unique_ptr<DeviceBlas> blas_;
    const std::string no_blas_;
    std::string name_, identity_;
    std::size_t memory_bytes_ = 0;
    Capabilities capabilities_;
    bool is_gpu_ = false;
};

} // namespace

std::vector<std::unique_ptr<Driver>> opencl_devices(std::vector<std::string>& reasons) {
    std::vector<std::unique_ptr<OpenClDriver>> found;
    try {
        const DynamicLibrary library(std::array<std::string, 2>{
            "libOpenCL.so.1", "/System/Library/Frameworks/OpenCL.framework/OpenCL"});
        if (!library) {
            reasons.emplace_back("OpenCL: there is no libOpenCL.so.1");
            return {};
        }
        static const OpenClFunctions* functions = nullptr; // as long as the process
        functions = new OpenClFunctions(library);
        unsigned count = 0;
        std::vector<void*> platforms;
        if (functions->platforms(0, nullptr, &count) == 0) platforms.resize(count);
        if (count == 0 || functions->platforms(count, platforms.data(), nullptr) != 0) {
            reasons.emplace_back("OpenCL: there is no platform");
            return {};
        }
        for (void* platform : platforms) {
            unsigned here = 0;
            if (functions->devices(platform, 0xFFFFFFFF, 0, nullptr, &here) != 0) here = 0;
            std::vector<void*> devices(here);
            if (here == 0 ||
                functions->devices(platform, 0xFFFFFFFF, here, devices.data(), nullptr) != 0) {
                reasons.push_back(fmt::format("OpenCL: {} has no device",
                                              cl_text(functions->platform_info, 0x0902, platform)));
                continue;
            }
            for (void* device : devices) {
                const std::string version = cl_text(functions->device_info, 0x102F, device);
                if (version.starts_with("OpenCL 1.0") || version.starts_with("OpenCL 1.1")) {
                    reasons.push_back(fmt::format("OpenCL: {} has {}, and 1.2 is asked for",
                                                  cl_text(functions->device_info, 0x102B, device),
                                                  version));
                    continue;
                }
                found.push_back(std::make_unique<OpenClDriver>(*functions, platform, device));
            }
        }
    } catch (const DeviceError& error) {
        reasons.push_back(fmt::format("OpenCL: {}", error.what()));
    }
    std::ranges::stable_partition(found, [](const auto& d) { return d->is_gpu(); });
    return {std::make_move_iterator(found.begin()), std::make_move_iterator(found.end())};
}

} // namespace purview
