#pragma once

#include "array.hpp"
#include "casts.hpp"
#include "dim_types.hpp"
#include "dtypes.hpp"

#include <purview/expression/constant.hpp>
#include <purview/named/deferred.hpp>
#include <purview/named/dim_tensor.hpp>
#include <purview/named/index_dims.hpp>

#include <boost/container/small_vector.hpp>

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace purview_python {

/// An operand of anything: with the dims that it has, or none. Throws `TypeError`.
pv::DimOperand bound_of(nb::handle object);
/// An array where no dims are bound, else a `DimArray`.
nb::object to_python(pv::DimOperand x, bool writable = false);
/// `x[key]` of an array with or without dims.
pv::DimOperand indexed(nb::handle x, nb::handle key);

/// `x.index(axes, value)`: a value in the place of dims or axes.
pv::DimOperand index_joined_by(nb::handle x, const pv::Axes& axes, nb::handle value);

/// `function(operands)`, lazy, over the union of their dims. Kept, if dims have no size yet.
template <typename F>
nb::object combined(std::span<pv::DimOperand> operands, const F& function) {
    const bool waits =
        std::ranges::any_of(operands, &pv::DimOperand::is_deferred) && !pv::settle_ready(operands);
    pv::DType type = pv::boolean;
    if (waits) { // that of the result, of elements of rank 0
        std::vector<pv::Operand> elements;
        for (const pv::DimOperand& x : operands)
            elements.push_back(
                cast_to(Array(pv::constant_operand(std::int64_t{1})), dtype_of(x)).operand());
        type = function(std::span<pv::Operand>(elements)).dtype();
    }
    boost::container::small_vector<const pv::DimOperand*, 3> pointers;
    for (const pv::DimOperand& x : operands) pointers.push_back(&x);
    const pv::OperandFunction erased{
        &function,
        [](const void* f, std::span<const pv::Operand* const> x) {
            std::vector<pv::Operand> copies;
            for (const pv::Operand* const operand : x) copies.push_back(*operand);
            return (*static_cast<const F*>(f))(std::span<pv::Operand>(copies));
        },
        [](const void* f) -> const void* { return new F(*static_cast<const F*>(f)); },
        [](const void* f) noexcept { delete static_cast<const F*>(f); }};
    return to_python(pv::combine_or_defer(type, {pointers.data(), pointers.size()}, erased));
}

/// Whether dims are in a key, which then selects and writes elements over dims.
bool names_dims(nb::handle key);
nb::object select_dims(nb::handle x, nb::handle key);
void assign_dims(nb::handle x, nb::handle key, nb::handle values);
/// Defines the classes, with the operators of `add_dim_operators`.
void bind_dims(nb::module_& module, const PyType_Slot* operators);

} // namespace purview_python
