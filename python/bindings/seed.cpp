// Seeds of random numbers.

#include "seed.hpp"

#include "errors.hpp"

#include <purview/base/errors.hpp>
#include <purview/expression/symbol.hpp>

#include <string>

namespace purview_python {
namespace {

/// The array of symbols that is given; null for other objects.
const Array* symbol_in(nb::handle object) {
    const Array* const array = array_in(object);
    return array != nullptr && array->operand().node->reads(pv::Below::symbol) ? array : nullptr;
}

std::string message(const char* what, nb::handle given) {
    return std::string(what) + ": a seed is an integer from 0 to 2**64 - 1, not " +
           message_text(given);
}

} // namespace

pv::Seed SeedArgument::seed(const char* what) const {
    if (const Array* const symbol = symbol_in(given)) return pv::Seed(symbol->operand());
    return pv::Seed(number(what));
}

std::uint64_t SeedArgument::number(const char* what) const {
    if (const Array* const symbol = symbol_in(given))
        pv::throw_no_elements(*symbol->operand().node, what);
    const nb::object whole = nb::steal(PyNumber_Index(given.ptr()));
    if (!whole.is_valid()) {
        if (PyErr_ExceptionMatches(PyExc_TypeError) == 0) throw nb::python_error();
        PyErr_Clear();
        throw nb::type_error(message(what, given).c_str());
    }
    const unsigned long long value = PyLong_AsUnsignedLongLong(whole.ptr());
    if (PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        throw pv::Error(message(what, given));
    }
    return value;
}

} // namespace purview_python
