#include "inputs.hpp"

#include <complex>

namespace {

using namespace bench;

template <typename P>
void add_elementwise(const char* dtype, Eigen::Index n) {
    using C = std::complex<P>;
    const auto add_into = [=]<typename Result>(const char* name, Result, auto compute) {
        add(case_name(name, std::to_string(n), dtype), [=] {
            const auto z = random_array<Array<C>>(n, 1, 1), w = random_array<Array<C>>(n, 1, 2),
                       v = random_array<Array<C>>(n, 1, 3);
            fill_positive(w->data(), static_cast<std::size_t>(n), 2);
            return into<Array<Result>>(n, 1, [=](auto& out) { compute(*z, *w, *v, out); });
        });
    };
    add_into("complex_multiply_add", C(),
             [](const auto& z, const auto& w, const auto& v, auto& out) { out = z * w + v; });
    add_into("complex_divide", C(),
             [](const auto& z, const auto& w, const auto&, auto& out) { out = z / w; });
    add_into("complex_abs", P(),
             [](const auto& z, const auto&, const auto&, auto& out) { out = z.abs(); });
    add_into("complex_exp", C(),
             [](const auto& z, const auto&, const auto&, auto& out) { out = z.exp(); });
    add(case_name("complex_sum", std::to_string(n), dtype), [=] {
        const auto z = random_array<Array<C>>(n, 1, 1);
        const auto run = [=] { return z->sum(); };
        return Task{run, [=] { return summary_of(run()); }};
    });
}

template <typename P>
void add_product(const char* dtype, Eigen::Index n) {
    using Complex = Eigen::Matrix<std::complex<P>, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    add(case_name("complex_matmul", std::to_string(n), dtype), [=] {
        const auto a = random_array<Complex>(n, n, 1);
        const auto b = random_array<Complex>(n, n, 2);
        return into<Complex>(n, n, [=](auto& out) { out.noalias() = *a * *b; });
    });
}

const Cases complex_numbers([] {
    for (const Eigen::Index n : {10'000'000, 100'000, 1'000}) {
        add_elementwise<float>("complex64", n);
        add_elementwise<double>("complex128", n);
    }
    for (const Eigen::Index n : {64, 256, 1024}) {
        add_product<float>("complex64", n);
        add_product<double>("complex128", n);
    }
});

} // namespace
