#include "evaluation/print_program.hpp"

#include <purview/expression/graph.hpp>
#include <purview/expression/visit_node.hpp>

#include <purview/expression/library_function.hpp>

#include "reader/seeded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <string>
#include <unordered_map>

namespace purview::inline v0_1 {
namespace {

/// Nodes printed at most: a traced loop can have a million.
constexpr std::size_t kMostLines = 200;
/// Nodes of functions that are printed at most: each function is printed wherever it is called.
constexpr std::size_t kMostOfFunctions = 2000;

class ProgramPrinter {
public:
    /// `of_functions`: how many nodes of functions may still be printed.
    ProgramPrinter(std::ostream& out, std::span<const Operand> outputs,
                   std::span<const NodePtr> placeholders, std::size_t& of_functions)
        : out_(out), outputs_(outputs), of_functions_(of_functions) {
        for (const NodePtr& placeholder : placeholders) add(*placeholder);
        for (const Node* const node : nodes_below(outputs))
            if (!numbers_.contains(node)) add(*node);
    }

    void print_nodes() {
        for (std::size_t i = 0; i < nodes_.size(); ++i) {
            if (i >= kMostLines / 2 && nodes_.size() - i > kMostLines / 2) {
                if (i == kMostLines / 2) out_ << "... " << nodes_.size() - kMostLines << " more\n";
                continue;
            }
            out_ << '%' << i << " = " << text_of(*nodes_[i]) << '\n';
        }
        for (std::size_t k = 0; k < outputs_.size(); ++k)
            out_ << "output " << k << " = " << text_of(outputs_[k]) << ' ' << type_of(outputs_[k])
                 << '\n';
    }

    void print_stages(std::span<const ProgramStage> stages, std::span<const std::string> ways) {
        for (std::size_t i = 0; i < stages.size(); ++i) {
            const ProgramStage& stage = stages[i];
            out_ << "stage " << i << ": ";
            if (stage.results.empty()) {
                out_ << place_of(stage.own) << '\n';
            } else {
                out_ << (stage.own.is_wanted() ? place_of(stage.own)
                                               : fmt::format("%{}", numbers_.at(stage.own.node)));
                for (const StageOutput& part : stage.results)
                    if (part.is_wanted()) out_ << ", " << place_of(part);
                out_ << '\n';
            }
            if (ways.empty()) continue;
            std::istringstream lines(ways[i]);
            for (std::string line; std::getline(lines, line);) out_ << "  " << line << '\n';
        }
    }

private:
    std::string place_of(const StageOutput& part) const {
        std::string text = part.node == nullptr ? text_of(outputs_[part.output])
                                                : fmt::format("%{}", numbers_.at(part.node));
        if (part.output == kNone)
            return fmt::format("{} to a temporary of {} bytes", text,
                               part.count * part.dtype.size_bytes());
        return fmt::format("{} to output {}", text, part.output);
    }

    void add(const Node& node) {
        numbers_.emplace(&node, nodes_.size());
        nodes_.push_back(&node);
    }

    static std::string type_of(const Operand& operand) {
        return std::string(operand.dtype().name()) + to_string(operand.dims.max_shape());
    }

    /// A node by its number; with its shape if it is seen through a view.
    std::string text_of(const Operand& operand) const {
        std::string text = fmt::format("%{}", numbers_.at(operand.node.get()));
        if (operand.node->kind() != NodeKind::constant && !is_whole(operand))
            text += " viewed as " + to_string(operand.dims.max_shape());
        return text;
    }

    std::string text_of(const Node& node) const {
        return visit(node, [&](const auto& each) { return line_of(each); });
    }

