#pragma once

#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <concepts>
#include <functional>
#include <optional>
#include <typeindex>
#include <typeinfo>
#include <utility>
#include <vector>

namespace oracle {

/// What an operation on sparse tensors comes to.
enum class Form {
    sparse,  ///< a sparse tensor, or a constant one
    number,  ///< a number, or memory of what was found
    dense,   ///< lazily dense
    either,  ///< sparse or lazily dense, as fills decide
    refused, ///< nothing: a `KindError`
};

/// One operation of the library: a row of a table. `apply` takes two tensors that broadcast
/// together and choices, which are the same for both kinds.
template <typename T>
struct Row {
    const char* name;
    Form form;
    std::function<pv::AnyTensor(const pv::Tensor<T>&, const pv::Tensor<T>&, Random&)> apply;
};

inline pv::AnyTensor result_of(const pv::TensorLike auto& tensor) { return pv::AnyTensor(tensor); }
template <typename V>
    requires(!pv::TensorLike<V>)
pv::AnyTensor result_of(const V& value) { return pv::AnyTensor(pv::const_tensor(value, {})); }
inline pv::AnyTensor result_of(const std::optional<index_t>& found) {
    return result_of(found.value_or(-1));
}
inline pv::AnyTensor result_of(const pv::IndexSet& set) { return result_of(pv::indexes_of(set)); }

/// `f(x)`, `f(x, y)`, `f(x, random)` or `f(x, y, random)`.
template <typename T, typename F>
Row<T> row(const char* name, Form form, F f) {
    return {name, form, [f](const pv::Tensor<T>& x, const pv::Tensor<T>& y, Random& random) {
                if constexpr (std::invocable<F, const pv::Tensor<T>&>)
                    return result_of(f(x));
                else if constexpr (std::invocable<F, const pv::Tensor<T>&, const pv::Tensor<T>&>)
                    return result_of(f(x, y));
                else if constexpr (std::invocable<F, const pv::Tensor<T>&, Random&>)
                    return result_of(f(x, random));
                else
                    return result_of(f(x, y, random));
            }};
}

/// A result with all of its elements, or the error there was on the way.
struct Outcome {
    pv::AnyTensor tensor = result_of(0);
    pv::AnyTensor dense = result_of(0);
    std::optional<std::type_index> error;
    std::string message;
};

template <typename F>
auto visit_elements(const pv::AnyTensor& x, F f) {
    if (x.dtype() == pv::kDType<std::string>) return f(std::type_identity<std::string>{});
    return pv::visit_dtype(x.dtype(), "test", f);
}

template <typename T>
Outcome outcome_of(const Row<T>& row, const pv::Tensor<T>& x, const pv::Tensor<T>& y,
                   unsigned seed) {
    Random choices(seed);
    Outcome outcome;
    try {
        outcome.tensor = row.apply(x, y, choices);
        visit_elements(outcome.tensor, [&]<typename R>(std::type_identity<R>) {
            outcome.dense = pv::AnyTensor(pv::to_dense(outcome.tensor.as<R>()));
        });
    } catch (const pv::Error& error) {
        outcome.error = std::type_index(typeid(error));
        outcome.message = error.what();
    }
    return outcome;
}

/// Sums of fills are multiplied, not added up.
template <typename R>
bool close(const R& a, const R& b) {
    if (same(a, b)) return true;
    if constexpr (std::floating_point<R>) {
        const double tolerance = std::same_as<R, float> ? 1e-5 : 1e-12;
        return std::abs(a - b) <= tolerance * (1 + std::abs(b));
    } else {
        return false;
    }
}

template <typename T>
void expect_alike(const Row<T>& row, unsigned seed) {
    Random random(seed);
    const Coordinates shape = random.shape();
    const SparseTwin<T> x = random_sparse<T>(random, shape, random_fill<T>(random));
    const SparseTwin<T> y = random_sparse<T>(
        random, random.one_in(2) ? shape : random.broadcastable(shape),
        random.one_in(2) ? pv::sparse_pairs(x.real)->fill() : random_fill<T>(random));
    INFO(row.name << ", seed " << seed << ", of " << x.name << " with " << y.name);
    const Outcome sparse = outcome_of(row, x.real, y.real, seed);
    const Outcome dense = outcome_of<T>(row, pv::to_dense(x.real), pv::to_dense(y.real), seed);
    if (row.form == Form::refused) {
        if (dense.error) return; // whatever was wrong with it is wrong again
        REQUIRE(sparse.error == std::type_index(typeid(pv::KindError)));
        return;
    }
    INFO(sparse.message << " / " << dense.message);
    REQUIRE(sparse.error == dense.error);
    if (dense.error) return;

    const pv::Shape wanted = dense.dense.shape();
    REQUIRE(sparse.dense.shape() == wanted);
    REQUIRE(sparse.tensor.dtype() == dense.tensor.dtype());
    if (row.form == Form::sparse && !x.naive.values.empty())
        REQUIRE(pv::storage_kind_of(*sparse.tensor.operand().node) <= pv::Kind::sparse);
    if (row.form == Form::dense) REQUIRE_FALSE(pv::is_sparse(sparse.tensor));
    visit_elements(sparse.tensor, [&]<typename R>(std::type_identity<R>) {
        const std::vector<R> actual = pv::to_vector(sparse.dense.as<R>());
        const std::vector<R> expected = pv::to_vector(dense.dense.as<R>());
        for (std::size_t i = 0; i < expected.size(); ++i) {
            INFO("element " << i);
            if (!close<R>(actual[i], expected[i])) REQUIRE(R(actual[i]) == R(expected[i]));
        }
        if (!pv::is_sparse(sparse.tensor)) return;
        // As it is stored: ascending, each once.
        const auto pairs = pv::sparse_pairs(sparse.tensor.as<R>());
        pv::check_sparse_indexes("test", pairs->indexes(), sparse.tensor.size());
        REQUIRE(close<R>(actual.empty() ? R{} : actual.back(),
                         actual.empty() ? R{} : pairs->read(pairs->size() - 1)));
    });
}

/// Every row on random tensors, of as many seeds.
template <typename T>
void expect_all_alike(const std::vector<Row<T>>& rows, unsigned seeds) {
    for (const Row<T>& row : rows)
        for (unsigned seed = 0; seed < oracle::rounds(seeds); ++seed)
            expect_alike(row, 7919 * seed + 1);
}

inline index_t any_axis(const auto& x, Random& random) {
    return x.rank() == 0 ? 0 : random.between(0, x.rank() - 1);
}
inline pv::Shape any_axes(const auto& x, Random& random) {
    pv::Shape axes;
    for (index_t a = 0; a < x.rank(); ++a)
        if (random.one_in(2)) axes.push_back(a);
    return axes;
}

} // namespace oracle
