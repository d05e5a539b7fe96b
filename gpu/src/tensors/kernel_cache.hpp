#pragma once

#include "../driver/driver.hpp"

#include <purview/base/function_ref.hpp>

#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>

namespace purview::inline v0_1::gpu::detail {

/// The kernels that were built for a device, by what their text depends on. Any thread may ask.
class KernelCache {
public:
    explicit KernelCache(Driver& driver) : driver_(driver) {}

    /// `source` is called where none is there.
    KernelPtr find(const std::string& key, FunctionRef<std::string()> source);
    bool has(const std::string& key) const;

private:
    KernelPtr loaded(const std::string& source);

    Driver& driver_;
    mutable std::mutex mutex_;
    std::unordered_map<std::string, KernelPtr> kernels_;
};

} // namespace purview::gpu::detail
