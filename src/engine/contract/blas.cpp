#include "engine/contract/blas.hpp"

#include <dlfcn.h>

#include <cstdlib>
#include <string>
#include <string_view>
#include <vector>

namespace purview::engine {
namespace {

std::vector<std::string> names_to_try(std::string_view wanted) {
    if (!wanted.empty()) return {std::string(wanted)};
#ifdef __APPLE__
    return {"libopenblas.0.dylib", "libopenblas.dylib"};
#else
    return {"libopenblas.so.0", "libopenblas.so"};
#endif
}

template <typename F>
bool find(void* library, const char* name, F& function) {
    function = reinterpret_cast<F>(dlsym(library, name));
    return function != nullptr;
}

class Library {
public:
    Library() {
        const char* const variable = std::getenv("PURVIEW_BLAS");
        const std::string_view wanted = variable == nullptr ? "" : variable;
        if (wanted == "off") {
            description_ = "no BLAS: PURVIEW_BLAS is off";
            return;
        }
        for (const std::string& name : names_to_try(wanted)) {
            load(name);
            if (usable_) return;
        }
    }

    const Blas* functions() const noexcept { return usable_ ? &functions_ : nullptr; }
    const std::string& description() const noexcept { return description_; }

private:
    void load(const std::string& name) {
        void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD | RTLD_LOCAL);
        const bool is_ours = library == nullptr;
        if (is_ours) library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (library == nullptr) {
            const char* const reason = dlerror();
            refuse(reason == nullptr ? name : reason);
            return;
        }
        // Never closed: it may have threads.
        if (!find(library, "cblas_sgemm", functions_.sgemm) ||
            !find(library, "cblas_dgemm", functions_.dgemm) ||
            !find(library, "cblas_sgemv", functions_.sgemv) ||
            !find(library, "cblas_dgemv", functions_.dgemv)) {
            refuse(name + " has no CBLAS");
            return;
        }
        const std::string config = openblas_config(library);
        if (config.find("USE64BITINT") != std::string::npos) {
            refuse(name + " counts in 64 bits");
            return;
        }
        describe(library, name, config);
        void (*set_threads)(int) = nullptr;
        if (is_ours && find(library, "openblas_set_num_threads", set_threads)) set_threads(1);
        find(library, "openblas_get_num_threads", functions_.own_threads);
        usable_ = true;
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
        if (find(library, "openblas_get_corename", core)) description_.append(" ").append(core());
        description_ = description_.empty() ? name : description_ + " (" + name + ")";
        // This variable may make OpenBLAS take kernels that are slow on this processor.
        if (const char* const forced = std::getenv("OPENBLAS_CORETYPE"))
            description_.append(", OPENBLAS_CORETYPE=").append(forced);
    }

    Blas functions_;
    bool usable_ = false;
    std::string description_;
};

const Library& library() {
    static const Library& loaded = *new Library; // never destroyed: products may be computed while
                                                 // the program ends
    return loaded;
}

} // namespace

const Blas* blas() { return library().functions(); }

std::string blas_description() { return library().description(); }

} // namespace purview::engine
