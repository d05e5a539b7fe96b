#include "engine/entrance/scaled_products.hpp"

#include <purview/base/function_ref.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>

#include "engine/entrance/fold_way.hpp"
#include "engine/places/costs.hpp"
#include "engine/threads/parallel.hpp"
#include "evaluation/scaled_products.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace purview::inline v0_1::engine {
namespace {

/// Factors that are multiplied before their product is joined with others: on each lane so few that
/// significands below 2 stay far from overflow.
constexpr index_t kChunk = 2048;

template <typename E>
ScaledProductOf<E> product_of(const E* factors, index_t count) {
    ScaledProductOf<E> product;
    if constexpr (std::is_floating_point_v<E>) {
        constexpr index_t kLanes = 8;
        std::array<double, kLanes> lanes;
        std::array<std::int64_t, kLanes> exponents{};
        lanes.fill(1);
        const auto multiply = [&](index_t i, std::size_t lane) {
            lanes[lane] *= product.significand_of(static_cast<double>(factors[i]), exponents[lane]);
        };
        index_t i = 0;
        for (; i + kLanes <= count; i += kLanes)
            for (std::size_t lane = 0; lane < kLanes; ++lane)
                multiply(i + static_cast<index_t>(lane), lane);
        for (std::size_t lane = 0; i < count; ++i, ++lane) multiply(i, lane);
        for (std::size_t lane = 0; lane < kLanes; ++lane) {
            product.multiply(lanes[lane]);
            product.exponent += exponents[lane];
        }
    } else {
        for (index_t i = 0; i < count; ++i) product.multiply(std::complex<double>(factors[i]));
    }
    return product;
}

template <typename E>
using FoundProduct = FunctionRef<void(index_t group, const ScaledProductOf<E>& product)>;

/// Finds the products of the groups whose plain one may have left its range; on several threads.
template <typename E>
void multiply_far(const Operand& source, index_t groups, const E* plain, FoundProduct<E> found) {
    const index_t length = groups > 0 ? source.dims.size() / groups : 0;
    if (length < 2 || is_sparse(source) ||
        std::none_of(plain, plain + groups, may_have_left_range<E>))
        return;
    const Evaluation evaluation(source, Reads::within_one_operation);
    const int threads =
        evaluation.is_thread_safe()
            ? worthwhile_threads(costs::kExactElement * static_cast<double>(source.dims.size()))
            : 1;
    const index_t together = std::max<index_t>(kChunk / length, 1); // short groups
    if (length <= kChunk)
        return parallel_for(groups, together, threads, [&](index_t first, index_t last) {
            std::vector<E> factors(static_cast<std::size_t>(together * length));
            for (; first < last; first += together) {
                const index_t count = std::min(together, last - first);
                if (std::none_of(plain + first, plain + first + count, may_have_left_range<E>))
                    continue;
                evaluation.read(first * length, count * length, factors.data());
                for (index_t g = 0; g < count; ++g)
                    if (may_have_left_range(plain[first + g]))
                        found(first + g, product_of(factors.data() + g * length, length));
            }
        });
    const index_t chunks = (length + kChunk - 1) / kChunk;
    std::vector<ScaledProductOf<E>> products(static_cast<std::size_t>(chunks));
    for (index_t g = 0; g < groups; ++g) {
        if (!may_have_left_range(plain[g])) continue;
        parallel_for(chunks, 16, threads, [&](index_t first, index_t last) {
            std::vector<E> factors(static_cast<std::size_t>(kChunk));
            for (; first < last; ++first) {
                const index_t count = std::min(kChunk, length - first * kChunk);
                evaluation.read(g * length + first * kChunk, count, factors.data());
                products[static_cast<std::size_t>(first)] = product_of(factors.data(), count);
            }
        });
        for (std::size_t i = 1; i < products.size(); ++i) products[0].multiply(products[i]);
        found(g, products[0]);
    }
}

template <typename E>
void multiply_again(const Operand& source, index_t groups, E* products) {
    multiply_far<E>(source, groups, products, [&](index_t g, const ScaledProductOf<E>& product) {
        const E value = product.template value<E>();
        // Infinite complex numbers stay what the plain product makes of them.
        if (std::is_floating_point_v<E> || std::isfinite(std::abs(value))) products[g] = value;
    });
}

/// Calls `f(std::type_identity<E>{})` if `dtype` is that of floats or complex numbers `E`.
template <typename F>
void visit_factors(DType dtype, F f) {
    if (dtype == float32) return f(std::type_identity<float>{});
    if (dtype == float64) return f(std::type_identity<double>{});
    if (dtype == kDType<std::complex<float>>) return f(std::type_identity<std::complex<float>>{});
    if (dtype == kDType<std::complex<double>>) return f(std::type_identity<std::complex<double>>{});
}

} // namespace

void multiply_far_groups_again(const Operand& source, index_t groups, void* products) {
    visit_factors(source.dtype(), [&]<typename E>(std::type_identity<E>) {
        multiply_again(source, groups, static_cast<E*>(products));
    });
}

} // namespace purview::engine

namespace purview::inline v0_1 {

template <typename E>
void scaled_products(const Operand& source, index_t groups, ScaledProductOf<E>* out) {
    std::vector<E> plain(static_cast<std::size_t>(groups));
    engine::reduce_on_cpu({Reduction::product, groups}, source, plain.data());
    for (index_t g = 0; g < groups; ++g)
        out[g] = ScaledProductOf<E>(plain[static_cast<std::size_t>(g)]);
    engine::multiply_far<E>(
        source, groups, plain.data(),
        [&](index_t g, const ScaledProductOf<E>& product) { out[g] = product; });
}
template void scaled_products<float>(const Operand&, index_t, ScaledProductOf<float>*);
template void scaled_products<double>(const Operand&, index_t, ScaledProductOf<double>*);
template void scaled_products<std::complex<float>>(const Operand&, index_t,
                                                   ScaledProductOf<std::complex<float>>*);
template void scaled_products<std::complex<double>>(const Operand&, index_t,
                                                    ScaledProductOf<std::complex<double>>*);

} // namespace purview
