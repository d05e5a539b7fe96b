#pragma once

#include "../support/cases.hpp"

#include <Eigen/Core>

namespace bench {

template <typename T>
using Array = Eigen::Array<T, Eigen::Dynamic, 1>;
template <typename T>
using Rows = Eigen::Array<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// Arrays and matrices are shared by the lambdas of a case.
template <typename X>
std::shared_ptr<X> random_array(Eigen::Index rows, Eigen::Index columns, std::uint64_t seed,
                                typename X::Scalar scale = 1) {
    auto array = std::make_shared<X>(rows, columns);
    fill_random(array->data(), static_cast<std::size_t>(array->size()), seed, scale);
    return array;
}

template <typename X>
Summary summary_of(const X& array) {
    return summary_of(array.data(), static_cast<std::size_t>(array.size()));
}

/// A task that writes to an existing array.
template <typename X, typename Run>
auto into(Eigen::Index rows, Eigen::Index columns, Run run) {
    const auto out = std::make_shared<X>(rows, columns);
    return Task{[=] { run(*out); }, [=] { return summary_of(*out); }};
}

template <typename Run>
auto number(Run run) {
    return Task{run, [=] { return Summary{static_cast<double>(run())}; }};
}

} // namespace bench
