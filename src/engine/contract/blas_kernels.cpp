#include "engine/contract/blas_kernels.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

#include <unistd.h>

extern char** environ; // NOLINT: POSIX has it, and no header need declare it

namespace purview::inline v0_1::engine {
namespace {

/// The widest vectors that a processor has, or that kernels use.
enum class Vectors { unknown, sse, avx, avx2, avx512 };

/// What the processor has and the operating system lets it use.
Vectors vectors_of_processor() {
#if defined(__x86_64__) && (defined(__GNUC__) || defined(__clang__))
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return Vectors::avx512;
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Vectors::avx2;
#endif
    return Vectors::unknown;
}

/// By the names that OpenBLAS gives to kernels.
Vectors vectors_of_kernels(std::string_view name) {
    for (const std::string_view known : {"SkylakeX", "Cooperlake", "SapphireRapids"})
        if (name == known) return Vectors::avx512;
    for (const std::string_view known : {"Haswell", "Zen", "Excavator"})
        if (name == known) return Vectors::avx2;
    for (const std::string_view known : {"Sandybridge", "Bulldozer", "Piledriver", "Steamroller"})
        if (name == known) return Vectors::avx;
    for (const std::string_view known :
         {"Prescott", "Core2", "Penryn", "Dunnington", "Nehalem", "Atom", "Katmai", "Coppermine",
          "Northwood", "Banias", "Opteron", "Opteron_SSE3", "Barcelona", "Bobcat", "Nano"})
        if (name == known) return Vectors::sse;
    return Vectors::unknown;
}

} // namespace

std::string_view fitting_blas_kernels() {
    switch (vectors_of_processor()) {
    case Vectors::avx512: return "SkylakeX";
    case Vectors::avx2: return "Haswell";
    default: return {};
    }
}

bool fit_processor(std::string_view kernels) {
    const Vectors used = vectors_of_kernels(kernels);
    return used == Vectors::unknown || used >= vectors_of_processor();
}

VariableMeanwhile::VariableMeanwhile(const char* text) : text_(text), replaced_(environ) {
    std::size_t count = 0;
    while (replaced_ != nullptr && replaced_[count] != nullptr) ++count;
    // Never freed: another thread may still be reading it.
    static std::vector<char**>& lists = *new std::vector<char**>;
    own_ = new char*[count + 2];
    lists.push_back(own_);
    for (std::size_t i = 0; i < count; ++i) own_[i] = replaced_[i];
    own_[count] = const_cast<char*>(text);
    own_[count + 1] = nullptr;
    environ = own_;
}

VariableMeanwhile::~VariableMeanwhile() {
    if (environ == own_) {
        environ = replaced_;
        return;
    }
    // Another thread has set a variable, and by that made a list of its own.
    const std::string_view text = text_;
    unsetenv(std::string(text.substr(0, text.find('='))).c_str());
}

} // namespace purview::engine
