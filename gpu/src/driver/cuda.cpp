// Defines driver/driver.hpp.
#include "blas.hpp"
#include "cuda_functions.hpp"
#include "driver.hpp"
#include "nvrtc.hpp"
#include "process.hpp"

#include <purview/base/errors.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>
#include <mutex>
#include <optional>

namespace purview::inline v0_1::gpu::detail {
namespace {

constexpr int cuda_out_of_memory = 2, cuda_not_ready = 600;

/// Errors after which nothing works any more in this process: a kernel's fault, hardware.
bool is_sticky(int code) {
    switch (code) {
    case 214: // uncorrectable ECC error
    case 220: // NVLink
    case 226: // contained fault
    case 700: // illegal address
    case 702: // launch timed out
    case 709: // context is destroyed
    case 710: // assertion
    case 714: // hardware stack error
    case 715: // illegal instruction
    case 716: // misaligned address
    case 717: // invalid address space
    case 718: // invalid program counter
    case 719: // launch failed
    case 721: // tensor memory
    case 999: // unknown
        return true;
    default: return false;
    }
}

class CudaDriver final : public Driver {
public:
    CudaDriver(const CudaFunctions& cuda, int ordinal, int driver_version)
        : cuda_(cuda), driver_version_(driver_version) {
        check(cuda_.device_get(&device_, ordinal), "cuDeviceGet");
        std::array<char, 256> text{};
        check(cuda_.device_name(text.data(), 255, device_), "cuDeviceGetName");
        name_ = text.data();
        check(cuda_.device_memory(&memory_bytes_, device_), "cuDeviceTotalMem");
        const auto attribute = [&](int which) {
            int value = 0;
            check(cuda_.device_attribute(&value, which, device_), "cuDeviceGetAttribute");
            return value;
        };
        architecture_ = 10 * attribute(75) + attribute(76);
        capabilities_.group_size = static_cast<std::size_t>(attribute(1));
        capabilities_.local_bytes = static_cast<std::size_t>(attribute(8));
        capabilities_.units = static_cast<std::size_t>(attribute(16));
    }

    Dialect dialect() const noexcept override { return Dialect::cuda; }
    const std::string& name() const noexcept override { return name_; }
    std::size_t memory_bytes() const noexcept override { return memory_bytes_; }
    const Capabilities& capabilities() const noexcept override { return capabilities_; }
    std::string build_identity() override {
        return fmt::format("{}, driver {}", nvrtc().identity(architecture_), driver_version_);
    }

    Handle allocate(std::size_t bytes) override {
        const Entered entered(*this);
        Handle handle = 0;
        const int code = cuda_.allocate(&handle, bytes);
        if (code == cuda_out_of_memory) return 0;
        check(code, "cuMemAlloc");
        return handle;
    }
    void release(Handle handle) noexcept override {
        if (const Quiet quiet(*this); quiet) cuda_.free(handle);
    }

    StreamHandle make_stream() override {
        const Entered entered(*this);
        void* stream = nullptr;
        check(cuda_.create_stream(&stream, 1 /* does not wait for the default stream */),
              "cuStreamCreate");
        return stream;
    }
    void release_stream(StreamHandle stream) noexcept override {
        if (const Quiet quiet(*this); quiet) cuda_.destroy_stream(stream);
    }
    void synchronize(StreamHandle stream) override {
        const Entered entered(*this);
        check(cuda_.synchronize_stream(stream), "cuStreamSynchronize");
    }

