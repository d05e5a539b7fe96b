// Times of Python and NumPy as elements, and back.

#include "time_values.hpp"

#include "copies.hpp"
#include "dtypes.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/tensor/views.hpp>

#include <cstdint>
#include <optional>

namespace purview_python {

std::optional<Array> array_of_times(nb::handle times, pv::ShapeSpan shape) {
    const nb::object counts = nb::module_::import_("purview._times").attr("counts_of")(times);
    if (counts.is_none()) return {};
    const Array flat = times_from(nb::cast<const Array&>(counts[1]).operand(), dtype_of(counts[0]));
    return realised(Array(pv::reshape_operand(flat.operand(), shape)));
}

nb::object time_to_python(const Array& x) {
    const TimeKind kind = kind_of(x.dtype());
    if (kind.unit == nullptr) pv::throw_dtype_unsupported("item", x.dtype());
    const std::int64_t count = pv::Tensor<std::int64_t>(pv::integer_counts(x.operand())).item();
    return nb::module_::import_("purview._times")
        .attr("to_python")(kind.unit->name, kind.is_point, count);
}

} // namespace purview_python
