#pragma once

#include <purview/evaluation/work.hpp>

#include "engine/contract/contract.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/entrance/chunked_fold.hpp"
#include "engine/entrance/chunked_product.hpp"
#include "engine/entrance/sparse_by_slabs.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/reduce/reduce_gather.hpp"
#include "engine/ways/way.hpp"

#include <cstddef>
#include <optional>
#include <variant>

namespace purview::inline v0_1::engine {

/// What has been done of a fold before its way is chosen.
struct FoldSoFar {
    bool flat = false;     ///< looked for a flat graph, and found none
    bool realised = false; ///< nodes that would be computed again and again
    bool dense_product =
        false; ///< a product of a sparse and a dense factor: elements did not let it
};

/// How a fold is done: decided once, without reading an element; then run, or told by `explain`.
class FoldWay {
public:
    struct Nothing {};                               ///< there is no element: identities
    using StridedProduct = std::optional<BlasCalls>; ///< of factors in memory; never empty
    struct Stored {};         ///< what is stored alone, and the fills at once
    struct PartsOfComplex {}; ///< real parts, then imaginary ones
    struct Complex {};        ///< by the kernels of complex numbers
    struct Realised {};       ///< chosen anew when nodes have been realised
    struct Axes {};           ///< by `reduce_axes`
    /// A `ProductWay` that is not taken is folded as by `Axes`.
    using Kind =
        std::variant<Nothing, ChunkedFold, ChunkedProduct, SparseBySlabs, StridedProduct, FlatFold,
                     Stored, PartsOfComplex, Complex, Realised, ProductWay, GatheredRows, Axes>;
    /// The source has to outlive it.
    FoldWay(const work::Fold& fold, const Operand& source, Ways allowed, FoldSoFar so_far = {})
        : fold_(fold), source_(source), allowed_(allowed), so_far_(so_far) {
        choose();
    }
    FoldWay(const work::Fold&, Operand&&, Ways, FoldSoFar = {}) = delete;
    FoldWay(const FoldWay&) = delete;

    const Kind& kind() const noexcept { return kind_; }

    /// Writes the results. Returns whether sums have been divided by the number of their elements,
    /// which only some ways do.
    bool run(std::byte* out);

private:
    bool adds() const noexcept { return fold_.reduction == Reduction::sum; }
    bool is_chunked();
    bool multiplies() const noexcept { return adds() && allowed_.has(Way::product); }
    void choose();
    void choose_for_complex();
    bool is_flat();
    bool is_product(bool nested);
    bool run_otherwise(FoldSoFar so_far, const Operand& source, std::byte* out) const;

    work::Fold fold_;
    const Operand& source_;
    Ways allowed_;
    FoldSoFar so_far_;
    Kind kind_;
};

/// Parts of products are sums in whatever way is chosen.
extern constinit const PartSums kPartSums;

/// What `reduce_groups` does where no other backend does it.
void reduce_on_cpu(const work::Fold& fold, const Operand& source, void* out,
                   Ways allowed = allowed_ways());

} // namespace purview::engine
