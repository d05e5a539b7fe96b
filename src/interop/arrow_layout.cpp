#include "interop/arrow_layout.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/tensor/create.hpp>

#include "base/quoted_text.hpp"
#include "dtype/element_block.hpp"
#include "interop/arrow_text.hpp"
#include "interop/arrow_types.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace purview::inline v0_1::arrow {
namespace {

constexpr index_t kLayoutBlock = 1 << 12; ///< a multiple of 8

/// Calls `work(first, count, elements)` with all elements of an operand of type T, block by block.
template <typename T, typename Work>
void for_each_block(const Operand& source, Work work) {
    const index_t size = source.dims.size();
    const Evaluation evaluation(source, Reads::within_one_operation);
    ElementBlock block(kDType<T>, std::min(size, kLayoutBlock));
    for (index_t begin = 0; begin < size; begin += kLayoutBlock) {
        const index_t count = std::min(kLayoutBlock, size - begin);
        evaluation.read(begin, count, block.data());
        work(begin, count, static_cast<const T*>(block.data()));
    }
}

/// The elements where they lie, if that is as Arrow wants them.
template <typename T>
const void* memory_of(const Operand& source) {
    const Leaf* const leaf = leaf_of(source);
    if (leaf == nullptr || !source.dims.is_contiguous()) return nullptr;
    const MemoryView memory = leaf->memory();
    if (!memory || (memory.stride_bytes != index_t{sizeof(T)} && source.dims.size() > 1))
        return nullptr;
    const auto* const first =
        static_cast<const std::byte*>(memory.data) +
        (source.dims.size() == 0 ? 0 : source.dims.base() * memory.stride_bytes);
    return reinterpret_cast<std::uintptr_t>(first) % alignof(T) == 0 ? first : nullptr;
}

template <typename T>
Layout plain_layout(std::string format, const Operand& source) {
    if (const void* const memory = memory_of<T>(source))
        return {std::move(format), {memory}, {leaf_of(source)->shared_reader()}};
    const MutableTensor<T> copy = empty<T>(source.dims.max_shape());
    assign(source, copy.operand());
    const Leaf& leaf = *leaf_of(copy.operand());
    return {std::move(format), {leaf.memory().data}, {leaf.shared_reader()}};
}

/// Times whose unit Arrow lacks, as `Count`s of a unit that is `factor` times smaller; 0 where they
/// are missing.
template <typename T, typename Count>
Layout counted_layout(std::string format, const Column& column, const Bits& gaps,
                      std::int64_t factor) {
    auto counts = std::make_shared<std::vector<Count>>();
    counts->reserve(static_cast<std::size_t>(column.values.size()));
    for_each_block<T>(column.values.operand(), [&](index_t begin, index_t count, const T* times) {
        const index_t width = column.values.size() / column.rows();
        for (index_t i = 0; i < count; ++i) {
            const index_t row = (begin + i) / width;
            std::int64_t whole = 0;
            if constexpr (PointElement<T>)
                whole = times[i].time_since_epoch().count();
            else
                whole = times[i].count();
            Count result = 0;
            if (!gaps[row] && __builtin_mul_overflow(whole, factor, &result))
                throw CastError(fmt::format(
                    "to_arrow: column {}, row {}: {} {} do not fit the counts of the format {}",
                    file::quoted_text(column.name), row, whole, column.dtype().name(),
                    file::quoted_text(format)));
            counts->push_back(result);
        }
    });
    const void* const data = counts->empty() ? empty_memory() : counts->data();
    return {std::move(format), {data}, {std::move(counts)}};
}

template <typename T>
Layout time_layout(const Column& column, const Bits& gaps) {
    constexpr bool kIsPoint = PointElement<T>;
    using D = decltype([] {
        if constexpr (kIsPoint)
            return std::type_identity<typename T::duration>{};
        else
            return std::type_identity<T>{};
    }())::type;
    constexpr auto kSeconds = static_cast<std::int64_t>(D::period::num); // of units not below one
    if constexpr (kIsPoint && kSeconds % 86400 == 0)
        return counted_layout<T, std::int32_t>("tdD", column, gaps, kSeconds / 86400);
    std::string format = kIsPoint ? "ts" : "tD";
    format += D::period::den == 1           ? 's'
              : D::period::den == 1000      ? 'm'
              : D::period::den == 1'000'000 ? 'u'
                                            : 'n';
    if constexpr (kIsPoint) {
        format += ':';
        if constexpr (std::same_as<typename T::clock, std::chrono::system_clock>)
            format += column.time_zone.empty() ? "UTC" : column.time_zone;
    }
    if constexpr (kSeconds > 1)
        return counted_layout<T, std::int64_t>(std::move(format), column, gaps, kSeconds);
    else
        return plain_layout<T>(std::move(format), column.values.operand());
}

constexpr char number_code(TypeId id) {
    constexpr std::string_view kCodes = "bcsilCSILfg"; // in the order of TypeId
    return kCodes[static_cast<std::size_t>(id)];
}

Layout text_layout(const Column& column, const Bits& gaps, char format) {
    TextColumn text(column.values.size());
    for_each_block<std::string>(
        column.values.operand(), [&](index_t begin, index_t count, const std::string* strings) {
            const index_t width = column.values.size() / column.rows();
            for (index_t i = 0; i < count; ++i)
                text.append(gaps[(begin + i) / width] ? std::string_view() : strings[i]);
        });
    const bool is_other = (format == 'u' || format == 'U') && !text.is_utf8();
    if (is_other || ((format == 'u' || format == 'z') && text.is_large()))
        throw CastError(fmt::format("to_arrow: column {} goes out with the format '{}', and has {}",
                                    file::quoted_text(column.name), format,
                                    is_other ? "texts that are not UTF-8" : "2^31 bytes or more"));
    return std::move(text).layout(format);
}

} // namespace

