#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/applied/traced_function.hpp>

#include "evaluation/print_program.hpp"
#include "expression/node_map.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <optional>
#include <ostream>
#include <string>
#include <utility>

namespace purview::inline v0_1 {
namespace {

bool fits(ShapeSpan shape, const Shape& spec) noexcept {
    if (shape.size() != spec.size()) return false;
    for (std::size_t a = 0; a < shape.size(); ++a)
        if (shape[a] != spec[a] && spec[a] != any_size) return false;
    return true;
}

std::string text_of(const ArgumentSpec& spec) {
    std::string text(spec.dtype.name());
    text += '[';
    for (std::size_t a = 0; a < spec.shape.size(); ++a) {
        if (a > 0) text += ' ';
        text += spec.shape[a] == any_size ? std::string("any") : std::to_string(spec.shape[a]);
    }
    return text + ']';
}

std::string head_of(std::span<const ArgumentSpec> arguments) {
    std::string text;
    for (const ArgumentSpec& argument : arguments)
        text += (text.empty() ? "" : ", ") + text_of(argument);
    return "#purview.computation(" + text + ")\n";
}

[[noreturn]] void throw_mismatch(std::size_t number, const ArgumentSpec& spec,
                                 const Operand& given) {
    const std::string message =
        fmt::format("computation: argument {} has to be {}, and is {}{}", number, text_of(spec),
                    given.dtype().name(), to_string(given.dims.max_shape()));
    if (given.dtype() != spec.dtype) throw DtypeError(message);
    throw ShapeError(message);
}

/// The shapes of the arguments that a graph was traced for.
std::vector<Shape> shapes_of(const TracedOutputs& traced) {
    std::vector<Shape> shapes;
    for (const NodePtr& placeholder : traced.placeholders)
        shapes.push_back(to_shape(static_cast<const SymbolNode&>(*placeholder).shape()));
    return shapes;
}
std::vector<Shape> shapes_of(Bindings inputs) {
    std::vector<Shape> shapes;
    for (const Operand* const input : inputs) shapes.push_back(to_shape(input->dims.max_shape()));
    return shapes;
}

/// A symbol that was loaded without a value, and has been given none; null if there is none.
const SymbolNode* without_value(const TracedOutputs& traced) {
    for (const Node* const node : nodes_below(traced.outputs)) {
        const auto* const symbol = node_as<SymbolNode>(*node);
        if (symbol != nullptr && symbol->role() != Role::placeholder &&
            symbol->value().node == nullptr)
            return symbol;
    }
    return nullptr;
}

} // namespace

FunctionOfSymbols::~FunctionOfSymbols() = default;

struct TracedFunction::State {
    using ProgramPtr = std::shared_ptr<const Program>;
    struct Entry {
        std::vector<Shape> shapes;
        ProgramPtr program;   // null before the first call of what was loaded
        TracedOutputs traced; // of what was loaded
    };

    std::vector<ArgumentSpec> arguments;
    std::unique_ptr<const FunctionOfSymbols> function;
    std::optional<Program> fixed;
    std::atomic<const Program*> only{nullptr}; // of one that has no other

    std::mutex mutex;
    std::vector<Entry> programs;    // the most recently used first
    std::vector<NodePtr> variables; // of all programs ever traced
    NodeSet known_variables;

    Program trace(const std::vector<Shape>& shapes) const {
        std::vector<Operand> placeholders;
        std::vector<NodePtr> nodes;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            placeholders.push_back(placeholder_operand(arguments[i].dtype, shapes[i], i));
            nodes.push_back(placeholders.back().node);
        }
        std::vector<Operand> outputs = function->call(placeholders);
        if (outputs.empty()) throw ShapeError("computation: the function returns no output");
        return Program(std::move(outputs), std::move(nodes));
    }

