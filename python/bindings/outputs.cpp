// What traced functions return.

#include "outputs.hpp"

#include "as_array.hpp"

#include <limits>
#include <utility>

namespace purview_python {
namespace {

constexpr std::size_t kArray = std::numeric_limits<std::size_t>::max();

/// Takes what it puts together from the fronts of both.
nb::object next_of(std::span<const std::size_t>& tuples, std::span<const Array>& arrays) {
    const std::size_t length = tuples.front();
    tuples = tuples.subspan(1);
    if (length == kArray) {
        nb::object array = nb::cast(arrays.front());
        arrays = arrays.subspan(1);
        return array;
    }
    nb::list list;
    for (std::size_t i = 0; i < length; ++i) list.append(next_of(tuples, arrays));
    return nb::tuple(list);
}

} // namespace

Outputs::Outputs(nb::handle returned) { add(returned); }

void Outputs::add(nb::handle returned) {
    if (!nb::isinstance<nb::tuple>(returned)) {
        tuples_.push_back(kArray);
        arrays_.push_back(as_array(returned));
        return;
    }
    tuples_.push_back(nb::len(returned));
    for (nb::handle each : returned) add(each);
}

nb::object Outputs::with(std::span<const Array> arrays) const {
    std::span<const std::size_t> tuples = tuples_;
    return next_of(tuples, arrays);
}

} // namespace purview_python
