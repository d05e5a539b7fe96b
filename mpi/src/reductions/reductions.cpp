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

bool keeps_order(const ChosenReducer& chosen) {
    return chosen.own != nullptr && chosen.own->keeps_order();
}

/// States of several reducers for each of some groups, those of one reducer after the other's.
class JointStates {
public:
    explicit JointStates(index_t groups) : groups_(groups) {}

    void add(std::shared_ptr<const Reducer> reducer) {
        constexpr std::size_t kAlignment = alignof(std::max_align_t);
        begins_.push_back((bytes_.size() + kAlignment - 1) / kAlignment * kAlignment);
        bytes_.resize(begins_.back() + static_cast<std::size_t>(groups_ * reducer->state_bytes()));
        reducers_.push_back(std::move(reducer));
    }
    void clear() {
        for_each(
            [&](const Reducer& reducer, std::byte* states) { reducer.clear(states, groups_); });
    }
    /// Of the groups of a part.
    void fold(const FoldedPart& part) {
        for_each(
            [&](const Reducer& reducer, std::byte* states) { fold_part(reducer, part, states); });
    }
    /// Into states that lie as these do.
    void join(std::byte* left, const std::byte* right) const {
        for (std::size_t i = 0; i < reducers_.size(); ++i)
            reducers_[i]->join(left + begins_[i], right + begins_[i], groups_);
    }
    void finish(std::size_t i, index_t elements, const Operand& results) const {
        reducers_[i]->finish(bytes_.data() + begins_[i], groups_, elements, memory_of(results));
    }
    std::span<std::byte> bytes() noexcept { return bytes_; }
    bool needs_elements() const {
        return std::ranges::any_of(reducers_,
                                   [](const auto& reducer) { return reducer->needs_elements(); });
    }

private:
    template <typename F>
    void for_each(F f) {
        for (std::size_t i = 0; i < reducers_.size(); ++i)
            f(*reducers_[i], bytes_.data() + begins_[i]);
    }

