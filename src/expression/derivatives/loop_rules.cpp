#include "expression/derivatives/loop_rules.hpp"

#include "expression/derivatives/graph_builder.hpp"
#include "expression/derivatives/row_products.hpp"
#include "expression/derivatives/rows.hpp"
#include "expression/loops/rows_ahead.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/expression/derivatives.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::derivatives {
namespace {

/// The derivatives by the operands of a loop. The steps are gone through backwards: a loop over segments, from one kept
/// state to the next, the last segment first; in each, one loop computes the states before its steps, and another one
/// goes through them backwards. Inputs and outputs are in the order of the steps here.
class LoopReverse {
public:
    LoopReverse(const Loop& loop, const Derivatives& by_results, std::size_t lead,
                DependsOn depends)
        : loop_(loop),
          rule_(loop.rule()),
          step_(*rule_.step),
          lead_(lead),
          leading_(leading_axes(by_results, lead)),
          active_(loop, of_operands(loop, depends)),
          order_(loop) {
        const auto operands = loop.step_operands();
        states_.assign(operands.begin(), operands.begin() + at(rule_.states));
        for (std::size_t i = 0; i < rule_.inputs; ++i)
            inputs_.push_back(order_.of_steps(operands[rule_.states + i]));
        others_.assign(operands.begin() + at(rule_.states + rule_.inputs), operands.end());
        for (std::size_t r = 0; r < step_.outputs.size(); ++r) {
            if (r < rule_.states) {
                if (!active_.outputs[r]) continue;
                by_states_.push_back(by_results[r] ? *by_results[r]
                                                   : zeros_like(states_[r], leading_));
                continue;
            }
            if (!by_results[r] || !active_.outputs[r]) continue;
            by_outputs_.push_back(order_.of_steps(rows_first(*by_results[r], lead)));
            outputs_.push_back(r);
        }
        for (std::size_t i = 0; i < rule_.states; ++i) {
            const auto& by_kept = by_results[step_.outputs.size() + i];
            if (by_kept && active_.outputs[i]) {
                by_kept_.push_back(rows_first(*by_kept, lead));
                kept_states_.push_back(active_number(i));
            }
        }
        for (std::size_t i = 0; i < others_.size(); ++i)
            if (is_active_other(i)) by_states_.push_back(zeros_like(others_[i], leading_));
    }

    Derivatives run() {
        std::vector<Operand> kept;
        for (std::size_t i = 0; i < rule_.states; ++i)
            kept.push_back(result_operand(NodePtr(&loop_), step_.outputs.size() + i));
        const bool is_counted = rule_.is_counted || rule_.condition != nullptr;
        const std::optional<Operand> count =
            is_counted ? std::optional(own_operand(NodePtr(&loop_))) : std::nullopt;
        if (rule_.most == 0) return results(by_states_, {});
        if (rule_.keep == 1) {
            auto [states, by_inputs] = backwards(rule_.most, count, by_states_, kept, inputs_,
                                                 by_outputs_, by_kept_, others_);
            return results(states, by_inputs);
        }
        return by_segments(kept, count);
    }

private:
    struct Backwards {
        std::vector<Operand> states;    ///< derivatives by the first states, and by the others
        std::vector<Operand> by_inputs; ///< a row for each step
    };

    static std::ptrdiff_t at(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }
    static Shape leading_axes(const Derivatives& by_results, std::size_t lead) {
        const auto some =
            std::ranges::find_if(by_results, [](const auto& by) { return by.has_value(); });
        const ShapeSpan shape = (*some)->dims.max_shape();
        return Shape(shape.begin(), shape.begin() + at(lead));
    }
    static std::vector<bool> of_operands(const Loop& loop, DependsOn depends) {
        std::vector<bool> active;
        for (const Operand& operand : loop.step_operands())
            active.push_back(has_slope(operand.dtype()) && depends(*operand.node));
        return active;
    }
    bool is_active_input(std::size_t i) const { return active_.operands[rule_.states + i]; }
    bool is_active_other(std::size_t i) const {
        return active_.operands[rule_.states + rule_.inputs + i];
    }
    /// The number of a state among the active ones.
    std::size_t active_number(std::size_t state) const {
        return static_cast<std::size_t>(
            std::count(active_.outputs.begin(), active_.outputs.begin() + at(state), true));
    }
    std::size_t active_states() const { return active_number(rule_.states); }