    void copy_in(StreamHandle stream, Handle to, std::size_t offset, const void* from,
                 std::size_t bytes) override {
        if (bytes == 0) return;
        const Entered entered(*this);
        check(cuda_.copy_in(to + offset, from, bytes, stream), "cuMemcpyHtoDAsync");
        counters.bytes_in += bytes;
    }
    void copy_out(StreamHandle stream, void* to, Handle from, std::size_t offset,
                  std::size_t bytes) override {
        if (bytes == 0) return;
        const Entered entered(*this);
        check(cuda_.copy_out(to, from + offset, bytes, stream), "cuMemcpyDtoHAsync");
        counters.bytes_out += bytes;
    }
    void copy_within(StreamHandle stream, Handle to, std::size_t to_offset, Handle from,
                     std::size_t from_offset, std::size_t bytes) override {
        if (bytes == 0) return;
        const Entered entered(*this);
        check(cuda_.copy_within(to + to_offset, from + from_offset, bytes, stream),
              "cuMemcpyDtoDAsync");
    }
    void fill(StreamHandle stream, Handle to, std::size_t offset,
              std::span<const std::byte> pattern, std::size_t bytes) override {
        if (bytes == 0) return;
        const Entered entered(*this);
        const Handle at = to + offset;
        std::array<unsigned, 4> words{};
        std::memcpy(words.data(), pattern.data(), pattern.size());
        if (pattern.size() == 1)
            return check(cuda_.set8(at, static_cast<unsigned char>(words[0]), bytes, stream),
                         "cuMemsetD8Async");
        if (pattern.size() == 2)
            return check(cuda_.set16(at, static_cast<unsigned short>(words[0]), bytes / 2, stream),
                         "cuMemsetD16Async");
        const std::size_t n = pattern.size() / 4;
        bool equal = true;
        for (std::size_t i = 1; i < n; ++i) equal = equal && words[i] == words[0];
        if (equal) return check(cuda_.set32(at, words[0], bytes / 4, stream), "cuMemsetD32Async");
        // The driver has no longer ones: once, then what is there is doubled.
        for (std::size_t i = 0; i < n; ++i)
            check(cuda_.set32(at + 4 * i, words[i], 1, stream), "cuMemsetD32Async");
        for (std::size_t done = pattern.size(); done < bytes;) {
            const std::size_t part = std::min(done, bytes - done);
            check(cuda_.copy_within(at + done, at, part, stream), "cuMemcpyDtoDAsync");
            done += part;
        }
    }

    EventHandle record(StreamHandle stream) override {
        const Entered entered(*this);
        void* event = nullptr;
        check(cuda_.create_event(&event, 2 /* without times */), "cuEventCreate");
        if (const int code = cuda_.record_event(event, stream); code != 0) {
            cuda_.destroy_event(event);
            check(code, "cuEventRecord");
        }
        return event;
    }
    void wait(StreamHandle stream, EventHandle event) override {
        const Entered entered(*this);
        check(cuda_.wait_event(stream, event, 0), "cuStreamWaitEvent");
    }
    void wait_on_host(EventHandle event) override {
        const Entered entered(*this);
        check(cuda_.synchronize_event(event), "cuEventSynchronize");
    }
    bool has_happened(EventHandle event) override {
        const Entered entered(*this);
        const int code = cuda_.query_event(event);
        if (code != cuda_not_ready) check(code, "cuEventQuery");
        return code == 0;
    }
    void release_event(EventHandle event) noexcept override {
        if (const Quiet quiet(*this); quiet) cuda_.destroy_event(event);
    }

    std::vector<std::byte> compile(const std::string& source) override {
        check_not_forked(label());
        auto binary = nvrtc().compile(source, architecture_, label());
        ++counters.kernels_built;
        return binary;
    }
    KernelPtr load(std::span<const std::byte> binary, const std::string& entry) override;
    void launch(StreamHandle stream, const Kernel& kernel, std::size_t groups,
                std::size_t group_size, std::span<const Argument> arguments) override;

    const std::string& blas() override {
        std::call_once(blas_once_, [&] {
            const Entered entered(*this);
            blas_ = open_cublas(driver_version_ / 1000, label());
        });
        return blas_ == nullptr ? no_blas_ : blas_->name();
    }
    void multiply(StreamHandle stream, const MatrixProducts& products) override {
        const Entered entered(*this);
        blas_->begin(stream, products);
        ++counters.launches;
    }

