#include "engine/contract/blas.hpp"

#include <purview/evaluation/blas.hpp>

#include "base/fork_lock.hpp"
#include "engine/contract/blas_kernels.hpp"
#include "evaluation/lapack.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <new>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// A library by its short name, and the files in which it may be.
struct KnownLibrary {
    std::string_view name;
    std::vector<std::string> files;
};

/// In the order in which they are looked for.
std::vector<KnownLibrary> known_libraries() {
#ifdef __APPLE__
    return {{"openblas", {"libopenblas.0.dylib", "libopenblas.dylib"}},
            {"accelerate", {"/System/Library/Frameworks/Accelerate.framework/Accelerate"}},
            {"mkl", {"libmkl_rt.2.dylib", "libmkl_rt.dylib"}},
            {"blis", {"libblis.4.dylib", "libblis.dylib"}}};
#else
    return {{"openblas", {"libopenblas.so.0", "libopenblas.so"}},
            {"mkl", {"libmkl_rt.so.2", "libmkl_rt.so"}},
            {"blis", {"libblis.so.4", "libblis.so"}}};
#endif
}

/// Those of the library that is wanted by its short name or its file; of all, if none is.
std::vector<std::string> files_to_try(std::string_view wanted) {
    std::vector<std::string> files;
    for (const KnownLibrary& library : known_libraries())
        if (wanted.empty() || wanted == library.name)
            files.insert(files.end(), library.files.begin(), library.files.end());
    if (files.empty()) files.emplace_back(wanted);
    return files;
}

template <typename F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

// Of a thread that is in BLAS, a child process has only the locks.
std::atomic<int> calls_under_way = 0;
std::atomic<bool> lost_by_fork = false;

// A fork waits for a library that is being loaded: the child could not load any other.
std::mutex& loading() {
    static std::mutex mutex;
    return mutex;
}

bool watch_forks() {
    lock_while_forking<loading>();
    const int error = ::pthread_atfork(nullptr, nullptr, [] {
        if (calls_under_way.load(std::memory_order_relaxed) != 0)
            lost_by_fork.store(true, std::memory_order_relaxed);
    });
    if (error != 0) throw std::bad_alloc(); // ENOMEM, the only error that it has
    return true;
}
[[maybe_unused]] const bool forks_are_watched = watch_forks();

class Library {
public:
    Library() {
        const char* const variable = std::getenv("PURVIEW_BLAS");
        const std::string_view wanted = variable == nullptr ? "" : variable;
        if (wanted == "off") {
            description_ = "no BLAS: PURVIEW_BLAS is off";
            return;
        }
        for (const std::string& name : files_to_try(wanted)) {
            load(name);
            if (usable_) return;
        }
    }

    const Blas* functions() const noexcept { return usable_ ? &functions_ : nullptr; }
    void* lapack_symbol(const char* name) const {
        if (!usable_) return nullptr;
        if (void* const own = dlsym(handle_, name)) return own;
        static void* const beside = dlopen("liblapack.so.3", RTLD_NOW | RTLD_LOCAL); // never closed
        return beside == nullptr ? nullptr : dlsym(beside, name);
    }
    const std::string& description() const noexcept { return description_; }
    /// Whether they could be set.
    bool set_threads(int count) const noexcept {
        if (set_threads_ != nullptr) set_threads_(count);
        return set_threads_ != nullptr;
    }

private:
    void load(const std::string& name) {
        void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
        const bool is_ours = library == nullptr;
        if (is_ours) library = load_with_fitting_kernels(name);
        if (library == nullptr) {
            const char* const reason = dlerror();
            refuse(reason == nullptr ? name : reason);
            return;
        }
        // Never closed: it may have threads.
        if (!find_products<float>(library, 's') || !find_products<double>(library, 'd') ||
            !find_products<std::complex<float>>(library, 'c') ||
            !find_products<std::complex<double>>(library, 'z')) {
            refuse(name + " has no CBLAS");
            return;
        }
        const std::string config = openblas_config(library);
        if (config.find("USE64BITINT") != std::string::npos || counts_in_64_bits(library)) {
            refuse(name + " counts in 64 bits");
            return;
        }
        describe(library, name, config);
        if (is_ours && (find(library, "openblas_set_num_threads", set_threads_) ||
                        find(library, "MKL_Set_Num_Threads", set_threads_)))
            set_threads_(1);
        if (!find(library, "openblas_get_num_threads", functions_.own_threads))
            find(library, "MKL_Get_Max_Threads", functions_.own_threads);
        handle_ = library;
        usable_ = true;
    }

