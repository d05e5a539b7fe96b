// Functions of arrays that are traced once, with symbols in the place of arrays, and then run as one program.

#include "compile.hpp"

#include "as_array.hpp"
#include "computing.hpp"
#include "creation.hpp"
#include "interpreter_lock.hpp"
#include "outputs.hpp"
#include "text_caster.hpp"
#include "tracing.hpp"

#include <purview/base/errors.hpp>
#include <purview/functional/applied/traced_function.hpp>
#include <purview/functional/reductions/built_in_reduction.hpp>

#include <algorithm>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace purview_python {
namespace {

/// A Python function, called once, with arrays over symbols.
class PythonFunctionOfSymbols final : public pv::FunctionOfSymbols {
public:
    PythonFunctionOfSymbols(nb::handle function, Outputs& outputs)
        : function_(function), outputs_(outputs) {}

    std::vector<pv::Operand> call(std::span<const pv::Operand> arguments) const override {
        nb::list given;
        for (const pv::Operand& each : arguments) given.append(nb::cast(Array(each)));
        {
            const Tracing now(arguments.size());
            outputs_ = running_python([&] { return Outputs(function_(*nb::tuple(given))); });
        }
        std::vector<pv::Operand> outputs;
        for (const Array& each : outputs_.arrays()) outputs.push_back(each.operand());
        return outputs;
    }

private:
    nb::handle function_;
    Outputs& outputs_;
};

/// A traced function of arrays of certain types and shapes.
class Traced {
public:
    Traced(nb::handle function, nb::handle examples) {
        for (nb::handle each : examples) {
            const auto& x = nb::cast<const Array&>(each);
            arguments_.push_back({x.dtype(), pv::to_shape(x.dimensions().max_shape())});
        }
        function_ = std::make_unique<const pv::TracedFunction>(
            arguments_, std::make_unique<const PythonFunctionOfSymbols>(function, outputs_));
    }

    /// Whether these are arrays of the types and shapes that the function was traced for, and no symbols.
    bool fits(nb::tuple arrays) const {
        if (is_tracing() || arrays.size() != arguments_.size()) return false;
        for (std::size_t i = 0; i < arguments_.size(); ++i) {
            if (!nb::isinstance<Array>(arrays[i])) return false;
            const auto& x = nb::cast<const Array&>(arrays[i]);
            if (x.dtype() != arguments_[i].dtype ||
                !std::ranges::equal(x.dimensions().max_shape(), arguments_[i].shape))
                return false;
        }
        return true;
    }

    nb::object operator()(nb::tuple arrays) const {
        std::vector<Array> given;
        for (nb::handle each : arrays) given.push_back(as_array(each));
        std::vector<const pv::Operand*> inputs;
        pv::index_t elements = 0;
        for (const Array& each : given) {
            inputs.push_back(&each.operand());
            elements = std::max(elements, each.size());
        }
        std::shared_ptr<const pv::Program> keep;
        const pv::Program& program = function_->program_for(inputs, keep);
        std::vector<Array> results;
        for (std::size_t i = 0; i < outputs_.arrays().size(); ++i)
            results.push_back(owned(program.new_output(i, inputs)));
        std::vector<pv::Destination> places;
        for (const Array& result : results) places.emplace_back(result.operand());
        computing(elements, [&] { program.run(inputs, places); });
        return outputs_.with(results);
    }

    std::string text() const {
        std::ostringstream out;
        out << *function_;
        return out.str();
    }

private:
    std::vector<pv::ArgumentSpec> arguments_;
    Outputs outputs_;
    std::unique_ptr<const pv::TracedFunction> function_;
};

} // namespace

void bind_compile(nb::module_& module) {
    nb::class_<Traced>(module, "_Traced")
        .def(nb::init<nb::handle, nb::handle>())
        .def("fits", &Traced::fits)
        .def("__call__", [](const Traced& traced, nb::tuple arrays) { return traced(arrays); })
        .def("__str__", &Traced::text);
    module.def("_is_tracing", &is_tracing);
}

} // namespace purview_python
