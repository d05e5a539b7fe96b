// Derivatives of functions that are traced.

#include "gradients.hpp"

#include "as_array.hpp"
#include "interpreter_lock.hpp"
#include "outputs.hpp"
#include "text_caster.hpp"
#include "tracing.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/expression/graph.hpp>
#include <purview/functional/applied/gradient.hpp>

#include <nanobind/stl/vector.h>

#include <algorithm>
#include <iterator>
#include <span>
#include <string>
#include <vector>

namespace purview_python {
namespace {

/// Symbols of a function that is called while another one is traced, and what they stand for in that one. They are new ones, so that
/// what the function captures, an argument of the other for one, stays constant for it.
class Arguments {
public:
    Arguments() : first_(traced_symbols()) {}

    Array symbol_for(const Array& argument) {
        symbols_.push_back(pv::placeholder_operand(
            argument.dtype(), argument.dimensions().max_shape(), first_ + symbols_.size()));
        values_.push_back(argument.operand());
        return Array(symbols_.back());
    }
    const std::vector<pv::Operand>& symbols() const noexcept { return symbols_; }

    /// Results over the symbols, over what these stand for.
    std::vector<Array> in_place(std::span<const pv::Operand> results) const {
        // Placeholders of other functions, of which two may have the same slot, get slots behind ours.
        std::vector<pv::Operand> outer;
        const std::vector<pv::Operand> numbered = pv::rewritten(results, [&](const pv::Node& node,
                                                                             pv::NodePtr now) {
            const auto* const symbol = pv::node_as<pv::SymbolNode>(node);
            if (symbol == nullptr || symbol->role() != pv::Role::placeholder || is_own(*symbol))
                return now;
            if (symbol->slot() >= first_)
                throw pv::SymbolError("grad: a symbol is used outside of the call that made it");
            const std::size_t slot = first_ + symbols_.size() + outer.size();
            outer.push_back({std::move(now), pv::Dimensions::row_major(symbol->shape())});
            return pv::placeholder_operand(symbol->dtype(), symbol->shape(), slot).node;
        });
        std::vector<const pv::Operand*> bindings(first_);
        for (const pv::Operand& each : values_) bindings.push_back(&each);
        for (const pv::Operand& each : outer) bindings.push_back(&each);
        std::vector<Array> arrays;
        for (pv::Operand& each : pv::Substitution(numbered)(bindings))
            arrays.emplace_back(std::move(each));
        return arrays;
    }

private:
    bool is_own(const pv::SymbolNode& symbol) const {
        const std::size_t number = symbol.slot() - first_; // large of one below
        return number < symbols_.size() && symbols_[number].node.get() == &symbol;
    }

    std::size_t first_;
    std::vector<pv::Operand> symbols_;
    std::vector<pv::Operand> values_;
};

/// Derivatives of y by each of x; second ones by each pair.
std::vector<pv::Operand> derivatives(const std::string& what, const pv::Operand& y,
                                     const std::vector<pv::Operand>& x) {
    std::vector<pv::Operand> results;
    if (what == "jacobian") {
        for (const pv::Operand& each : x) results.push_back(pv::jacobian_operand(y, each));
        return results;
    }
    std::vector<pv::Operand> first = pv::gradient_operands(y, x);
    if (what != "hessian") return first;
    for (std::size_t i = 0; i < x.size(); ++i)
        for (std::size_t j = 0; j < x.size(); ++j)
            results.push_back(i == j ? pv::hessian_operand(y, x[i])
                                     : pv::jacobian_operand(first[i], x[j]));
    return results;
}

/// Products of each Jacobian of a y by an x with a vector: of y for `vjp`, of x for `jvp`; those of a y one after the other.
std::vector<pv::Operand> products(const std::string& what, std::span<const pv::Operand> y,
                                  const std::vector<pv::Operand>& x,
                                  const std::vector<pv::Operand>& vectors) {
    std::vector<pv::Operand> results;
    for (std::size_t k = 0; k < y.size(); ++k)
        if (what == "vjp")
            std::ranges::move(pv::vector_jacobian_operands(y[k], vectors[k], x),
                              std::back_inserter(results));
        else
            for (std::size_t i = 0; i < x.size(); ++i)
                results.push_back(pv::jacobian_vector_operand(y[k], x[i], vectors[i]));
    return results;
}

/// What a function returns for the arguments, and derivatives by those of some numbers: of the first array of that, or, with vectors, products of those of each. Errors
/// name arguments so.
nb::tuple differentiated(const std::string& what, nb::handle function, nb::tuple given,
                         const std::vector<std::size_t>& by, nb::sequence names,
                         nb::sequence vectors) {
    Arguments arguments;
    nb::list list(given);
    for (const std::size_t number : by) {
        const Array argument = as_array(given[number]);
        if (!argument.dtype().is_floating() && !pv::is_float16(argument.dtype()))
            throw pv::DtypeError(what + ": argument " + nb::cast<std::string>(names[number]) +
                                 " is of type " + std::string(argument.dtype().name()) +
                                 ", and not of floats");
        list[number] = nb::cast(arguments.symbol_for(argument));
    }
    Outputs returned;
    {
        const Tracing now(by.size());
        const nb::tuple all(list);
        returned = running_python([&] {
            const nb::object result = running_python([&] { return nb::object(function(*all)); });
            // A Jacobian is of one array, as which a list is taken.
            const bool is_stacked = what == "jacobian" && nb::isinstance<nb::list>(result);
            return Outputs(is_stacked ? nb::cast(as_array(result)) : result);
        });
    }
    const std::size_t values = returned.count();
    if (values == 0) throw nb::type_error((what + ": the function returns no array").c_str());
    std::vector<pv::Operand> results;
    for (const Array& each : returned.arrays()) results.push_back(each.operand());
    std::vector<pv::Operand> along;
    for (nb::handle each : vectors) along.push_back(as_array(each).operand());
    if (!along.empty())
        std::ranges::move(products(what, std::vector(results), arguments.symbols(), along),
                          std::back_inserter(results));
    else if (!by.empty())
        std::ranges::move(derivatives(what, results[0], arguments.symbols()),
                          std::back_inserter(results));
    const std::vector<Array> all = arguments.in_place(results);
    nb::list found;
    for (std::size_t i = values; i < all.size(); ++i) found.append(nb::cast(all[i]));
    return nb::make_tuple(returned.with(std::span(all).first(values)), nb::tuple(found));
}

} // namespace

void bind_gradients(nb::module_& module) {
    module.def("_differentiated", &differentiated);
    module.def(
        "stop_gradient",
        [](nb::handle x) {
            const Array array = as_array(x);
            return is_tracing() ? Array(pv::value_operand(array.operand())) : array;
        },
        nb::arg("x"), "The elements of x, as a constant to `grad` and its like. Lazy.");
}

} // namespace purview_python
