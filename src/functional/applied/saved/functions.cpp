#include "functional/applied/saved/functions.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/expression/graph.hpp>
#include <purview/expression/library_function.hpp>
#include <purview/functional/applied/saved.hpp>

#include "functional/applied/samples.hpp"
#include "functional/applied/saved/node_builder.hpp"
#include "functional/elementwise/float_signs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

namespace purview::inline v0_1 {
namespace saved {
namespace {

/// What programs have registered. Never destroyed: destructors of static objects may load.
struct Registry {
    std::mutex mutex;
    std::map<std::string, FoundFunction, std::less<>> functions;
    std::map<std::string, std::shared_ptr<const FunctionReducer>, std::less<>> reducers;
};
Registry& registry() {
    static Registry& only = *new Registry;
    return only;
}

/// The operation on operands that the library calls `name`.
Operand operation_named(std::string_view name, DType dtype, std::span<const Operand> x) {
    const auto is_complex_operand = [](const Operand& each) { return is_complex(each.dtype()); };
    const bool of_complex = std::ranges::any_of(x, is_complex_operand);
    for (const OperationTraits& traits : kOperations) {
        if (!of_complex || traits.name != name) continue;
        if (x.size() == 1 && has_complex_unary(traits.op)) return complex_unary(traits.op, x[0]);
        if (x.size() == 2 && has_complex_binary(traits.op))
            return complex_binary(traits.op, x[0], x[1],
                                  is_complex_operand(x[0]) ? x[0].dtype() : x[1].dtype());
    }
    if (of_complex && x.size() == 1) {
        if (name == "real") return real_part(x[0]);
        if (name == "imag") return imaginary_part(x[0]);
        if (name == "conj") return complex_conjugate(x[0]);
    }
    if (name == "copysign" && x.size() == 2 && dtype.is_floating() && x[0].dtype() == dtype &&
        x[1].dtype() == dtype)
        return with_signs(x[0], x[1], dtype);
    return samples_named(name, dtype, x);
}

/// The derivative that `my.clip/0` names: of `my.clip`, by operand 0.
struct Derivative {
    std::string_view of;
    std::size_t number;
};
std::optional<Derivative> derivative_named(std::string_view name) {
    const std::size_t slash = name.rfind('/');
    if (slash == std::string_view::npos) return std::nullopt;
    const std::string_view digits = name.substr(slash + 1);
    Derivative named{name.substr(0, slash), 0};
    const char* const end = digits.data() + digits.size();
    const auto [stop, error] = std::from_chars(digits.data(), end, named.number);
    if (error != std::errc() || stop != end || (digits.size() > 1 && digits[0] == '0'))
        return std::nullopt;
    return named;
}

} // namespace

FoundFunction registered_function(std::string_view name) {
    // Behind the name it may say which derivative: "my.clip/0/0".
    std::vector<std::size_t> derivatives;
    while (const std::optional<Derivative> outer = derivative_named(name)) {
        derivatives.push_back(outer->number);
        name = outer->of;
    }
    FoundFunction found;
    {
        const std::lock_guard lock(registry().mutex);
        const auto at = registry().functions.find(name);
        if (at != registry().functions.end()) found = at->second;
    }
    for (; !derivatives.empty() && found.function != nullptr; derivatives.pop_back())
        found.function = found.function->derivative(derivatives.back());
    return found;
}

std::shared_ptr<const FunctionReducer> registered_reducer(std::string_view name) {
    const std::lock_guard lock(registry().mutex);
    const auto at = registry().reducers.find(name);
    return at == registry().reducers.end() ? nullptr : at->second;
}
std::string name_of_reducer(const FunctionReducer& reducer) {
    const std::lock_guard lock(registry().mutex);
    for (const auto& [name, known] : registry().reducers)
        if (known->of(reducer.element()) == &reducer) return name;
    return {};
}

bool is_registered(const Elementwise& operation) {
    const FoundFunction found = registered_function(operation.function()->registered_name());
    const auto type = [](const auto& input) { return input.node->dtype(); };
    return found.function != nullptr && found.result == operation.dtype() &&
           std::ranges::equal(found.operands, operation.inputs(), {}, {}, type);
}

NodePtr loaded_function(std::string_view name, DType dtype, std::span<const Operand> operands) {
    const Operand made = operation_named(name, dtype, operands);
    if (made.node == nullptr) return nullptr;
    const auto* const operation = node_as<Elementwise>(*made.node);
    if (operation == nullptr || operation->op() != Op::map || name_of(*operation) != name ||
        operation->dtype() != dtype || operation->inputs().size() != operands.size())
        return nullptr;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const Operand own = operation->operand(i);
        if (own.node != operands[i].node || own.dims != operands[i].dims) return nullptr;
    }
    return made.node;
}

bool is_loadable(const Elementwise& operation) {
    std::vector<Operand> operands;
    for (std::size_t i = 0; i < operation.inputs().size(); ++i)
        operands.push_back(operation.operand(i));
    const NodePtr made = loaded_function(name_of(operation), operation.dtype(), operands);
    if (made == nullptr) return false;
    // One of a header's and one of the library's may be of two classes, and do the same.
    const LibraryFunction& function = *library_function(operation);
    return are_same_operation(*node_as<Elementwise>(*made), operation) ||
           function.parameters().empty() || function.name() == "real" || function.name() == "imag";
}

} // namespace saved

void register_block_function(std::string_view name, std::vector<DType> operands, DType result,
                             std::shared_ptr<const BlockFunction> function) {
    if (name.empty()) throw FormatError("register_function: the name is empty");
    if (saved::derivative_named(name))
        throw FormatError(fmt::format(
            "register_function: '{}' is the name of a derivative: end it otherwise", name));
    saved::Registry& all = saved::registry();
    const std::lock_guard lock(all.mutex);
    const bool is_new =
        all.functions
            .try_emplace(std::string(name),
                         saved::FoundFunction{std::move(function), std::move(operands), result})
            .second;
    if (!is_new) throw FormatError(fmt::format("register_function: the name '{}' is taken", name));
}

void register_own_reducer(std::string_view name, const FunctionReducer& reducer) {
    if (name.empty()) throw FormatError("register_reducer: the name is empty");
    saved::Registry& all = saved::registry();
    const std::lock_guard lock(all.mutex);
    const std::shared_ptr<const FunctionReducer> held(reducer.weak_from_this().lock(), &reducer);
    if (!all.reducers.try_emplace(std::string(name), held).second)
        throw FormatError(fmt::format("register_reducer: the name '{}' is taken", name));
}

} // namespace purview
