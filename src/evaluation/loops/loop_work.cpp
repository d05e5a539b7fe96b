#include "evaluation/loops/loop_work.hpp"

#include "evaluation/bound_work.hpp"
#include "evaluation/loops/compiled_graphs.hpp"
#include "evaluation/loops/loop_run.hpp"
#include "evaluation/loops/placed_states.hpp"
#include "evaluation/loops/tiled_steps.hpp"
#include "evaluation/other_backend.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/loops.hpp>
#include <purview/expression/constant.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Lines below a name.
std::string indented(std::string_view name, const std::string& text) {
    std::string all = fmt::format("{}:\n", name);
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) all += "  " + line + '\n';
    return all;
}

std::vector<const Operand*> pointers_to(std::span<const Operand> operands) {
    std::vector<const Operand*> pointers;
    for (const Operand& operand : operands) pointers.push_back(&operand);
    return pointers;
}

class LoopWork final : public BoundWork {
public:
    explicit LoopWork(const Loop& loop) : BoundWork(loop), loop_(loop.rule()) {}

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        LargeStates large;
        run_loop(loop_, operands(bindings), outs, large);
    }
    void run_eagerly(std::span<const Destination> outs, LargeStates& large,
                     const StepWatch* watch) const {
        run_loop(loop_, operands({}), outs, large, watch);
    }
    std::string describe(Bindings bindings) const override {
        std::vector<Operand> operands = this->operands(bindings);
        LargeStates large;
        put_into_memory(operands, large, Elements::imagined);
        const LoopRule& rule = loop_.rule;
        const std::span<const Operand> given = std::span(operands).subspan(rule.is_counted ? 1 : 0);
        std::vector<Operand> arguments(given.begin(), given.end());
        for (std::size_t i = rule.states; i < rule.states + rule.inputs && rule.most > 0; ++i)
            arguments[i].dims = dimensions::select(arguments[i].dims, 0, 0);
        std::string because = "each step has a condition, or a row of its own";
        if (rule.condition == nullptr && rule.most > 1)
            if (const auto tiles =
                    TiledSteps::make(rule, loop_.chains, given, large.in_memory(), because))
                return tiles->describe();
        std::string text = fmt::format("way: step by step, {} of them, compiled once, because {}\n",
                                       rule.most, because);
        return rule.most == 0
                   ? text
                   : text + indented("step", loop_.step->explain(pointers_to(arguments)));
    }

private:
    CompiledLoop loop_;
};

class ChoiceWork final : public BoundWork {
public:
    explicit ChoiceWork(const Choice& choice)
        : BoundWork(choice),
          functions_{compiled(choice.functions()[0]), compiled(choice.functions()[1])} {}

    void run(Bindings bindings, std::span<const Destination> outs) const override {
        std::vector<Operand> operands = this->operands(bindings);
        put_into_memory("choose", operands);
        bool condition = false;
        read_all(operands[0], &condition);
        if (void* const own = outs[0].memory()) std::memcpy(own, &condition, sizeof condition);
        const std::vector<const Operand*> arguments = pointers_to(std::span(operands).subspan(1));
        WantedResults results(*functions_[condition ? 0 : 1], arguments, outs.subspan(1));
        functions_[condition ? 0 : 1]->run(arguments, results.destinations());
    }
    std::string describe(Bindings bindings) const override {
        std::vector<Operand> operands = this->operands(bindings);
        put_into_memory("choose", operands, Elements::imagined);
        const std::vector<const Operand*> arguments = pointers_to(std::span(operands).subspan(1));
        return "way: one of two functions, by the first operand\n" +
               indented("if true", functions_[0]->explain(arguments)) +
               indented("if false", functions_[1]->explain(arguments));
    }

private:
    /// Destinations for all outputs of a program, some of which nobody wants.
    class WantedResults {
    public:
        WantedResults(const Program& program, Bindings inputs,
                      std::span<const Destination> wanted) {
            unwanted_.reserve(wanted.size());
            for (std::size_t i = 0; i < wanted.size(); ++i) {
                if (!wanted[i].is_nowhere()) {
                    destinations_.push_back(wanted[i]);
                    continue;
                }
                unwanted_.push_back(program.new_output(i, inputs));
                destinations_.emplace_back(unwanted_.back());
            }
        }
        std::span<const Destination> destinations() const { return destinations_; }

    private:
        std::vector<Operand> unwanted_;
        std::vector<Destination> destinations_;
    };

    std::array<std::shared_ptr<const Program>, 2> functions_;
};

} // namespace

std::unique_ptr<const StageWork> loop_work(const Loop& loop) {
    return std::make_unique<LoopWork>(loop);
}
std::unique_ptr<const StageWork> choice_work(const Choice& choice) {
    return std::make_unique<ChoiceWork>(choice);
}

std::vector<Operand> results_of(const Node& source, std::span<const std::size_t> numbers,
                                const StepWatch* watch) {
    std::vector<Operand> operands;
    for (Operand operand : operands_of(source)) operands.push_back(std::move(operand));
    const auto elsewhere = std::ranges::find_if(operands, lies_elsewhere);
    const Operand& there = elsewhere == operands.end() ? operands[0] : *elsewhere;
    LargeStates large;
    // Its own element is a number of this process.
    std::vector<Operand> results{
        results_like(kLoop, constant_operand<index_t>(0), source.dtype(), {})};
    results.reserve(numbers.size() + 1);
    std::vector<Destination> outs(result_count(source) + 1, Destination::nowhere());
    outs[0] = results[0];
    const auto* const loop = node_as<Loop>(source);
    for (const std::size_t number : numbers) {
        const ResultType type = result_type(source, number);
        const bool is_large = loop != nullptr && number < loop->rule().states &&
                              LargeStates::is_large(loop->step_operands()[number]);
        results.push_back(is_large ? large.place(kLoop, type.dtype, type.shape)
                                   : results_like(kLoop, there, type.dtype, type.shape));
        outs[number + 1] = results.back();
    }
    if (loop != nullptr)
        LoopWork(*loop).run_eagerly(outs, large, watch);
    else
        ChoiceWork(static_cast<const Choice&>(source)).run({}, outs);
    return results;
}

std::string explain_results(const Node& source) { return node_work(source)->describe({}); }

} // namespace purview