    Derivatives results(const std::vector<Operand>& states, const std::vector<Operand>& by_inputs) {
        Derivatives by(loop_.operands().size());
        auto operand = by.begin() + (rule_.is_counted ? 1 : 0);
        auto state = states.begin();
        for (std::size_t i = 0; i < rule_.states; ++i, ++operand)
            if (active_.outputs[i]) {
                if (active_.operands[i]) *operand = *state;
                ++state;
            }
        auto input = by_inputs.begin();
        for (std::size_t i = 0; i < rule_.inputs; ++i, ++operand)
            if (is_active_input(i)) {
                // Without a step there are no rows.
                if (input != by_inputs.end())
                    *operand = rows_behind(order_.of_rows(*input++), lead_);
            }
        for (std::size_t i = 0; i < others_.size(); ++i, ++operand)
            if (is_active_other(i)) *operand = *state++;
        return by;
    }

    /// One step backwards.
    struct StepBackwards {
        SharedGraph graph;
        std::vector<std::optional<std::vector<RowProduct>>>
            sums; ///< by the others, of rows of all steps
    };
    /// Of the derivatives by the states after it (and by the others, added up so far), the states before it, inputs,
    /// derivatives by outputs and by kept states. Gives besides rows that derivatives by others are made of behind the
    /// steps, if all steps are taken.
    StepBackwards step_backwards(index_t length, bool adds_kept, bool takes_all) const {
        GraphBuilder builder;
        const std::vector<Operand> by_states = builder.arguments(by_states_);
        const std::vector<Operand> states = builder.arguments(states_);
        const std::vector<Operand> inputs = arguments_of_rows(builder, inputs_);
        const std::vector<Operand> by_outputs = arguments_of_rows(builder, by_outputs_);
        const std::vector<Operand> by_kept =
            adds_kept ? arguments_of_rows(builder, by_kept_) : std::vector<Operand>{};
        std::vector<Operand> arguments = states;
        append(arguments, inputs);
        append(arguments, builder.arguments(others_));

        const std::vector<Operand> outputs = outputs_for(step_, arguments);
        std::vector<Operand> results, seeds, by;
        for (std::size_t i = 0; i < rule_.states; ++i)
            if (active_.outputs[i]) {
                seeds.push_back(by_states[results.size()]);
                results.push_back(outputs[i]);
            }
        for (std::size_t i = 0; i < outputs_.size(); ++i) {
            results.push_back(outputs[outputs_[i]]);
            seeds.push_back(by_outputs[i]);
        }
        // By all states that take part, though some of the first values may not.
        for (std::size_t i = 0; i < arguments.size(); ++i)
            if (i < rule_.states ? active_.outputs[i] : active_.operands[i])
                by.push_back(arguments[i]);
        const std::vector<Operand> found = reverse_derivatives(results, seeds, lead_, by);

        const std::size_t states_by = active_states();
        const auto inputs_by = static_cast<std::size_t>(
            std::count(active_.operands.begin() + at(rule_.states),
                       active_.operands.begin() + at(rule_.states + rule_.inputs), true));
        std::vector<Operand> next(found.begin(), found.begin() + at(states_by));
        for (std::size_t i = 0; i < by_kept.size(); ++i)
            next[kept_states_[i]] = sum(next[kept_states_[i]], by_kept[i]);
        const std::span by_inputs = std::span(found).subspan(states_by, inputs_by);
        std::vector<Operand> rows = states;
        for (const std::vector<Operand>& part : {inputs, by_outputs, by_kept}) append(rows, part);
        RowProducts products(length, rows, by_inputs);
        StepBackwards step;
        std::vector<Operand> left;
        for (std::size_t i = 0; i < by_states.size(); ++i) {
            if (i >= states_by) {
                const Operand& more = found[i + inputs_by];
                step.sums.push_back(takes_all ? products.of(more) : std::nullopt);
                if (step.sums.back()) continue;
                next.push_back(sum(by_states[i], more));
            }
            left.push_back(by_states[i]);
        }
        append(next, by_inputs);
        append(next, products.outputs());
        SharedGraph all = builder.build(std::move(next));
        if (left.size() == by_states.size()) {
            step.graph = std::move(all);
            return step;
        }
        // Without the states that are not needed then.
        GraphBuilder again;
        std::vector<Operand> given;
        for (std::size_t i = 0, kept = 0; i < all->placeholders.size(); ++i) {
            const bool is_left_out = i < by_states.size() &&
                                     (kept == left.size() || left[kept].node != by_states[i].node);
            if (is_left_out) {
                given.push_back(by_states[i]);
                continue;
            }
            ++kept;
            given.push_back(
                again.argument(all->placeholders[i]->dtype(), shape_of(*all->placeholders[i])));
        }
        step.graph = again.build(outputs_for(*all, given));
        return step;
    }
    static std::vector<Operand> arguments_of_rows(GraphBuilder& builder,
                                                  std::span<const Operand> all) {
        std::vector<Operand> arguments;
        for (const Operand& rows : all)
            arguments.push_back(builder.argument(rows.dtype(), rows.dims.max_shape().subspan(1)));
        return arguments;
    }
    static Operand sum(const Operand& x, const Operand& y) {
        return Numbers(x.dtype()).binary(Op::add, x, y);
    }

