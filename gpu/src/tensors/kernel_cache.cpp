#include "kernel_cache.hpp"

#include "../kernels/text.hpp"

namespace purview::inline v0_1::gpu::detail {

KernelPtr KernelCache::find(const std::string& key, const std::function<std::string()>& source) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
    }
    // Two threads may build the same one: the first one in stays.
    KernelPtr made = driver_.load(driver_.compile(source()), kEntry);
    const std::lock_guard lock(mutex_);
    return kernels_.try_emplace(key, std::move(made)).first->second;
}

bool KernelCache::has(const std::string& key) const {
    const std::lock_guard lock(mutex_);
    return kernels_.contains(key);
}

} // namespace purview::gpu::detail