    void remember(const Program& program) {
        for (NodePtr& variable : program.variables())
            if (known_variables.insert(variable.get())) variables.push_back(std::move(variable));
    }
    /// Those of what was loaded, which has all its programs from the beginning.
    void find_variables() {
        if (function != nullptr || fixed || !variables.empty()) return;
        for (const Entry& entry : programs)
            for (const Node* const node : nodes_below(entry.traced.outputs)) {
                const auto* const symbol = node_as<SymbolNode>(*node);
                if (symbol != nullptr && symbol->role() == Role::variable &&
                    known_variables.insert(node))
                    variables.emplace_back(node);
            }
    }

    ProgramPtr find(Bindings inputs) {
        const auto matches = [&](const Entry& entry) {
            return std::ranges::equal(entry.shapes, inputs,
                                      [](const Shape& shape, const Operand* x) {
                                          return std::ranges::equal(shape, x->dims.max_shape());
                                      });
        };
        const std::lock_guard lock(mutex);
        const auto found = std::ranges::find_if(programs, matches);
        if (found == programs.end()) return nullptr;
        std::rotate(programs.begin(), found, found + 1);
        Entry& entry = programs.front();
        if (entry.program == nullptr) {
            entry.program = compiled(entry.traced);
            if (!is_flexible()) only.store(entry.program.get(), std::memory_order_release);
        }
        return entry.program;
    }
    /// Whether an extent may differ from call to call.
    bool is_flexible() const {
        return std::ranges::any_of(arguments, [](const ArgumentSpec& argument) {
            return std::ranges::count(argument.shape, any_size) > 0;
        });
    }
    static ProgramPtr compiled(const TracedOutputs& traced) {
        return std::make_shared<const Program>(traced.outputs, traced.placeholders);
    }

    [[noreturn]] void throw_unknown(Bindings inputs) {
        std::string given;
        for (const Shape& shape : shapes_of(inputs)) given += to_string(shape);
        if (programs.empty())
            throw ShapeError(fmt::format(
                "computation: it was saved with no program, and so with none for {}: call it "
                "with such shapes before it is saved",
                given));
        std::vector<std::string> all;
        for (const Entry& entry : programs) {
            all.emplace_back();
            for (const Shape& shape : entry.shapes) all.back() += to_string(shape);
        }
        std::ranges::sort(all); // they are kept in the order of use
        std::string known;
        for (const std::string& shapes : all) known += (known.empty() ? "" : "; ") + shapes;
        throw ShapeError(fmt::format(
            "computation: it was saved with the programs for {}, and none for {}", known, given));
    }

    ProgramPtr find_or_trace(Bindings inputs) {
        if (ProgramPtr found = find(inputs)) return found;
        if (function == nullptr) throw_unknown(inputs);
        Entry entry{shapes_of(inputs),
                    nullptr,
                    {}}; // traced without the lock, because the function may call this object
        entry.program = std::make_shared<const Program>(trace(entry.shapes));
        const std::lock_guard lock(mutex);
        remember(*entry.program);
        if (programs.size() == kMostPrograms) programs.pop_back();
        programs.insert(programs.begin(), entry);
        return entry.program;
    }
};

TracedFunction::TracedFunction(std::vector<ArgumentSpec> arguments,
                               std::unique_ptr<const FunctionOfSymbols> function)
    : state_(new State) {
    State& state = *state_;
    state.arguments = std::move(arguments);
    state.function = std::move(function);
    bool flexible = false;
    std::vector<Shape> shapes;
    for (const ArgumentSpec& argument : state.arguments) {
        for (const index_t extent : argument.shape) {
            flexible = flexible || extent == any_size;
            if (extent < any_size)
                throw ShapeError(
                    fmt::format("spec: shape {} has a negative extent", to_string(argument.shape)));
        }
        shapes.push_back(argument.shape);
    }
    if (flexible) return;
    state.fixed.emplace(state.trace(shapes));
    state.only = &*state.fixed;
    state.remember(*state.fixed);
    state.function = nullptr;
}

