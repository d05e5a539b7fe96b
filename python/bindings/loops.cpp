// Loops and choices of functions of Python.

#include "loops.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "cycles.hpp"
#include "options.hpp"
#include "raised.hpp"
#include "text_caster.hpp"
#include "tracing.hpp"

#include <purview/base/errors.hpp>
#include <purview/functional/applied/loops.hpp>

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

constexpr pv::index_t kLong = std::numeric_limits<pv::index_t>::max();

nb::list list_of(std::span<const pv::Operand> operands, bool are_owned) {
    nb::list list;
    for (const pv::Operand& each : operands)
        list.append(nb::cast(are_owned ? owned(each) : Array(each)));
    return list;
}

/// A function of Python of arrays, which returns a list of arrays and numbers. Called on the thread that
/// traces, with or without the interpreter's lock.
class LeafFunction final : public pv::FunctionOfSymbols {
public:
    explicit LeafFunction(nb::handle function) : function_(function) {}

    std::vector<pv::Operand> call(std::span<const pv::Operand> arguments) const override {
        return calling_python([&] {
            const Tracing now(arguments.size());
            const nb::object returned = function_(*nb::tuple(list_of(arguments, false)));
            std::vector<pv::Operand> outputs;
            for (nb::handle each : returned) outputs.push_back(operand_of(each).operand);
            HeldObjects* const held =
                HeldObjects::here(); // of the program that the loop is a part of
            return held == nullptr ? outputs : held->hold_below(std::move(outputs));
        });
    }

private:
    nb::handle function_;
};

std::vector<pv::Operand> operands_of(nb::handle arrays) {
    std::vector<pv::Operand> operands;
    for (nb::handle each : arrays) operands.push_back(as_array(each).operand());
    return operands;
}

/// Whether results are in memory, and they.
nb::tuple results(const std::string& what, std::span<const pv::Operand> operands) {
    const bool are_symbols = std::any_of(operands.begin(), operands.end(), [](const auto& each) {
        return each.node->reads(pv::Below::symbol);
    });
    if (are_symbols && !is_tracing())
        throw pv::SymbolError(what + ": a symbol is used outside of the call that made it");
    return nb::make_tuple(!are_symbols, list_of(operands, !are_symbols));
}

nb::tuple loop(const std::string& what, nb::handle step, nb::handle condition, nb::handle states,
               nb::handle inputs, pv::index_t most, std::string_view or_else, pv::index_t keep,
               pv::index_t every, nb::handle call) {
    static constexpr Named<pv::Ended> kEnds[] = {{"error", pv::Ended::error},
                                                 {"last", pv::Ended::last}};
    const LeafFunction function(step);
    std::optional<LeafFunction> holds;
    if (!condition.is_none()) holds.emplace(condition);
    pv::LoopRequest request{.what = what.c_str(),
                            .step = function,
                            .condition = holds ? &*holds : nullptr,
                            .states = operands_of(states),
                            .inputs = operands_of(inputs),
                            .most = most,
                            .or_else = named(what.c_str(), "or_else", or_else, kEnds),
                            .keep = keep,
                            .every = every,
                            .is_put_off = is_tracing_for_later()};
    if (!call.is_none())
        request.call = [call](pv::index_t taken, std::span<const pv::Operand> now) {
            calling_python([&] { call(taken, list_of(now, true)); });
        };
    return results(what, computing(kLong, [&] { return pv::loop_operands(request); }));
}

nb::tuple choice(nb::handle condition, nb::handle f, nb::handle g, nb::handle arguments) {
    const LeafFunction chosen(f);
    const LeafFunction other(g);
    const pv::Operand holds = operand_of(condition).operand;
    const std::vector<pv::Operand> given = operands_of(arguments);
    return results("choose", computing(kLong, [&] {
                       return pv::choice_operands(holds, chosen, other, given,
                                                  is_tracing_for_later());
                   }));
}

} // namespace

void bind_loops(nb::module_& module) {
    module.def("_loop", &loop, nb::arg("what"), nb::arg("step"), nb::arg("condition").none(),
               nb::arg("states"), nb::arg("inputs"), nb::arg("most"), nb::arg("or_else"),
               nb::arg("keep"), nb::arg("every"), nb::arg("call").none());
    module.def("_choice", &choice);
}

} // namespace purview_python
