/// Functions of elements, from existing memory into existing memory.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T, typename F>
void add_function(const char* name, const char* dtype, Eigen::Index n, F function) {
    add(case_name(name, std::to_string(n), dtype), [=] {
        const auto x = random_array<Array<T>>(n, 1, 1);
        fill_positive(x->data(), static_cast<std::size_t>(n), 1);
        return into<Array<T>>(n, 1, [=](auto& out) { function(*x, out); });
    });
}

template <typename T>
void add_functions(const char* dtype, Eigen::Index n) {
    add_function<T>("exp", dtype, n, [](const auto& x, auto& out) { out = x.exp(); });
    add_function<T>("log", dtype, n, [](const auto& x, auto& out) { out = x.log(); });
    add_function<T>("sin", dtype, n, [](const auto& x, auto& out) { out = x.sin(); });
    add_function<T>("tanh", dtype, n, [](const auto& x, auto& out) { out = x.tanh(); });
    add_function<T>("pow", dtype, n, [](const auto& x, auto& out) { out = x.pow(T(2.5)); });
}

const Cases transcendental([] {
    for (const Eigen::Index n : {10'000'000, 1'000}) {
        add_functions<double>("float64", n);
        add_functions<float>("float32", n);
    }
});

} // namespace
