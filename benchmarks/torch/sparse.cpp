/// libtorch's sparse tensors of coordinates: its products of compressed ones need MKL.

#include "../support/cases.hpp"
#include "../support/sparse_data.hpp"

#include <ATen/ATen.h>
#include <ATen/Parallel.h>

namespace {

using namespace bench;
using at::Tensor;

Tensor random_dense(at::IntArrayRef shape, std::uint64_t seed) {
    at::set_num_threads(threads());
    const Tensor tensor = at::empty(shape, at::kDouble);
    fill_random(tensor.data_ptr<double>(), static_cast<std::size_t>(tensor.numel()), seed);
    return tensor;
}

Summary summary_of(const Tensor& tensor) {
    const Tensor values = tensor.contiguous();
    return bench::summary_of(values.data_ptr<double>(), static_cast<std::size_t>(values.numel()));
}

/// A task whose result is dense.
template <typename Run>
auto made(Run run) {
    return Task{run, [=] { return summary_of(run()); }};
}

/// A task whose result is sparse: what is stored, in order.
template <typename Run>
auto pairs_made(Run run) {
    return Task{run, [=] { return summary_of(run().coalesce().values()); }};
}

/// One ascending index in each hundred.
Tensor sparse_vector(std::int64_t stored, std::uint64_t seed) {
    const Tensor indexes = at::empty({1, stored}, at::kLong);
    fill_sparse_indexes(indexes.data_ptr<std::int64_t>(), static_cast<std::size_t>(stored), 100,
                        seed);
    return at::_sparse_coo_tensor_unsafe(indexes, random_dense({stored}, seed + 10), {100 * stored})
        ._coalesced_(true);
}

/// One in each thousand of 10⁵ × 10⁵.
Tensor sparse_matrix() {
    const std::int64_t stored = 10'000'000, side = 100'000;
    const Tensor indexes = at::empty({stored}, at::kLong);
    fill_sparse_indexes(indexes.data_ptr<std::int64_t>(), static_cast<std::size_t>(stored), 1000,
                        1);
    const Tensor places =
        at::stack({at::div(indexes, side, "floor"), at::remainder(indexes, side)});
    return at::_sparse_coo_tensor_unsafe(places, random_dense({stored}, 11), {side, side})
        ._coalesced_(true);
}

Tensor coordinates(std::int32_t side, std::size_t count, std::uint64_t seed) {
    at::set_num_threads(threads());
    Coordinates from(side, count, seed);
    const auto size = static_cast<std::int64_t>(count);
    const auto options = at::TensorOptions(at::kInt);
    const Tensor places = at::stack({at::from_blob(from.rows.data(), {size}, options),
                                     at::from_blob(from.columns.data(), {size}, options)})
                              .to(at::kLong);
    const Tensor values = at::from_blob(from.values.data(), {size}, at::kDouble).clone();
    return at::_sparse_coo_tensor_unsafe(places, values, {side, side});
}

/// A task whose result is a matrix: its product with a vector.
template <typename Run>
auto matrix_made(std::int32_t side, Run run) {
    const Tensor x = random_dense({side, 1}, 9);
    return Task{run, [=] { return summary_of(at::mm(run(), x)); }};
}

const Cases tensors([] {
    const auto add_merge = [](const char* name, auto combine) {
        add(case_name(name, "1000000_of_100000000", "float64"), [=] {
            const Tensor x = sparse_vector(1'000'000, 1), y = sparse_vector(1'000'000, 2);
            return pairs_made([=] { return combine(x, y); });
        });
    };
    add_merge("sparse_add", [](const Tensor& x, const Tensor& y) { return x + y; });
    add_merge("sparse_product", [](const Tensor& x, const Tensor& y) { return x * y; });
    add("sparse_transpose/10000000_of_100000x100000/float64", [] {
        const Tensor x = sparse_matrix();
        return pairs_made([=] { return x.t().coalesce(); });
    });
});

const Cases matrices([] {
    const auto matrix = [](std::uint64_t seed) {
        return coordinates(kSparseSide, kSparseStored, seed).coalesce();
    };
    add("csr_times_vector/1000000x10/float64", [=] {
        const Tensor a = matrix(1), x = random_dense({kSparseSide}, 9);
        return made([=] { return at::mv(a, x); });
    });
    add("csr_times_matrix/1000000x10x8/float64", [=] {
        const Tensor a = matrix(1), x = random_dense({kSparseSide, 8}, 9);
        return made([=] { return at::mm(a, x); });
    });
    add("csr_add/1000000x10/float64", [=] {
        const Tensor a = matrix(1), b = matrix(4);
        return matrix_made(kSparseSide, [=] { return a + b; });
    });
    add("csr_product/100000x10/float64", [] {
        const Tensor a = coordinates(kProductSide, kProductStored, 1).coalesce();
        const Tensor b = coordinates(kProductSide, kProductStored, 4).coalesce();
        return matrix_made(kProductSide, [=] { return at::mm(a, b); });
    });
    add("coo_to_csr/10000000/float64", [] {
        const Tensor a = coordinates(kSparseSide, kSparseStored, 1);
        const Tensor x = random_dense({kSparseSide, 1}, 9);
        return Task{[=] { return a.to_sparse_csr(); },
                    [=] { return summary_of(at::mm(a.coalesce(), x)); }};
    });
});

} // namespace
