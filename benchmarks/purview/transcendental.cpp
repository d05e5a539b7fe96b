/// Functions of elements, from existing memory into existing memory.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T, typename F>
void add_function(const char* name, pv::index_t n, F function) {
    add(case_name(name, std::to_string(n), dtype_name<T>()), [=] {
        const auto x = pv::empty<T>({n});
        fill_positive(pv::as_span(x).data(), static_cast<std::size_t>(n), 1);
        return into(pv::empty<T>({n}), [=](const auto& out) { pv::copy(function(x), out); });
    });
}

template <typename T>
void add_functions(pv::index_t n) {
    add_function<T>("exp", n, pv::exp);
    add_function<T>("log", n, pv::log);
    add_function<T>("sin", n, pv::sin);
    add_function<T>("tanh", n, pv::tanh);
    add_function<T>("pow", n, [](const auto& x) { return pv::pow(x, 2.5); });
}

const Cases transcendental([] {
    for (const pv::index_t n : {10'000'000, 1'000}) {
        add_functions<double>(n);
        add_functions<float>(n);
    }
    add("softmax/1024x1024/float32", [] {
        const auto x = random_tensor<float>({1024, 1024}, 1, 8);
        return made([=] { return pv::softmax(x, 1); });
    });
    add("softmax/8x4096x64/float32", [] {
        const auto x = random_tensor<float>({8, 4096, 64}, 1, 8);
        return made([=] { return pv::softmax(x, 2); });
    });
});

} // namespace
