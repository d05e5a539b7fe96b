#include "engine/contract/contract.hpp"

#include <purview/dimensions/compose.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/elementwise.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/contract/contract_many.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/contract/contraction.hpp"
#include "engine/places/buffers.hpp"
#include "engine/threads/parallel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace purview {
namespace {

using namespace engine;

Shape extents_of(ShapeSpan shape, ShapeSpan axes) {
    Shape extents;
    for (const index_t axis : axes) extents.push_back(shape[static_cast<std::size_t>(axis)]);
    return extents;
}

/// The strides of `shape` in row-major order, at some of its axes.
Shape strides_of(ShapeSpan shape, ShapeSpan axes) {
    const Dimensions whole = Dimensions::row_major(shape);
    Shape strides;
    for (const index_t axis : axes)
        strides.push_back(whole.strides()[static_cast<std::size_t>(axis)]);
    return strides;
}

/// A factor in memory of its own, over its own axes in this order.
template <typename T>
BufferPtr<T> realise(const Factor& factor, ShapeSpan axes) {
    const ShapeSpan shape = factor.operand.dims.max_shape();
    const Shape extents = extents_of(shape, axes);
    const Dimensions own = Dimensions::strided(extents, strides_of(shape, axes));
    const Dimensions packed = Dimensions::row_major(extents);
    BufferPtr<T> buffer = allocate_uninitialized_buffer<T>(packed.size());
    assign({factor.operand.node, dimensions::compose(own, factor.operand.dims)},
           over_buffer<T>(buffer, packed));
    return buffer;
}

/// Puts results, which lie over the kept axes in this order, into theirs.
template <typename T>
void put_in_place(const BufferPtr<T>& staged, ShapeSpan axes, const Contraction& contraction,
                  T* out) {
    const ShapeSpan shape = contraction.a.operand.dims.max_shape();
    const Shape extents = extents_of(shape, axes);
    Shape strides;
    for (const index_t axis : axes)
        for (const ContractedAxes* const kept :
             {&contraction.batch, &contraction.m, &contraction.n})
            for (const ContractedAxis& entry : *kept)
                if (static_cast<index_t>(entry.root) == axis) strides.push_back(entry.c);
    const auto place = std::make_shared<Buffer<T>>(out, contraction.groups,
                                                   static_cast<index_t>(sizeof(T)), borrowed(out));
    assign(over_buffer<T>(staged, Dimensions::row_major(extents)),
           over_buffer<T>(place, Dimensions::strided(extents, strides)));
}

/// On several threads, if that is worth it and BLAS has none of its own.
template <typename T>
void run_pieces(const Blas& blas, const BlasCalls& calls, const T* a, const T* b, T* c, T scale) {
    const index_t pieces = calls.pieces();
    const int threads =
        pieces > 1 && blas.is_single_threaded() ? worthwhile_threads(calls.nanoseconds) : 1;
    if (threads == 1) return calls.run(blas, a, b, c, 0, pieces, scale);
    // Each part of a large product reads all of one factor: no more of them than threads.
    const index_t grain = (pieces + threads - 1) / threads;
    parallel_for(pieces, grain, threads,
                 [&](index_t begin, index_t end) { calls.run(blas, a, b, c, begin, end, scale); });
}

template <typename T>
void run(const Blas& blas, const Contraction& contraction, const BlasCalls& calls, T* out) {
    const auto* a = reinterpret_cast<const T*>(contraction.a.memory);
    const auto* b = reinterpret_cast<const T*>(contraction.b.memory);
    T* c = out;
    BufferPtr<T> copy_of_a;
    BufferPtr<T> copy_of_b;
    BufferPtr<T> stage_of_c;
    if (!calls.copy_a.empty()) {
        copy_of_a = realise<T>(contraction.a, calls.copy_a);
        a = data_of(copy_of_a);
    }
    if (!calls.copy_b.empty()) {
        copy_of_b = realise<T>(contraction.b, calls.copy_b);
        b = data_of(copy_of_b);
    }
    if (!calls.stage_c.empty()) {
        stage_of_c = allocate_uninitialized_buffer<T>(contraction.groups);
        c = data_of(stage_of_c);
    }
    run_pieces(blas, calls, a, b, c, static_cast<T>(contraction.scale));
    if (stage_of_c != nullptr) put_in_place(stage_of_c, calls.stage_c, contraction, out);
}

/// Whether the fused loop would better read a copy of a factor, in which elements that are added up lie
/// one after the other.
bool is_worth_laying_along(const Factor& factor, index_t stride_of_sum, index_t uses) {
    return (factor.memory == nullptr || stride_of_sum != 1) && uses >= kLeastReuse;
}

template <typename T>
Operand laid_along_sum(const Factor& factor, const ContractedAxes& batch, const ContractedAxes& own,
                       const ContractedAxes& k) {
    const ShapeSpan shape = factor.operand.dims.max_shape();
    Shape axes;
    for (const ContractedAxes* const list : {&batch, &own, &k})
        for (const ContractedAxis& axis : *list) axes.push_back(static_cast<index_t>(axis.root));
    Shape strides(shape.size(), 0);
    index_t next = 1;
    for (std::size_t i = axes.size(); i-- > 0;) {
        const auto axis = static_cast<std::size_t>(axes[i]);
        strides[axis] = next;
        next *= shape[axis];
    }
    return over_buffer<T>(realise<T>(factor, axes), Dimensions::strided(shape, strides));
}

bool lays_a_along(const Contraction& contraction) {
    return is_worth_laying_along(contraction.a, contraction.k.back().a, extent_of(contraction.n));
}
bool lays_b_along(const Contraction& contraction) {
    return is_worth_laying_along(contraction.b, contraction.k.back().b, extent_of(contraction.m));
}

/// The number becomes part of the smaller factor.
void scale_factor(Contraction& contraction) {
    if (contraction.scale == 1) return;
    Factor& factor =
        extent_of(contraction.m) < extent_of(contraction.n) ? contraction.a : contraction.b;
    factor.operand = scaled(factor.operand, std::exchange(contraction.scale, 1));
    factor.memory = nullptr;
}

/// What BLAS cannot do is done by the fused loop, over factors laid along the sum.
bool sum_fused(Contraction& contraction, void* out) {
    scale_factor(contraction);
    const bool copy_a = lays_a_along(contraction);
    const bool copy_b = lays_b_along(contraction);
    if (!copy_a && !copy_b) return false;
    const Operand product =
        visit_dtype(contraction.dtype, "sum", [&]<typename T>(std::type_identity<T>) -> Operand {
            return elementwise<2>(Op::multiply, contraction.dtype,
                                  {copy_a ? laid_along_sum<T>(contraction.a, contraction.batch,
                                                              contraction.m, contraction.k)
                                          : contraction.a.operand,
                                   copy_b ? laid_along_sum<T>(contraction.b, contraction.batch,
                                                              contraction.n, contraction.k)
                                          : contraction.b.operand});
        });
    // Which comes here again, and finds nothing to copy.
    reduce(Reduction::sum, product, contraction.groups, out);
    return true;
}

std::string describe_factor(const char* name, const Factor& factor, const Shape& copy,
                            CblasTranspose is) {
    if (!copy.empty())
        return fmt::format(", {} {}", name, factor.memory == nullptr ? "computed first" : "copied");
    return is == CblasTranspose::yes ? fmt::format(", {} transposed", name) : "";
}

std::string describe(const Contraction& contraction, const BlasCalls& calls) {
    index_t batch = 1;
    for (const ContractedAxis& axis : calls.loops) batch *= axis.extent;
    index_t additions = 1;
    for (const ContractedAxis& axis : calls.sums) additions *= axis.extent;
    const bool swapped = calls.swapped;
    const auto flipped = [&](CblasTranspose is) {
        if (!swapped) return is;
        return is == CblasTranspose::yes ? CblasTranspose::no : CblasTranspose::yes;
    };
    std::string text =
        calls.vector
            ? fmt::format("gemv {}x{}", std::max(calls.m.extent, calls.n.extent), calls.k.extent)
            : fmt::format("gemm {}x{}x{}", calls.m.extent, calls.n.extent, calls.k.extent);
    text += contraction.dtype == float32 ? " float32" : " float64";
    text += describe_factor("A", contraction.a, calls.copy_a,
                            flipped(swapped ? calls.right_is : calls.left_is));
    text += describe_factor("B", contraction.b, calls.copy_b,
                            flipped(swapped ? calls.left_is : calls.right_is));
    if (!calls.stage_c.empty()) text += ", result in another order";
    if (batch > 1) text += fmt::format(", batch {}", batch);
    if (additions > 1) text += fmt::format(", sum of {}", additions);
    if (contraction.scale != 1) text += fmt::format(", times {}", contraction.scale);
    return text;
}

} // namespace