Bits packed_bits(const Operand& bools) {
    auto bytes = std::make_shared<std::vector<std::uint8_t>>(
        static_cast<std::size_t>(bools.dims.size() / 8 + 1));
    Bits result;
    for_each_block<bool>(bools, [&](index_t begin, index_t count, const bool* values) {
        for (index_t i = 0; i < count; ++i) {
            if (!values[i]) continue;
            ++result.set;
            (*bytes)[static_cast<std::size_t>((begin + i) >> 3)] |=
                static_cast<std::uint8_t>(1U << ((begin + i) & 7));
        }
    });
    result.bytes = std::move(bytes);
    return result;
}

Bits gaps_of(const Column& column) {
    const Operand& missing = column.missing.operand();
    if (missing.node->kind() == NodeKind::constant && column.rows() > 0 && !column.missing(0))
        return {};
    Bits gaps = packed_bits(missing);
    return gaps.set == 0 ? Bits{} : gaps;
}

Layout elements_of(const Column& column, const Bits& gaps, char text) {
    Layout layout;
    require_host_reads("to_arrow", column.values.operand());
    const bool is_known = visit_arrow_dtype(column.dtype(), [&]<typename T>(std::type_identity<T>) {
        if constexpr (std::same_as<T, bool>) {
            const Bits bits = packed_bits(column.values.operand());
            layout = {"b", {bits.bytes->data()}, {bits.bytes}};
        } else if constexpr (std::same_as<T, std::string>) {
            layout = text_layout(column, gaps, text);
        } else if constexpr (TimeElement<T>) {
            layout = time_layout<T>(column, gaps);
        } else {
            const char code = std::same_as<T, Half> ? 'e' : number_code(kDType<T>.id());
            layout = plain_layout<T>(std::string(1, code), column.values.operand());
        }
    });
    if (!is_known)
        throw DtypeError(fmt::format("to_arrow: column {} is {}, which Arrow's arrays do not hold",
                                     file::quoted_text(column.name), column.dtype().name()));
    return layout;
}

} // namespace purview::arrow
