/// Element-wise expressions: into existing memory, into new memory, and reduced to a number.

#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T>
void add_sum_of_squares(pv::index_t n) {
    add(case_name("sum_sq_diff", std::to_string(n), dtype_name<T>()), [=] {
        const auto x = random_tensor<T>({n}, 1);
        const auto y = random_tensor<T>({n}, 2);
        return number([=] { return pv::sum(pv::sq(x - y)); });
    });
}

template <typename T>
auto chain(const pv::Tensor<T>& a) {
    return (((((a + 4) * 2) - 3) / 2) + 6) * 4;
}

template <typename T>
void add_chain(pv::index_t n) {
    const std::string size = std::to_string(n);
    add(case_name("chain", size, dtype_name<T>()), [=] {
        const auto a = random_tensor<T>({n}, 1);
        return into(pv::empty<T>({n}), [=](const auto& out) { pv::copy(chain(a), out); });
    });
    add(case_name("chain_new", size, dtype_name<T>()), [=] {
        const auto a = random_tensor<T>({n}, 1);
        return made([=] { return chain(a) | pv::clone; });
    });
}

/// Horner's rule: two operations for each degree, composed anew each time.
void add_polynomial(int degree) {
    add(case_name("polynomial", "degree_" + std::to_string(degree) + "_of_1024", "float64"), [=] {
        const auto x = random_tensor({1024}, 1);
        return into(pv::empty({1024}), [=](const auto& out) {
            pv::Tensor<double> value = x * 0.75;
            for (int k = 1; k < degree; ++k) value = (value + 0.5) * x;
            pv::copy(value + 0.25, out);
        });
    });
}

/// An explicit step of the heat equation, by slices of the grid, and over dims.
void add_heat_step(pv::index_t side) {
    const std::string size =
        std::to_string(side) + "x" + std::to_string(side) + "x" + std::to_string(side);
    const pv::Shape shape{side, side, side};
    const pv::Shape inner{side - 2, side - 2, side - 2};
    add(case_name("heat_step", size, "float32"), [=] {
        const pv::Tensor<float> u = random_tensor<float>(shape, 1);
        return into(pv::empty<float>(inner), [=](const auto& out) {
            const pv::Range mid(1, side - 1), low(0, side - 2), high(2, side);
            const auto c = u(mid, mid, mid);
            pv::copy(c + 0.1f *
                             (u(low, mid, mid) + u(high, mid, mid) + u(mid, low, mid) +
                              u(mid, high, mid) + u(mid, mid, low) + u(mid, mid, high) - 6.f * c),
                     out);
        });
    });
    add(case_name("heat_step_dims", size, "float32"), [=] {
        const pv::Tensor<float> u = random_tensor<float>(shape, 1);
        const pv::Dim i("i", side - 2), j("j", side - 2), k("k", side - 2);
        return into(pv::empty<float>(inner), [=](const auto& out) {
            const auto c = u(i + 1, j + 1, k + 1);
            out(i, j, k) = c + 0.1f * (u(i + 0, j + 1, k + 1) + u(i + 2, j + 1, k + 1) +
                                       u(i + 1, j + 0, k + 1) + u(i + 1, j + 2, k + 1) +
                                       u(i + 1, j + 1, k + 0) + u(i + 1, j + 1, k + 2) - 6.f * c);
        });
    });
}

const Cases elementwise([] {
    for (const pv::index_t side : {16, 64}) add_heat_step(side);
    for (const int degree : {1, 2, 4, 5, 6, 8, 10, 15, 20, 30, 40}) add_polynomial(degree);
    for (const pv::index_t n : {10'000'000, 100'000, 1'000}) {
        add_sum_of_squares<double>(n);
        add_sum_of_squares<float>(n);
        add_chain<double>(n);
        add_chain<float>(n);
    }
    const pv::index_t n = 4096;
    add("add_row/4096x4096/float64", [=] {
        const auto matrix = random_tensor({n, n}, 1);
        const auto row = random_tensor({n}, 2);
        return into(pv::empty({n, n}), [=](const auto& out) { pv::copy(matrix + row, out); });
    });
    add("add_column/4096x4096/float64", [=] {
        const auto matrix = random_tensor({n, n}, 1);
        const auto column = random_tensor({n, 1}, 2);
        return into(pv::empty({n, n}), [=](const auto& out) { pv::copy(matrix + column, out); });
    });
    add("add_row_sum/4096x4096/float64", [=] {
        const auto matrix = random_tensor({n, n}, 1);
        const auto row = random_tensor({n}, 2);
        return number([=] { return pv::sum(matrix + row); });
    });
    add("add_column_sum/4096x4096/float64", [=] {
        const auto matrix = random_tensor({n, n}, 1);
        const auto column = random_tensor({n, 1}, 2);
        return number([=] { return pv::sum(matrix + column); });
    });
    add("add_small/3/float64", [] {
        const auto x = random_tensor({3}, 1);
        const auto y = random_tensor({3}, 2);
        keep_second_thread();
        return made([=] { return (x + y) | pv::clone; });
    });
});

} // namespace
