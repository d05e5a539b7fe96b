#include <purview/mpi/reductions.hpp>

#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/planned.hpp"
#include "expressions/seen_part.hpp"
#include "functional/reductions/found_nan.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reductions/places_in_whole.hpp"
#include "reductions/reduced_distribution.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include <fmt/format.h>

#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {
namespace {

Shape all_axes(int rank) {
    Shape axes(static_cast<std::size_t>(rank), 0);
    std::iota(axes.begin(), axes.end(), index_t{0});
    return axes;
}

/// In numbers that the engine folds, with an axis to be divided along.
Operand to_be_divided(const Operand& e) {
    Operand x = widened_operand(e);
    const index_t one = 1;
    if (x.dims.rank() == 0) x.dims = dimensions::expand(x.dims, ShapeSpan(&one, 1));
    return x;
}

/// How many elements each result is made of.
index_t group_size(const ReducedView& view) {
    return view.groups == 0 ? 0 : view.operand.dims.size() / view.groups;
}

Box whole_box(ShapeSpan shape) { return {Shape(shape.size(), 0), to_shape(shape)}; }

std::vector<std::byte> states_of(const Reducer& reducer, index_t count) {
    std::vector<std::byte> states(static_cast<std::size_t>(count * reducer.state_bytes()));
    reducer.clear(states.data(), count);
    return states;
}

/// What ranks agree on beside the name that a call has.
void describe_reduction(CallText& call, const char* what, const BuiltInReduction& reduction,
                        NanRule nan) {
    if (std::string_view(what) != reduction.name()) call.add("", reduction.name());
    if (nan == NanRule::skip) call.add("", "skip_nan");
}

/// The place of the first NaN in the whole; none where there is none.
std::optional<index_t> place_of_nan(Ranks& ranks, const char* what, const Operand& x) {
    const Leaving leaving(ranks, what);
    const Operand numbers = is_not_nan(x);
    const auto number = [&]<typename T>(const BuiltInReduction& reduction, T) {
        return Tensor<T>(reduce_whole(what, reduction, numbers, NanRule::keep)).item();
    };
    if (number(fold_reduction(Reduction::all_of), true)) return {};
    return number(arg_reduction(Extreme::least, false), index_t{});
}

/// On all ranks alike, before anything is reduced.
void check_nan(NanRule nan, Ranks& ranks, const char* what, const Operand& x) {
    if (nan == NanRule::keep) return;
    if (!x.dtype().is_builtin()) throw_nan_rule(what, x.dtype());
    if (nan == NanRule::skip || !x.dtype().is_floating()) return;
    if (const std::optional<index_t> place = place_of_nan(ranks, what, x))
        throw_found_nan(what, x, *place, {});
}

/// What has no result of no elements may have none where all are NaN.
void finish(Ranks& ranks, const char* what, NanRule nan, const Reducer& reducer,
            FunctionRef<void()> results) {
    if (nan == NanRule::skip && reducer.needs_elements())
        together(ranks, what, results);
    else
        results();
}

} // namespace

Operand reduce_whole(const char* what, const BuiltInReduction& reduction, const Operand& e,
                     NanRule nan) {
    const Operand x = to_be_divided(e);
    const Distribution d = distribution_to_reduce(what, x);
    Ranks& ranks = d.communicator().ranks();
    check_nan(nan, ranks, what, x);
    std::unique_ptr<const Reducer> reducer;
    std::vector<std::byte> state;
    std::vector<std::byte> of_box;
    std::optional<Operand> result;
    const Leaving leaving(ranks, what);
    const Planned planned(ranks, what, x, d, [&](CallText& call) {
        describe_reduction(call, what, reduction, nan);
        describe(call, d);
        reducer = reduction.reducer(x.dtype(), nan == NanRule::skip);
        if (reducer->needs_elements()) require_elements(what, reduced_view(x));
        state = states_of(*reducer, 1);
        of_box = state;
        result = new_elements(what, reducer->result(), {});
    });
    together(ranks, what, [&] {
        const Shape axes = all_axes(x.dims.rank());
        bool is_first = true;
        planned.run(ranks, what, [&](const Operand& operand, const Box& box) {
            const PlacesInWhole places(d, ranks.rank(), axes, box);
            fold_part(*reducer, {operand, 1, places}, is_first ? state.data() : of_box.data());
            if (!std::exchange(is_first, false)) reducer->join(state.data(), of_box.data(), 1);
        });
    });
    ranks.join(what, ranks.all(), state, Carries::elements,
               [&](std::byte* left, const std::byte* right) { reducer->join(left, right, 1); });
    finish(ranks, what, nan, *reducer,
           [&] { reducer->finish(state.data(), 1, x.dims.size(), memory_of(*result)); });
    return *result;
}

AnyDistributed reduce_over_axes_any(const char* what, const BuiltInReduction& reduction,
                                    const Operand& e, const ChosenAxes& chosen) {
    const Operand x = to_be_divided(e);
    Distribution d = distribution_to_reduce(what, x);
    Ranks& ranks = d.communicator().ranks();
    check_nan(chosen.nan, ranks, what, x);
    std::unique_ptr<const Reducer> reducer;
    std::optional<AxesOverRanks> over;
    std::exception_ptr refused;
    try {
        reducer = reduction.reducer(x.dtype(), chosen.nan == NanRule::skip);
        over.emplace(what, e.dims.rank() == 0 ? e : x, chosen, reduction.order(), d);
        d = over->in;
    } catch (...) { // on all ranks, then
        refused = std::current_exception();
    }
    std::vector<std::byte> states;
    std::optional<Operand> result;
    index_t groups = 1;
    const Leaving leaving(ranks, what);
    const Planned planned(ranks, what, x, d, [&](CallText& call) {
        if (refused) std::rethrow_exception(refused);
        describe_reduction(call, what, reduction, chosen.nan);
        describe(call, d);
        call.add("over axes", purview::to_string(over->axes));
        if (chosen.keep) call.add("", "keep_dims");
        if (reducer->needs_elements()) require_elements(what, over->view);
        const Shape part = d.local_shape();
        for (std::size_t a = 0; a < part.size(); ++a)
            if (std::ranges::find(over->axes, static_cast<index_t>(a)) == over->axes.end())
                groups *= part[a];
        states = states_of(*reducer, groups);
        result = new_elements(what, reducer->result(), over->result.local_shape());
    });
    together(ranks, what, [&] {
        const auto fold = [&](const Operand& operand, const Box& box) {
            const ReducedView view =
                reduced_view(what, operand, over->axes, false, reduction.order());
            const PlacesInWhole places(d, ranks.rank(), over->axes, box);
            fold_part(*reducer, {view.operand, view.groups, places}, states.data());
        };
        std::optional<Operand> part; // where it is made of several boxes
        planned.run(ranks, what, [&](const Operand& operand, const Box& box) {
            if (planned.plan().box_count() == 1) return fold(operand, box);
            if (!part) part = new_elements(what, x.dtype(), d.local_shape());
            purview::assign(operand, {part->node, part_of(part->dims, box)});
        });
        if (part) fold(*part, whole_box(d.local_shape()));
    });
    const Group& group = over->group;
    ranks.join_at_first(
        what, group, states, Carries::elements,
        [&](std::byte* left, const std::byte* right) { reducer->join(left, right, groups); });
    finish(ranks, what, chosen.nan, *reducer, [&] {
        if (group.place == 0 && groups > 0)
            reducer->finish(states.data(), groups, group_size(over->view), memory_of(*result));
    });
    return AnyDistributed(*result, over->result);
}

} // namespace purview
