#pragma once

/// What is compared before anything is timed: a few numbers that tell results apart.

#include <complex>
#include <cstddef>
#include <vector>

namespace bench {

using Summary = std::vector<double>;

/// Count, sum, sum weighted by position, and 32 elements from all over. `at(i)` is the element at
/// row-major position i.
template <typename At>
Summary summary_of(std::size_t count, At at) {
    double sum = 0, weighted = 0;
    for (std::size_t i = 0; i < count; ++i) {
        const auto value = static_cast<double>(at(i));
        sum += value;
        weighted += value * static_cast<double>(i % 1021);
    }
    Summary numbers{static_cast<double>(count), sum, weighted};
    for (std::size_t k = 0; k < 32 && count > 0; ++k)
        numbers.push_back(static_cast<double>(at((k * 2654435761u + k) % count)));
    return numbers;
}
template <typename T>
Summary summary_of(const T* data, std::size_t count) {
    return summary_of(count, [=](std::size_t i) { return data[i]; });
}
/// Complex numbers are twice as many real ones.
template <typename P>
Summary summary_of(const std::complex<P>* data, std::size_t count) {
    return summary_of(reinterpret_cast<const P*>(data), 2 * count);
}
template <typename P>
Summary summary_of(std::complex<P> number) {
    return {static_cast<double>(number.real()), static_cast<double>(number.imag())};
}

} // namespace bench
