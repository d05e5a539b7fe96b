#include "sparse_support.hpp"

#include <cmath>
#include <cstdint>

namespace kept_fills_test {

// What a copy of sparse pairs keeps: the fill, though every element is stored, and the signs of zeros.

namespace {

namespace pv = purview;
using oracle::index_t;

/// Elements 0, 1, 2, … stored, all of them, beside a fill.
template <typename T>
pv::MutableTensor<T> all_stored(index_t n, T fill, T first) {
    auto pairs = std::make_shared<pv::SparseBuffer<T>>(n, fill);
    std::vector<index_t> indexes;
    std::vector<T> values;
    for (index_t i = 0; i < n; ++i) {
        indexes.push_back(i);
        values.push_back(static_cast<T>(first + static_cast<T>(i % 2)));
    }
    pairs->write_sorted_indexes(indexes, values);
    return pv::sparse_tensor<T>({n}, std::move(pairs));
}

template <typename T>
T fill_of(const pv::Tensor<T>& x) {
    return *static_cast<const T*>(pv::leaf_of(x.operand())->reader().pairs().fill);
}

} // namespace

TEST_CASE("copies of pairs keep their fill though every element is stored") {
    const auto m = all_stored<std::int64_t>(6, 7, 1);
    CHECK(fill_of<std::int64_t>(m) == 7);
    CHECK(fill_of<std::int64_t>(pv::clone(m)) == 7);
    CHECK(fill_of<std::int64_t>(pv::prune(m)) == 7);
    CHECK(fill_of<std::int64_t>(pv::pack_indexes(m)) == 7);
    CHECK(fill_of<std::int64_t>(pv::clone(m | pv::flip({0}))) == 7);
    CHECK(fill_of<std::int64_t>(pv::clone(m + 1)) == 8);
    // Pieces and gathers take the engine's own pairs.
    CHECK(fill_of<std::int64_t>(pv::clone(pv::concat(m, m))) == 7);
    CHECK(pv::equals(pv::to_dense(pv::clone(m)), pv::to_dense(m)));
}

TEST_CASE("prune removes what equals the fill where every element is stored") {
    const auto m = all_stored<std::int64_t>(6, 1, 1); // 1 2 1 2 1 2
    const pv::Tensor<std::int64_t> pruned = pv::prune(m);
    CHECK(pv::leaf_of(pruned.operand())->reader().pairs().indexes.size() == 3);
    CHECK(pv::equals(pv::to_dense(pruned), pv::to_dense(m)));
}

TEST_CASE("a clone decides as what it was cloned from") {
    auto pairs = std::make_shared<pv::SparseBuffer<bool>>(4, true);
    for (index_t i = 0; i < 4; ++i) pairs->write(i, false);
    const pv::Tensor<bool> m = pv::sparse_tensor<bool>({4}, std::move(pairs));
    const auto d = pv::tensor({true, false, true, false});
    CHECK(pv::is_sparse((m || d).operand()));
    CHECK(pv::is_sparse((pv::clone(m) || d).operand()));
    CHECK(pv::equals(pv::to_dense(pv::clone(m) || d), pv::to_dense(m || d)));
}

TEST_CASE("a fill that cannot be computed is no error where nothing shows it") {
    const auto m = all_stored<std::int64_t>(4, 0, 1);
    CHECK(pv::equals(pv::to_dense(pv::clone(12 / m)), pv::tensor<std::int64_t>({12, 6, 12, 6})));
}

TEST_CASE("zeros keep their signs in copies of what is computed of pairs") {
    auto pairs = std::make_shared<pv::SparseBuffer<double>>(8, 0.);
    const double values[] = {3., -3., 0.5};
    for (index_t i = 0; i < 3; ++i) pairs->write(2 * i, values[i]);
    const pv::Tensor<double> x = pv::sparse_tensor<double>({8}, std::move(pairs));
    for (const double zero : {0., -0.})
        for (const pv::Tensor<double>& product :
             {pv::Tensor<double>(x * zero), pv::Tensor<double>(zero * x)}) {
            const pv::Tensor<double> quotient = 1 / product;
            const auto copied = pv::clone(quotient);
            const auto of_copy = 1 / pv::clone(product);
            for (index_t i = 0; i < 8; ++i) {
                const double expected = 1 / ((i % 2 == 0 && i < 6 ? values[i / 2] : 0.) * zero);
                CHECK(double(quotient(i)) == expected);
                CHECK(double(copied(i)) == expected);
                CHECK(double(of_copy(i)) == expected);
            }
        }
    // Of many, merges know signs too: -1 + 1 is +0, and so is the fill; -(1 - 1) is −0.
    auto many = std::make_shared<pv::SparseBuffer<double>>(400, -0.);
    for (index_t i = 0; i < 100; ++i) many->write(3 * i, i % 2 == 0 ? 1. : -1.);
    const pv::Tensor<double> y = pv::sparse_tensor<double>({400}, std::move(many));
    const pv::Tensor<double> sum = y + y * -1.;
    const pv::Tensor<double> kept = pv::clone(sum);
    for (index_t i = 0; i < 400; ++i)
        CHECK(std::signbit(double(kept(i))) == std::signbit(double(sum(i))));
}

} // namespace kept_fills_test
