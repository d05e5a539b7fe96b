/// Sparse vectors of 10⁸ elements, of which 10⁶ are stored, and matrices of 10⁵ × 10⁵ with 10⁷.

#include "inputs.hpp"

#include <string>
#include <utility>
#include <vector>

namespace {

using namespace bench;

constexpr pv::index_t kVector = 100'000'000;
constexpr pv::index_t kSide = 100'000;

/// One index in each `size / stored`.
pv::MutableTensor<double> random_sparse(pv::AxisValues shape, pv::index_t size, pv::index_t stored,
                                        std::uint64_t seed) {
    std::vector<pv::index_t> indexes(static_cast<std::size_t>(stored));
    std::vector<double> values(indexes.size());
    fill_sparse_indexes(indexes.data(), indexes.size(), static_cast<std::uint64_t>(size / stored),
                        seed);
    fill_random(values.data(), values.size(), seed + 10, 1.);
    return pv::sparse_tensor<double>(shape, std::move(indexes), std::move(values));
}

template <typename Run>
auto sparse_made(Run run) {
    return Task{run, [=] {
                    const auto pairs = pv::sparse_pairs(run());
                    const auto values = pairs->values();
                    return summary_of(values.data(), values.size());
                }};
}

const Cases sparse([] {
    const auto add_merge = [](const char* name, auto combine) {
        add(case_name(name, "1000000_of_100000000", "float64"), [=] {
            const auto x = random_sparse({kVector}, kVector, 1'000'000, 1);
            const auto y = random_sparse({kVector}, kVector, 1'000'000, 2);
            return sparse_made([=] { return pv::clone(combine(x, y)); });
        });
    };
    add_merge("sparse_add", [](const auto& x, const auto& y) { return x + y; });
    add_merge("sparse_product", [](const auto& x, const auto& y) { return x * y; });
    // The view, and what it comes to.
    const auto add_view = [](const std::string& name, auto view) {
        const auto add_made = [](const std::string& of, auto make) {
            add(case_name(of, "10000000_of_100000x100000", "float64"), [=] {
                keep_second_thread();
                const auto x = random_sparse({kSide, kSide}, kSide * kSide, 10'000'000, 1);
                return sparse_made([=] { return make(x); });
            });
        };
        add_made("sparse_view_" + name, view);
        add_made("sparse_" + name, [=](const auto& x) { return pv::clone(view(x)); });
    };
    // Divided by the sums of rows or columns.
    for (const auto& [side, stored] :
         {std::pair<pv::index_t, pv::index_t>{20'000, 400'000}, {1'000'000, 10'000'000}})
        for (const int axis : {1, 0}) {
            const std::string size = std::to_string(stored) + "_of_" + std::to_string(side) + "x" +
                                     std::to_string(side) + "/float64";
            add((axis == 1 ? "normalise_rows/" : "normalise_columns/") + size, [=] {
                keep_second_thread();
                const auto x = random_sparse({side, side}, side * side, stored, 1);
                const auto sums = pv::sum(x, axis, pv::keep_dims);
                const auto divisor = pv::clone(pv::where(sums == 0., 1., sums));
                return sparse_made([=] { return pv::clone(x / divisor); });
            });
        }
    add_view("transpose", [](const auto& x) { return pv::transpose(x); });
    add_view("slice", [](const auto& x) { return x(pv::range(5, 50'000), pv::range(5, 50'000)); });
    add_view("rotate", [](const auto& x) { return x | pv::rotate({5, 7}); });
    add_view("broadcast", [](const auto& x) { return x | pv::broadcast({2 * kSide, kSide}); });
});

} // namespace
