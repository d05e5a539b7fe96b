#pragma once

#include <purview/base/config.hpp>
#include <purview/base/refused.hpp>
#include <purview/tensor/array_like.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/tensor.hpp>

#include <concepts>
#include <initializer_list>
#include <iosfwd>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// What a column may be made of: whatever is an array, without dims.
template <typename X>
concept ColumnValues = array_like<X> && !HasDims<std::remove_cvref_t<X>>;

/// One column of a table: its name, one value for each row, all of one type, and where they are missing. A value may be a tensor: `[rows, …]`.
struct Column {
    std::string name;
    AnyTensor values;     ///< `[rows, …]`
    Tensor<bool> missing; ///< `[rows]`; constant, and no memory, where nothing is
    /// Whether what is missing has a value that was asked for: `CsvOptions::fills`, `ArrowOptions::fill`.
    bool is_filled = false;
    /// Where time points of the system clock are shown: "Europe/Vienna", "+01:00"; empty if nobody said.
    std::string time_zone{};

    /// Any array of rank 1 or more, shared if it is a tensor; nothing of it is missing.
    template <ColumnValues X>
    Column(std::string column_name, X&& x)
        : name(std::move(column_name)),
          values(as_tensor(std::forward<X>(x))),
          missing(const_tensor(false, rows_shape())) {}
    /// Any array of rank 1 or more, with bools that say what is missing, `[rows]`.
    template <ColumnValues X, ColumnValues M>
    Column(std::string column_name, X&& x, M&& gaps)
        : name(std::move(column_name)),
          values(as_tensor(std::forward<X>(x))),
          missing(as_tensor<bool>(std::forward<M>(gaps))) {}

    /// The extent of the first axis.
    index_t rows() const { return values.rank() == 0 ? 1 : values.dimensions().max_shape()[0]; }
    DType dtype() const noexcept { return values.dtype(); }
    /// The values as T. O(1) of their own type. Other numbers, and bools as 0 and 1, are converted, O(size), eager, if T holds them exactly (float64
    /// to float32 is rounded); a gap of integers or bools becomes NaN in floats, unless it is filled. Throws `CastError` naming column, row and
    /// number where it does not, `DtypeError` naming column and types for what is no number.
    template <ElementType T>
    Tensor<T> as() const {
        return values_as(kDType<T>).template as<T>();
    }

private:
    Shape rows_shape() const { return {rows()}; }
    PURVIEW_EXPORT AnyTensor values_as(DType dtype) const;
};

/// The columns of a table, in order: a range of `Column`, found by name. A copy shares the values.
class PURVIEW_EXPORT Columns {
public:
    Columns() = default;
    /// Throws `ShapeError` where values have no rows, or not as many as the others, and where masks are not of shape `[rows]`; `FormatError` where two
    /// columns have one name.
    Columns(std::vector<Column> columns);
    Columns(std::initializer_list<Column> list) : Columns(std::vector<Column>(list)) {}

    /// How many rows all of them have; 0 of no columns.
    index_t rows() const { return columns_.empty() ? 0 : columns_.front().rows(); }
    /// How many columns there are.
    index_t size() const noexcept { return std::ssize(columns_); }
    auto begin() const noexcept { return columns_.begin(); }
    auto end() const noexcept { return columns_.end(); }
    bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }

    /// The column of this name. O(columns). Throws `IndexError` with the names that there are.
    const Column& operator[](std::string_view name) const&;
    Column operator[](std::string_view name) && { return std::as_const(*this)[name]; }
    /// The values of the column of this name as T, `[rows, …]`, as `Column::as` has them. Throws
    /// `IndexError`, `CastError`, `DtypeError`.
    template <ElementType T>
    Tensor<T> get(std::string_view name) const {
        return (*this)[name].as<T>();
    }

private:
    const Column* find(std::string_view name) const noexcept;

    std::vector<Column> columns_;
};

/// An aligned table: names, types, rows counted from 0, how many rows and columns there are; `-` where something is missing. Beyond 10 rows the first
/// and the last 5, and beyond 16 columns the first and the last 8; only those are evaluated. Texts are cut off behind 40 characters. Floats have
/// the precision and the notation of the stream. Of values that are tensors the first 6 elements are printed, in brackets.
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const Columns& columns);
PURVIEW_EXPORT std::ostream& operator<<(std::ostream& out, const Column& column);
/// The text that `operator<<` prints.
PURVIEW_EXPORT std::string to_string(const Columns& columns);
PURVIEW_EXPORT std::string to_string(const Column& column);

template <typename... X>
concept HasColumn = ((std::same_as<X, Column> || std::same_as<X, Columns>) || ...);
// Arithmetic and comparisons would have to know what a gap does.
#define PURVIEW_NO_COLUMN \
 "a column of a table is values and gaps: compute with its values, as table.get<double>(\"p\")"
#define PURVIEW_NO_COLUMN_OPERATOR(OPERATOR) \
 template <typename X, typename Y>           \
  requires HasColumn<X, Y> PURVIEW_REFUSED(  \
      PURVIEW_NO_COLUMN, operator OPERATOR(const X&, const Y&));
PURVIEW_NO_COLUMN_OPERATOR(+)
PURVIEW_NO_COLUMN_OPERATOR(-)
PURVIEW_NO_COLUMN_OPERATOR(*)
PURVIEW_NO_COLUMN_OPERATOR(/)
PURVIEW_NO_COLUMN_OPERATOR(%)
PURVIEW_NO_COLUMN_OPERATOR(<)
PURVIEW_NO_COLUMN_OPERATOR(>)
PURVIEW_NO_COLUMN_OPERATOR(<=)
PURVIEW_NO_COLUMN_OPERATOR(>=)
PURVIEW_NO_COLUMN_OPERATOR(==)
PURVIEW_NO_COLUMN_OPERATOR(!=)
PURVIEW_NO_COLUMN_OPERATOR(&&)
PURVIEW_NO_COLUMN_OPERATOR(||)
PURVIEW_NO_COLUMN_OPERATOR(+=)
PURVIEW_NO_COLUMN_OPERATOR(-=)
PURVIEW_NO_COLUMN_OPERATOR(*=)
PURVIEW_NO_COLUMN_OPERATOR(/=)
template <HasColumn X>
PURVIEW_REFUSED(PURVIEW_NO_COLUMN, operator-(const X&));
template <HasColumn X>
PURVIEW_REFUSED(PURVIEW_NO_COLUMN, operator!(const X&));
#undef PURVIEW_NO_COLUMN_OPERATOR
#undef PURVIEW_NO_COLUMN

} // namespace purview
