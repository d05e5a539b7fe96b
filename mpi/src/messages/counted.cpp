#include "messages/counted.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstdlib>

namespace purview::inline v0_1::mpi {
namespace {

std::atomic<index_t> sent_count{0};
std::atomic<index_t> sent_bytes{0};
std::atomic<index_t> sent_with_elements{0};
std::atomic<index_t> sent_elements_bytes{0};
std::atomic<double> timeout{600.0};

} // namespace

void count_message(index_t bytes, Carries carries) noexcept {
    sent_count += 1;
    sent_bytes += bytes;
    if (carries == Carries::nothing) return;
    sent_with_elements += 1;
    sent_elements_bytes += bytes;
}

Messages messages() noexcept {
    return {sent_count, sent_bytes, sent_with_elements, sent_elements_bytes};
}

void reset_messages() noexcept {
    sent_count = 0;
    sent_bytes = 0;
    sent_with_elements = 0;
    sent_elements_bytes = 0;
}

void set_timeout(double seconds) {
    if (!(seconds > 0)) throw Error(fmt::format("set_timeout: {} s is no time to wait", seconds));
    timeout = seconds;
}

double timeout_seconds() noexcept { return timeout; }

index_t slice_bytes() noexcept {
    static const index_t bytes = [] {
        constexpr index_t kMost = index_t{1} << 30;
        const char* const text = std::getenv("PURVIEW_MPI_SLICE");
        const index_t wanted = text == nullptr ? kMost : std::atoll(text);
        return wanted >= 16 && wanted <= kMost ? wanted : kMost;
    }();
    return bytes;
}

} // namespace purview