TracedFunction::TracedFunction(std::vector<ArgumentSpec> arguments,
                               std::vector<TracedOutputs> traced)
    : state_(new State) {
    State& state = *state_;
    state.arguments = std::move(arguments);
    for (TracedOutputs& each : traced) {
        std::vector<Shape> shapes = shapes_of(each);
        state.programs.push_back({std::move(shapes), nullptr, std::move(each)});
    }
}

TracedFunction::~TracedFunction() = default;

std::vector<TracedOutputs> TracedFunction::traced() const {
    if (state_->fixed) return {state_->fixed->traced()};
    std::vector<std::pair<std::vector<Shape>, TracedOutputs>> all;
    {
        const std::lock_guard lock(state_->mutex);
        for (const State::Entry& entry : state_->programs)
            all.emplace_back(entry.shapes, entry.traced.outputs.empty() && entry.program != nullptr
                                               ? entry.program->traced()
                                               : entry.traced);
    }
    std::ranges::sort(all, {}, [](const auto& each) {
        std::vector<std::vector<index_t>> shapes;
        for (const Shape& shape : each.first) shapes.emplace_back(shape.begin(), shape.end());
        return shapes;
    });
    std::vector<TracedOutputs> graphs;
    for (auto& each : all) graphs.push_back(std::move(each.second));
    return graphs;
}

const std::vector<ArgumentSpec>& TracedFunction::arguments() const noexcept {
    return state_->arguments;
}

const Program& TracedFunction::program_for(Bindings inputs,
                                           std::shared_ptr<const Program>& keep) const {
    State& state = *state_;
    if (inputs.size() != state.arguments.size())
        throw ShapeError(fmt::format("computation: {} arguments are given, and it has {}",
                                     inputs.size(), state.arguments.size()));
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ArgumentSpec& spec = state.arguments[i];
        if (inputs[i]->dtype() != spec.dtype || !fits(inputs[i]->dims.max_shape(), spec.shape))
            throw_mismatch(i, spec, *inputs[i]);
    }
    if (const Program* const only = state.only.load(std::memory_order_acquire)) return *only;
    keep = state.find_or_trace(inputs);
    return *keep;
}

std::string TracedFunction::explain(Bindings inputs) const {
    std::shared_ptr<const Program> keep;
    const Program& program = program_for(inputs, keep);
    return head_of(state_->arguments) + program.explain(inputs);
}

std::vector<NodePtr> TracedFunction::variables() const {
    const std::lock_guard lock(state_->mutex);
    state_->find_variables();
    return state_->variables;
}

std::ostream& operator<<(std::ostream& out, const TracedFunction& function) {
    TracedFunction::State& state = *function.state_;
    out << head_of(state.arguments);
    if (state.fixed) return out << *state.fixed;
    const std::lock_guard lock(state.mutex);
    for (const auto& entry : state.programs) {
        if (state.is_flexible()) {
            out << "for";
            for (const Shape& shape : entry.shapes) out << ' ' << to_string(shape);
            out << ":\n";
        }
        if (entry.program != nullptr) {
            out << *entry.program;
        } else if (const SymbolNode* const symbol = without_value(entry.traced)) {
            // It cannot be compiled yet.
            print_program(out, entry.traced.outputs, entry.traced.placeholders, {});
            out << "no stages before the " << name_of(symbol->role()) << " '" << symbol->name()
                << "' has a value\n";
        } else {
            out << *TracedFunction::State::compiled(entry.traced);
        }
    }
    return out;
}

std::shared_ptr<const TracedFunction> traced(std::initializer_list<ArgumentSpec> arguments,
                                             std::unique_ptr<const FunctionOfSymbols> function) {
    return std::make_shared<const TracedFunction>(arguments, std::move(function));
}

std::vector<AnySymbol> symbols_of(std::vector<NodePtr> nodes) {
    std::vector<AnySymbol> symbols;
    for (NodePtr& node : nodes) {
        // Of what was loaded, it may have no value yet.
        Dimensions dims = Dimensions::row_major(static_cast<const SymbolNode&>(*node).shape());
        symbols.emplace_back(Operand{std::move(node), std::move(dims)});
    }
    return symbols;
}

} // namespace purview
