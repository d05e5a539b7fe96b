#include "interop/arrow_nested.hpp"

#include <purview/base/errors.hpp>
#include <purview/dimensions/broadcast.hpp>
#include <purview/dimensions/reshape.hpp>
#include <purview/dtype/cast.hpp>
#include <purview/dtype/half.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/where.hpp>
#include <purview/reader/make_reader.hpp>

#include "base/quoted_text.hpp"
#include "interop/arrow_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

namespace purview::inline v0_1::arrow {
namespace {

constexpr index_t kMaskBlock = 1 << 12;

/// A mask of rows, seen in the shape of their values.
Tensor<bool> mask_of_elements(const Tensor<bool>& mask, const AnyTensor& values) {
    const Shape shape(values.shape());
    if (shape.size() == 1) return mask;
    Shape rows(shape.size(), 1);
    rows[0] = shape[0];
    const Operand& own = mask.operand();
    return Tensor<bool>(
        Operand{own.node, dimensions::expand(dimensions::reshape(own.dims, rows), shape)});
}

/// Whether T holds the number, and what is then read instead of what is missing.
template <typename T>
T fill_as(double fill, std::string_view column) {
    const bool is_held = [&] {
        if constexpr (std::is_same_v<T, bool>)
            return fill == 0 || fill == 1;
        else if constexpr (std::integral<T>)
            return fill == std::trunc(fill) && fits<T>(fill);
        else
            return true;
    }();
    if (!is_held)
        throw CastError(fmt::format("from_arrow: column {} is {}, which does not hold the fill {}",
                                    file::quoted_text(column), kDType<T>.name(), fill));
    return static_cast<T>(fill);
}

/// Reads `fill` where `missing` says so. False for elements that it does not concern.
bool fill_where(const Tensor<bool>& missing, double fill, std::string_view column,
                AnyTensor& values) {
    const Tensor<bool> mask = mask_of_elements(missing, values);
    const auto fill_typed = [&]<typename T>(std::type_identity<T>) {
        const auto filled = where(mask, fill_as<T>(fill, column), values.as<T>());
        values = AnyTensor(cast<T>(filled)); // of float16, `where` makes float32
    };
    const bool is_float = values.dtype().is_floating() || values.dtype() == float16;
    if (std::isnan(fill) && !is_float) return false;
    if (values.dtype() == float16)
        fill_typed(std::type_identity<Half>{});
    else if (values.dtype().is_builtin())
        visit_dtype(values.dtype(), "from_arrow", fill_typed);
    else
        return false;
    return true;
}

/// Whether an element is missing in a row that is not.
bool misses_elements(const Tensor<bool>& missing, const CheckedSlice& rows, index_t size) {
    const Evaluation mask(missing.operand(), Reads::within_one_operation);
    std::array<bool, kMaskBlock> block{};
    for (index_t begin = 0; begin < missing.size(); begin += kMaskBlock) {
        const index_t count = std::min(kMaskBlock, missing.size() - begin);
        mask.read(begin, count, block.data());
        for (index_t i = 0; i < count; ++i)
            if (block[static_cast<std::size_t>(i)] && rows.is_valid((begin + i) / size))
                return true;
    }
    return false;
}

/// `count` values of no importance, of the type and the shape of those of `like`.
AnyTensor placeholders(const AnyTensor& like, index_t count) {
    Shape shape(like.shape());
    shape[0] = count;
    AnyTensor result;
    visit_arrow_dtype(like.dtype(), [&]<typename T>(std::type_identity<T>) {
        result = AnyTensor(const_tensor(T{}, shape));
    });
    return result;
}

/// The indexes of a dictionary of `size` values, 0 where they are missing.
template <typename T>
Operand indexes_of(const Import& import, const Slice& slice, const CheckedSlice& checked,
                   index_t size) {
    const std::byte* const indexes = checked.data[0] + checked.first * index_t{sizeof(T)};
    const auto index_at = [](const std::byte* first, index_t i) {
        return load_element<T>(first + i * index_t{sizeof(T)});
    };
    for (index_t i = 0; i < checked.count; ++i) {
        const T index = index_at(indexes, i);
        if (checked.is_valid(i) && (std::cmp_less(index, 0) || std::cmp_greater_equal(index, size)))
            throw FormatError(fmt::format(
                "from_arrow: column {}, row {}: the index {} into a dictionary of {} values",
                file::quoted_text(slice.column), i, index, size));
    }
    return {
        make_node<Leaf>(make_reader(checked.count,
                                    [indexes, index_at, checked, owner = import.owner](index_t i) {
                                        return checked.is_valid(i)
                                                   ? static_cast<index_t>(index_at(indexes, i))
                                                   : index_t{0};
                                    })),
        Dimensions::row_major(Shape{checked.count})};
}

Operand any_indexes(const Import& import, const Slice& slice, char code,
                    const CheckedSlice& checked, index_t size) {
    switch (code) {
    case 'c': return indexes_of<std::int8_t>(import, slice, checked, size);
    case 'C': return indexes_of<std::uint8_t>(import, slice, checked, size);
    case 's': return indexes_of<std::int16_t>(import, slice, checked, size);
    case 'S': return indexes_of<std::uint16_t>(import, slice, checked, size);
    case 'i': return indexes_of<std::int32_t>(import, slice, checked, size);
    case 'I': return indexes_of<std::uint32_t>(import, slice, checked, size);
    case 'l': return indexes_of<std::int64_t>(import, slice, checked, size);
    default: return indexes_of<std::uint64_t>(import, slice, checked, size);
    }
}

} // namespace

std::optional<Tensor<bool>> missing_of_both(const std::optional<Tensor<bool>>& a,
                                            const std::optional<Tensor<bool>>& b) {
    if (!a || !b) return a ? a : b;
    return Tensor<bool>(*a || *b);
}

void fill_gaps(const Import& import, std::string_view column, Values& values) {
    if (values.missing && import.options.fill)
        values.is_filled |=
            fill_where(*values.missing, *import.options.fill, column, values.values);
}

Values list_values(const Import& import, const Slice& slice, const ArrowType& type,
                   const CheckedSlice& checked) {
    const Slice child = child_slice(slice, checked, 0, type.size, slice.column);
    Values result = values_of(import, child);
    fill_gaps(import, slice.column, result);
    const bool is_float = result.values.dtype().is_floating() || result.values.dtype() == float16;
    if (result.missing && !result.is_filled) {
        if (is_float)
            fill_where(*result.missing, std::numeric_limits<double>::quiet_NaN(), slice.column,
                       result.values);
        else if (misses_elements(*result.missing, checked, type.size))
            throw DtypeError(
                fmt::format("from_arrow: column {} has lists of {} of which elements are null: "
                            "give ArrowOptions::fill",
                            file::quoted_text(slice.column), result.values.dtype().name()));
    }
    Shape shape{checked.count, type.size};
    for (int axis = 1; axis < result.values.rank(); ++axis)
        shape.push_back(result.values.shape()[static_cast<std::size_t>(axis)]);
    const Operand& elements = result.values.operand();
    result.values = AnyTensor(Operand{elements.node, dimensions::reshape(elements.dims, shape)});
    result.missing = missing_of(import, checked);
    return result;
}

Values looked_up_values(const Import& import, const Slice& slice, const ArrowType& type,
                        const CheckedSlice& checked) {
    Values result = values_of(import, whole_array(slice.array.dictionary, slice.schema.dictionary,
                                                  slice.column, slice.depth + 1));
    const index_t size = Shape(result.values.shape())[0];
    const Operand indexes = any_indexes(import, slice, type.code, checked, size);
    std::optional<Tensor<bool>> own = missing_of(import, checked);
    if (size == 0)
        return {placeholders(result.values, checked.count), std::move(own), false,
                std::move(result.time_zone)};
    result.values = AnyTensor(take_operand(result.values.operand(), indexes, 0));
    if (result.missing)
        result.missing = Tensor<bool>(take_operand(result.missing->operand(), indexes, 0));
    result.missing = missing_of_both(own, result.missing);
    return result;
}

} // namespace purview::arrow
