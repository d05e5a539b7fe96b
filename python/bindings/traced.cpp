// Functions of arrays that are traced once, with symbols in the place of arrays, and then run as one program.

#include "traced.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "interpreter_lock.hpp"
#include "tracing.hpp"

#include <purview/base/errors.hpp>
#include <purview/base/explained_call.hpp>
#include <purview/expression/graph.hpp>
#include <purview/functional/applied/gradient.hpp>

#include <algorithm>
#include <limits>
#include <utility>

namespace purview_python {
namespace {

/// A Python function, called once, with arrays over symbols.
class PythonFunctionOfSymbols final : public pv::FunctionOfSymbols {
public:
    PythonFunctionOfSymbols(nb::handle function, Outputs& outputs, HeldObjects& held)
        : function_(function), outputs_(outputs), held_(held) {}

    std::vector<pv::Operand> call(std::span<const pv::Operand> arguments) const override {
        nb::list given;
        for (const pv::Operand& each : arguments) given.append(nb::cast(Array(each)));
        {
            const Tracing now(arguments.size(), Traces::later);
            const HeldObjects::Holding holding(held_);
            const nb::tuple all(given);
            outputs_ = running_python([&] {
                const nb::object returned =
                    running_python([&] { return nb::object(function_(*all)); });
                return Outputs(returned);
            });
        }
        std::vector<pv::Operand> outputs;
        for (const Array& each : outputs_.take_arrays()) outputs.push_back(each.operand());
        return held_.hold_below(std::move(outputs));
    }

private:
    nb::handle function_;
    Outputs& outputs_;
    HeldObjects& held_;
};

std::vector<pv::ArgumentSpec> specs_of(nb::handle examples) {
    std::vector<pv::ArgumentSpec> specs;
    for (nb::handle each : examples) {
        const auto& x = nb::cast<const Array&>(each);
        specs.push_back({x.dtype(), pv::to_shape(x.dimensions().max_shape())});
    }
    return specs;
}

/// Outputs of their own for what was loaded.
Outputs outputs_of(const pv::TracedFunction& loaded) {
    nb::list arrays;
    const std::vector<pv::TracedOutputs> programs = loaded.traced();
    for (const pv::Operand& each : programs.at(0).outputs) arrays.append(nb::cast(Array(each)));
    return Outputs(arrays.size() == 1 ? nb::object(arrays[0]) : nb::object(nb::tuple(arrays)));
}

/// Arrays of Python, as a program takes them.
class Inputs {
public:
    explicit Inputs(nb::tuple arrays) {
        for (nb::handle each : arrays) arrays_.push_back(as_array(each));
        for (const Array& each : arrays_) operands_.push_back(&each.operand());
    }
    pv::Bindings get() const noexcept { return operands_; }

private:
    std::vector<Array> arrays_;
    std::vector<const pv::Operand*> operands_;
};

bool has_loops(const pv::Program& program) {
    const pv::TracedOutputs traced = program.traced();
    return std::ranges::any_of(pv::nodes_below(traced.outputs), [](const pv::Node* node) {
        return node->kind() == pv::NodeKind::loop || node->kind() == pv::NodeKind::choice;
    });
}

} // namespace

Traced::Traced(nb::handle function, nb::handle examples)
    : function_(std::make_shared<const pv::TracedFunction>(
          specs_of(examples),
          std::make_unique<const PythonFunctionOfSymbols>(function, outputs_, held_))) {}
Traced::Traced(std::shared_ptr<const pv::TracedFunction> loaded)
    : outputs_(outputs_of(*loaded)), function_(std::move(loaded)) {}

const std::shared_ptr<const pv::TracedFunction>& Traced::function() const {
    if (function_ == nullptr)
        throw pv::SymbolError("compile: the program was in a cycle that is being collected");
    return function_;
}

int Traced::traverse(visitproc visit, void* arg) const {
    if (const int result = outputs_.traverse(visit, arg); result != 0) return result;
    return is_shared_ || function_.use_count() != 1 ? 0 : held_.traverse(visit, arg);
}

void Traced::let_go() {
    // What that destroys may look at this again.
    const std::shared_ptr<const pv::TracedFunction> function = std::move(function_);
    const Outputs outputs = std::exchange(outputs_, {});
}

bool Traced::fits(nb::tuple arrays) const {
    const std::vector<pv::ArgumentSpec>& specs = function()->arguments();
    if (is_tracing() || arrays.size() != specs.size()) return false;
    for (std::size_t i = 0; i < specs.size(); ++i) {
        if (!nb::isinstance<Array>(arrays[i])) return false;
        const auto& x = nb::cast<const Array&>(arrays[i]);
        if (x.dtype() != specs[i].dtype ||
            !std::ranges::equal(x.dimensions().max_shape(), specs[i].shape))
            return false;
    }
    return true;
}

nb::object Traced::called(nb::tuple arrays) const {
    return fits(arrays) ? (*this)(arrays) : nb::none();
}

nb::object Traced::operator()(nb::tuple arrays) const {
    const Inputs inputs(arrays);
    std::shared_ptr<const pv::Program> keep;
    const pv::Program& program = function()->program_for(inputs.get(), keep);
    if (pv::is_explained() && has_loops(program))
        throw pv::ExplainedCall{function()->explain(inputs.get())};
    std::vector<Array> results;
    for (std::size_t i = 0; i < outputs_.count(); ++i)
        results.push_back(owned(program.new_output(i, inputs.get())));
    std::vector<pv::Destination> places;
    for (const Array& result : results) places.emplace_back(result.operand());
    computing(program.elements(), [&] { program.run(inputs.get(), places); });
    return outputs_.with(results);
}

nb::object Traced::over(nb::tuple arrays) const {
    const Inputs inputs(arrays);
    std::shared_ptr<const pv::Program> keep;
    const pv::Program& program = function()->program_for(inputs.get(), keep);
    is_shared_ = true;
    std::vector<Array> results;
    for (pv::Operand& each : program.outputs_over(inputs.get()))
        results.emplace_back(std::move(each));
    return outputs_.with(results);
}

std::string Traced::explain(nb::tuple arrays) const {
    const Inputs inputs(arrays);
    return function()->explain(inputs.get());
}

void Traced::check_gradient(nb::tuple arrays) const {
    const Inputs inputs(arrays);
    computing(std::numeric_limits<pv::index_t>::max(),
              [&] { pv::check_gradient_of(function(), inputs.get()); });
}

} // namespace purview_python
