#pragma once

#include <purview/expression/node.hpp>

#include "engine/contract/contract_many.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/contract/part_sums.hpp"
#include "engine/contract/product_tree.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace purview::inline v0_1::engine {

/// How the row-major order of an operand, cut into `groups` equal parts, is summed, if it is a sum of
/// products: decided without reading an element, then run or told. A matrix product, or a batch of
/// them, goes to BLAS, or, where BLAS does not have it (integers), to a fused loop over copies of
/// factors in which the summed axis is contiguous.
struct ProductWay {
    enum class Kind : std::uint8_t {
        none,             ///< no product
        with_dense,       ///< of a sparse and a dense factor, if their elements let it
        many_factors,     ///< pair by pair
        calls,            ///< of BLAS, or of the kernel of small products
        loop_over_copies, ///< a fused loop over copies of factors
        loop              ///< a fused loop over the factors in place: left to the fold
    };
    Kind kind = Kind::none;
    SparseWay sparse;
    ProductTree tree;
    std::optional<PairOrder> pairs;
    std::optional<Contraction> contraction;
    std::optional<BlasCalls> calls; ///< also where there is no library for them
    Reason refusal = nullptr;
    bool copies_a = false;
    bool copies_b = false;

    /// Whether it is more than a fold of elements that happen to be products.
    bool is_taken() const noexcept { return kind != Kind::none && kind != Kind::loop; }
};

/// Takes a product apart, into `way`, which is as it was made: the contraction of two factors, or the
/// order of many. `nested`: whether the source is a nested product (`is_nested_product`).
void find_factors(const Operand& source, index_t groups, bool nested, ProductWay& way);

/// Decides `way`, which is as it was made; returns whether it is taken. `nested`: whether the source
/// is a nested product (`is_nested_product`). Not `may_be_sparse` where `with_dense` has been tried,
/// and elements did not let it. Products that `find_strided_calls` finds have been tried before.
bool choose_product(ProductWay& way, const Operand& source, index_t groups, bool nested,
                    bool may_be_sparse);

/// Writes the sums to `out`. Factors that are computed or copied are held in memory while this runs,
/// once and without the axes that they do not have; what is summed first, or pair by pair, by `sums`.
/// Returns false, with nothing written, where elements forbid it.
bool run_product(ProductWay&& way, const Operand& source, index_t groups, const PartSums& sums,
                 void* out);

/// "gemm 1024x1024x1024 float64, A transposed, batch 16, by OpenBLAS …"; for a loop, why it is one;
/// empty for no product.
std::string describe_product(const ProductWay& way, const Operand& source, index_t groups);
/// What the way that is chosen for an operand would do.
std::string describe_product(const Operand& source, index_t groups);
std::string describe_calls(const BlasCalls& calls);

} // namespace purview::engine
