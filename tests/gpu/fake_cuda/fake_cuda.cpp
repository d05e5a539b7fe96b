// A libcuda.so.1, libnvrtc.so and libcublas.so in one, whose device is memory of the host: what the driver for CUDA calls is checked where
// there is no such device. Everything is done at once. It knows two kernels, by name: `twice`, and `fault`, after which nothing works
// any more.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <set>
#include <string>

namespace {

enum Code {
    ok = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_context = 201,
    not_found = 500,
    illegal_address = 700
};

std::recursive_mutex mutex;
std::map<std::uint64_t, std::size_t> memory, pinned;
std::set<void*> streams{nullptr}, events, modules;
std::deque<char> ever_made; // objects are places in it
std::size_t allocated = 0;
constexpr std::size_t total = std::size_t{1} << 30;
int context_object;
thread_local void* current = nullptr;
bool faulty = false;

struct Lock : std::lock_guard<std::recursive_mutex> {
    Lock() : std::lock_guard<std::recursive_mutex>(mutex) {}
};

bool within(const std::map<std::uint64_t, std::size_t>& blocks, std::uint64_t at,
            std::size_t bytes) {
    auto block = blocks.upper_bound(at);
    if (block == blocks.begin()) return false;
    --block;
    return at - block->first <= block->second && bytes <= block->second - (at - block->first);
}
/// What every call needs: the context of the device, in which nothing has failed.
int ready(void* stream = nullptr) {
    if (current != &context_object) return invalid_context;
    if (faulty) return illegal_address;
    return streams.count(stream) != 0 ? ok : 400;
}
template <typename T>
int set(std::uint64_t to, T value, std::size_t count, void* stream) {
    const Lock lock;
    if (const int code = ready(stream)) return code;
    if (!within(memory, to, count * sizeof(T)) || to % sizeof(T) != 0) return invalid_value;
    for (std::size_t i = 0; i < count; ++i) reinterpret_cast<T*>(to)[i] = value;
    return ok;
}
/// As cuBLAS: matrices by columns.
template <typename T>
int multiply(void* handle, int a_turned, int b_turned, int m, int n, int k, const T* alpha,
             const T* a, int lda, long long a_step, const T* b, int ldb, long long b_step,
             const T* beta, T* c, int ldc, long long c_step, int batch) {
    const Lock lock;
    if (handle != &context_object) return 1;
    if (const int code = ready()) return code;
    if (m <= 0 || n <= 0 || k <= 0 || lda < (a_turned ? k : m) || ldb < (b_turned ? n : k) ||
        ldc < m || *beta != 0)
        return 7;
    for (long long i = 0; i < batch; ++i)
        for (long long row = 0; row < m; ++row)
            for (long long column = 0; column < n; ++column) {
                T sum = 0;
                for (long long s = 0; s < k; ++s) {
                    const T* const x = a + i * a_step + (a_turned ? row * lda + s : s * lda + row);
                    const T* const y =
                        b + i * b_step + (b_turned ? s * ldb + column : column * ldb + s);
                    if (!within(memory, reinterpret_cast<std::uint64_t>(x), sizeof(T)) ||
                        !within(memory, reinterpret_cast<std::uint64_t>(y), sizeof(T)))
                        return 14;
                    sum += *x * *y;
                }
                T* const to = c + i * c_step + column * ldc + row;
                if (!within(memory, reinterpret_cast<std::uint64_t>(to), sizeof(T))) return 14;
                *to = *alpha * sum;
            }
    return ok;
}
int added(std::set<void*>& objects, void** made) {
    const Lock lock;
    if (const int code = ready()) return code;
    *made = &ever_made.emplace_back();
    objects.insert(*made);
    return ok;
}
int removed(std::set<void*>& objects, void* object) {
    const Lock lock;
    if (const int code = ready()) return code;
    if (objects.erase(object) == 0) return 400;
    return ok;
}
int copied(std::uint64_t device, const void* from, void* to, std::size_t bytes, void* stream) {
    const Lock lock;
    if (const int code = ready(stream)) return code;
    if (!within(memory, device, bytes)) return invalid_value;
    std::memcpy(to, from, bytes);
    return ok;
}

std::string program;

} // namespace

