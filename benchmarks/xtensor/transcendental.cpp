/// Functions of elements, from existing memory into existing memory.

#include "inputs.hpp"

#include <xtensor/xmath.hpp>

namespace {

using namespace bench;

template <typename T, typename F>
void add_function(const char* name, const char* dtype, std::size_t n, F function) {
    add(case_name(name, std::to_string(n), dtype), [=] {
        const auto x = random_tensor<T, 1>({n}, 1);
        fill_positive(x->data(), n, 1);
        return into<T, 1>({n}, [=](auto& out) { function(*x, out); });
    });
}

template <typename T>
void add_functions(const char* dtype, std::size_t n) {
    add_function<T>("exp", dtype, n, [](auto& x, auto& out) { xt::noalias(out) = xt::exp(x); });
    add_function<T>("log", dtype, n, [](auto& x, auto& out) { xt::noalias(out) = xt::log(x); });
    add_function<T>("sin", dtype, n, [](auto& x, auto& out) { xt::noalias(out) = xt::sin(x); });
    add_function<T>("tanh", dtype, n, [](auto& x, auto& out) { xt::noalias(out) = xt::tanh(x); });
    add_function<T>("pow", dtype, n,
                    [](auto& x, auto& out) { xt::noalias(out) = xt::pow(x, T(2.5)); });
}

const Cases transcendental([] {
    for (const std::size_t n : {10'000'000, 1'000}) {
        add_functions<double>("float64", n);
        add_functions<float>("float32", n);
    }
});

} // namespace
