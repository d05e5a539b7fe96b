// Defines purview/gpu/prepare.hpp.
#include <purview/gpu/prepare.hpp>

#include "device_reader.hpp"
#include "execution.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/symbol.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <vector>

namespace purview::inline v0_1::gpu {

void prepare(const TracedFunction& function, const Device& device) {
    std::vector<Operand> inputs;
    for (const ArgumentSpec& argument : function.arguments()) {
        if (std::ranges::count(argument.shape, any_size) > 0)
            throw ShapeError(fmt::format(
                "prepare: argument {} has extents of any size, and kernels are built for some",
                inputs.size()));
        inputs.push_back(
            argument.shape.empty()
                ? visit_dtype(
                      argument.dtype, "prepare",
                      []<typename T>(std::type_identity<T>) { return constant_operand(T{}); })
                : detail::new_on_device("prepare", device.state(), argument.dtype, argument.shape));
    }
    std::vector<const Operand*> bindings;
    for (const Operand& input : inputs) bindings.push_back(&input);
    std::shared_ptr<const Program> keep;
    const Program& program = function.program_for(bindings, keep);
    std::vector<Operand> results;
    for (std::size_t k = 0; k < program.output_count(); ++k)
        results.push_back(program.new_output(k, bindings));
    const detail::OnlyBuilds building;
    program.run(bindings, std::vector<Destination>(results.begin(), results.end()));
}

} // namespace purview::gpu
