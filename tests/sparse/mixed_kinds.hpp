#pragma once

#include "sparse_support.hpp"

#include <support/random_source.hpp>

#include <memory>
#include <optional>
#include <vector>

namespace oracle {

/// What may stand beside something sparse: memory, transposed or not, a reader, what is computed, and what is lazily dense.
template <typename T>
pv::Tensor<T> random_dense(Random& random, const Coordinates& shape) {
    const index_t size = count_of(shape);
    std::vector<T> values;
    for (index_t i = 0; i < size; ++i) values.push_back(any_value<T>(random));
    const Coordinates turned(shape.rbegin(), shape.rend());
    switch (random.between(0, 4)) {
    case 0: return pv::tensor(std::move(values), shape);
    case 1: return pv::transpose(pv::tensor(std::move(values), turned));
    case 2: return pv::tensor(std::make_shared<const UserReader<T>>(std::move(values)), shape);
    case 3: {
        const auto condition = random_sparse<bool>(random, shape, random.one_in(2)).real;
        const pv::Tensor<T> x = pv::tensor(std::move(values), shape);
        return pv::where(pv::to_dense(condition), pv::flip(x), x);
    }
    default: {
        const auto sparse = random_sparse<T>(random, shape, random_fill<T>(random)).real;
        const auto condition = random_sparse<bool>(random, shape, true).real;
        return pv::where(condition, pv::tensor(std::move(values), shape), sparse);
    }
    }
}

/// Every element, the kind, and what is stored: nothing but what the sparse operand stores.
template <typename T>
void expect_twins(const pv::Tensor<T>& real, const pv::Tensor<T>& dense, bool sparse,
                  std::optional<index_t> most = std::nullopt) {
    const std::vector<T> expected = pv::to_vector(pv::clone(dense));
    REQUIRE(pv::is_sparse(real) == sparse);
    const pv::Tensor<T> realised = pv::clone(real);
    REQUIRE(pv::is_sparse(realised) == sparse);
    REQUIRE(same_values(pv::to_vector(realised), expected));
    REQUIRE(same_values(pv::to_vector(pv::to_dense(real)), expected));
    REQUIRE(same_values(pv::to_vector(pv::clone(pv::flip(real))),
                        pv::to_vector(pv::clone(pv::flip(dense)))));
    if (sparse && most) REQUIRE(pv::sparse_pairs(realised)->stored() <= *most);
}

} // namespace oracle
