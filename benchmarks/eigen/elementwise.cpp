#include "inputs.hpp"

namespace {

using namespace bench;

template <typename T>
void add_of_type(const char* dtype, Eigen::Index n) {
    const std::string size = std::to_string(n);
    add(case_name("sum_sq_diff", size, dtype), [=] {
        const auto x = random_array<Array<T>>(n, 1, 1);
        const auto y = random_array<Array<T>>(n, 1, 2);
        return number([=] { return (*x - *y).square().sum(); });
    });
    // An expression of Eigen's refers to its parts on the stack: it is written where it is used.
    add(case_name("chain", size, dtype), [=] {
        const auto a = random_array<Array<T>>(n, 1, 1);
        return into<Array<T>>(
            n, 1, [=](auto& out) { out = (((((*a + T(4)) * T(2)) - T(3)) / T(2)) + T(6)) * T(4); });
    });
    add(case_name("chain_new", size, dtype), [=] {
        const auto a = random_array<Array<T>>(n, 1, 1);
        const auto run = [=] {
            return Array<T>((((((*a + T(4)) * T(2)) - T(3)) / T(2)) + T(6)) * T(4));
        };
        return Task{run, [=] { return summary_of(run()); }};
    });
}

constexpr Eigen::Index kSide = 4096;

/// `run(matrix, row, column)` makes a task.
template <typename Run>
void add_with_vectors(const char* name, Run run) {
    add(case_name(name, "4096x4096", "float64"), [=] {
        return run(random_array<Rows<double>>(kSide, kSide, 1),
                   random_array<Rows<double>>(1, kSide, 2),
                   random_array<Rows<double>>(kSide, 1, 2));
    });
}

const Cases elementwise([] {
    for (const Eigen::Index n : {10'000'000, 100'000, 1'000}) {
        add_of_type<double>("float64", n);
        add_of_type<float>("float32", n);
    }
    add_with_vectors("add_row", [](const auto& matrix, const auto& row, const auto&) {
        return into<Rows<double>>(kSide, kSide,
                                  [=](auto& out) { out = matrix->rowwise() + row->row(0); });
    });
    add_with_vectors("add_column", [](const auto& matrix, const auto&, const auto& column) {
        return into<Rows<double>>(kSide, kSide,
                                  [=](auto& out) { out = matrix->colwise() + column->col(0); });
    });
    add_with_vectors("add_row_sum", [](const auto& matrix, const auto& row, const auto&) {
        return number([=] { return (matrix->rowwise() + row->row(0)).sum(); });
    });
    add_with_vectors("add_column_sum", [](const auto& matrix, const auto&, const auto& column) {
        return number([=] { return (matrix->colwise() + column->col(0)).sum(); });
    });
    add("add_small/3/float64", [] {
        const auto x = random_array<Array<double>>(3, 1, 1);
        const auto y = random_array<Array<double>>(3, 1, 2);
        const auto run = [=] { return Array<double>(*x + *y); };
        return Task{run, [=] { return summary_of(run()); }};
    });
});

} // namespace
