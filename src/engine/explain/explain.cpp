#include <purview/evaluation/explain.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/expression/visit_node.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/entrance/elsewhere.hpp"
#include "engine/entrance/fold_way.hpp"
#include "engine/explain/describe_view.hpp"
#include "engine/explain/describe_work.hpp"
#include "engine/explain/described_source.hpp"
#include "engine/explain/plan_text.hpp"
#include "engine/pairs/moved_entries.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_way.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/reduce/reduce_axes.hpp"
#include "engine/run/compute.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/sparse/pieces.hpp"
#include "engine/ways/way.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Bytes of an address space: no memory holds larger tensors.
constexpr index_t kAddressSpace = index_t{1} << 47;

std::string head_of_fold(const char* what, const work::Fold& fold, const Operand& source) {
    return fmt::format("{} to {} element{}\n", head(fmt::format("{} of", what).c_str(), source),
                       fold.groups, fold.groups == 1 ? "" : "s");
}

/// At an address that is never touched.
Operand untouched_memory(DType dtype, ShapeSpan shape) {
    return memory_operand(dtype, reinterpret_cast<void*>(kAllocationAlignment), shape);
}

/// The plan of an evaluation. Flat graphs have a key of their own, by which a plan may be
/// remembered too.
FoundPlan found_plan(const Operand& source, const Values& values, const Purpose& purpose) {
    FoundPlan found = look_up_plan(values, purpose);
    FlatGraph graph;
    if (found.cache_state == PlanCacheState::missing && graph.find(source) &&
        graph.is_remembered(purpose.fold))
        found.cache_state = PlanCacheState::cached;
    return found;
}

std::string threads_of(const Plan& plan) {
    if (!plan.thread_safe) return "on one thread, because a reader allows no other";
    const int count = most_threads_for(plan, plan.size);
    if (count > 1) return fmt::format("on up to {} threads", count);
    return threads() == 1 ? "on one thread" : "on one thread, because the work is small";
}

std::string writer_reason(const Leaf& leaf) {
    if (!leaf.writable_memory()) return "the destination reveals no memory";
    if (!leaf.dtype().is_builtin())
        return fmt::format("{} is no built-in type", leaf.dtype().name());
    return "no strides describe the destination";
}

std::string computed_into(const Values& values, const Operand& source, const Leaf& leaf,
                          const Dimensions& dims);

/// The way of the largest of the boxes between the ends of `pieces` of the axes.
std::string computed_in_boxes(const std::vector<Shape>& pieces, Operand source, const Leaf& leaf,
                              Dimensions dims) {
    std::size_t boxes = 1;
    for (std::size_t axis = 0; axis < pieces.size(); ++axis) {
        Range longest(0, 0);
        for (index_t begin = 0; const index_t end : pieces[axis]) {
            if (end - begin > *longest.end() - *longest.begin()) longest = Range(begin, end);
            begin = end;
        }
        source.dims = dimensions::select(source.dims, static_cast<index_t>(axis), longest);
        dims = dimensions::select(dims, static_cast<index_t>(axis), longest);
        boxes *= pieces[axis].size();
    }
    return fmt::format("way: in {} boxes, in which no axis wraps round; the largest:\n", boxes) +
           computed_into(Values(source), source, leaf, dims);
}

std::string computed_into(const Values& values, const Operand& source, const Leaf& leaf,
                          const Dimensions& dims) {
    const Purpose purpose{Walk::any_order, &dims, TileOp::none, nullptr};
    const FoundPlan found =
        dims.is_contiguous() ? found_plan(source, values, purpose) : look_up_plan(values, purpose);
    const Plan& plan = *found.plan;
    if (const std::vector<Shape> pieces = pieces_between_wraps(values, plan, allowed_ways());
        !pieces.empty())
        return computed_in_boxes(pieces, source, leaf, dims);
    std::string way = "computed where it goes, ";
    if (!computes_in_place(plan, leaf))
        way =
            plan.by_rows
                ? "computed in blocks, which are then stored at the destination's strides, "
                : fmt::format("computed in blocks, which are then stored row by row, because rows "
                              "of {} are short, ",
                              plan.row);
    return with_plan(way + threads_of(plan), values, found);
}