#pragma GCC diagnostic ignored "-Wmissing-declarations"
extern "C" {

int cuInit(unsigned) { return std::getenv("CUDA_VISIBLE_DEVICES") != nullptr ? 100 : ok; }
int cuDriverGetVersion(int* version) { return *version = 13000, ok; }
int cuGetErrorName(int code, const char** name) {
    *name = code == invalid_value     ? "CUDA_ERROR_INVALID_VALUE"
            : code == illegal_address ? "CUDA_ERROR_ILLEGAL_ADDRESS"
                                      : "CUDA_ERROR";
    return ok;
}
int cuDeviceGetCount(int* count) { return *count = 1, ok; }
int cuDeviceGet(int* device, int) { return *device = 0, ok; }
int cuDeviceGetName(char* text, int, int) { return std::strcpy(text, "fake CUDA"), ok; }
int cuDeviceGetAttribute(int* value, int which, int) {
    *value = which == 1 ? 1024 : which == 8 ? 49152 : which == 16 ? 4 : which == 75 ? 9 : 0;
    return ok;
}
int cuDeviceTotalMem_v2(std::size_t* bytes, int) { return *bytes = total, ok; }
int cuDevicePrimaryCtxRetain(void** made, int) { return *made = &context_object, ok; }
int cuCtxGetCurrent(void** found) { return *found = current, ok; }
int cuCtxSetCurrent(void* context) { return current = context, ok; }

int cuMemAlloc_v2(std::uint64_t* made, std::size_t bytes) {
    const Lock lock;
    if (const int code = ready()) return code;
    if (bytes > total - allocated) return out_of_memory;
    void* place = std::malloc(bytes);
    std::memset(place, 0xA5, bytes);
    *made = reinterpret_cast<std::uint64_t>(place);
    memory[*made] = bytes;
    allocated += bytes;
    return ok;
}
int cuMemFree_v2(std::uint64_t handle) {
    const Lock lock;
    if (const int code = ready()) return code;
    const auto block = memory.find(handle);
    if (block == memory.end()) return invalid_value;
    allocated -= block->second;
    std::free(reinterpret_cast<void*>(handle));
    memory.erase(block);
    return ok;
}
int cuMemAllocHost_v2(void** made, std::size_t bytes) {
    const Lock lock;
    if (const int code = ready()) return code;
    *made = std::malloc(bytes);
    pinned[reinterpret_cast<std::uint64_t>(*made)] = bytes;
    return ok;
}
int cuMemFreeHost(void* place) {
    const Lock lock;
    if (pinned.erase(reinterpret_cast<std::uint64_t>(place)) == 0) return invalid_value;
    std::free(place);
    return ok;
}
int cuPointerGetAttribute(void* value, int which, std::uint64_t place) {
    const Lock lock;
    if (which != 2 || !within(pinned, place, 1)) return invalid_value;
    *static_cast<unsigned*>(value) = 1;
    return ok;
}
int cuMemcpyHtoDAsync_v2(std::uint64_t to, const void* from, std::size_t bytes, void* stream) {
    return copied(to, from, reinterpret_cast<void*>(to), bytes, stream);
}
int cuMemcpyDtoHAsync_v2(void* to, std::uint64_t from, std::size_t bytes, void* stream) {
    return copied(from, reinterpret_cast<const void*>(from), to, bytes, stream);
}
int cuMemcpyDtoDAsync_v2(std::uint64_t to, std::uint64_t from, std::size_t bytes, void* stream) {
    const Lock lock;
    if (!within(memory, to, bytes) || (to < from + bytes && from < to + bytes))
        return invalid_value;
    return copied(from, reinterpret_cast<const void*>(from), reinterpret_cast<void*>(to), bytes,
                  stream);
}
int cuMemsetD8Async(std::uint64_t to, unsigned char value, std::size_t n, void* stream) {
    return set(to, value, n, stream);
}
int cuMemsetD16Async(std::uint64_t to, unsigned short value, std::size_t n, void* stream) {
    return set(to, value, n, stream);
}
int cuMemsetD32Async(std::uint64_t to, unsigned value, std::size_t n, void* stream) {
    return set(to, value, n, stream);
}

int cuStreamCreate(void** made, unsigned) { return added(streams, made); }
int cuStreamDestroy_v2(void* stream) { return removed(streams, stream); }
int cuStreamSynchronize(void* stream) {
    const Lock lock;
    return ready(stream);
}
int cuEventCreate(void** made, unsigned) { return added(events, made); }
int cuEventDestroy_v2(void* event) { return removed(events, event); }
int cuEventRecord(void* event, void* stream) {
    const Lock lock;
    const int code = ready(stream);
    return code != ok || events.count(event) != 0 ? code : 400;
}
int cuStreamWaitEvent(void* stream, void* event, unsigned) { return cuEventRecord(event, stream); }
int cuEventSynchronize(void* event) { return cuEventRecord(event, nullptr); }
int cuEventQuery(void* event) { return cuEventRecord(event, nullptr); }

int cuModuleLoadData(void** module, const void* image) {
    if (std::strncmp(static_cast<const char*>(image), "fake cubin", 10) != 0) return 200;
    return added(modules, module);
}
int cuModuleUnload(void* module) { return removed(modules, module); }
int cuModuleGetFunction(void** function, void* module, const char* name) {
    const Lock lock;
    if (modules.count(module) == 0) return 400;
    static char twice, fault;
    if (std::strcmp(name, "twice") != 0 && std::strcmp(name, "fault") != 0) return not_found;
    *function = std::strcmp(name, "twice") == 0 ? &twice : &fault;
    *static_cast<char*>(*function) = name[0];
    return ok;
}
int cuLaunchKernel(void* function, unsigned groups, unsigned, unsigned, unsigned size, unsigned,
                   unsigned, unsigned, void* stream, void** arguments, void**) {
    const Lock lock;
    if (const int code = ready(stream)) return code;
    if (size > 1024 || size == 0 || groups == 0) return invalid_value;
    if (*static_cast<char*>(function) == 'f') {
        faulty = true; // seen by the next call
        return ok;
    }
    std::uint64_t y = 0, x = 0;
    int by = 0;
    long long n = 0;
    std::memcpy(&y, arguments[0], 8);
    std::memcpy(&x, arguments[1], 8);
    std::memcpy(&by, arguments[2], 4);
    std::memcpy(&n, arguments[3], 8);
    if (!within(memory, y, static_cast<std::size_t>(4 * n)) ||
        !within(memory, x, static_cast<std::size_t>(4 * n)))
        return invalid_value;
    for (long long i = 0; i < n && i < static_cast<long long>(groups) * size; ++i)
        reinterpret_cast<int*>(y)[i] = 2 * reinterpret_cast<int*>(x)[i] + by;
    return ok;
}

// --- cuBLAS

int cublasCreate_v2(void** handle) { return *handle = &context_object, ready(); }
int cublasSetMathMode(void* handle, int mode) {
    return handle == &context_object && mode == 0 ? 0 : 7;
}
int cublasGetVersion_v2(void*, int* version) { return *version = 130000, 0; }
int cublasSetStream_v2(void* handle, void* stream) {
    const Lock lock;
    return handle == &context_object ? ready(stream) : 1;
}
int cublasSgemmStridedBatched(void* handle, int ta, int tb, int m, int n, int k, const float* alpha,
                              const float* a, int lda, long long sa, const float* b, int ldb,
                              long long sb, const float* beta, float* c, int ldc, long long sc,
                              int batch) {
    return multiply(handle, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc,
                    batch);
}
int cublasDgemmStridedBatched(void* handle, int ta, int tb, int m, int n, int k,
                              const double* alpha, const double* a, int lda, long long sa,
                              const double* b, int ldb, long long sb, const double* beta, double* c,
                              int ldc, long long sc, int batch) {
    return multiply(handle, ta, tb, m, n, k, alpha, a, lda, sa, b, ldb, sb, beta, c, ldc, sc,
                    batch);
}

// --- the compiler: what it is given comes back behind a few words, unless it contains "no_type"

int nvrtcVersion(int* major, int* minor) { return *major = 13, *minor = 0, 0; }
int nvrtcGetNumSupportedArchs(int* n) { return *n = 2, 0; }
int nvrtcGetSupportedArchs(int* list) { return list[0] = 80, list[1] = 90, 0; }
int nvrtcCreateProgram(void** made, const char* source, const char*, int, const char* const*,
                       const char* const*) {
    program = std::string("fake cubin\n") + source;
    return *made = &program, 0;
}
int nvrtcCompileProgram(void*, int, const char* const*) {
    return program.find("no_type") != std::string::npos ? 6 : 0;
}
int nvrtcGetCUBINSize(void*, std::size_t* bytes) { return *bytes = program.size() + 1, 0; }
int nvrtcGetCUBIN(void*, char* out) {
    return std::memcpy(out, program.c_str(), program.size() + 1), 0;
}
int nvrtcGetPTXSize(void*, std::size_t* bytes) { return *bytes = program.size() + 1, 0; }
int nvrtcGetPTX(void*, char* out) {
    return std::memcpy(out, program.c_str(), program.size() + 1), 0;
}
int nvrtcGetProgramLogSize(void*, std::size_t* bytes) { return *bytes = program.size() + 1, 0; }
int nvrtcGetProgramLog(void*, char* out) {
    return std::memcpy(out, program.c_str(), program.size() + 1), 0;
}
int nvrtcDestroyProgram(void** made) { return *made = nullptr, 0; }
const char* nvrtcGetErrorString(int) { return "NVRTC_ERROR_COMPILATION"; }
}
