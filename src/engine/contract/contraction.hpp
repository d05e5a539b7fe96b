#pragma once

#include <purview/expression/elementwise.hpp>
#include <purview/expression/node.hpp>

#include "engine/contract/blas.hpp"
#include "engine/contract/product_tree.hpp"
#include "engine/kernels/table/lane_kernels.hpp"
#include "engine/places/costs.hpp"

#include <boost/container/small_vector.hpp>

#include <cstddef>
#include <optional>

namespace purview::inline v0_1::engine {

/// An axis of a sum of products: its number in the root, its extent, and its strides in the factors
/// A and B and the result C, in elements; 0 where the operand does not have it.
struct ContractedAxis {
    std::size_t root = 0;
    index_t extent = 1;
    index_t a = 0;
    index_t b = 0;
    index_t c = 0;
};
using ContractedAxes = boost::container::small_vector<ContractedAxis, 3>;

/// The axes of a sum of products by their classes: kept axes are in both factors (batch), in A (m)
/// or in B (n), and summed axes (k) are in both. No axis has size 1.
struct ClassedAxes {
    ContractedAxes batch;
    ContractedAxes m;
    ContractedAxes n;
    ContractedAxes k;
};

/// A factor of the product, seen from the coordinates of the root.
struct Factor {
    Operand operand;
    const std::byte* memory =
        nullptr;   ///< where coordinates zero are, if elements can be read in place
    Shape strides; ///< in elements of the memory; if not in place, of the operand's addresses
};

/// The factor that an operand is, which has the root's axes. Reads no element.
Factor factor_at(Operand operand);

/// Where the coordinates zero of a strided operand in memory are, if aligned; else null. Elements at
/// neighbouring addresses lie side by side, or, if asked for, `step` elements apart.
const std::byte* strided_memory(const Operand& operand, index_t* step = nullptr);

/// A sum of products that is a matrix product for each index of the batch.
struct Contraction : ClassedAxes {
    DType dtype;
    Factor a;
    Factor b;
    index_t size = 1;   ///< of the space: multiplications
    index_t groups = 1; ///< elements of the result
    double scale = 1;   ///< every product is multiplied by it
};

/// A computed factor is held in memory only where each of its elements is used this many times.
inline constexpr index_t kLeastReuse = 4;

inline index_t extent_of(const ContractedAxes& axes) noexcept {
    index_t extent = 1;
    for (const ContractedAxis& axis : axes) extent *= axis.extent;
    return extent;
}

/// Why a sum is not a contraction, or is not worth a call: for `explain`. Null if it is not even a
/// sum of products of numbers.
using Reason = const char*;
inline constexpr char kSummedInOne[] = "a summed axis is in one factor only";

/// The contraction that a sum of `source` to `groups` elements is; else nothing, and `refusal` says
/// why. `apart`: the source, taken apart into two factors. Reads no element. Takes a few nanoseconds
/// where the root is no product.
std::optional<Contraction> find_contraction(const Operand& source, index_t groups, Reason& refusal,
                                            const ProductTree* apart = nullptr);

/// Sums of fewer products are not looked at: a fused loop over them takes about as long as looking.
inline constexpr index_t kFewestProducts = 512;

/// The product at a root, of real or complex numbers; null if it is none.
const Elementwise* product_at(const Operand& source) noexcept;
/// Puts each axis into its class, given its strides in the factors. Returns why one has none, or
/// why the sum is no matrix product.
Reason classify(ClassedAxes& axes, ShapeSpan shape, index_t groups, ShapeSpan a, ShapeSpan b);

/// Whether the kernel of small products is as fast as BLAS for matrices of these extents.
bool is_small_product(const LaneKernels& kernels, index_t m, index_t n, index_t k) noexcept;
/// Nanoseconds that the kernel takes, roughly.
inline double cost_of_small(DType dtype, const SmallProduct& sizes) noexcept {
    return costs::kSmallProduct + costs::kSmallProductByte *
                                      static_cast<double>(dtype.size_bytes()) *
                                      static_cast<double>(sizes.m * sizes.n * sizes.k);
}

/// How BLAS reads a factor: one of its strides is 1, the other the leading dimension.
struct MatrixForm {
    CblasTranspose transpose = CblasTranspose::no;
    int ld = 1;
};

/// Equal calls of BLAS, or of the kernel of small products, one for each index of the loops; summed
/// axes that one call cannot hold are added up by further calls.
struct BlasCalls {
    explicit BlasCalls(DType type) : dtype(type) {}

    DType dtype;
    const std::byte* a = nullptr; ///< elements at coordinates zero; null if they are not in memory
    const std::byte* b = nullptr;
    double scale = 1;
    const Blas* blas = nullptr; ///< null for calls of the kernel, and where there is no library
    // Axes of the root, the last one fastest, of the buffers that replace A and B; empty for what is
    // used in place.
    Shape copy_a;
    Shape copy_b;
    bool stages_c = false;             ///< a buffer over the axes of batch, m and n replaces C
    std::optional<SmallProduct> small; ///< the calls are the kernel's
    bool swapped = false; ///< computes C' = B'A': B is then the left factor of the calls
    bool vector = false;  ///< gemv: n is 1, and ldb and ldc are increments
    MatrixForm left;
    MatrixForm right;
    int c_ld = 1;
    ContractedAxis m; ///< the axes of one call; a, b and c as they are in `loops`
    ContractedAxis n;
    ContractedAxis k;
    ContractedAxes loops;   ///< the last ones are summed
    index_t additions = 1;  ///< steps of the loops that are added up
    index_t splits = 1;     ///< pieces of one sum of steps
    double nanoseconds = 0; ///< estimate, on one thread

    /// Runs all of them, on several threads if that pays and BLAS has none of its own. `a`, `b` and
    /// `c` point to the elements of A, B and C at coordinates zero.
    void run(const void* a, const void* b, void* c) const;
    /// Independent parts of the work: any ranges of them may run at the same time.
    index_t pieces() const noexcept { return extent_of(loops) / additions * splits; }
    void run(const void* a, const void* b, void* c, index_t begin, index_t end) const;
};

/// The calls for a product of factors in memory, summed to several groups, in which each class has
/// an axis at most: what `find_contraction` and `choose_calls` would find, without a search. False
/// where there is more to do: copies, loops over several axes, a choice of axes, or where a fused
/// loop is faster.
bool find_strided_calls(const Operand& source, index_t groups, std::optional<BlasCalls>& found);

/// The calls that take least time, by a model of the costs. Nothing where the fused loop takes
/// less, or neither BLAS nor the kernel can do it; `refusal` says why.
std::optional<BlasCalls> choose_calls(const Contraction& contraction, Reason& refusal);

} // namespace purview::engine
