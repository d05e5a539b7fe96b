#include <purview/mpi/reductions.hpp>

#include "distributions/axis_parts.hpp"
#include "distributions/derived.hpp"
#include "distributions/describe.hpp"
#include "distributions/distributed_elements.hpp"
#include "expressions/planned.hpp"
#include "expressions/seen_part.hpp"
#include "functional/reductions/found_nan.hpp"
#include "functional/reductions/typed_memory.hpp"
#include "reductions/joined_reducer.hpp"
#include "reductions/places_in_whole.hpp"
#include "reductions/reduced_distribution.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/elementwise/operands.hpp>
#include <purview/functional/reductions/nan_policy.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <exception>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
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

Operand results_for(const char* what, const ChosenReducer& chosen, const Reducer& reducer,
                    Shape shape) {
    if (reducer.width() > 0) shape.push_back(reducer.width());
    return chosen.own != nullptr ? chosen.own->new_results(shape)
                                 : new_elements(what, reducer.result(), shape);
}

/// States of several reducers, one of each after the other.
class JointStates {
public:
    void add(std::shared_ptr<const Reducer> reducer) {
        constexpr std::size_t kAlignment = alignof(std::max_align_t);
        begins_.push_back((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
        bytes_.resize(begins_.back() + static_cast<std::size_t>(reducer->state_bytes()));
        reducers_.push_back(std::move(reducer));
    }
    void clear() {
        for_each(bytes_.data(),
                 [](const Reducer& reducer, std::byte* state) { reducer.clear(state, 1); });
    }
    /// Calls `f(reducer, state)` for each.
    template <typename F>
    void for_each(std::byte* states, F f) const {
        for (std::size_t i = 0; i < reducers_.size(); ++i) f(*reducers_[i], states + begins_[i]);
    }
    void join(std::byte* left, const std::byte* right) const {
        for_each(left, [&](const Reducer& reducer, std::byte* state) {
            reducer.join(state, right + (state - left), 1);
        });
    }
    std::span<std::byte> bytes() noexcept { return bytes_; }
    const std::byte* of(std::size_t i) const noexcept { return bytes_.data() + begins_[i]; }
    const std::vector<std::shared_ptr<const Reducer>>& reducers() const noexcept {
        return reducers_;
    }

private:
    std::vector<std::shared_ptr<const Reducer>> reducers_;
    std::vector<std::size_t> begins_;
    std::vector<std::byte> bytes_;
};

/// The place of the first NaN in the whole; none where there is none.
std::optional<index_t> place_of_nan(Ranks& ranks, const char* what, const Operand& x) {
    const ExitNotice exit_notice(ranks, what);
    const Operand numbers = is_not_nan(x);
    const auto number = [&]<typename T>(const BuiltInReduction& reduction, T) {
        const ChosenReducer reducer{&reduction};
        return Tensor<T>(reduce_whole(what, {&reducer, 1}, numbers)[0]).item();
    };
    if (number(fold_reduction(Reduction::all_of), true)) return {};
    return number(arg_reduction(Extreme::least, false), index_t{});
}

/// Calls `fold` with this rank's part of an expression: box by box, in any order, or, where it is made of
/// several, as a whole.
void run_in_parts(const Planned& planned, Ranks& ranks, const char* what, DType dtype,
                  const Distribution& d, bool by_boxes,
                  FunctionRef<void(const Operand& operand, const Box& box)> fold) {
    std::optional<Operand> part;
    planned.run(ranks, what, [&](const Operand& operand, const Box& box) {
        if (by_boxes || planned.plan().box_count() == 1) return fold(operand, box);
        if (!part) part = new_elements(what, dtype, d.local_shape());
        purview::assign(operand, {part->node, part_of(part->dims, box)});
    });
    if (part) fold(*part, whole_box(d.local_shape()));
}

/// The first axis that is kept, so that each rank has whole groups; where none is, the first one.
std::size_t axis_in_order(const char* what, const Operand& x, const ChosenAxes& chosen) {
    Shape axes = chosen.positional(what, x.dims.rank());
    for (index_t& axis : axes) axis = checked_axis(axis, x.dims.rank(), what);
    std::size_t first = 0;
    while (std::ranges::find(axes, static_cast<index_t>(first)) != axes.end()) ++first;
    return first < static_cast<std::size_t>(x.dims.rank()) ? first : 0;
}

/// Joins states of ranks, and makes results of them. What a function of the user's throws on one rank is kept until
/// all know of it.
class Joining {
public:
    void join(FunctionRef<void()> states) {
        if (thrown_) return;
        try {
            states();
        } catch (...) {
            thrown_ = std::current_exception();
        }
    }
    void finish(Ranks& ranks, const char* what, bool may_throw, FunctionRef<void()> results) const {
        if (!may_throw) return results();
        collective(ranks, what, [&] {
            if (thrown_) std::rethrow_exception(thrown_);
            results();
        });
    }

private:
    std::exception_ptr thrown_;
};

/// Functions of the user's do; what has no result of no elements does where all are NaN.
bool may_throw(const ChosenReducer& chosen, const Reducer& reducer) {
    return chosen.own != nullptr || (chosen.nan == NanRule::skip && reducer.needs_elements());
}

} // namespace

void check_nan(NanRule nan, Ranks& ranks, const char* what, const Operand& x) {
    if (nan == NanRule::keep) return;
    if (!x.dtype().is_builtin()) throw_nan_rule(what, x.dtype());
    if (nan == NanRule::skip || !x.dtype().is_floating()) return;
    if (const std::optional<index_t> place = place_of_nan(ranks, what, x))
        throw_found_nan(what, x, *place, {});
}

std::shared_ptr<const Reducer> joined_reducer(const char* what, const ChosenReducer& chosen,
                                              DType element) {
    if (std::shared_ptr<const Reducer> reducer = chosen.reducer(element)) return reducer;
    throw KindError(fmt::format(
        "{}: {} has no states that ranks join: bring the elements together by all_gather", what,
        chosen.name()));
}

void describe_reducer(CallText& call, const char* what, const ChosenReducer& chosen) {
    if (chosen.built_in == nullptr && chosen.own == nullptr) return call.add("", "number of rows");
    if (std::string_view(what) != chosen.name()) call.add("", chosen.name());
    if (chosen.own != nullptr)
        call.add("", fmt::format("states of {} bytes{}", chosen.own->state_bytes(),
                                 chosen.own->keeps_order() ? " in order" : ""));
    if (chosen.nan == NanRule::skip) call.add("", "skip_nan");
}

std::vector<Operand> reduce_whole(const char* what, std::span<const ChosenReducer> chosen,
                                  const Operand& e) {
    const Operand x = to_be_divided(e);
    Distribution d = distribution_to_reduce(what, x);
    Ranks& ranks = d.communicator().ranks();
    bool in_order = false;
    bool throws = false;
    for (const ChosenReducer& each : chosen) {
        if (each.nan != NanRule::keep) check_nan(each.nan, ranks, what, x);
        in_order = in_order || (each.own != nullptr && each.own->keeps_order());
    }
    if (in_order) d = blocks_along_alone(d, x.dims.max_shape(), 0);
    JointStates states;
    JointStates of_box;
    std::vector<Operand> results;
    const ExitNotice exit_notice(ranks, what);
    const Planned planned(ranks, what, x, d, [&](CallText& call) {
        for (const ChosenReducer& each : chosen) describe_reducer(call, what, each);
        describe(call, d);
        for (const ChosenReducer& each : chosen) {
            const std::shared_ptr<const Reducer> reducer = joined_reducer(what, each, x.dtype());
            if (reducer->needs_elements()) require_elements(what, reduced_view(x));
            throws = throws || may_throw(each, *reducer);
            states.add(reducer);
            results.push_back(results_for(what, each, *reducer, {}));
        }
        states.clear();
        of_box = states;
    });
    collective(ranks, what, [&] {
        const Shape axes = all_axes(x.dims.rank());
        bool is_first = true;
        const auto fold = [&](const Operand& operand, const Box& box) {
            const PlacesInWhole places(d, ranks.rank(), axes, box);
            const auto place = [&](index_t, index_t at) { return places(at); };
            JointStates& folded = is_first ? states : of_box;
            folded.for_each(folded.bytes().data(), [&](const Reducer& reducer, std::byte* state) {
                fold_part(reducer, {operand, 1, place}, state);
            });
            if (!std::exchange(is_first, false))
                states.join(states.bytes().data(), of_box.bytes().data());
        };
        run_in_parts(planned, ranks, what, x.dtype(), d, !in_order, fold);
    });
    Joining joining;
    ranks.join(what, ranks.all(), states.bytes(), Carries::elements,
               [&](std::byte* left, const std::byte* right) {
                   joining.join([&] { states.join(left, right); });
               });
    joining.finish(ranks, what, throws, [&] {
        for (std::size_t i = 0; i < results.size(); ++i)
            states.reducers()[i]->finish(states.of(i), 1, x.dims.size(), memory_of(results[i]));
    });
    return results;
}

AnyDistributed reduce_over_axes_any(const char* what, const ChosenReducer& by, const Operand& e,
                                    const ChosenAxes& chosen) {
    const Operand x = to_be_divided(e);
    Distribution d = distribution_to_reduce(what, x);
    Ranks& ranks = d.communicator().ranks();
    check_nan(by.nan, ranks, what, x);
    std::shared_ptr<const Reducer> reducer;
    std::optional<AxesOverRanks> over;
    std::exception_ptr refused;
    try {
        reducer = joined_reducer(what, by, x.dtype());
        if (reducer->keeps_order())
            d = blocks_along_alone(d, x.dims.max_shape(), axis_in_order(what, x, chosen));
        over.emplace(what, e.dims.rank() == 0 ? e : x, chosen, by.order(), d);
        d = over->in;
    } catch (...) { // on all ranks, then
        refused = std::current_exception();
    }
    std::vector<std::byte> states;
    std::optional<Operand> result;
    index_t groups = 1;
    const ExitNotice exit_notice(ranks, what);
    const Planned planned(ranks, what, x, d, [&](CallText& call) {
        if (refused) std::rethrow_exception(refused);
        describe_reducer(call, what, by);
        describe(call, d);
        call.add("over axes", purview::to_string(over->axes));
        if (chosen.keep) call.add("", "keep_dims");
        if (reducer->needs_elements()) require_elements(what, over->view);
        const Shape part = d.local_shape();
        for (std::size_t a = 0; a < part.size(); ++a)
            if (std::ranges::find(over->axes, static_cast<index_t>(a)) == over->axes.end())
                groups *= part[a];
        states = states_of(*reducer, groups);
        result = results_for(what, by, *reducer, over->result.local_shape());
    });
    collective(ranks, what, [&] {
        const auto fold = [&](const Operand& operand, const Box& box) {
            const ReducedView view = reduced_view(what, operand, over->axes, false, by.order());
            const PlacesInWhole places(d, ranks.rank(), over->axes, box);
            const auto place = [&](index_t, index_t at) { return places(at); };
            fold_part(*reducer, {view.operand, view.groups, place}, states.data());
        };
        run_in_parts(planned, ranks, what, x.dtype(), d, false, fold);
    });
    const Group& group = over->group;
    Joining joining;
    ranks.join_at_first(what, group, states, Carries::elements,
                        [&](std::byte* left, const std::byte* right) {
                            joining.join([&] { reducer->join(left, right, groups); });
                        });
    joining.finish(ranks, what, may_throw(by, *reducer), [&] {
        if (group.place == 0 && groups > 0)
            reducer->finish(states.data(), groups, group_size(over->view), memory_of(*result));
    });
    return AnyDistributed(*result, over->result);
}

} // namespace purview