namespace {

/// What there is to know of a sum, before anything is computed.
struct Found {
    ProductTree tree;
    bool many = false; ///< to be summed pair by pair, if that is better
    std::optional<Contraction> contraction;
    Refusal refusal = nullptr;
};

Found find(const Operand& source, index_t groups) {
    Found found;
    const bool nested = is_nested_product(source) && source.dims.size() >= kFewestProducts &&
                        take_apart(source, found.tree);
    if (nested && found.tree.factors.size() == 2)
        found.contraction = find_contraction(source, found.tree, groups, found.refusal);
    else if (nested && found.tree.factors.size() > 2)
        found.many = true;
    else
        found.contraction = find_contraction(source, groups, found.refusal);
    if (found.refusal != kSummedInOne) return found;
    // Which is then summed first.
    found.many = nested || take_apart(source, found.tree);
    return found;
}

} // namespace

bool contract(const Operand& source, index_t groups, void* out) {
    if (source.node->reads_sparse() && source.dims.size() > 0 &&
        contract_with_dense(source, groups, out))
        return true;
    Found found = find(source, groups);
    if (found.many) return contract_many(source, found.tree, groups, out);
    std::optional<Contraction>& contraction = found.contraction;
    if (!contraction) return false;
    const std::optional<BlasCalls> calls = choose_calls(*contraction, found.refusal);
    const Blas* const library = calls ? blas() : nullptr;
    if (library == nullptr) return sum_fused(*contraction, out);
    if (contraction->dtype == float32)
        run(*library, *contraction, *calls, static_cast<float*>(out));
    else
        run(*library, *contraction, *calls, static_cast<double*>(out));
    return true;
}

std::string describe_contraction(const Operand& source, index_t groups) {
    if (source.node->reads_sparse() && source.dims.size() > 0)
        if (std::string text = describe_sparse_contraction(source, groups); !text.empty())
            return text;
    Found found = find(source, groups);
    if (found.many) {
        const std::string steps = describe_many(source, found.tree, groups);
        if (!steps.empty()) return steps;
        if (found.refusal == nullptr) found.refusal = "one loop over all factors is faster";
    }
    std::optional<Contraction>& contraction = found.contraction;
    std::optional<BlasCalls> calls;
    if (contraction) calls = choose_calls(*contraction, found.refusal);
    std::string text;
    if (calls) {
        text = describe(*contraction, *calls);
        if (blas() != nullptr) return fmt::format("{}, by {}", text, blas_description());
        text = fmt::format("fused loop instead of {}: {}", text, blas_description());
    } else if (found.refusal != nullptr) {
        text = fmt::format("fused loop: {}", found.refusal);
    }
    if (contraction) scale_factor(*contraction);
    if (contraction && lays_a_along(*contraction)) text += ", A laid along the sum first";
    if (contraction && lays_b_along(*contraction)) text += ", B laid along the sum first";
    return text;
}

} // namespace purview
