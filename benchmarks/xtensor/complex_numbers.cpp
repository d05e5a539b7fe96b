#include "inputs.hpp"

#include <xtensor/xcomplex.hpp>
#include <xtensor/xmath.hpp>

#include <complex>

namespace {

using namespace bench;

template <typename P>
void add_elementwise(const char* dtype, std::size_t n) {
    using C = std::complex<P>;
    const auto add_into = [=]<typename Result>(const char* name, Result, auto compute) {
        add(case_name(name, std::to_string(n), dtype), [=] {
            const auto z = random_tensor<C, 1>({n}, 1), w = random_tensor<C, 1>({n}, 2),
                       v = random_tensor<C, 1>({n}, 3);
            fill_positive(w->data(), n, 2);
            return into<Result, 1>({n}, [=](auto& out) { compute(*z, *w, *v, out); });
        });
    };
    add_into("complex_multiply_add", C(),
             [](auto& z, auto& w, auto& v, auto& out) { xt::noalias(out) = z * w + v; });
    add_into("complex_divide", C(),
             [](auto& z, auto& w, auto&, auto& out) { xt::noalias(out) = z / w; });
    add_into("complex_abs", P(),
             [](auto& z, auto&, auto&, auto& out) { xt::noalias(out) = xt::abs(z); });
    add_into("complex_exp", C(),
             [](auto& z, auto&, auto&, auto& out) { xt::noalias(out) = xt::exp(z); });
    add(case_name("complex_sum", std::to_string(n), dtype), [=] {
        const auto z = random_tensor<C, 1>({n}, 1);
        const auto run = [=] { return C(xt::sum(*z, xt::evaluation_strategy::immediate)()); };
        return Task{run, [=] { return summary_of(run()); }};
    });
}

const Cases complex_numbers([] {
    for (const std::size_t n : {10'000'000, 100'000, 1'000}) {
        add_elementwise<float>("complex64", n);
        add_elementwise<double>("complex128", n);
    }
});

} // namespace