    static std::string_view dtype_of(const Node& node) { return node.dtype().name(); }
    static std::string line_of(const Leaf& leaf) {
        std::string text = fmt::format("tensor {}[{}]", dtype_of(leaf), leaf.size());
        if (const auto* const random = dynamic_cast<const Seeded*>(&leaf.reader()))
            text += fmt::format(" of the seed {} at each call", random->seed);
        return text;
    }
    static std::string line_of(const Constant& constant) {
        return fmt::format("constant {} {}", value_of(constant), dtype_of(constant));
    }
    static std::string line_of(const SymbolNode& symbol) {
        std::string text(name_of(symbol.role()));
        if (symbol.role() == Role::placeholder) text += ' ' + std::to_string(symbol.slot());
        if (!symbol.name().empty()) text += " '" + symbol.name() + '\'';
        return fmt::format("{} {}{}", text, dtype_of(symbol), to_string(symbol.shape()));
    }
    std::string line_of(const Elementwise& operation) const {
        return line_of(name_of(operation), operation);
    }
    std::string line_of(const Gather& gather) const { return line_of("gather", gather); }
    std::string line_of(const Piecewise& pieces) const { return line_of(pieces.what(), pieces); }
    std::string line_of(const Reduce& reduce) const {
        return fmt::format("{} {} in {} {} {}", name_of(reduce.reduction()),
                           text_of(reduce.operand()), reduce.groups(),
                           reduce.groups() == 1 ? "part" : "parts", dtype_of(reduce));
    }
    std::string line_of(const Scatter& scatter) const {
        return fmt::format("scatter {} to {} {}", operands_text(scatter), scatter.place().size,
                           dtype_of(scatter));
    }
    std::string line_of(const ScanNode& scan) const {
        return fmt::format("cumsum {} over {} {}", text_of(scan.operand()), scan.length(),
                           dtype_of(scan));
    }
    std::string line_of(const OpaqueStage& stage) const {
        return line_of(stage.function().name(), stage);
    }
    std::string line_of(const Loop& loop) const {
        const LoopRule& rule = loop.rule();
        std::string text =
            rule.is_counted || rule.condition != nullptr
                ? fmt::format("loop of at most {} steps", rule.most)
                : fmt::format("loop of {} {}", rule.most, rule.most == 1 ? "step" : "steps");
        if (rule.is_backwards) text += ", backwards";
        text += fmt::format(" over {}: {} {}", operands_text(loop), rule.states,
                            rule.states == 1 ? "state" : "states");
        if (rule.inputs > 0)
            text +=
                fmt::format(", rows of {} {}", rule.inputs, rule.inputs == 1 ? "input" : "inputs");
        text += function_text("step", *rule.step);
        return rule.condition == nullptr ? text : text + function_text("while", *rule.condition);
    }
    std::string line_of(const Choice& choice) const {
        return fmt::format("choose {}{}{}", operands_text(choice),
                           function_text("if true", *choice.functions()[0]),
                           function_text("if false", *choice.functions()[1]));
    }
    std::string line_of(const StageResult& result) const {
        return fmt::format("result {} of {} {}{}", result.number(), text_of(result.operand()),
                           dtype_of(result), to_string(result.shape()));
    }
    /// A function that a node calls, in lines of their own.
    std::string function_text(std::string_view name, const TracedOutputs& graph) const {
        if (of_functions_ == 0) return fmt::format("\n  {}: ...", name);
        std::ostringstream text;
        text.exceptions(std::ios::badbit); // else bad_alloc would be swallowed
        ProgramPrinter own(text, graph.outputs, graph.placeholders, of_functions_);
        of_functions_ -= std::min({of_functions_, own.nodes_.size(), kMostLines});
        own.print_nodes();
        std::string all = fmt::format("\n  {}:", name);
        std::istringstream lines(text.str());
        for (std::string line; std::getline(lines, line);) all += "\n    " + line;
        return all;
    }
    std::string line_of(std::string_view name, const auto& node) const {
        return fmt::format("{} {} {}{}", name, operands_text(node), dtype_of(node),
                           to_string(node.shape()));
    }

    std::string operands_text(const Node& node) const {
        std::string text;
        for (const Operand& operand : operands_of(node))
            text += (text.empty() ? "" : ", ") + text_of(operand);
        return text;
    }

    static std::string value_of(const Constant& node) {
        const auto print = node.dtype().descriptor().print;
        if (print == nullptr) return "?";
        std::ostringstream text;
        text.exceptions(std::ios::badbit); // else bad_alloc would be swallowed
        text << std::boolalpha;
        print(text, node.value());
        return text.str();
    }

    std::ostream& out_;
    std::span<const Operand> outputs_;
    std::size_t& of_functions_;
    std::vector<const Node*> nodes_;
    std::unordered_map<const Node*, std::size_t> numbers_;
};

} // namespace

void print_program(std::ostream& out, std::span<const Operand> outputs,
                   std::span<const NodePtr> placeholders, std::span<const ProgramStage> stages,
                   std::span<const std::string> ways) {
    std::size_t of_functions = kMostOfFunctions;
    ProgramPrinter printer(out, outputs, placeholders, of_functions);
    printer.print_nodes();
    printer.print_stages(stages, ways);
}

} // namespace purview
