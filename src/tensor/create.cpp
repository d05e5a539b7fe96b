#include <purview/base/errors.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/sparse_tensor.hpp>

#include <fmt/format.h>

#include <cmath>

#include <cmath>

namespace purview::inline v0_1 {

#define PURVIEW_DEFINE_TENSORS(T) PURVIEW_TENSORS_OF(, T)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_DEFINE_TENSORS)
PURVIEW_DEFINE_TENSORS(std::string)

namespace {

/// Throws for a value of a macro, whose type is not the one that is meant.
float finite(const char* what, float value) {
    if (std::isfinite(value)) return value;
    throw DtypeError(
        fmt::format("{0}: {1} as a float, as NAN and INFINITY are: the type has to be given, "
                    "{0}<double> or {0}<float>",
                    what, value));
}

} // namespace

MutableTensor<float> full(AxisValues shape, float value, Order order) {
    return full<float>(shape, finite("full", value), order);
}
Tensor<float> const_tensor(float value, AxisValues shape) {
    return const_tensor<float>(finite("const_tensor", value), shape);
}
MutableTensor<float> sparse_full(AxisValues shape, float value) {
    return sparse_full<float>(shape, finite("sparse_full", value));
}

MutableTensor<std::string> full(AxisValues shape, const char* text, Order order) {
    return full(shape, std::string(text), order);
}

Tensor<std::string> const_tensor(const char* text, AxisValues shape) {
    return const_tensor(std::string(text), shape);
}

template <typename V>
void write_progression(V begin, V step, std::span<Canonical<V>> out) {
    using T = Canonical<V>;
    if (out.empty()) return;
    out[0] = static_cast<T>(begin); // an infinite step times 0 is NaN
    const bool is_far = !std::isfinite(static_cast<V>(out.size()) * step);
    for (std::size_t i = 1; i < out.size() && !is_far; ++i)
        out[i] = static_cast<T>(begin + static_cast<V>(i) * step);
    // Between ends of opposite signs the distance may overflow, of which half does not.
    for (std::size_t i = 1; i < out.size() && is_far; ++i)
        out[i] = static_cast<T>(2 * (begin / 2 + static_cast<V>(i) * (step / 2)));
}

template <typename V>
void write_linspace(V begin, V end, std::span<V> out) {
    if (out.empty()) return;
    const V intervals = static_cast<V>(out.size() - 1);
    const V distance = end - begin;
    const V step = out.size() > 1 ? distance / intervals : V{};
    if (std::isfinite(distance) && step != 0) {
        for (std::size_t i = 0; i < out.size(); ++i) out[i] = begin + static_cast<V>(i) * step;
    } else {
        const bool is_far = std::isfinite(begin) && std::isfinite(end) && step != 0;
        for (std::size_t i = 0; i < out.size(); ++i) {
            const auto at = static_cast<V>(i);
            if (begin == end)
                out[i] = begin;
            else if (is_far)
                out[i] = begin * (1 - at / intervals) + end * (at / intervals);
            else // as NumPy: a step may be less than the least number
                out[i] = begin + (step == 0 ? at / intervals * distance : at * step);
        }
    }
    out.back() = end;
    out.front() = begin;
}

template PURVIEW_EXPORT void write_progression<float>(float, float, std::span<Canonical<float>>);
template PURVIEW_EXPORT void write_linspace<float>(float, float, std::span<float>);
template PURVIEW_EXPORT void write_progression<double>(double, double,
                                                       std::span<Canonical<double>>);
template PURVIEW_EXPORT void write_linspace<double>(double, double, std::span<double>);
template PURVIEW_EXPORT void write_progression<long double>(long double, long double,
                                                            std::span<Canonical<long double>>);
template PURVIEW_EXPORT void write_linspace<long double>(long double, long double,
                                                         std::span<long double>);

} // namespace purview