    /// All steps backwards, of which `states` are those before each.
    Backwards backwards(index_t length, const std::optional<Operand>& count,
                        std::span<const Operand> by_states, std::span<const Operand> states,
                        std::span<const Operand> inputs, std::span<const Operand> by_outputs,
                        std::span<const Operand> by_kept, std::span<const Operand> others) const {
        StepBackwards step = step_backwards(length, !by_kept.empty(), !count);
        const std::size_t states_by = active_states();
        const auto is_state = [&](std::size_t i) {
            return i < states_by || !step.sums[i - states_by];
        };
        std::vector<Operand> left;
        for (std::size_t i = 0; i < by_states.size(); ++i)
            if (is_state(i)) left.push_back(by_states[i]);
        LoopRule rule;
        rule.step = step.graph;
        rule.most = length;
        rule.states = left.size();
        rule.inputs = states.size() + inputs.size() + by_outputs.size() + by_kept.size();
        rule.is_counted = count.has_value();
        rule.is_backwards = true;
        rule.keep = steps_between_kept(length);
        std::vector<Operand> operands;
        if (count) operands.push_back(*count);
        for (const std::span<const Operand> part :
             {std::span<const Operand>(left), states, inputs, by_outputs, by_kept, others})
            append(operands, part);
        Backwards all =
            ended(loop_with_rows_ahead(std::move(rule), std::move(operands)), left.size());
        std::vector<Operand> rows;
        for (const auto& part : {states, inputs, by_outputs, by_kept}) append(rows, part);
        append(rows, all.by_inputs);
        for (std::size_t i = 0; i < by_states.size(); ++i)
            if (!is_state(i))
                all.states.insert(all.states.begin() + at(i),
                                  sum(by_states[i], sum_of(*step.sums[i - states_by], rows,
                                                           by_states[i].dims.max_shape())));
        all.by_inputs.resize(static_cast<std::size_t>(
            std::count(active_.operands.begin() + at(rule_.states),
                       active_.operands.begin() + at(rule_.states + rule_.inputs), true)));
        return all;
    }
    static Backwards ended(const NodePtr& loop, std::size_t states) {
        Backwards results;
        const std::size_t outputs = static_cast<const Loop&>(*loop).rule().step->outputs.size();
        for (std::size_t i = 0; i < outputs; ++i)
            (i < states ? results.states : results.by_inputs).push_back(result_operand(loop, i));
        return results;
    }

    /// The states before each step of a segment: a loop that keeps all of them.
    std::vector<Operand> states_again(index_t length, const std::optional<Operand>& count,
                                      std::span<const Operand> first,
                                      std::span<const Operand> inputs,
                                      std::span<const Operand> others) const {
        GraphBuilder builder;
        const std::vector<Operand> states = builder.arguments(first);
        std::vector<Operand> arguments = states;
        append(arguments, arguments_of_rows(builder, inputs));
        append(arguments, builder.arguments(others));
        std::vector<Operand> outputs = outputs_for(step_, arguments);
        outputs.resize(rule_.states);
        LoopRule rule;
        rule.step = builder.build(std::move(outputs));
        rule.most = length;
        rule.states = rule_.states;
        rule.inputs = rule_.inputs;
        rule.is_counted = count.has_value();
        std::vector<Operand> operands;
        if (count) operands.push_back(*count);
        for (const auto& part : {first, inputs, others}) append(operands, part);
        const NodePtr loop = make_node<Loop>(std::move(rule), std::move(operands));
        std::vector<Operand> before;
        for (std::size_t i = 0; i < rule_.states; ++i)
            before.push_back(result_operand(loop, rule_.states + i));
        return before;
    }

