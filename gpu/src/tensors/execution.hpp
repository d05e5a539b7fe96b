#pragma once

#include "checks.hpp"
#include "kernel_cache.hpp"

#include "../kernels/launch.hpp"
#include "../kernels/lowered.hpp"
#include "../memory/buffer.hpp"

#include <span>
#include <string>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// As long as one lives, kernels that this thread would launch are built only.
class OnlyBuilds {
public:
    OnlyBuilds() noexcept { ++depth(); }
    ~OnlyBuilds() { --depth(); }
    OnlyBuilds(const OnlyBuilds&) = delete;
    OnlyBuilds& operator=(const OnlyBuilds&) = delete;
    static bool here() noexcept { return depth() > 0; }

private:
    static int& depth() noexcept;
};

/// What a thread uses again for each kernel that it launches, so that nothing is allocated for one.
class Execution {
public:
    static KernelCache& kernels(DeviceState& device);
    /// The copies of index lists that are kept.
    static void forget_lists(DeviceState& device) noexcept;

    /// As long as it lives. Within another one it has things of its own.
    class Use {
    public:
        Use();
        ~Use();
        Use(const Use&) = delete;
        Use& operator=(const Use&) = delete;

        Lowered& lowered() const noexcept { return parts_->lowered; }
        /// Launches the kernel of `x` on the calling thread's stream, which uses these buffers. Builds it where it is not there. Where it
        /// can meet an element that is an error, `work` says what is done, for `Checks`: it must not write what it reads then.
        void run(DeviceState& device, const Lowered& x, std::span<Buffer* const> buffers,
                 FunctionRef<CheckedWork()> work) const;
        /// Launches a kernel that is not made from an expression.
        void run(DeviceState& device, const std::string& key, FunctionRef<std::string()> source,
                 const Launch& launch, std::span<Buffer* const> buffers) const;

    private:
        struct Parts {
            Lowered lowered;
            Launch launch;
            std::string key;
        };
        friend class Execution;
        Execution& execution_;
        std::unique_ptr<Parts> parts_;
    };

private:
    static Execution& of_this_thread();

    std::unique_ptr<Use::Parts> idle_;
};

} // namespace purview::gpu::detail
