#pragma once

#include <chrono>
#include <cstdint>
#include <ctime>
#include <fstream>
#include <string>

/// What a program measures of itself.
namespace measured {

inline double wall() {
    return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

/// Of a clock of the processor, in seconds.
inline double processor(clockid_t clock = CLOCK_PROCESS_CPUTIME_ID) {
    std::timespec time{};
    ::clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// Of /proc/self/status, in bytes: VmRSS, what is resident, or VmHWM, the most that was.
inline std::int64_t resident(const std::string& name) {
    std::ifstream status("/proc/self/status");
    for (std::string word; status >> word;)
        if (word == name + ":") {
            std::int64_t kib = 0;
            status >> kib;
            return kib << 10;
        }
    return 0;
}

/// From now on VmHWM is the most that is resident from now on.
inline void forget_peak() { std::ofstream("/proc/self/clear_refs") << "5"; }

} // namespace measured