/// How a source, in which nothing is left to be realised, is assigned.
std::string way_of(const Values& values, const Operand& source, const Operand& destination) {
    const Leaf& leaf = *leaf_of(destination);
    const Dimensions& dims = destination.dims;
    // A flat graph is only a faster key to the same plan, and looking for it would remember that.
    const AssignWay way(source, destination, allowed_ways().without(Way::elementwise), true);
    const auto line = [](const std::string& text) { return fmt::format("way: {}\n", text); };
    return std::visit(
        Overloads{
            [&](AssignWay::Nothing) { return line("nothing to do, there is no element"); },
            [&](const ChunkedAssign& chunked) { return line(chunked.describe()); },
            [&](AssignWay::Same) {
                return line("nothing to do, each element would be copied to itself");
            },
            [&](AssignWay::Moved) {
                return line(CopyPlan(*leaf_of(source), source.dims, leaf, dims).describe());
            },
            [&](const CopyPlan& plan) { return line(plan.describe()); },
            [&](const OneOf<AssignWay::Computed, FlatStore, AssignWay::Realised> auto&) {
                return computed_into(values, source, leaf, dims);
            },
            [&](AssignWay::InOrder) {
                return with_plan_in_order("computed where it goes, one element after the other",
                                          values);
            },
            [&](AssignWay::Temporary) {
                return with_plan_in_order(
                    "computed into memory of its own, then stored, because source and "
                    "destination overlap",
                    values);
            },
            [&](AssignWay::Written) {
                return with_plan_in_order(
                    fmt::format(
                        "computed in blocks, which the destination's writer stores, because {}",
                        writer_reason(leaf)),
                    values);
            }},
        way.kind());
}

/// Whether a value that is not an operation is neither sparse nor constant.
bool reads_dense(const Values& values) {
    return std::ranges::any_of(values, [](const Value& value) {
        return value.operation() == nullptr && storage_kind_of(*value.node) > Kind::sparse;
    });
}

std::string sparse_way(const Operand& source, const Values& values) {
    return fmt::format("way: sparse, the operations run on what is stored ({} pairs below), and "
                       "once on the fills{}\n",
                       stored_below(source),
                       reads_dense(values) ? "; what is dense is read there alone" : "");
}

std::string sparse_way_of_copy(const Operand& source, const Values& values) {
    const Leaf* const leaf = leaf_of(source);
    if (const Piecewise* const pieces = piecewise_of(source);
        pieces != nullptr && source.dims.is_contiguous()) {
        std::vector<index_t> counts;
        for (const Operand& piece : pieces->operands()) counts.push_back(stored_below(piece));
        return fmt::format("way: sparse, pairs of pieces are put together ({} below): {}\n",
                           stored_below(source), describe_joining(*pieces, counts));
    }
    if (leaf == nullptr) return sparse_way(source, values);
    return fmt::format("way: sparse, what is stored is moved ({} pairs below): {}\n",
                       stored_below(source),
                       describe_moves(listed_pairs(leaf->reader()), source.dims));
}

std::string sparse_way_of_fold(const Values& values, const work::Fold& fold,
                               const Operand& source) {
    std::string product;
    if (fold.reduction == Reduction::sum)
        product = describe_sparse_contraction(choose_sparse_way(source, fold.groups), source);
    return product.empty() ? sparse_way(source, values) : fmt::format("way: {}\n", product);
}

std::string axes_way(const FoldKind& kind, const Operand& source, index_t groups,
                     const std::string& product) {
    AxesAccount account = describe_axes(kind, source, groups, allowed_ways());
    constexpr std::string_view kLoop = "fused loop";
    if (!product.empty() && account.steps.starts_with(kLoop))
        account.steps.replace(0, kLoop.size(), product);
    if (!account.loop) return fmt::format("way: {}\n", account.steps);
    const Values folded(*account.loop);
    const Purpose purpose = fold_purpose(kind, account.results);
    return with_plan(account.steps, folded,
                     groups == 1 ? found_plan(source, folded, purpose)
                                 : look_up_plan(folded, purpose));
}

