#pragma once

#include "array.hpp"
#include "errors.hpp"

#include <purview/functional/applied/traced_function.hpp>

#include <cstddef>
#include <span>
#include <string>
#include <vector>

namespace purview_python {

/// Operands as arrays: of memory that a function has made, which may be written, or others.
nb::list list_of(std::span<const pv::Operand> operands, bool are_owned);

/// The beginning of the text of an object.
std::string short_text(nb::handle object);

/// What `convert` makes of a value. Throws `TypeError` that begins with the name where it is no array.
template <typename F>
auto named_array(nb::handle value, const F& name, const auto& convert) {
    try {
        return convert(value);
    } catch (const nb::builtin_exception& error) {
        if (error.type() != nb::exception_type::type_error) throw;
        std::string text = name() + " is an array or a number, not " + short_text(value);
        if (error.what() != "no array: " + class_name(value))
            text += std::string(": ") + error.what();
        throw nb::type_error(text.c_str());
    }
}

/// A function of Python of arrays, which returns a list of arrays and numbers. Called on the thread that
/// traces, with or without the interpreter's lock.
class LeafFunction final : public pv::FunctionOfSymbols {
public:
    /// Errors name results: the first `states` ones as states, others by a word and a number.
    LeafFunction(nb::handle function, std::string returned, std::size_t states, const char* other)
        : function_(function), returned_(std::move(returned)), states_(states), other_(other) {}

    std::vector<pv::Operand> call(std::span<const pv::Operand> arguments) const override;

private:
    std::string name_of(std::size_t number) const;

    nb::handle function_;
    std::string returned_;
    std::size_t states_;
    const char* other_;
};

} // namespace purview_python