    index_t groups_;
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

/// Before anything is reduced.
void check_policies(std::span<const ChosenReducer> reducers, Ranks& ranks, const char* what,
                    const Operand& x) {
    for (const ChosenReducer& each : reducers) check_nan(each.nan, ranks, what, x);
}

/// Joins states of ranks, and makes results of them. What a function of the user's throws on one rank is kept until
/// all know of it.
class Joining {
public:
    void join(const JointStates& states, std::byte* left, const std::byte* right) {
        if (thrown_) return;
        try {
            states.join(left, right);
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
bool may_throw(std::span<const ChosenReducer> reducers, const JointStates& states) {
    return std::ranges::any_of(reducers, [&](const ChosenReducer& each) {
        return each.own != nullptr || (each.nan == NanRule::skip && states.needs_elements());
    });
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
        "{}: {} has no states that ranks could join; mpi::all_gather(x) has all elements on each rank, and "
        "mpi::median and mpi::quantile of a whole are there",
        what, chosen.name()));
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
    check_policies(chosen, ranks, what, x);
    const bool in_order = std::ranges::any_of(chosen, keeps_order);
    if (in_order) d = blocks_along_alone(d, x.dims.max_shape(), 0);
    JointStates states(1);
    JointStates of_box(1);
    std::vector<Operand> results;
    const ExitNotice exit_notice(ranks, what);
    const Planned planned(ranks, what, x, d, [&](CallText& call) {
        for (const ChosenReducer& each : chosen) describe_reducer(call, what, each);
        describe(call, d);
        for (const ChosenReducer& each : chosen) {
            const std::shared_ptr<const Reducer> reducer = joined_reducer(what, each, x.dtype());
            if (reducer->needs_elements()) require_elements(what, reduced_view(x));
            states.add(reducer);
            results.push_back(each.new_results(*reducer, {}));
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
            folded.fold({operand, 1, place});
            if (!std::exchange(is_first, false))
                states.join(states.bytes().data(), of_box.bytes().data());
        };
        run_in_parts(planned, ranks, what, x.dtype(), d, !in_order, fold);
    });
    Joining joining;
    ranks.join(what, ranks.all(), states.bytes(), Carries::elements,
               [&](std::byte* left, const std::byte* right) { joining.join(states, left, right); });
    joining.finish(ranks, what, may_throw(chosen, states), [&] {
        for (std::size_t i = 0; i < results.size(); ++i)
            states.finish(i, x.dims.size(), results[i]);
    });
    return results;
}

std::vector<AnyDistributed> reduce_over_axes_any(const char* what,
                                                 std::span<const ChosenReducer> reducers,
                                                 const Operand& e, const ChosenAxes& chosen) {
    const ChosenReducer& first = reducers.front();
    std::vector<AnyDistributed> distributed;
    const bool alike = std::ranges::all_of(reducers, [&](const ChosenReducer& each) {
        return each.order() == first.order() && keeps_order(each) == keeps_order(first);
    });
    if (!alike) { // elements are in other places
        for (const ChosenReducer& each : reducers)
            distributed.push_back(reduce_over_axes_any(what, {&each, 1}, e, chosen)[0]);
        return distributed;
    }
    const Operand x = to_be_divided(e);
    Distribution d = distribution_to_reduce(what, x);
    Ranks& ranks = d.communicator().ranks();
    check_policies(reducers, ranks, what, x);
    std::vector<std::shared_ptr<const Reducer>> made;
    std::optional<AxesOverRanks> over;
    std::exception_ptr refused;
    try {
        for (const ChosenReducer& each : reducers)
            made.push_back(joined_reducer(what, each, x.dtype()));
        if (keeps_order(first))
            d = blocks_along_alone(d, x.dims.max_shape(), axis_in_order(what, x, chosen));
        over.emplace(what, e.dims.rank() == 0 ? e : x, chosen, first.order(), d);
        d = over->in;
    } catch (...) { // on all ranks, then
        refused = std::current_exception();
    }
    std::optional<JointStates> states;
    std::vector<Operand> results;
    index_t groups = 1;
    const ExitNotice exit_notice(ranks, what);
    const Planned planned(ranks, what, x, d, [&](CallText& call) {
        if (refused) std::rethrow_exception(refused);
        for (const ChosenReducer& each : reducers) describe_reducer(call, what, each);
        describe(call, d);
        call.add("over axes", purview::to_string(over->axes));
        if (chosen.keep) call.add("", "keep_dims");
        const Shape part = d.local_shape();
        for (std::size_t a = 0; a < part.size(); ++a)
            if (std::ranges::find(over->axes, static_cast<index_t>(a)) == over->axes.end())
                groups *= part[a];
        states.emplace(groups);
        for (std::size_t i = 0; i < made.size(); ++i) {
            if (made[i]->needs_elements()) require_elements(what, over->view);
            results.push_back(reducers[i].new_results(*made[i], over->result.local_shape()));
            states->add(std::move(made[i]));
        }
        states->clear();
    });
    collective(ranks, what, [&] {
        const auto fold = [&](const Operand& operand, const Box& box) {
            const ReducedView view = reduced_view(what, operand, over->axes, false, first.order());
            const PlacesInWhole places(d, ranks.rank(), over->axes, box);
            const auto place = [&](index_t, index_t at) { return places(at); };
            states->fold({view.operand, view.groups, place});
        };
        run_in_parts(planned, ranks, what, x.dtype(), d, false, fold);
    });
    const Group& group = over->group;
    Joining joining;
    ranks.join_at_first(
        what, group, states->bytes(), Carries::elements,
        [&](std::byte* left, const std::byte* right) { joining.join(*states, left, right); });
    joining.finish(ranks, what, may_throw(reducers, *states), [&] {
        if (group.place != 0 || groups == 0) return;
        for (std::size_t i = 0; i < results.size(); ++i)
            states->finish(i, group_size(over->view), results[i]);
    });
    for (const Operand& result : results) distributed.emplace_back(result, over->result);
    return distributed;
}

} // namespace purview
