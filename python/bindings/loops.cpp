// Loops and choices of functions of Python.

#include "loops.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "cycles.hpp"
#include "errors.hpp"
#include "leaf_function.hpp"
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

/// The array that a leaf of what is given is. Throws `TypeError` that begins with the name.
Array array_of_leaf(const std::string& name, nb::handle leaf) {
    return named_array(
        leaf, [&] { return name; }, [](nb::handle value) { return as_array(value); });
}

/// A number of steps. Throws `TypeError` and `ArgumentError` that begin with the name.
nb::object count_of(const std::string& name, nb::handle given) {
    const Array* const array = array_in(given);
    if (PyIndex_Check(given.ptr()) == 0 || (array != nullptr && array->rank() > 0))
        throw nb::type_error((name + " is an integer, not " + short_text(given)).c_str());
    nb::object index = nb::steal(running_python([&] { return PyNumber_Index(given.ptr()); }));
    if (!index.is_valid()) throw nb::python_error();
    int is_beyond = 0;
    static_cast<void>(PyLong_AsLongLongAndOverflow(index.ptr(), &is_beyond));
    if (is_beyond != 0)
        throw pv::Error(name + " is an integer of 64 bits, not " + short_text(index));
    return index;
}

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
    std::vector<pv::Operand> first = operands_of(states);
    const bool is_scan = what == "scan_over";
    const LeafFunction function(
        step, what + (is_scan ? ": what the cell returns" : ": what the step returns"),
        first.size(), "output ");
    std::optional<LeafFunction> holds;
    if (!condition.is_none())
        holds.emplace(condition, what + ": what the condition returns", 0, "result ");
    pv::LoopRequest request{.what = what.c_str(),
                            .step = function,
                            .condition = holds ? &*holds : nullptr,
                            .states = std::move(first),
                            .inputs = operands_of(inputs),
                            .most = most,
                            .or_else = named(what.c_str(), "or_else", or_else, kEnds),
                            .keep = keep,
                            .every = every,
                            .is_put_off = is_tracing_for_later()};
    if (!call.is_none())
        request.call = [call](pv::index_t taken, std::span<const pv::Operand> now) {
            calling_python([&] {
                const nb::list states = list_of(now, true);
                running_python([&] { call(taken, states); });
            });
        };
    return results(what, computing(kLong, [&] { return pv::loop_operands(request); }));
}

nb::tuple choice(nb::handle condition, nb::handle f, nb::handle g, nb::handle arguments) {
    const std::string returned = "choose: what the function returns";
    const LeafFunction chosen(f, returned, 0, "result ");
    const LeafFunction other(g, returned, 0, "result ");
    const pv::Operand holds = array_of_leaf("choose: the condition", condition).operand();
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
    module.def("_choice", &choice, nb::arg("condition").none(), nb::arg("f"), nb::arg("g"),
               nb::arg("arguments"));
    module.def("_leaf", &array_of_leaf, nb::arg("what"), nb::arg("leaf").none());
    module.def("_count", &count_of, nb::arg("what"), nb::arg("given").none());
}

} // namespace purview_python
