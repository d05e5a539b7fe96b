#pragma once

#include <atomic>
#include <cstdint>
#if __has_include(<sys/single_threaded.h>)
# include <sys/single_threaded.h>
#endif

namespace purview::inline v0_1 {

/// How many pointers share an object; at first one, that of the object's maker. While the process
/// has one thread, no operation is a locked one, which would take 5 ns.
class ReferenceCount {
public:
    void add() noexcept {
        if (is_only_thread())
            count_.store(count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
        else
            count_.fetch_add(1, std::memory_order_relaxed);
    }
    /// Takes a pointer away. Returns whether it was the last: the caller then destroys the object.
    bool drop() noexcept {
        // The only pointer is not shared, so that no other thread can change the count.
        const std::uint32_t count = count_.load(std::memory_order_acquire);
        if (count == 1) return true;
        if (count >= kImmortal) {
            // Pointers taken away are not counted, so that those added may not add up to an overflow.
            if (count > kImmortal) make_immortal();
            return false;
        }
        if (!is_only_thread()) return count_.fetch_sub(1, std::memory_order_acq_rel) == 1;
        count_.store(count - 1, std::memory_order_relaxed);
        return false;
    }
    bool is_shared() const noexcept { return count_.load(std::memory_order_acquire) != 1; }
    /// From now on no pointer is the last.
    void make_immortal() noexcept { count_.store(kImmortal, std::memory_order_relaxed); }

private:
    static constexpr std::uint32_t kImmortal = UINT32_MAX / 2;
    static bool is_only_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
        return __libc_single_threaded != 0;
#else
        return false;
#endif
    }

    std::atomic<std::uint32_t> count_{1};
};

} // namespace purview
