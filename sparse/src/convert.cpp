#include <purview/base/wrapping.hpp>
#include <purview/dtype/element_access.hpp>
#include <purview/sparse/convert.hpp>

#include "group_entries.hpp"

#include <fmt/format.h>

namespace purview::inline v0_1 {
namespace {

using sparse::CompressedRoom;
using sparse::Entry;
using sparse::load_bits;

/// Calls `f` with the unsigned type that is as wide as T: code that only moves values is compiled
/// once for each width.
template <typename T, typename F>
auto with_width(F&& f) {
    if constexpr (sizeof(T) == 1) return f(std::uint8_t{});
    if constexpr (sizeof(T) == 2) return f(std::uint16_t{});
    if constexpr (sizeof(T) == 4) return f(std::uint32_t{});
    if constexpr (sizeof(T) == 8) return f(std::uint64_t{});
}

template <typename T, typename I>
struct NewMatrix {
    MutableTensor<I> pointers;
    MutableTensor<I> indices;
    MutableTensor<T> values;

    NewMatrix(index_t majors, index_t stored)
        : pointers(empty<I>({checked_add(majors, 1, "compress")})),
          indices(empty<I>({stored})),
          values(empty<T>({stored})) {
        if constexpr (sizeof(I) < sizeof(index_t))
            if (stored > std::numeric_limits<I>::max())
                throw ShapeError(
                    fmt::format("compress: {} entries are more than int32 pointers can "
                                "say; use int64",
                                stored));
    }
    CompressedRoom<I> room() const {
        return {as_span(pointers).data(), as_span(indices).data(),
                reinterpret_cast<std::byte*>(as_span(values).data())};
    }
};

/// Throws `ShapeError` where indexes along an axis of this extent, which pointers implied before,
/// do not fit I.
template <typename I>
void check_extent(index_t extent) {
    if constexpr (sizeof(I) < sizeof(index_t))
        if (extent - 1 > std::numeric_limits<I>::max())
            throw ShapeError(
                fmt::format("compress: int32 cannot say the indexes of {}; use int64", extent));
}

template <typename I, typename V>
bool group_coordinates(index_t majors, std::span<const I> major, std::span<const I> minor,
                       const std::byte* values, const CompressedRoom<I>& room) {
    const auto source = [=](index_t begin, index_t end, auto&& visit) {
        const I* const m = major.data();
        const I* const n = minor.data();
        for (index_t k = begin; k < end; ++k)
            visit(Entry<I, V>{m[k], n[k], load_bits<V>(values, k)});
    };
    return sparse::group_entries<I, V>(std::ssize(major), majors, source, room, true);
}

template <typename I, typename V>
void group_other_axis(index_t rows, index_t columns, const I* pointers, const I* indices,
                      const std::byte* values, const CompressedRoom<I>& room) {
    const auto source = [=](index_t begin, index_t end, auto&& visit) {
        if (begin == end) return;
        index_t row =
            std::upper_bound(pointers, pointers + rows + 1, static_cast<I>(begin)) - pointers - 1;
        for (index_t k = begin; k < end;) {
            const index_t behind = std::min<index_t>(pointers[row + 1], end);
            for (; k < behind; ++k)
                visit(Entry<I, V>{indices[k], static_cast<I>(row), load_bits<V>(values, k)});
            ++row;
        }
    };
    sparse::group_entries<I, V>(static_cast<index_t>(pointers[rows]), columns, source, room, false);
}

/// Joins entries at the same place, which are neighbours, to one. Returns how many are left.
template <typename T, typename I>
index_t join_repeated(Major major, index_t majors, const CompressedRoom<I>& room, T* values,
                      Duplicates duplicates) {
    index_t to = 0;
    index_t k = 0;
    for (index_t m = 0; m < majors; ++m) {
        const index_t end = room.pointers[m + 1];
        const index_t first = to;
        for (; k < end; ++k) {
            const I index = room.indices[k];
            if (to == first || room.indices[to - 1] != index) {
                room.indices[to] = index;
                values[to++] = load_element<T>(values + k);
                continue;
            }
            if (duplicates == Duplicates::error)
                throw IndexError(
                    major == Major::row
                        ? fmt::format("compress: [{} {}] comes more than once", m, index)
                        : fmt::format("compress: [{} {}] comes more than once", index, m));
            T& place = values[to - 1];
            const T other = load_element<T>(values + k);
            place = duplicates == Duplicates::sum ? wrapping_sum(place, other) : other;
        }
        room.pointers[m + 1] = static_cast<I>(to);
    }
    return to;
}

} // namespace

template <Major M, typename T, typename I>
CompressedMatrix<T, I, M> compress(const CooMatrix<T, I>& matrix, Duplicates duplicates) {
    using Result = CompressedMatrix<T, I, M>;
    constexpr bool kRows = M == Major::row;
    const index_t majors = kRows ? matrix.rows() : matrix.columns();
    NewMatrix<T, I> made(majors, matrix.stored());
    const CompressedRoom<I> room = made.room();
    const std::span<const I> rows = as_span(matrix.row_indices());
    const std::span<const I> columns = as_span(matrix.column_indices());
    const auto* const values = reinterpret_cast<const std::byte*>(as_span(matrix.values()).data());
    const bool distinct = with_width<T>([&]<typename V>(V) {
        return group_coordinates<I, V>(majors, kRows ? rows : columns, kRows ? columns : rows,
                                       values, room);
    });
    Tensor<I> indices = made.indices;
    Tensor<T> kept = made.values;
    if (!distinct) {
        const index_t left =
            join_repeated<T, I>(M, majors, room, as_span(made.values).data(), duplicates);
        indices = made.indices(range(0, left));
        kept = made.values(range(0, left));
    }
    return Result(typename Result::Unchecked{}, matrix.rows(), matrix.columns(),
                  std::move(made.pointers), std::move(indices), std::move(kept));
}

template <typename T, typename I>
CscMatrix<T, I> recompress(const CsrMatrix<T, I>& matrix) {
    const CompressedPointers<T, I>& raw = matrix.raw();
    check_extent<I>(raw.rows);
    NewMatrix<T, I> made(raw.columns, raw.stored);
    with_width<T>([&]<typename V>(V) {
        group_other_axis<I, V>(raw.rows, raw.columns, raw.pointers, raw.indices,
                               reinterpret_cast<const std::byte*>(raw.values), made.room());
    });
    return {typename CscMatrix<T, I>::Unchecked{},
            raw.rows,
            raw.columns,
            std::move(made.pointers),
            std::move(made.indices),
            std::move(made.values)};
}

template <typename T, typename I>
CooMatrix<T, I> expand_pointers(const CsrMatrix<T, I>& matrix) {
    const CompressedPointers<T, I>& raw = matrix.raw();
    check_extent<I>(raw.rows);
    const MutableTensor<I> rows = empty<I>({raw.stored});
    I* const out = as_span(rows).data();
    for (index_t r = 0; r < raw.rows; ++r)
        std::fill(out + raw.pointers[r], out + raw.pointers[r + 1], static_cast<I>(r));
    return {raw.rows, raw.columns, rows, matrix.indices(), matrix.values()};
}

template <typename T, typename I>
MutableTensor<T> expand_zeros(const CsrMatrix<T, I>& matrix) {
    const CompressedPointers<T, I>& raw = matrix.raw();
    MutableTensor<T> result = zeros<T>({raw.rows, raw.columns});
    T* const out = as_span(result).data();
    for (index_t r = 0; r < raw.rows; ++r)
        for (I k = raw.pointers[r]; k < raw.pointers[r + 1]; ++k)
            out[r * raw.columns + raw.indices[k]] = load_element<T>(raw.values + k);
    return result;
}

#define PURVIEW_MAKE_CONVERSIONS(T)            \
 PURVIEW_SPARSE_CONVERSIONS(, T, std::int32_t) \
 PURVIEW_SPARSE_CONVERSIONS(, T, std::int64_t)
PURVIEW_FOR_BUILTIN_TYPES(PURVIEW_MAKE_CONVERSIONS)
#undef PURVIEW_MAKE_CONVERSIONS

} // namespace purview
