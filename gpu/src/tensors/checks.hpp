#pragma once

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/work.hpp>

#include "../memory/buffer.hpp"
#include "../memory/pinned_word.hpp"

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace purview::inline v0_1::gpu::detail {

/// Work of which a kernel can meet elements that are errors: to be done again on the host where it has, for what is thrown there.
struct CheckedWork {
    Verb verb;
    Operand source;
    Shape results;
    const char* what;
};

/// The word that a kernel sets where it meets an error: the host's memory, or, where kernels do not reach that, the device's.
class FaultWord {
public:
    explicit FaultWord(DeviceState& device);
    Handle handle() const noexcept;
    /// Null where the word is in the host's memory.
    Buffer* buffer() const noexcept { return there_.get(); }
    /// Whether it is set: the kernel is done.
    bool is_set() const;

private:
    PinnedWord here_;
    BufferPtr there_;
};

/// The checked kernels of a device that nobody has waited for. What they have met is thrown once, when numbers or elements come to the host,
/// memory is handed to another library, a stream is waited for, or what they read is about to be written. Until somebody waits for the
/// device, it concerns the thread that began the kernel, and those that have used the results.
class Checks final : public Unsettled {
public:
    explicit Checks(DeviceState& device);

    /// `done` happens when the kernel is, which writes `results`.
    void add(CheckedWork work, const Buffer* results, std::unique_ptr<FaultWord> word,
             EventHandle done);
    /// Waits for the kernels, and throws the first error that one has met; the others come next time.
    void settle(bool all) override;
    /// The calling thread uses this memory.
    void use(const Buffer& buffer);
    /// Lets the operands of kernels go that are done and have met nothing.
    void let_go(bool waits) noexcept override;
    /// Before memory is written.
    void settle_readers_of(const Buffer& buffer);

private:
    struct Check {
        CheckedWork work;
        const Buffer* results;              ///< is not read
        std::vector<std::uint64_t> threads; ///< that it concerns
        std::unique_ptr<FaultWord> word;
        EventHandle done;
    };
    std::vector<Check> taken(FunctionRef<bool(const Check&)> wanted);
    void settle(FunctionRef<bool(const Check&)> wanted);
    void put_back(std::vector<Check> checks);
    /// Where more than that has met errors which nobody looks at: a thread's first ones stay.
    void forget_latest() noexcept;

    DeviceState& device_;
    std::atomic<bool> any_{false};
    std::mutex settling_; ///< locked before `mutex_`
    std::atomic<int> settlers_{0};
    std::mutex mutex_;
    std::vector<Check> checks_;
};

Checks& checks_of(DeviceState& device);

/// Does the work on the host, with copies of all leaves, to throw what it throws.
[[noreturn]] void throw_as_host(DeviceState& device, const CheckedWork& work);

} // namespace purview::gpu::detail
