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
#include <cstddef>
#include <limits>
#include <string>
#include <utility>

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

/// Casts `count` numbers, NaN where `gaps` are. Returns how many there were before one that does not
/// fit. All that is made for each pair of types, of which there are 121.
template <typename To, typename From>
index_t cast_block(const void* from, const bool* gaps, index_t count, void* to) {
    const From* const values = static_cast<const From*>(from);
    To* const numbers = static_cast<To*>(to);
    for (index_t i = 0; i < count; ++i) {
        if (gaps[i])
            numbers[i] = std::numeric_limits<To>::quiet_NaN(); // only of floats
        else if (holds<To>(values[i]))
            numbers[i] = wrapping_cast<To>(values[i]);
        else
            return i;
    }
    return count;
}
using CastBlock = index_t (*)(const void*, const bool*, index_t, void*);

/// As `cast_column`, into `out`, the memory of `result`; `format` says one number of `values`.
ColumnCast cast_blocks(const AnyTensor& values, const Operand& missing, CastBlock cast,
                       std::string (*format)(const void*), AnyTensor result, std::byte* out) {
    const index_t size = values.size();
    const Evaluation source(values.operand(), Reads::within_one_operation);
    const Evaluation gaps(missing, Reads::within_one_operation);
    ElementBlock block(values.dtype(), std::min(size, kBlockSize));
    ElementBlock mask(boolean, std::min(size, kBlockSize));
    const index_t from_bytes = values.dtype().size_bytes();
    const index_t to_bytes = result.dtype().size_bytes();
    for (index_t begin = 0; begin < size; begin += kBlockSize) {
        const index_t count = std::min(kBlockSize, size - begin);
        source.read(begin, count, block.data());
        gaps.read(begin, count, mask.data());
        const index_t done = cast(block.data(), static_cast<const bool*>(mask.data()), count,
                                  out + begin * to_bytes);
        if (done < count)
            return {std::move(result), begin + done,
                    format(static_cast<const std::byte*>(block.data()) + done * from_bytes)};
    }
    return {std::move(result)};
}

/// The casts from `from` to `To`, and how a number of `from` is said.
template <typename To>
std::pair<CastBlock, std::string (*)(const void*)> cast_from(DType from) {
    using Casts = std::pair<CastBlock, std::string (*)(const void*)>;
    return visit_dtype(from, "Column", []<typename From>(std::type_identity<From>) {
        return Casts{&cast_block<To, From>, [](const void* number) {
                         return fmt::format("{}", *static_cast<const From*>(number));
                     }};
    });
}

} // namespace

std::string ColumnCast::refusal() const {
    return fmt::format("{} does not fit {} exactly", number, values.dtype().name());
}

ColumnCast cast_column(const AnyTensor& values, const Tensor<bool>* missing, DType to) {
    const bool gaps_are_nan =
        missing != nullptr && to.is_floating() && !values.dtype().is_floating();
    const Operand gaps = gaps_are_nan ? of_elements(*missing, values)
                                      : constant_operand(false, Shape(values.shape()));
    return visit_dtype(to, "Column", [&]<typename To>(std::type_identity<To>) {
        const auto [cast, format] = cast_from<To>(values.dtype());
        const MutableTensor<To> result = empty<To>(Shape(values.shape()));
        return cast_blocks(values, gaps, cast, format, AnyTensor(result),
                           reinterpret_cast<std::byte*>(as_span(result).data()));
    });
}

} // namespace purview::table
