#pragma once

/// Random sparse matrices and their naive twins: a map from places to values.

#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/sparse.hpp>
#include <purview/tensor/compute.hpp>
#include <purview/tensor/literal.hpp>
#include <support/random_choice.hpp>

#include <map>
#include <utility>
#include <vector>

namespace oracle {

namespace pv = purview;

template <typename T>
using Entries = std::map<std::pair<index_t, index_t>, T>;

template <typename T>
T random_number(Random& random) {
    if constexpr (std::is_same_v<T, bool>)
        return random.one_in(2);
    else
        return static_cast<T>(random.between(std::is_signed_v<T> ? -9 : 0, 9));
}

/// Entries in any order, with places that come more than once.
template <typename T, typename I>
pv::CooMatrix<T, I> random_coo(Random& random, index_t rows, index_t columns, index_t stored) {
    std::vector<I> r;
    std::vector<I> c;
    const pv::MutableTensor<T> values = pv::empty<T>({rows * columns == 0 ? 0 : stored});
    for (index_t k = 0; k < values.size(); ++k) {
        r.push_back(static_cast<I>(random.between(0, rows - 1)));
        c.push_back(static_cast<I>(random.between(0, columns - 1)));
        values(k) = random_number<T>(random);
    }
    return {rows, columns, pv::tensor(std::move(r)), pv::tensor(std::move(c)), values};
}

/// What the entries of coordinates say under a policy.
template <typename T, typename I>
Entries<T> entries_of(const pv::CooMatrix<T, I>& coo,
                      pv::Duplicates duplicates = pv::Duplicates::sum) {
    Entries<T> entries;
    for (index_t k = 0; k < coo.stored(); ++k) {
        const std::pair<index_t, index_t> place{coo.row_indices().read(k),
                                                coo.column_indices().read(k)};
        const T value = coo.values().read(k);
        const auto [at, is_new] = entries.try_emplace(place, value);
        if (is_new) continue;
        if constexpr (std::is_same_v<T, bool>)
            at->second = duplicates == pv::Duplicates::sum ? at->second || value : value;
        else
            at->second =
                duplicates == pv::Duplicates::sum ? static_cast<T>(at->second + value) : value;
    }
    return entries;
}

/// What a compressed matrix holds, read one by one; it has been validated again on the way.
template <typename T, typename I, pv::Major M>
Entries<T> entries_of(const pv::CompressedMatrix<T, I, M>& matrix) {
    const pv::CompressedMatrix<T, I, M> checked(matrix.rows(), matrix.columns(), matrix.pointers(),
                                                matrix.indices(), matrix.values());
    Entries<T> entries;
    const auto& raw = checked.raw();
    for (index_t m = 0; m < checked.majors(); ++m)
        for (index_t k = raw.pointers[m]; k < raw.pointers[m + 1]; ++k) {
            const index_t n = raw.indices[k];
            entries[M == pv::Major::row ? std::pair{m, n} : std::pair{n, m}] = raw.values[k];
        }
    return entries;
}

} // namespace oracle