    template <typename T>
    bool find_products(void* library, char letter) {
        BlasOf<T>& functions = functions_;
        const std::string prefix = std::string("cblas_") + letter;
        return find(library, (prefix + "gemm").c_str(), functions.gemm) &&
               find(library, (prefix + "gemv").c_str(), functions.gemv);
    }

    /// OpenBLAS chooses its kernels while it is loaded, and takes processors younger than itself
    /// for very old ones. A variable that somebody has set is left as it is.
    static void* load_with_fitting_kernels(const std::string& name) {
        const std::string_view kernels = fitting_blas_kernels();
        if (kernels.empty() || std::getenv("OPENBLAS_CORETYPE") != nullptr)
            return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        static const std::string& variable =
            *new std::string("OPENBLAS_CORETYPE=" + std::string(kernels)); // never destroyed
        const VariableMeanwhile set(variable.c_str());
        return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    }

    /// MKL by its variable, BLIS by what it says.
    static bool counts_in_64_bits(void* library) {
        void (*mkl_threads)(int) = nullptr;
        if (find(library, "MKL_Set_Num_Threads", mkl_threads)) {
            const char* const layer = std::getenv("MKL_INTERFACE_LAYER");
            return layer != nullptr && std::string_view(layer).find("ILP64") != std::string::npos;
        }
        std::int64_t (*blis_bits)() = nullptr;
        return find(library, "bli_info_get_blas_int_type_size", blis_bits) && blis_bits() == 64;
    }

    void refuse(const std::string& reason) {
        description_ += (description_.empty() ? "no BLAS: " : "; ") + reason;
    }

    static std::string openblas_config(void* library) {
        char* (*config)() = nullptr;
        return find(library, "openblas_get_config", config) ? config() : "";
    }

    /// The first two words of a config like "OpenBLAS 0.3.21 NO_LAPACKE DYNAMIC_ARCH NO_AFFINITY
    /// SkylakeX MAX_THREADS=64": name and version.
    void describe(void* library, const std::string& name, const std::string& config) {
        char* (*core)() = nullptr;
        description_ = config.substr(0, config.find(' ', config.find(' ') + 1));
        const std::string kernels = find(library, "openblas_get_corename", core) ? core() : "";
        if (!kernels.empty()) description_.append(" ").append(kernels);
        description_ = description_.empty() ? name : description_ + " (" + name + ")";
        const char* const forced = std::getenv("OPENBLAS_CORETYPE");
        if (forced != nullptr) description_.append(", OPENBLAS_CORETYPE=").append(forced);
        if (!fit_processor(kernels))
            description_.append(", kernels of an older processor: set OPENBLAS_CORETYPE=")
                .append(fitting_blas_kernels())
                .append(" before the program starts");
    }

    Blas functions_;
    void (*set_threads_)(int) = nullptr; ///< of a library that is ours alone
    void* handle_ = nullptr;
    bool usable_ = false;
    std::string description_;
};

/// Never destroyed: products may be computed while the program ends. Null in a child process that
/// was forked while a thread was in BLAS.
const Library* library() {
    static std::atomic<const Library*> loaded = nullptr;
    if (lost_by_fork.load(std::memory_order_relaxed)) return nullptr;
    if (const Library* const known = loaded.load(std::memory_order_acquire)) return known;
    const std::lock_guard lock(loading());
    if (loaded.load(std::memory_order_relaxed) == nullptr)
        loaded.store(new Library, std::memory_order_release);
    return loaded.load(std::memory_order_relaxed);
}

} // namespace

const Blas* blas() {
    const Library* const found = library();
    return found == nullptr ? nullptr : found->functions();
}

BlasCall::BlasCall() noexcept { calls_under_way.fetch_add(1); }
BlasCall::~BlasCall() { calls_under_way.fetch_sub(1); }

} // namespace purview::engine

namespace purview::inline v0_1 {

void* lapack_symbol(const char* name) {
    const engine::Library* const found = engine::library();
    return found == nullptr ? nullptr : found->lapack_symbol(name);
}
namespace {

std::atomic<bool> has_many_threads = false;

} // namespace

LapackCall::LapackCall(int threads) noexcept {
    engine::calls_under_way.fetch_add(1);
    if (threads == 1 || has_many_threads.exchange(true)) return;
    const engine::Library* const found = engine::library();
    has_threads_ = found != nullptr && found->set_threads(threads);
    if (!has_threads_) has_many_threads.store(false);
}
LapackCall::~LapackCall() {
    if (has_threads_) {
        if (const engine::Library* const found = engine::library()) found->set_threads(1);
        has_many_threads.store(false);
    }
    engine::calls_under_way.fetch_sub(1);
}

std::string blas_library() {
    const engine::Library* const found = engine::library();
    return found == nullptr ? "no BLAS: this process was forked while a thread was in it"
                            : found->description();
}

} // namespace purview
