#pragma once

#include <purview/expression/elementwise.hpp>
#include <purview/functional/reductions/own_reducer.hpp>

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::saved {

/// A function that `register_function` has made known; null if there is none of the name.
struct FoundFunction {
    std::shared_ptr<const BlockFunction> function;
    std::vector<DType> operands;
    DType result = float64;
};
FoundFunction registered_function(std::string_view name);
/// Whether a function of the user's is registered by its name with the types that it has here.
bool is_registered(const Elementwise& operation);

/// A reducer that `register_reducer` has made known; null if there is none of the name.
std::shared_ptr<const FunctionReducer> registered_reducer(std::string_view name);
/// The name of a reducer that is registered; empty for others.
std::string name_of_reducer(const FunctionReducer& reducer);

/// Whether `loaded_function` makes the same operation, a function of the library, again.
bool is_loadable(const Elementwise& operation);
/// The operation that a function of the library of this name is on operands of one shape; null if
/// there is none with results of this type.
NodePtr loaded_function(std::string_view name, DType dtype, std::span<const Operand> operands);

} // namespace purview::saved
