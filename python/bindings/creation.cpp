// New arrays.

#include "creation.hpp"

#include "as_array.hpp"
#include "casts.hpp"
#include "computing.hpp"
#include "copies.hpp"
#include "devices.hpp"
#include "dtypes.hpp"
#include "options.hpp"
#include "python_values.hpp"
#include "time_units.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/complex_numbers.hpp>
#include <purview/functional/applied/random.hpp>
#include <purview/functional/elementwise/element_view.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>

#include <complex>

namespace purview_python {
namespace {

/// `f(std::type_identity<T>())` for a type of numbers.
template <typename F>
Array visit_number(pv::DType type, const char* what, F&& f) {
    if (type == pv::float16) return f(std::type_identity<pv::Half>());
    if (type == pv::bfloat16) return f(std::type_identity<pv::BFloat16>());
    if (type == pv::complex_dtype(pv::float32)) return f(std::type_identity<std::complex<float>>());
    if (type == pv::complex_dtype(pv::float64))
        return f(std::type_identity<std::complex<double>>());
    return pv::visit_dtype(type, what, [&](auto identity) -> Array { return f(identity); });
}

/// Times over the memory of their counts, which can be written.
Array times_over(const Array& counts, pv::DType type) {
    return Array::view_of(counts, pv::counts_as_times(counts, type).operand());
}

} // namespace

Array new_array(pv::DType type, pv::ShapeSpan shape) {
    if (kind_of(type).unit != nullptr) return times_over(new_array(pv::int64, shape), type);
    return visit_number(type, "empty", [&]<typename T>(std::type_identity<T>) -> Array {
        return allocating("empty", type, shape, [&]() -> Array {
            return pv::empty<T>(pv::AxisValues(pv::to_shape(shape)));
        });
    });
}

void bind_creation(nb::module_& module) {
    module.def("_empty", [](nb::handle shape, nb::handle dtype) {
        return new_array(dtype_of(dtype), integers_of(shape));
    });
    module.def("_zeros", [](nb::handle shape, nb::handle dtype) {
        const pv::Shape extents = integers_of(shape);
        const pv::DType type = dtype_of(dtype);
        if (kind_of(type).unit != nullptr)
            return times_over(Array(pv::zeros<std::int64_t>(pv::AxisValues(extents))), type);
        return visit_number(type, "zeros", [&]<typename T>(std::type_identity<T>) -> Array {
            return allocating("zeros", type, extents,
                              [&]() -> Array { return pv::zeros<T>(pv::AxisValues(extents)); });
        });
    });
    module.def("_full", [](nb::handle shape, nb::handle value, nb::handle dtype) {
        const Array result = new_array(dtype_of(dtype), integers_of(shape));
        const std::optional<pv::WeakOperand> given = try_values(value);
        if (!given) throw nb::type_error("full: the value is a number");
        const pv::Operand cast =
            given->weak && !pv::is_complex(result.dtype()) && !pv::is_float16(result.dtype())
                ? given->operand
                : cast_to(Array(given->operand), result.dtype()).operand();
        computing(result.size(), [&] { pv::write_values(cast, result.operand()); });
        return result;
    });
    // begin + i·step for i < count, computed in the type of the result where that is of integers.
    module.def("_ramp", [](nb::handle begin, nb::handle step, Py_ssize_t count, nb::handle dtype) {
        const pv::Shape shape = {static_cast<pv::index_t>(count)};
        const pv::DType type = dtype_of(dtype);
        if (type.is_integer()) {
            const auto first = static_cast<std::uint64_t>(nb::cast<std::int64_t>(begin));
            const auto each = static_cast<std::uint64_t>(nb::cast<std::int64_t>(step));
            const auto result = allocating("arange", pv::int64, shape, [&] {
                return pv::empty<std::int64_t>(pv::AxisValues(shape));
            });
            std::int64_t* const out = count > 0 ? result.data() : nullptr;
            for (Py_ssize_t i = 0; i < count; ++i)
                out[i] = static_cast<std::int64_t>(first + static_cast<std::uint64_t>(i) * each);
            return type == pv::int64 ? Array(result) : realised(cast_to(result, type));
        }
        const double first = nb::cast<double>(begin);
        const double each = nb::cast<double>(step);
        const auto result = allocating("arange", pv::float64, shape,
                                       [&] { return pv::empty<double>(pv::AxisValues(shape)); });
        pv::write_progression(first, each, pv::as_span(result));
        return type == pv::float64 ? Array(result) : realised(cast_to(result, type));
    });
    // New memory of a device, filled there.
    module.def("_full_on",
               [](nb::handle shape, nb::handle value, nb::handle dtype, nb::handle device) {
                   const Array one = element_value(cast_to(as_array(value), dtype_of(dtype)));
                   const pv::Shape extents = integers_of(shape);
                   const Array all(pv::broadcast_operand(one.operand(), extents));
                   return on_device(all, device, nb::none());
               });
}

} // namespace purview_python
