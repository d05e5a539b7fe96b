#include "kernel_cache.hpp"

#include "kernel_files.hpp"

#include "../kernels/text.hpp"

#include <purview/base/errors.hpp>

namespace purview::inline v0_1::gpu::detail {

KernelPtr KernelCache::find(const std::string& key, FunctionRef<std::string()> source) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
    }
    // Two threads may build the same one: the first one in stays.
    KernelPtr made = loaded(source());
    const std::lock_guard lock(mutex_);
    return kernels_.try_emplace(key, std::move(made)).first->second;
}

KernelPtr KernelCache::loaded(const std::string& source) {
    KernelFiles& files = KernelFiles::of_process();
    const std::string name = KernelFiles::name_of(source, driver_.build_identity());
    if (const auto kept = files.read(name)) {
        try {
            return driver_.load(*kept, kEntry);
        } catch (const DeviceError&) { // by a driver that does not take it any more
        }
    }
    const std::vector<std::byte> binary = driver_.compile(source);
    files.write(name, binary);
    return driver_.load(binary, kEntry);
}

bool KernelCache::has(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return kernels_.contains(key);
}

} // namespace purview::gpu::detail