/// How a fold is done, by the way that is chosen for it.
std::string way_of_fold(const Values& values, const work::Fold& fold, const Operand& source) {
    if (!source.dtype().is_builtin() && !is_complex(source.dtype()))
        return with_plan_in_order(
            fmt::format("one element after the other, because {} is no built-in type",
                        source.dtype().name()),
            values);
    // A flat graph is only a faster key to the same plan, and looking for it would remember that.
    const FoldWay way(fold, source, allowed_ways().without(Way::flat), {.realised = true});
    const auto line = [](const std::string& text) { return fmt::format("way: {}\n", text); };
    const auto axes = [&](const std::string& product = {}) {
        return axes_way(fold_kind(fold.reduction, source.dtype()), source, fold.groups, product);
    };
    return std::visit(
        Overloads{
            [&](const ChunkedFold& chunked) { return line(chunked.describe()); },
            [&](const OneOf<ChunkedProduct, SparseBySlabs> auto& product) {
                return line(product.describe());
            },
            [&](FoldWay::Nothing) { return line("nothing to read, there is no element"); },
            [&](const FoldWay::StridedProduct& calls) { return line(describe_calls(*calls)); },
            [&](const ProductWay& product) {
                const std::string text = describe_product(product, source, fold.groups);
                return product.is_taken() ? line(text) : axes(text);
            },
            [&](FoldWay::Stored) { return sparse_way_of_fold(values, fold, source); },
            [&](FoldWay::PartsOfComplex) {
                return with_plan_in_order("real parts, then imaginary ones, as real numbers",
                                          values);
            },
            [&](FoldWay::Complex) {
                return with_plan_in_order("by the kernels of complex numbers", values);
            },
            [&](const GatheredRows& rows) { return line(rows.describe()); },
            [&](const OneOf<FoldWay::Axes, FlatFold, FoldWay::Realised> auto&) { return axes(); }},
        way.kind());
}

} // namespace

std::string engine::describe_assignment(const Operand& given, const Operand& destination) {
    const DescribedSource described(given);
    const Operand& source = described.source;
    const Values values(source);
    const Leaf& leaf = *leaf_of(destination);
    return fmt::format("{} to {}, {}\n", head("copy of", source),
                       leaf.writable_memory() ? "memory" : "a writer",
                       describe_view(destination.dims)) +
           described.first + text_of(values) +
           (is_sparse(source) ? sparse_way_of_copy(source, values)
                              : way_of(values, source, destination));
}

std::string engine::describe_reduction(const char* what, const work::Fold& fold,
                                       const Operand& given) {
    const DescribedSource described(given);
    const Operand& source = described.source;
    const Values values(source);
    return head_of_fold(what, fold, source) + described.first + text_of(values) +
           way_of_fold(values, fold, source);
}

std::string explain_evaluation(const Operand& given) {
    if (lies_elsewhere(given) && !is_sparse(given)) {
        const std::string elsewhere = describe_elsewhere(
            work::Assign{}, given, untouched_memory(given.dtype(), given.dims.max_shape()));
        if (!elsewhere.empty())
            return head("clone of", given) + "\n" + text_of(Values(given)) + elsewhere;
    }
    const DescribedSource described(given);
    const Operand& source = described.source;
    const Values values(source);
    std::string text = head("clone of", source) + "\n" + described.first + text_of(values);
    if (is_sparse(source)) return text + sparse_way_of_copy(source, values);
    const index_t size = source.dims.size();
    if (!source.dtype().is_builtin())
        return text + with_plan_in_order(fmt::format("in blocks, because {} is no built-in type",
                                                     source.dtype().name()),
                                         values);
    if (size > kAddressSpace / source.dtype().size_bytes())
        return text + with_plan_in_order("in blocks, because no memory holds it", values);
    return text + way_of(values, source, untouched_memory(source.dtype(), source.dims.max_shape()));
}

std::string explain_assignment(const Operand& source, const Operand& destination) {
    const std::string elsewhere = describe_elsewhere(work::Assign{}, source, destination);
    if (elsewhere.empty()) return describe_assignment(source, destination);
    return head("copy of", source) + "\n" + text_of(Values(source)) + elsewhere;
}

std::string explain_reduction(const char* what, Reduction reduction, const Operand& source,
                              index_t groups) {
    const work::Fold fold{reduction, groups};
    if (!lies_elsewhere(source)) return describe_reduction(what, fold, source);
    const std::string elsewhere =
        describe_elsewhere(fold, source, untouched_memory(source.dtype(), ShapeSpan(&groups, 1)));
    if (elsewhere.empty()) return describe_reduction(what, fold, source);
    return head_of_fold(what, fold, source) + text_of(Values(source)) + elsewhere;
}

} // namespace purview
