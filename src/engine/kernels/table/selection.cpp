#include "engine/kernels/table/selection.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/dtype.hpp>

#include <array>
#include <cstdlib>
#include <string>
#include <string_view>

namespace purview::inline v0_1::engine {

// Which of these there are is decided in kernels/CMakeLists.txt.
extern const KernelTable kScalarKernels;
extern const KernelTable kSsse3Kernels;
extern const KernelTable kAvx2Kernels;
extern const KernelTable kAvx512Kernels;
extern const KernelTable kNeonKernels;

namespace {

// vectors/lanes.inc has these values of TypeId of its own.
static_assert(static_cast<int>(TypeId::boolean) == 0 && static_cast<int>(TypeId::int8) == 1 &&
              static_cast<int>(TypeId::int64) == 4 && static_cast<int>(TypeId::uint8) == 5 &&
              static_cast<int>(TypeId::uint64) == 8 && static_cast<int>(TypeId::float32) == 9 &&
              static_cast<int>(TypeId::float64) == 10);

class Available {
public:
    Available() {
#if defined(PURVIEW_KERNELS_AVX512)
        if (has_avx512()) add(kAvx512Kernels);
#endif
#if defined(PURVIEW_KERNELS_AVX2)
        if (has_avx2()) add(kAvx2Kernels);
#endif
#if defined(PURVIEW_KERNELS_SSSE3)
        if (has_ssse3()) add(kSsse3Kernels);
#endif
#if defined(PURVIEW_KERNELS_NEON)
        add(kNeonKernels);
#endif
        add(kScalarKernels);
    }

    std::span<const KernelTable* const> tables() const noexcept { return {tables_.data(), count_}; }

private:
#if defined(__x86_64__)
    static bool has_ssse3() noexcept {
        __builtin_cpu_init();
        return __builtin_cpu_supports("ssse3") != 0;
    }
    static bool has_avx2() noexcept {
        return has_ssse3() && __builtin_cpu_supports("avx2") != 0 &&
               __builtin_cpu_supports("fma") != 0 && __builtin_cpu_supports("bmi") != 0 &&
               __builtin_cpu_supports("bmi2") != 0 && has_f16c() &&
               __builtin_cpu_supports("aes") != 0 && __builtin_cpu_supports("pclmul") != 0;
    }
    static bool has_avx512() noexcept {
        return has_avx2() && __builtin_cpu_supports("avx512f") != 0 &&
               __builtin_cpu_supports("avx512vl") != 0 && __builtin_cpu_supports("avx512dq") != 0 &&
               __builtin_cpu_supports("avx512bw") != 0 && __builtin_cpu_supports("avx512cd") != 0;
    }
    /// Bit 29 of ecx of leaf 1: gcc 12 has no name for f16c, and none for lzcnt and movbe, which
    /// came with the same processors.
    static bool has_f16c() noexcept {
        unsigned a = 1;
        unsigned b = 0;
        unsigned c = 0;
        unsigned d = 0;
        __asm__("cpuid" : "+a"(a), "=b"(b), "+c"(c), "=d"(d));
        return (c >> 29 & 1) != 0;
    }
#endif
    void add(const KernelTable& table) noexcept { tables_[count_++] = &table; }

    std::array<const KernelTable*, 4> tables_{};
    std::size_t count_ = 0;
};

const Available& available() noexcept {
    static const Available all;
    return all;
}

} // namespace

std::span<const KernelTable* const> available_kernels() noexcept { return available().tables(); }

const KernelTable& kernels_named(std::string_view name) {
    const std::span<const KernelTable* const> tables = available_kernels();
    if (name.empty()) return *tables.front();
    std::string names;
    for (const KernelTable* const table : tables) {
        if (table->name == name) return *table;
        names += names.empty() ? "" : ", ";
        names += table->name;
    }
    throw Error("PURVIEW_TARGET is '" + std::string(name) +
                "', and of what was built (PURVIEW_TARGETS) this machine runs " + names);
}

const KernelTable& kernels() {
    // If this throws, the next call tries again.
    static const KernelTable* const chosen = [] {
        const char* const wanted = std::getenv("PURVIEW_TARGET");
        return &kernels_named(wanted == nullptr ? "" : wanted);
    }();
    return *chosen;
}

} // namespace purview::engine
