#include <purview/evaluation/explain.hpp>
#include <purview/evaluation/sparse_evaluation.hpp>
#include <purview/evaluation/sparsity.hpp>
#include <purview/expression/library_function.hpp>

#include <purview/base/errors.hpp>
#include <purview/dimensions/select.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/reader/buffer.hpp>

#include "engine/contract/contract.hpp"
#include "engine/contract/contract_sparse.hpp"
#include "engine/copy/copy.hpp"
#include "engine/explain/describe_view.hpp"
#include "engine/explain/plan_text.hpp"
#include "engine/pairs/moved_entries.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/realise/prepared_operand.hpp"
#include "engine/reduce/fold_plan.hpp"
#include "engine/reduce/reduce_axes.hpp"
#include "engine/reduce/reduce_gather.hpp"
#include "engine/run/compute.hpp"
#include "engine/run/flat_graph.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/sparse/pieces.hpp"
#include "engine/ways/way.hpp"
#include "expression/graph.hpp"
#include "expression/visit_node.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <vector>

namespace purview::inline v0_1 {
namespace {

using namespace engine;

/// Bytes of an address space: no memory holds larger tensors.
constexpr index_t kAddressSpace = index_t{1} << 47;

std::string head(const char* what, const Operand& source) {
    return fmt::format("{} {} {}", what, source.dtype().name(), to_string(source.dims.max_shape()));
}

/// "way: …" and the plan it takes.
std::string with_plan(std::string_view way, const Values& values, const FoundPlan& found) {
    return fmt::format("way: {}\n{}", way, text_of(values, found));
}
std::string with_plan_in_order(std::string_view way, const Values& values) {
    return with_plan(way, values, look_up_plan(values, {}));
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
    if (const std::vector<Shape> pieces = pieces_between_wraps(values, plan); !pieces.empty())
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

std::string way_of(const Values& values, const Operand& source, const Operand& destination) {
    const Leaf& leaf = *leaf_of(destination);
    if (const std::string copy = describe_copy(source, destination); !copy.empty())
        return fmt::format("way: {}\n", copy);
    switch (assign_path(source, destination)) {
    case AssignPath::nothing: return "way: nothing to do, there is no element\n";
    case AssignPath::evaluation: return computed_into(values, source, leaf, destination.dims);
    case AssignPath::in_order:
        return with_plan_in_order("computed where it goes, one element after the other", values);
    case AssignPath::temporary:
        return with_plan_in_order(
            "computed into memory of its own, then stored, because source and "
            "destination overlap",
            values);
    case AssignPath::writer:
        return with_plan_in_order(
            fmt::format("computed in blocks, which the destination's writer stores, because {}",
                        writer_reason(leaf)),
            values);
    }
    std::unreachable();
}

/// The ways in the order in which `reduce` tries them.
std::string way_of_fold(const Values& values, Reduction reduction, const Operand& source,
                        index_t groups) {
    if (source.dims.size() == 0) return "way: nothing to read, there is no element\n";
    const Ways allowed = allowed_ways();
    const bool adds = reduction == Reduction::sum;
    const bool complex = is_complex(source.dtype());
    ContractionDescription product;
    if (adds && allowed.has(Way::product) && (complex ? groups > 1 : source.dtype().is_builtin()))
        product = describe_contraction(source, groups);
    if (!product.text.empty() && !product.is_left_to_loop)
        return fmt::format("way: {}\n", product.text);
    if (complex) return with_plan_in_order("by the kernels of complex numbers", values);
    if (!source.dtype().is_builtin())
        return with_plan_in_order(
            fmt::format("one element after the other, because {} is no built-in type",
                        source.dtype().name()),
            values);
    if (adds && allowed.has(Way::gathered_rows))
        if (const std::string gathered = describe_gathered_sum(source, groups); !gathered.empty())
            return fmt::format("way: {}\n", gathered);
    const FoldKind& kind = fold_kind(reduction, source.dtype());
    AxesAccount account = tell_axes(kind, source, groups);
    constexpr std::string_view kLoop = "fused loop";
    if (!product.text.empty() && account.steps.starts_with(kLoop))
        account.steps.replace(0, kLoop.size(), product.text);
    if (!account.loop) return fmt::format("way: {}\n", account.steps);
    const Values folded(*account.loop);
    const Purpose purpose = fold_purpose(kind, account.results);
    return with_plan(account.steps, folded,
                     groups == 1 ? found_plan(source, values, purpose)
                                 : look_up_plan(folded, purpose));
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

std::string sparse_way_of_fold(const Values& values, Reduction reduction, const Operand& source,
                               index_t groups) {
    std::string product;
    if (reduction == Reduction::sum && source.dims.size() > 0)
        product = describe_sparse_contraction(source, groups);
    return product.empty() ? sparse_way(source, values) : fmt::format("way: {}\n", product);
}

/// The nodes that an evaluation realises first (`first` describes them), and the source with memory
/// in their place.
struct Prepared {
    explicit Prepared(const Operand& given) : source(given) {
        if (!may_repeat_work(given) || is_sparse(given)) return;
        const RepeatedWork work(given);
        if (work.changes_nothing()) return;
        source = over_imagined_memory(given, work);
        if (work.realised().empty()) return;
        first = "first, as it would be computed again and again, into memory\n";
        std::size_t shown = 0;
        for (const RepeatedWork::Realised& each : work.realised()) {
            if (shown++ == kShown) break;
            first += fmt::format("  {} {} {}\n", name_of_node(*each.node),
                                 each.node->dtype().name(), to_string(each.slab.extents));
        }
        if (work.realised().size() > kShown)
            first += fmt::format("  … {} more\n", work.realised().size() - kShown);
    }

    static std::string_view name_of_node(const Node& node) {
        return visit(
            node, [](const Elementwise& operation) { return name_of(operation); },
            [](const OneOf<Gather, Piecewise> auto& named) -> std::string_view {
                return named.what();
            },
            [](const Reduce& fold) { return name_of(fold.reduction()); },
            [](const OneOf<Leaf, Constant, SymbolNode> auto&) -> std::string_view { return ""; });
    }

    static constexpr std::size_t kShown = 20;

    Operand source;
    std::string first; ///< lines, each ends in a newline
};

} // namespace

std::string explain_evaluation(const Operand& given) {
    const Prepared prepared(given);
    const Operand& source = prepared.source;
    const Values values(source);
    std::string text = head("clone of", source) + "\n" + prepared.first + text_of(values);
    if (is_sparse(source)) return text + sparse_way_of_copy(source, values);
    const index_t size = source.dims.size();
    if (!source.dtype().is_builtin())
        return text + with_plan_in_order(fmt::format("in blocks, because {} is no built-in type",
                                                     source.dtype().name()),
                                         values);
    if (size > kAddressSpace / source.dtype().size_bytes())
        return text + with_plan_in_order("in blocks, because no memory holds it", values);
    // An address that is never touched.
    return text +
           way_of(values, source,
                  memory_operand(source.dtype(), reinterpret_cast<void*>(kAllocationAlignment),
                                 source.dims.max_shape()));
}

std::string explain_assignment(const Operand& given, const Operand& destination) {
    const Prepared prepared(given);
    const Operand& source = prepared.source;
    const Values values(source);
    const Leaf& leaf = *leaf_of(destination);
    return fmt::format("{} to {}, {}\n", head("copy of", source),
                       leaf.writable_memory() ? "memory" : "a writer",
                       describe_view(destination.dims)) +
           prepared.first + text_of(values) +
           (is_sparse(source) ? sparse_way_of_copy(source, values)
                              : way_of(values, source, destination));
}

std::string explain_reduction(const char* what, Reduction reduction, const Operand& given,
                              index_t groups) {
    const Prepared prepared(given);
    const Operand& source = prepared.source;
    const Values values(source);
    return fmt::format("{} to {} element{}\n", head(fmt::format("{} of", what).c_str(), source),
                       groups, groups == 1 ? "" : "s") +
           prepared.first + text_of(values) +
           (is_sparse(source) ? sparse_way_of_fold(values, reduction, source, groups)
                              : way_of_fold(values, reduction, source, groups));
}

} // namespace purview
