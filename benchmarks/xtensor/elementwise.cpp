#include "inputs.hpp"

#include <xtensor/xmath.hpp>

namespace {

using namespace bench;

template <typename T>
void add_of_type(const char* dtype, std::size_t n) {
    const std::string size = std::to_string(n);
    add(case_name("sum_sq_diff", size, dtype), [=] {
        const auto x = random_tensor<T, 1>({n}, 1);
        const auto y = random_tensor<T, 1>({n}, 2);
        return number(
            [=] { return xt::sum(xt::square(*x - *y), xt::evaluation_strategy::immediate)(); });
    });
    add(case_name("chain", size, dtype), [=] {
        const auto a = random_tensor<T, 1>({n}, 1);
        return into<T, 1>({n}, [=](auto& out) {
            xt::noalias(out) = (((((*a + T(4)) * T(2)) - T(3)) / T(2)) + T(6)) * T(4);
        });
    });
    add(case_name("chain_new", size, dtype), [=] {
        const auto a = random_tensor<T, 1>({n}, 1);
        return made(
            [=] { return Tensor<T, 1>((((((*a + T(4)) * T(2)) - T(3)) / T(2)) + T(6)) * T(4)); });
    });
}

constexpr std::size_t kSide = 4096;

/// A vector of `shape`, which broadcasts, with a matrix.
void add_with_vector(const char* name, std::array<std::size_t, 2> shape) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double, 2>({kSide, kSide}, 1);
        const auto vector = random_tensor<double, 2>(shape, 2);
        return into<double, 2>({kSide, kSide},
                               [=](auto& out) { xt::noalias(out) = *matrix + *vector; });
    });
    add(case_name(std::string(name) + "_sum", "4096x4096", "float64"), [=] {
        const auto matrix = random_tensor<double, 2>({kSide, kSide}, 1);
        const auto vector = random_tensor<double, 2>(shape, 2);
        return number(
            [=] { return xt::sum(*matrix + *vector, xt::evaluation_strategy::immediate)(); });
    });
}

const Cases elementwise([] {
    for (const std::size_t n : {10'000'000, 100'000, 1'000}) {
        add_of_type<double>("float64", n);
        add_of_type<float>("float32", n);
    }
    add_with_vector("add_row", {1, kSide});
    add_with_vector("add_column", {kSide, 1});
    add("add_small/3/float64", [] {
        const auto x = random_tensor<double, 1>({3}, 1);
        const auto y = random_tensor<double, 1>({3}, 2);
        return made([=] { return Tensor<double, 1>(*x + *y); });
    });
});

} // namespace