    bool is_pinned(const void* host) noexcept override {
        const Quiet quiet(*this);
        unsigned type = 0; // of memory: the host's is 1; an error where the driver does not know it
        return quiet &&
               cuda_.pointer_attribute(&type, 2, reinterpret_cast<std::uint64_t>(host)) == 0 &&
               type == 1;
    }
    void* allocate_pinned(std::size_t bytes) override {
        const Entered entered(*this);
        void* host = nullptr;
        check(cuda_.allocate_host(&host, bytes), "cuMemAllocHost");
        return host;
    }
    Handle handle_of_pinned(void* host) const noexcept override { // one address space for both
        return reinterpret_cast<Handle>(host);
    }
    void release_pinned(void* host) noexcept override {
        if (const Quiet quiet(*this); quiet) cuda_.free_host(host);
    }

private:
    friend class CudaKernel;

    /// While it lives, the device's context is the calling thread's; another one comes back afterwards.
    class Entered {
    public:
        explicit Entered(CudaDriver& driver) : driver_(driver) {
            check_not_forked(driver.label());
            driver.check_whole();
            driver.enter(before_);
        }
        ~Entered() { driver_.leave(before_); }
        Entered(const Entered&) = delete;
        Entered& operator=(const Entered&) = delete;

    private:
        CudaDriver& driver_;
        void* before_ = nullptr;
    };

    /// The same for what must not throw: false where nothing is to be called any more.
    class Quiet {
    public:
        explicit Quiet(CudaDriver& driver) noexcept : driver_(driver) {
            if (is_left_alone() || driver.is_broken_ || driver.context_.load() == nullptr) return;
            entered_ = driver.enter_context(before_) == 0;
        }
        ~Quiet() {
            if (entered_) driver_.leave(before_);
        }
        Quiet(const Quiet&) = delete;
        Quiet& operator=(const Quiet&) = delete;
        explicit operator bool() const noexcept { return entered_; }

    private:
        CudaDriver& driver_;
        void* before_ = nullptr;
        bool entered_ = false;
    };

    void enter(void*& before) {
        if (context_.load(std::memory_order_acquire) == nullptr) {
            const std::lock_guard lock(context_mutex_);
            if (context_.load() == nullptr) {
                void* context = nullptr;
                check(cuda_.retain_primary_context(&context, device_), "cuDevicePrimaryCtxRetain");
                context_.store(context, std::memory_order_release);
            }
        }
        check(enter_context(before), "cuCtxSetCurrent");
    }
    int enter_context(void*& before) noexcept {
        void* const own = context_.load(std::memory_order_acquire);
        void* current = nullptr;
        if (const int code = cuda_.get_current(&current); code != 0) return code;
        if (current == own) return 0;
        before = current;
        return cuda_.set_current(own);
    }
    void leave(void* before) noexcept { // a thread that had none keeps ours
        if (before != nullptr) cuda_.set_current(before);
    }

    void check_whole() {
        if (!is_broken_.load(std::memory_order_acquire)) return;
        const std::lock_guard lock(mutex_);
        throw DeviceError(fmt::format(
            "{}: the device was lost by an earlier error, {}, and cannot be used any more in this process",
            label(), fault_));
    }
    void check(int code, const char* function) {
        if (code == 0) return;
        const char* name = nullptr;
        if (cuda_.error_name(code, &name) != 0 || name == nullptr) name = "unknown error";
        const std::string text = fmt::format("{}: {} ({})", function, name, code);
        if (!is_sticky(code))
            throw DeviceError(fmt::format("{}: {}", label().empty() ? name_ : label(), text));
        {
            const std::lock_guard lock(mutex_);
            if (fault_.empty()) fault_ = text;
            is_broken_.store(true, std::memory_order_release);
        }
        throw DeviceError(fmt::format(
            "{}: {}: work that was begun earlier has failed, and the device cannot be used any more in this process",
            label(), text));
    }

