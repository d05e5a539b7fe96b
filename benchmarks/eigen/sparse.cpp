/// Sparse vectors and matrices.

#include "inputs.hpp"

#include <Eigen/SparseCore>

#include <cstdint>
#include <memory>
#include <vector>

namespace {

using namespace bench;

using Vector = Eigen::SparseVector<double, Eigen::ColMajor, std::int64_t>;

std::shared_ptr<const Vector> random_vector(std::uint64_t seed) {
    std::vector<std::int64_t> indexes(1'000'000);
    fill_sparse_indexes(indexes.data(), indexes.size(), 100, seed);
    auto vector = std::make_shared<Vector>(100'000'000);
    vector->reserve(std::ssize(indexes));
    for (std::size_t i = 0; i < indexes.size(); ++i)
        vector->insertBack(indexes[i]) = random_value<double>(seed + 10, i);
    return vector;
}

const Cases sparse([] {
    const auto add_merge = [](const char* name, auto combine) {
        add(case_name(name, "1000000_of_100000000", "float64"), [=] {
            const auto x = random_vector(1);
            const auto y = random_vector(2);
            return Task{[=] { return combine(*x, *y); },
                        [=] {
                            const Vector result = combine(*x, *y);
                            return summary_of(result.valuePtr(),
                                              static_cast<std::size_t>(result.nonZeros()));
                        }};
        });
    };
    add_merge("sparse_add", [](const Vector& x, const Vector& y) { return Vector(x + y); });
    add_merge("sparse_product",
              [](const Vector& x, const Vector& y) { return Vector(x.cwiseProduct(y)); });
});

} // namespace
