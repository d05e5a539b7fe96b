#include <purview/base/errors.hpp>
#include <purview/reader/range_reader.hpp>

#include <fmt/format.h>

#include <cmath>

namespace purview::inline v0_1 {
namespace {

template <typename T>
[[noreturn]] void throw_range(T begin, T end, T step, const char* problem) {
    throw ShapeError(
        fmt::format("range_reader: from {} to {} in steps of {} {}", begin, end, step, problem));
}

template <typename T>
index_t floating_range_size(T begin, T end, T step) {
    if (step == 0) throw_range(begin, end, step, "never ends");
    if (!std::isfinite(begin) || !std::isfinite(end) || !std::isfinite(step))
        throw_range(begin, end, step, "is not finite");
    // The difference of two finite numbers may be infinite; the comparison with 2^63 below rejects
    // that too.
    const T count = std::ceil((end - begin) / step);
    if (!(count > 0)) return 0;
    if (count >= T{0x1p63f}) throw_range(begin, end, step, "has too many elements");
    return static_cast<index_t>(count);
}

} // namespace

index_t range_size(index_t begin, index_t end, index_t step) {
    if (step == 0) throw_range(begin, end, step, "never ends");
    if (step > 0 ? end <= begin : end >= begin) return 0;
    // Unsigned, because the distance between two int64 needs 64 bits.
    const auto from = static_cast<std::uint64_t>(begin);
    const auto to = static_cast<std::uint64_t>(end);
    const std::uint64_t distance = step > 0 ? to - from : from - to;
    const std::uint64_t stride =
        step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
    const std::uint64_t count = (distance - 1) / stride + 1;
    if (count > static_cast<std::uint64_t>(std::numeric_limits<index_t>::max()))
        throw_range(begin, end, step, "has too many elements");
    return static_cast<index_t>(count);
}

index_t range_size(double begin, double end, double step) {
    return floating_range_size(begin, end, step);
}

index_t range_size(float begin, float end, float step) {
    return floating_range_size(begin, end, step);
}

void throw_range_bound(std::uint64_t bound) {
    throw ShapeError(fmt::format("range_reader: {} overflows a 64-bit index", bound));
}

} // namespace purview
