// Defines leaf_function.hpp.
#include "leaf_function.hpp"

#include "as_array.hpp"
#include "cycles.hpp"
#include "raised.hpp"
#include "tracing.hpp"

namespace purview_python {
namespace {

/// At most so many bytes of the text of an object.
constexpr std::size_t kLongest = 100;

} // namespace

nb::list list_of(std::span<const pv::Operand> operands, bool are_owned) {
    nb::list list;
    for (const pv::Operand& each : operands)
        list.append(nb::cast(are_owned ? owned(each) : Array(each)));
    return list;
}

std::string short_text(nb::handle object) {
    std::string text = message_text(object);
    if (text.size() <= kLongest) return text;
    std::size_t end = kLongest;
    while ((static_cast<unsigned char>(text[end]) & 0xc0) == 0x80) --end; // within a character
    return text.substr(0, end) + "...";
}

std::vector<pv::Operand> LeafFunction::call(std::span<const pv::Operand> arguments) const {
    return calling_python([&] {
        const Tracing now(arguments.size());
        const nb::tuple given(list_of(arguments, false));
        const nb::object returned = running_python([&] { return nb::object(function_(*given)); });
        std::vector<pv::Operand> outputs;
        for (nb::handle each : returned)
            outputs.push_back(named_array(
                each, [&] { return name_of(outputs.size()); },
                [](nb::handle value) { return operand_of(value).operand; }));
        HeldObjects* const held = HeldObjects::here(); // of the program that the loop is a part of
        return held == nullptr ? outputs : held->hold_below(std::move(outputs));
    });
}

std::string LeafFunction::name_of(std::size_t number) const {
    const bool is_state = number < states_;
    return returned_ + " as " + (is_state ? "state " : other_) +
           std::to_string(is_state ? number : number - states_);
}

} // namespace purview_python
