// Defines expression/derivatives/loop_rules.hpp.
#include "expression/derivatives/graph_builder.hpp"
#include "expression/derivatives/loop_rules.hpp"
#include "expression/derivatives/rows.hpp"

#include <purview/expression/derivatives.hpp>

#include <utility>

namespace purview::inline v0_1::derivatives {
namespace {

/// A loop that carries the tangents of its states beside them.
class LoopForward {
public:
    LoopForward(const Loop& loop, const Derivatives& tangents, ShapeSpan leading)
        : loop_(loop),
          rule_(loop.rule()),
          step_(*rule_.step),
          leading_(leading),
          operands_(loop.step_operands()),
          tangents_(std::span(tangents).subspan(rule_.is_counted ? 1 : 0)),
          active_(loop, has_value(tangents_)) {}

    Derivatives run() const {
        Derivatives of_results(step_.outputs.size() + rule_.states);
        LoopRule rule = rule_;
        rule.step = step();
        if (rule_.condition != nullptr) rule.condition = condition();
        rule.states = rule_.states + count(0, rule_.states, active_.outputs);
        rule.inputs = rule_.inputs + count(rule_.states, rule_.inputs, active_.operands);
        const std::size_t outputs = rule.step->outputs.size();
        const std::size_t states = rule.states;
        const NodePtr loop = make_node<Loop>(std::move(rule), operands());
        std::size_t next = rule_.states;
        for (std::size_t i = 0; i < rule_.states; ++i)
            if (active_.outputs[i]) {
                of_results[i] = result_operand(loop, next);
                of_results[step_.outputs.size() + i] =
                    rows_behind(result_operand(loop, outputs + next), leading_.size());
                ++next;
            }
        next = states + rule_.outputs();
        for (std::size_t i = rule_.states; i < step_.outputs.size(); ++i)
            if (active_.outputs[i])
                of_results[i] = rows_behind(result_operand(loop, next++), leading_.size());
        return of_results;
    }

private:
    static std::vector<bool> has_value(std::span<const std::optional<Operand>> tangents) {
        std::vector<bool> has;
        for (const auto& tangent : tangents) has.push_back(tangent.has_value());
        return has;
    }
    static std::size_t count(std::size_t first, std::size_t size, const std::vector<bool>& active) {
        std::size_t sum = 0;
        for (std::size_t i = first; i < first + size; ++i) sum += active[i];
        return sum;
    }
    bool is_active(std::size_t operand) const {
        return operand < rule_.states ? active_.outputs[operand] : active_.operands[operand];
    }
    /// The first operand behind those that are states, inputs, or others.
    std::size_t end_of(std::size_t part) const {
        return part == 0   ? rule_.states
               : part == 1 ? rule_.states + rule_.inputs
                           : operands_.size();
    }

    /// Each part with its tangents behind it: states, inputs, others.
    std::vector<Operand> operands() const {
        std::vector<Operand> all;
        if (rule_.is_counted) all.push_back(loop_.operands()[0]);
        for (std::size_t part = 0, first = 0; part < 3; first = end_of(part++)) {
            append(all, operands_.subspan(first, end_of(part) - first));
            for (std::size_t i = first; i < end_of(part); ++i) {
                if (!is_active(i)) continue;
                const Operand tangent =
                    tangents_[i] ? *tangents_[i] : zeros_like(operands_[i], leading_);
                all.push_back(part == 1 ? rows_first(tangent, leading_.size()) : tangent);
            }
        }
        return all;
    }

    /// Arguments of the step, and their tangents.
    struct Arguments {
        std::vector<Operand> values, moving, along;
    };
    void add_part(GraphBuilder& builder, std::size_t first, std::size_t end, Arguments& all) const {
        const std::size_t begin = all.values.size();
        for (std::size_t i = first; i < end; ++i)
            all.values.push_back(
                builder.argument(operands_[i].dtype(),
                                 static_cast<const SymbolNode&>(*step_.placeholders[i]).shape()));
        for (std::size_t i = first; i < end; ++i) {
            if (!is_active(i)) continue;
            const Operand& value = all.values[begin + i - first];
            const Operand zeros = zeros_like(value, leading_);
            all.moving.push_back(value);
            all.along.push_back(builder.argument(zeros));
        }
    }

    SharedGraph step() const {
        GraphBuilder builder;
        Arguments all;
        for (std::size_t part = 0, first = 0; part < 3; first = end_of(part++))
            add_part(builder, first, end_of(part), all);
        const std::vector<Operand> values = outputs_for(step_, all.values);
        std::vector<Operand> outputs;
        for (std::size_t part = 0, first = 0; part < 2; first = rule_.states, ++part) {
            const std::size_t end = part == 0 ? rule_.states : values.size();
            for (std::size_t i = first; i < end; ++i) outputs.push_back(values[i]);
            for (std::size_t i = first; i < end; ++i)
                if (active_.outputs[i])
                    outputs.push_back(
                        forward_derivative(values[i], all.moving, all.along, leading_.size()));
        }
        return builder.build(std::move(outputs));
    }
    /// The condition, which reads no tangents.
    SharedGraph condition() const {
        GraphBuilder builder;
        Arguments after, before, others;
        add_part(builder, 0, rule_.states, after);
        add_part(builder, 0, rule_.states, before);
        add_part(builder, rule_.states + rule_.inputs, operands_.size(), others);
        std::vector<Operand> arguments = after.values;
        append(arguments, before.values);
        append(arguments, others.values);
        return builder.build(outputs_for(*rule_.condition, arguments));
    }

    const Loop& loop_;
    const LoopRule& rule_;
    const TracedOutputs& step_;
    ShapeSpan leading_;
    std::span<const Operand> operands_; // of the step
    std::span<const std::optional<Operand>> tangents_;
    ActiveParts active_;
};

} // namespace

Derivatives forward(const Loop& loop, const Derivatives& tangents, ShapeSpan leading) {
    return LoopForward(loop, tangents, leading).run();
}

} // namespace purview::derivatives
