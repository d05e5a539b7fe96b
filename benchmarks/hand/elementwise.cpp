/// Loops that people write; sums keep as many accumulators as a compiler needs to use its vectors.

#include "inputs.hpp"

#include <algorithm>

namespace {

using namespace bench;

/// Sums in float32 are made in parts, as one total would lose too much.
template <typename T>
T sum_of_squares(const T* x, const T* y, std::size_t count) {
    constexpr std::size_t kPart = 1 << 16;
    double total = 0;
    for (std::size_t begin = 0; begin < count; begin += kPart)
        total += static_cast<double>(sum_of<T>(std::min(kPart, count - begin), [=](std::size_t i) {
            const T difference = x[begin + i] - y[begin + i];
            return difference * difference;
        }));
    return static_cast<T>(total);
}

template <typename T>
void chain(const T* __restrict a, T* __restrict out, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) out[i] = (((((a[i] + 4) * 2) - 3) / 2) + 6) * 4;
}

/// Horner's rule in one loop, of a degree that the compiler knows.
template <int Degree>
void add_polynomial() {
    add(case_name("polynomial", "degree_" + std::to_string(Degree) + "_of_1024", "float64"), [=] {
        const auto x = random_memory<double>(1024, 1);
        return into<double>(1024, [=](double* __restrict out) {
            for (std::size_t i = 0; i < 1024; ++i) {
                double value = x[i] * 0.75;
                for (int k = 1; k < Degree; ++k) value = (value + 0.5) * x[i];
                out[i] = value + 0.25;
            }
        });
    });
}
/// An explicit step of the heat equation, of a grid with a margin.
void add_heat_step(std::size_t side) {
    const std::string text = std::to_string(side);
    add(case_name("heat_step", text + "x" + text + "x" + text, "float32"), [=] {
        const auto memory = random_memory<float>(side * side * side, 1);
        const std::size_t inner = side - 2;
        return into<float>(inner * inner * inner, [=](float* __restrict out) {
            const std::size_t row = side, plane = side * side;
            for (std::size_t i = 1; i <= inner; ++i)
                for (std::size_t j = 1; j <= inner; ++j) {
                    const float* const u = &memory[i * plane + j * row + 1];
                    for (std::size_t k = 0; k < inner; ++k)
                        *out++ = u[k] + 0.1f * (u[k - plane] + u[k + plane] + u[k - row] +
                                                u[k + row] + u[k - 1] + u[k + 1] - 6.f * u[k]);
                }
        });
    });
}

template <int... Degrees>
void add_polynomials() {
    (add_polynomial<Degrees>(), ...);
}

template <typename T>
void add_of_type(const char* dtype, std::size_t n) {
    const std::string size = std::to_string(n);
    add(case_name("sum_sq_diff", size, dtype), [=] {
        const auto x = random_memory<T>(n, 1);
        const auto y = random_memory<T>(n, 2);
        return number([=] { return sum_of_squares(x.get(), y.get(), n); });
    });
    add(case_name("chain", size, dtype), [=] {
        const auto a = random_memory<T>(n, 1);
        return into<T>(n, [=](T* out) { chain(a.get(), out, n); });
    });
    add(case_name("chain_new", size, dtype), [=] {
        const auto a = random_memory<T>(n, 1);
        const auto run = [=] {
            auto out = allocate<T>(n);
            chain(a.get(), out.get(), n);
            return out;
        };
        return Task{run, [=] { return summary_of(run().get(), n); }};
    });
}

constexpr std::size_t kSide = 4096;

template <typename Run>
void add_with_vector(const char* name, Run run) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        const auto matrix = random_memory<double>(kSide * kSide, 1);
        const auto vector = random_memory<double>(kSide, 2);
        return run(matrix, vector);
    });
}

const Cases elementwise([] {
    for (const std::size_t side : {16, 64}) add_heat_step(side);
    add_polynomials<1, 2, 4, 5, 6, 8, 10, 15, 20, 30, 40>();
    for (const std::size_t n : {10'000'000, 100'000, 1'000}) {
        add_of_type<double>("float64", n);
        add_of_type<float>("float32", n);
    }
    add_with_vector("add_row", [](const auto& matrix, const auto& row) {
        return into<double>(kSide * kSide, [=](double* __restrict out) {
            const double* const m = matrix.get();
            const double* const v = row.get();
            for (std::size_t i = 0; i < kSide; ++i)
                for (std::size_t j = 0; j < kSide; ++j)
                    out[i * kSide + j] = m[i * kSide + j] + v[j];
        });
    });
    add_with_vector("add_column", [](const auto& matrix, const auto& column) {
        return into<double>(kSide * kSide, [=](double* __restrict out) {
            const double* const m = matrix.get();
            for (std::size_t i = 0; i < kSide; ++i) {
                const double v = column[i];
                for (std::size_t j = 0; j < kSide; ++j) out[i * kSide + j] = m[i * kSide + j] + v;
            }
        });
    });
    add_with_vector("add_row_sum", [](const auto& matrix, const auto& row) {
        return number([=] {
            double total = 0;
            for (std::size_t i = 0; i < kSide; ++i)
                total += sum_of<double>(kSide, [m = matrix.get() + i * kSide, v = row.get()](
                                                   std::size_t j) { return m[j] + v[j]; });
            return total;
        });
    });
    add_with_vector("add_column_sum", [](const auto& matrix, const auto& column) {
        return number([=] {
            double total = 0;
            for (std::size_t i = 0; i < kSide; ++i)
                total += sum_of<double>(kSide, [m = matrix.get() + i * kSide,
                                                v = column[i]](std::size_t j) { return m[j] + v; });
            return total;
        });
    });
    add("add_small/3/float64", [] {
        const auto x = random_memory<double>(3, 1);
        const auto y = random_memory<double>(3, 2);
        const auto run = [=] {
            auto out = std::make_unique_for_overwrite<double[]>(3);
            for (std::size_t i = 0; i < 3; ++i) out[i] = x[i] + y[i];
            return out;
        };
        return Task{run, [=] { return summary_of(run().get(), 3); }};
    });
});

} // namespace
