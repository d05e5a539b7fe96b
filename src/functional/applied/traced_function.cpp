#include <purview/base/checked.hpp>
#include <purview/base/errors.hpp>
#include <purview/expression/symbol.hpp>
#include <purview/functional/applied/traced_function.hpp>

#include <fmt/format.h>

#include <algorithm>
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

[[noreturn]] void throw_mismatch(std::size_t number, const ArgumentSpec& spec,
                                 const Operand& given) {
    const std::string message =
        fmt::format("computation: argument {} has to be {}, and is {}{}", number, text_of(spec),
                    given.dtype().name(), to_string(given.dims.max_shape()));
    if (given.dtype() != spec.dtype) throw DtypeError(message);
    throw ShapeError(message);
}

std::vector<Shape> shapes_of(Bindings inputs) {
    std::vector<Shape> shapes;
    for (const Operand* const input : inputs) shapes.push_back(to_shape(input->dims.max_shape()));
    return shapes;
}

} // namespace

FunctionOfSymbols::~FunctionOfSymbols() = default;

struct TracedFunction::State {
    using ProgramPtr = std::shared_ptr<const Program>;
    struct Entry {
        std::vector<Shape> shapes;
        ProgramPtr program;
    };

    std::vector<ArgumentSpec> arguments;
    std::unique_ptr<const FunctionOfSymbols> function;
    std::optional<Program> fixed;

    std::mutex mutex;
    std::vector<Entry> programs;    // the most recently used first
    std::vector<NodePtr> variables; // of all programs ever traced

    Program trace(const std::vector<Shape>& shapes) const {
        std::vector<Operand> placeholders;
        std::vector<NodePtr> nodes;
        for (std::size_t i = 0; i < arguments.size(); ++i) {
            placeholders.push_back(placeholder_operand(arguments[i].dtype, shapes[i], i));
            nodes.push_back(placeholders.back().node);
        }
        return Program(function->call(placeholders), std::move(nodes));
    }

    void remember(const Program& program) {
        for (NodePtr& variable : program.variables())
            if (!std::ranges::count(variables, variable)) variables.push_back(std::move(variable));
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
        return programs.front().program;
    }

    ProgramPtr find_or_trace(Bindings inputs) {
        if (ProgramPtr found = find(inputs)) return found;
        Entry entry{shapes_of(inputs),
                    nullptr}; // traced without the lock, because the function may call this object
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
    state.remember(*state.fixed);
    state.function = nullptr;
}

TracedFunction::~TracedFunction() = default;

const std::vector<ArgumentSpec>& TracedFunction::arguments() const noexcept {
    return state_->arguments;
}

const Program& TracedFunction::program_for(Bindings inputs,
                                           std::shared_ptr<const Program>& keep) const {
    State& state = *state_;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        const ArgumentSpec& spec = state.arguments[i];
        if (inputs[i]->dtype() != spec.dtype || !fits(inputs[i]->dims.max_shape(), spec.shape))
            throw_mismatch(i, spec, *inputs[i]);
    }
    if (state.fixed) return *state.fixed;
    keep = state.find_or_trace(inputs);
    return *keep;
}

std::vector<NodePtr> TracedFunction::variables() const {
    const std::lock_guard lock(state_->mutex);
    return state_->variables;
}

std::ostream& operator<<(std::ostream& out, const TracedFunction& function) {
    TracedFunction::State& state = *function.state_;
    out << "#purview.computation(";
    for (std::size_t i = 0; i < state.arguments.size(); ++i)
        out << (i > 0 ? ", " : "") << text_of(state.arguments[i]);
    out << ")\n";
    if (state.fixed) return out << *state.fixed;
    const std::lock_guard lock(state.mutex);
    for (const auto& entry : state.programs) {
        out << "for";
        for (const Shape& shape : entry.shapes) out << ' ' << to_string(shape);
        out << ":\n" << *entry.program;
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
        Dimensions dims = static_cast<const SymbolNode&>(*node).value().dims;
        symbols.emplace_back(Operand{std::move(node), std::move(dims)});
    }
    return symbols;
}

} // namespace purview
