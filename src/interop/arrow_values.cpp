#include "interop/arrow_values.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/reader/make_reader.hpp>

#include "base/quoted_text.hpp"
#include "dtype/known_times.hpp"
#include "interop/arrow_decimals.hpp"
#include "interop/arrow_nested.hpp"
#include "interop/arrow_text_views.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>

namespace purview::inline v0_1::arrow {
namespace {

/// Elements that lie in a buffer as they are here.
template <typename T>
AnyTensor in_place(const Import& import, const CheckedSlice& checked, ShapeSpan shape) {
    Dimensions dims = Dimensions::row_major(shape);
    const index_t size = dims.size();
    const index_t bytes = checked.count > 0 ? size / checked.count * index_t{sizeof(T)} : 0;
    const std::byte* const data = size > 0 ? checked.data[0] + checked.first * bytes : nullptr;
    return AnyTensor(
        Operand{make_node<Leaf>(std::make_shared<const ConstBuffer<T>>(
                    reinterpret_cast<const T*>(data), size, index_t{sizeof(T)}, import.owner)),
                std::move(dims)});
}
template <typename T>
AnyTensor in_place(const Import& import, const CheckedSlice& checked) {
    return in_place<T>(import, checked, Shape{checked.count});
}

/// Elements `f(0)`, `f(1)`, …, computed when they are read.
template <typename F>
AnyTensor read_by(index_t count, F f) {
    return AnyTensor(Operand{make_node<Leaf>(make_reader(count, std::move(f))),
                             Dimensions::row_major(Shape{count})});
}

/// Counts of 32 bits, as T with 64.
template <typename T>
AnyTensor widened(const Import& import, const CheckedSlice& checked) {
    const std::byte* const counts = checked.data[0] + checked.first * index_t{sizeof(std::int32_t)};
    return read_by(checked.count, [counts, owner = import.owner](index_t i) {
        const auto count = load_element<std::int32_t>(counts + i * index_t{sizeof(std::int32_t)});
        if constexpr (PointElement<T>)
            return T(typename T::duration(count));
        else
            return T(count);
    });
}

/// Decimals as the float64 that is nearest to each.
AnyTensor decimals_of(const Import& import, const CheckedSlice& checked, const ArrowType& type) {
    const std::byte* const first = checked.data[0] + checked.first * type.width;
    return read_by(checked.count, [first, width = type.width, places = type.size,
                                   owner = import.owner](index_t i) {
        return decimal_number({first + i * width, static_cast<std::size_t>(width)}, places);
    });
}

/// Calls `work(std::type_identity<D>)` with the duration of one of Arrow's units.
template <typename Work>
AnyTensor with_unit(char unit, Work work) {
    using namespace std::chrono;
    switch (unit) {
    case 's': return work(std::type_identity<Ticks<1>>{});
    case 'm': return work(std::type_identity<Ticks<1, 1000>>{});
    case 'u': return work(std::type_identity<Ticks<1, 1'000'000>>{});
    default: return work(std::type_identity<Ticks<1, 1'000'000'000>>{});
    }
}

AnyTensor times_of(const Import& import, const CheckedSlice& checked, const ArrowType& type) {
    using namespace std::chrono;
    if (type.kind == Kind::date)
        return type.code == 'D' ? widened<sys_time<Ticks<86400>>>(import, checked)
                                : in_place<sys_time<Ticks<1, 1000>>>(import, checked);
    return with_unit(type.code, [&]<typename D>(std::type_identity<D>) {
        if (type.width == 4) return widened<D>(import, checked);
        if (type.kind != Kind::timestamp) return in_place<D>(import, checked);
        return type.zone.empty() ? in_place<local_time<D>>(import, checked)
                                 : in_place<sys_time<D>>(import, checked);
    });
}

template <typename Offset>
AnyTensor texts_of(const Import& import, const CheckedSlice& checked, std::string_view column) {
    const std::byte* const offsets = checked.data[0] + checked.first * index_t{sizeof(Offset)};
    const auto offset_at = [](const std::byte* first, index_t i) {
        return load_element<Offset>(first + i * index_t{sizeof(Offset)});
    };
    Offset last = 0;
    for (index_t i = 0; checked.count > 0 && i <= checked.count; ++i) {
        const Offset offset = offset_at(offsets, i);
        if (offset < last)
            throw FormatError(fmt::format("from_arrow: column {}, row {}: the offset {} follows {}",
                                          file::quoted_text(column), i, offset, last));
        last = offset;
    }
    const auto* const bytes = reinterpret_cast<const char*>(checked.data[1]);
    std::uintptr_t end = 0;
    if (last > 0 && (bytes == nullptr ||
                     __builtin_add_overflow(reinterpret_cast<std::uintptr_t>(bytes), last, &end)))
        throw FormatError(fmt::format("from_arrow: column {}: {} bytes of text at {}",
                                      file::quoted_text(column), last,
                                      static_cast<const void*>(bytes)));
    return read_by(checked.count, [offsets, offset_at, bytes, owner = import.owner](index_t i) {
        const Offset begin = offset_at(offsets, i);
        const auto size = static_cast<std::size_t>(offset_at(offsets, i + 1) - begin);
        return size == 0 ? std::string() : std::string(bytes + begin, size);
    });
}

AnyTensor numbers_of(const Import& import, const CheckedSlice& checked, char code) {
    switch (code) {
    case 'c': return in_place<std::int8_t>(import, checked);
    case 'C': return in_place<std::uint8_t>(import, checked);
    case 's': return in_place<std::int16_t>(import, checked);
    case 'S': return in_place<std::uint16_t>(import, checked);
    case 'i': return in_place<std::int32_t>(import, checked);
    case 'I': return in_place<std::uint32_t>(import, checked);
    case 'l': return in_place<std::int64_t>(import, checked);
    case 'L': return in_place<std::uint64_t>(import, checked);
    case 'e': return in_place<Half>(import, checked);
    case 'f': return in_place<float>(import, checked);
    default: return in_place<double>(import, checked);
    }
}

/// Whether each bit is `sign`.
Tensor<bool> bits_of(const Import& import, const std::byte* bits, index_t first, index_t count,
                     bool sign) {
    const AnyTensor read = read_by(count, [bits, first, sign, owner = import.owner](index_t i) {
        return CheckedSlice::bit_of(bits, first + i) == sign;
    });
    return read.as<bool>();
}

} // namespace

std::optional<Tensor<bool>> missing_of(const Import& import, const CheckedSlice& checked) {
    if (checked.validity == nullptr) return std::nullopt;
    return bits_of(import, checked.validity, checked.first, checked.count, false);
}

Values values_of(const Import& import, const Slice& slice) {
    const ArrowType type = type_of(slice);
    const CheckedSlice checked = checked_slice(slice, type);
    if (slice.array.dictionary != nullptr) return looked_up_values(import, slice, type, checked);
    Values result{.values = {}, .missing = missing_of(import, checked)};
    switch (type.kind) {
    case Kind::nothing:
        result.values = const_tensor(std::numeric_limits<double>::quiet_NaN(), {checked.count});
        result.missing = const_tensor(true, {checked.count});
        break;
    case Kind::boolean:
        result.values = bits_of(import, checked.data[0], checked.first, checked.count, true);
        break;
    case Kind::number: result.values = numbers_of(import, checked, type.code); break;
    case Kind::decimal: result.values = decimals_of(import, checked, type); break;
    case Kind::text:
        result.values = type.width == 4 ? texts_of<std::int32_t>(import, checked, slice.column)
                                        : texts_of<std::int64_t>(import, checked, slice.column);
        break;
    case Kind::text_view: result.values = viewed_texts(import, slice, checked); break;
    case Kind::fixed_bytes:
        result.values = in_place<std::uint8_t>(import, checked, Shape{checked.count, type.size});
        break;
    case Kind::fixed_list: return list_values(import, slice, type, checked);
    case Kind::structure:
        throw DtypeError(fmt::format(
            "from_arrow: column {} has the format {}, a table, which is no element type "
            "here",
            file::quoted_text(slice.column), file::quoted_text("+s")));
    default:
        result.values = times_of(import, checked, type);
        if (type.kind == Kind::timestamp) result.time_zone = type.zone;
        break;
    }
    return result;
}

} // namespace purview::arrow
