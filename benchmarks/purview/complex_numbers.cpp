/// Complex numbers: expressions and functions of elements into existing memory, sums, products of matrices.

#include "inputs.hpp"

#include <complex>

namespace {

using namespace bench;

template <typename P>
void add_elementwise(pv::index_t n) {
    using C = std::complex<P>;
    const auto add_into = [=]<typename Result>(const char* name, Result, auto compute) {
        add(case_name(name, std::to_string(n), dtype_name<C>()), [=] {
            const auto z = random_tensor<C>({n}, 1), v = random_tensor<C>({n}, 3);
            const auto w = pv::empty<C>({n});
            fill_positive(pv::as_span(w).data(), static_cast<std::size_t>(n), 2);
            return into(pv::empty<Result>({n}),
                        [=](const auto& out) { pv::copy(compute(z, w, v), out); });
        });
    };
    add_into("complex_multiply_add", C(),
             [](const auto& z, const auto& w, const auto& v) { return z * w + v; });
    add_into("complex_divide", C(),
             [](const auto& z, const auto& w, const auto&) { return z / w; });
    add_into("complex_abs", P(),
             [](const auto& z, const auto&, const auto&) { return pv::abs(z); });
    add_into("complex_exp", C(),
             [](const auto& z, const auto&, const auto&) { return pv::exp(z); });
    add(case_name("complex_sum", std::to_string(n), dtype_name<C>()), [=] {
        const auto z = random_tensor<C>({n}, 1);
        return made([=] { return pv::sum(z); });
    });
}

template <typename P>
void add_product(pv::index_t n) {
    using C = std::complex<P>;
    add(case_name("complex_matmul", std::to_string(n), dtype_name<C>()), [=] {
        const auto a = random_tensor<C>({n, n}, 1), b = random_tensor<C>({n, n}, 2);
        return into(pv::empty<C>({n, n}),
                    [=](const auto& out) { pv::copy(pv::matmul(a, b), out); });
    });
}

const Cases complex_numbers([] {
    for (const pv::index_t n : {10'000'000, 100'000, 1'000}) {
        add_elementwise<float>(n);
        add_elementwise<double>(n);
    }
    for (const pv::index_t n : {64, 256, 1024}) {
        add_product<float>(n);
        add_product<double>(n);
    }
});

} // namespace
