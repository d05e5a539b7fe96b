#pragma once

#include "../support/cases.hpp"

#include <xtensor/xnoalias.hpp>
#include <xtensor/xtensor.hpp>
#include <xtensor/xview.hpp>

#include <array>

namespace bench {

template <typename T, std::size_t Rank>
using Tensor = xt::xtensor<T, Rank>;

template <typename T, std::size_t Rank>
std::shared_ptr<Tensor<T, Rank>> random_tensor(std::array<std::size_t, Rank> shape,
                                               std::uint64_t seed, T scale = T{1}) {
    const auto tensor = std::make_shared<Tensor<T, Rank>>(shape);
    fill_random(tensor->data(), tensor->size(), seed, scale);
    return tensor;
}

template <typename T, std::size_t Rank>
Summary summary_of(const Tensor<T, Rank>& tensor) {
    return summary_of(tensor.data(), tensor.size());
}

/// A task that writes to an existing tensor.
template <typename T, std::size_t Rank, typename Run>
auto into(std::array<std::size_t, Rank> shape, Run run) {
    const auto out = std::make_shared<Tensor<T, Rank>>(shape);
    return Task{[=] { run(*out); }, [=] { return summary_of(*out); }};
}

template <typename Run>
auto number(Run run) {
    return Task{run, [=] { return Summary{static_cast<double>(run())}; }};
}

template <typename Run>
auto made(Run run) {
    return Task{run, [=] { return summary_of(run()); }};
}

} // namespace bench