    const Nvrtc& nvrtc() {
        const std::lock_guard lock(nvrtc_mutex_);
        if (!nvrtc_) nvrtc_.emplace(driver_version_ / 1000);
        return *nvrtc_;
    }

    const CudaFunctions& cuda_;
    int device_ = 0, driver_version_, architecture_ = 0;
    std::string name_;
    std::size_t memory_bytes_ = 0;
    Capabilities capabilities_;
    std::atomic<void*> context_{nullptr};
    std::atomic<bool> is_broken_{false};
    std::string fault_;
    std::optional<Nvrtc> nvrtc_;
    std::once_flag blas_once_;
    std::unique_ptr<DeviceBlas> blas_;
    const std::string no_blas_;
    std::mutex mutex_, context_mutex_, nvrtc_mutex_;
};

class CudaKernel final : public Kernel {
public:
    CudaKernel(CudaDriver& d, void* m) : driver(d), module(m) {}
    ~CudaKernel() override {
        if (const CudaDriver::Quiet quiet(driver); quiet) driver.cuda_.unload_module(module);
    }
    CudaDriver& driver;
    void* module;
    void* function = nullptr;
};

KernelPtr CudaDriver::load(std::span<const std::byte> binary, const std::string& entry) {
    const Entered entered(*this);
    void* module = nullptr;
    check(cuda_.load_module(&module, binary.data()), "cuModuleLoadData");
    auto kernel = std::make_shared<CudaKernel>(*this, module);
    check(cuda_.module_function(&kernel->function, module, entry.c_str()), "cuModuleGetFunction");
    return kernel;
}

void CudaDriver::launch(StreamHandle stream, const Kernel& kernel, std::size_t groups,
                        std::size_t group_size, std::span<const Argument> arguments) {
    if (groups == 0) return;
    if (groups > std::numeric_limits<int>::max())
        throw DeviceError(
            fmt::format("{}: {} groups of work items, and there can be 2^31 - 1", label(), groups));
    const Entered entered(*this);
    std::array<void*, 512> places;
    if (arguments.size() > places.size())
        throw DeviceError(fmt::format("{}: {} arguments of a kernel, and there can be {}", label(),
                                      arguments.size(), places.size()));
    for (std::size_t i = 0; i < arguments.size(); ++i)
        places[i] = const_cast<std::uint64_t*>(&arguments[i].bits);
    check(cuda_.launch(static_cast<const CudaKernel&>(kernel).function,
                       static_cast<unsigned>(groups), 1, 1, static_cast<unsigned>(group_size), 1, 1,
                       0, stream, places.data(), nullptr),
          "cuLaunchKernel");
    ++counters.launches;
}

} // namespace

std::vector<std::unique_ptr<Driver>> cuda_devices(std::vector<std::string>& reasons) {
    std::vector<std::unique_ptr<Driver>> found;
    try {
        const DynamicLibrary library(
            std::array<std::string, 2>{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"});
        if (!library) {
            reasons.emplace_back("CUDA: there is no libcuda.so.1");
            return found;
        }
        static const CudaFunctions* functions = nullptr; // as long as the process
        functions = new CudaFunctions(library);
        int count = 0, version = 0;
        if (const int code = functions->init(0); code != 0) {
            const char* name = nullptr;
            if (functions->error_name(code, &name) != 0 || name == nullptr) name = "unknown error";
            reasons.push_back(fmt::format("CUDA: cuInit: {} ({})", name, code));
            return found;
        }
        functions->driver_version(&version);
        functions->device_count(&count);
        for (int i = 0; i < count; ++i)
            found.push_back(std::make_unique<CudaDriver>(*functions, i, version));
    } catch (const DeviceError& error) {
        reasons.push_back(fmt::format("CUDA: {}", error.what()));
    }
    return found;
}

} // namespace purview
