#pragma once

#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_view.hpp>

#include <purview/purview.hpp>

#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace oracle {

/// A random sparse tensor with its dense twin: a quarter of it stored, some of that equal to the fill.
template <typename T>
struct SparseTwin {
    pv::Tensor<T> real;
    Oracle<T> naive;
    std::string name;
};

template <typename T>
T small_value(Random& random) {
    if constexpr (std::same_as<T, std::string>)
        return std::string(static_cast<std::size_t>(random.between(0, 2)), 'x');
    else if constexpr (std::same_as<T, bool>)
        return random.one_in(2);
    else
        return static_cast<T>(random.between(-3, 3));
}

/// Now and then something that is no number.
template <typename T>
T any_value(Random& random) {
    if constexpr (std::floating_point<T>) {
        if (random.one_in(12)) return std::numeric_limits<T>::quiet_NaN();
        if (random.one_in(12)) return -std::numeric_limits<T>::infinity();
    }
    return small_value<T>(random);
}

/// The same over indexes that are memory of others, every third of them.
template <typename T>
pv::Tensor<T> with_strided_indexes(const pv::Tensor<T>& x) {
    const auto pairs = pv::sparse_pairs(pv::clone(x));
    const auto apart = std::make_shared<std::vector<index_t>>(pairs->indexes().size() * 3 + 1);
    for (std::size_t i = 0; i < pairs->indexes().size(); ++i) (*apart)[3 * i] = pairs->indexes()[i];
    auto indexes = std::make_shared<pv::ConstBuffer<index_t>>(apart->data(), pairs->stored(),
                                                              index_t{3 * sizeof(index_t)}, apart);
    auto values = std::make_shared<pv::ConstBuffer<T>>(pairs->values().data(), pairs->stored(),
                                                       index_t{sizeof(T)}, pairs);
    return pv::sparse_tensor<T>(
        x.shape(), std::make_shared<pv::SparseBuffer<T>>(x.size(), std::move(indexes),
                                                         std::move(values), pairs->fill()));
}

template <typename T>
SparseTwin<T> random_sparse(Random& random, const Coordinates& shape, T fill) {
    const index_t size = count_of(shape);
    std::vector<index_t> indexes;
    std::vector<T> values;
    Oracle<T> naive{shape, std::vector<T>(static_cast<std::size_t>(size), fill)};
    for (index_t i = 0; i < size; ++i) {
        if (!random.one_in(4)) continue;
        indexes.push_back(i);
        values.push_back(random.one_in(8) ? fill : any_value<T>(random));
        naive.values[static_cast<std::size_t>(i)] = values.back();
    }
    // In any order.
    std::vector<std::size_t> order(indexes.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    random.shuffle(order);
    std::vector<index_t> shuffled;
    std::vector<T> shuffled_values;
    for (const std::size_t i : order) {
        shuffled.push_back(indexes[i]);
        shuffled_values.push_back(values[i]);
    }
    pv::Tensor<T> real =
        pv::sparse_tensor<T>(shape, std::move(shuffled), std::move(shuffled_values), fill);
    std::string name = "sparse" + text(shape);
    if (random.one_in(4)) {
        real = real | pv::pack_indexes;
        name = "packed " + name;
    } else if (random.one_in(4)) {
        real = with_strided_indexes(real);
        name = "strided " + name;
    }
    return {std::move(real), std::move(naive), std::move(name)};
}

template <typename T>
std::vector<T> fills() {
    if constexpr (std::same_as<T, std::string>)
        return {"", "fill"};
    else if constexpr (std::same_as<T, bool>)
        return {false, true};
    else if constexpr (std::floating_point<T>)
        return {0, 1, std::numeric_limits<T>::quiet_NaN(), -std::numeric_limits<T>::infinity()};
    else
        return {0, 1};
}

template <typename T>
T random_fill(Random& random) {
    const std::vector<T> all = fills<T>();
    return random.one_in(2) ? all[0]
                            : all[static_cast<std::size_t>(random.between(0, std::ssize(all) - 1))];
}

/// Realising agrees with the twin, and keeps the kind.
template <typename T>
void expect_sparse_twin(Random& random, const pv::Tensor<T>& real, const Oracle<T>& naive) {
    REQUIRE(pv::is_sparse(real));
    const pv::Tensor<T> realised = pv::clone(real);
    REQUIRE(pv::is_sparse(realised));
    const auto pairs = pv::sparse_pairs(realised);
    pv::check_sparse_indexes("test", pairs->indexes(), naive.size());
    REQUIRE(same_values(pv::to_vector(realised), naive.values));
    REQUIRE(same_values(pv::to_vector(pv::to_dense(real)), naive.values));
    if constexpr (!std::same_as<T, bool>) expect_same(random, real, naive);
}

} // namespace oracle