    /// The steps from one kept state on, backwards.
    Backwards segment(index_t length, const std::optional<Operand>& count,
                      std::span<const Operand> by_states, std::span<const Operand> first,
                      std::span<const Operand> inputs, std::span<const Operand> by_outputs,
                      std::span<const Operand> by_kept, std::span<const Operand> others) const {
        const std::vector<Operand> before = states_again(length, count, first, inputs, others);
        Backwards all = backwards(length, count, by_states, before, inputs, by_outputs, {}, others);
        for (std::size_t i = 0; i < by_kept.size(); ++i)
            all.states[kept_states_[i]] = sum(all.states[kept_states_[i]], by_kept[i]);
        return all;
    }

    /// Where all steps are taken, segments are of one length, and those that are left come first.
    Derivatives by_segments(std::span<const Operand> kept, const std::optional<Operand>& count) {
        const index_t length = rule_.keep;
        const index_t rest = count ? 0 : rule_.most % length;
        const index_t segments = rule_.kept() - (rest > 0 ? 1 : 0);
        const index_t whole = rule_.most - rest;
        Backwards last{by_states_, {}};
        if (rest > 0)
            last = segment(rest, std::nullopt, by_states_, each_row(kept, segments),
                           each_range(inputs_, Range(whole, rule_.most)),
                           each_range(by_outputs_, Range(whole, rule_.most)),
                           each_row(by_kept_, segments), others_);
        const auto in_segments = [&](std::span<const Operand> all) {
            std::vector<Operand> cut = each_range(all, Range(0, whole));
            for (Operand& rows : cut) rows = segments_of(rows, segments, length);
            return cut;
        };
        const std::vector<Operand> inputs = in_segments(inputs_);
        const std::vector<Operand> by_outputs = in_segments(by_outputs_);
        const std::vector<Operand> by_kept = each_range(by_kept_, Range(0, segments));

        // A segment, of arguments like these, a row of all but the first and the last.
        GraphBuilder builder;
        const std::vector<Operand> by_states = builder.arguments(by_states_);
        std::optional<Operand> steps;
        if (count) steps = builder.argument(int64, {});
        const std::vector<Operand> first = arguments_of_rows(builder, kept);
        const std::vector<Operand> own_inputs = arguments_of_rows(builder, inputs);
        const std::vector<Operand> own_by_outputs = arguments_of_rows(builder, by_outputs);
        const std::vector<Operand> own_by_kept = arguments_of_rows(builder, by_kept);
        const std::vector<Operand> others = builder.arguments(others_);
        auto [next, by_inputs] = segment(length, steps, by_states, first, own_inputs,
                                         own_by_outputs, own_by_kept, others);
        append(next, by_inputs);

        LoopRule rule;
        rule.step = builder.build(std::move(next));
        rule.most = segments;
        rule.states = by_states_.size();
        rule.inputs =
            (count ? 1 : 0) + kept.size() + inputs.size() + by_outputs.size() + by_kept.size();
        rule.is_counted = count.has_value();
        rule.is_backwards = true;
        rule.keep = steps_between_kept(segments);
        std::vector<Operand> operands;
        if (count) operands.push_back(segments_taken(*count, length));
        append(operands, last.states);
        if (count) operands.push_back(steps_of_segments(*count, segments, length));
        append(operands, each_range(kept, Range(0, segments)));
        for (const std::span<const Operand> part :
             {std::span(inputs), std::span(by_outputs), std::span(by_kept),
              std::span(std::as_const(others_))})
            append(operands, part);
        auto [states, by_rows] =
            ended(make_node<Loop>(std::move(rule), std::move(operands)), by_states_.size());
        for (std::size_t i = 0; i < by_rows.size(); ++i) {
            by_rows[i] = steps_of(by_rows[i], whole);
            if (rest > 0) by_rows[i] = rows_and(by_rows[i], last.by_inputs[i]);
        }
        return results(states, by_rows);
    }

    const Loop& loop_;
    const LoopRule& rule_;
    const TracedOutputs& step_;
    std::size_t lead_;
    Shape leading_;
    ActiveParts active_;
    RowOrder order_;
    std::vector<Operand> states_;
    std::vector<Operand> inputs_;
    std::vector<Operand> others_;
    std::vector<Operand> by_states_; // by active states, then by active others: zeros
    std::vector<Operand> by_outputs_;
    std::vector<std::size_t> outputs_; // of the step, that these belong to
    std::vector<Operand> by_kept_;
    std::vector<std::size_t> kept_states_; // among the active ones, that these belong to
};

} // namespace

Derivatives reverse(const Loop& loop, const Derivatives& by_results, std::size_t lead,
                    DependsOn depends) {
    return LoopReverse(loop, by_results, lead, depends).run();
}

} // namespace purview::derivatives
