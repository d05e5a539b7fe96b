#include "column_cast.hpp"

#include "dtype/element_block.hpp"

#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/create.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace purview::inline v0_1::table {
namespace {

constexpr index_t kBlockSize = 1 << 12;

template <typename To, typename From>
bool holds(From value) {
    if constexpr (std::same_as<To, bool>) {
        return value == From{0} || value == From{1};
    } else if constexpr (std::floating_point<From> == std::floating_point<To>) {
        return fits<To>(value);
    } else { // there and back
        if (!fits<To>(value)) return false;
        const To converted = wrapping_cast<To>(value);
        return fits<From>(converted) && wrapping_cast<From>(converted) == value;
    }
}

/// What is missing of each row, said of each element of `values`.
Operand of_elements(const Tensor<bool>& missing, const AnyTensor& values) {
    Shape shape(static_cast<std::size_t>(values.rank()), 1);
    shape[0] = values.shape()[0];
    const Operand& rows = missing.operand();
    return {rows.node, dimensions::expand(dimensions::reshape(rows.dims, shape), values.shape())};
}

template <typename To, typename From>
ColumnCast cast_numbers(const AnyTensor& values, const Tensor<bool>* missing) {
    const index_t size = values.size();
    const MutableTensor<To> result = empty<To>(Shape(values.shape()));
    const auto numbers = as_span(result);
    const Evaluation source(values.operand(), Reads::within_one_operation);
    const bool gaps_are_nan =
        missing != nullptr && std::floating_point<To> && !std::floating_point<From>;
    const Evaluation gaps(gaps_are_nan ? of_elements(*missing, values)
                                       : constant_operand(false, Shape(values.shape())),
                          Reads::within_one_operation);
    ElementBlock block(kDType<From>, std::min(size, kBlockSize));
    ElementBlock mask(boolean, std::min(size, kBlockSize));
    for (index_t begin = 0; begin < size; begin += kBlockSize) {
        const index_t count = std::min(kBlockSize, size - begin);
        source.read(begin, count, block.data());
        gaps.read(begin, count, mask.data());
        for (index_t i = 0; i < count; ++i) {
            To& number = numbers[static_cast<std::size_t>(begin + i)];
            const From value = static_cast<const From*>(block.data())[i];
            if (static_cast<const bool*>(mask.data())[i])
                number = std::numeric_limits<To>::quiet_NaN(); // only of floats
            else if (holds<To>(value))
                number = wrapping_cast<To>(value);
            else
                return {AnyTensor(result), begin + i, fmt::format("{}", value)};
        }
    }
    return {AnyTensor(result)};
}

} // namespace

std::string ColumnCast::refusal() const {
    return fmt::format("{} does not fit {} exactly", number, values.dtype().name());
}

ColumnCast cast_column(const AnyTensor& values, const Tensor<bool>* missing, DType to) {
    return visit_dtype(values.dtype(), "Column", [&]<typename From>(std::type_identity<From>) {
        return visit_dtype(to, "Column", [&]<typename To>(std::type_identity<To>) {
            return cast_numbers<To, From>(values, missing);
        });
    });
}

} // namespace purview::table
