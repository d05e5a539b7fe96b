#pragma once

#include "../support/cases.hpp"

#include <purview/purview.hpp>

namespace bench {

namespace pv = purview;

template <typename T>
std::string dtype_name() {
    return std::string(pv::kDType<T>.name());
}

template <typename T = double>
pv::MutableTensor<T> random_tensor(pv::AxisValues shape, std::uint64_t seed, T scale = T{1}) {
    const auto tensor = pv::empty<T>(shape);
    fill_random(pv::as_span(tensor).data(), static_cast<std::size_t>(tensor.size()), seed, scale);
    return tensor;
}

template <typename T>
Summary summary_of(const pv::Tensor<T>& tensor) {
    const auto memory = tensor | pv::contiguous;
    return summary_of(pv::as_span(memory).data(), static_cast<std::size_t>(tensor.size()));
}

/// A task that writes to existing memory; `result` is that memory.
template <typename T, typename Run>
auto into(const pv::MutableTensor<T>& result, Run run) {
    return Task{[=] { run(result); }, [=] { return summary_of(result); }};
}

/// A task whose result is a number.
template <typename Run>
auto number(Run run) {
    return Task{run, [=] { return Summary{static_cast<double>(run())}; }};
}

/// A task whose result is a new tensor.
template <typename Run>
auto made(Run run) {
    return Task{run, [=] { return summary_of(run()); }};
}

} // namespace bench
