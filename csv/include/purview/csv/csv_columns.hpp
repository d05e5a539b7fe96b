#pragma once

#include <purview/base/refused.hpp>
#include <purview/csv/export.hpp>
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

namespace purview {

/// What a column may be made of: whatever is an array, without dims.
template <typename X>
concept CsvValues = array_like<X> && !HasDims<std::remove_cvref_t<X>>;

/// One column of a table: its name, `[rows]` values of one type, and where they are missing.
struct CsvColumn {
    std::string name;
    AnyTensor values;       ///< `[rows]`
    Tensor<bool> missing;   ///< `[rows]`; constant, and no memory, where nothing is
    bool is_filled = false; ///< whether what is missing has the value that `CsvOptions::fills` says

    /// Any array of rank 1, shared if it is a tensor; nothing of it is missing.
    template <CsvValues X>
    CsvColumn(std::string column_name, X&& x)
        : name(std::move(column_name)),
          values(as_tensor(std::forward<X>(x))),
          missing(const_tensor(false, Shape(values.shape()))) {}
    /// With bools that say what is missing.
    template <CsvValues X, CsvValues M>
    CsvColumn(std::string column_name, X&& x, M&& gaps)
        : name(std::move(column_name)),
          values(as_tensor(std::forward<X>(x))),
          missing(as_tensor<bool>(std::forward<M>(gaps))) {}

    index_t rows() const { return values.size(); }
    DType dtype() const noexcept { return values.dtype(); }
    /// The values as T. O(1) of their own type. Other numbers, and bools as 0 and 1, are converted, O(rows), eager, if T holds them exactly (float64
    /// to float32 is rounded); a gap of integers or bools becomes NaN in floats, unless it is filled. Throws `CastError` naming column, row and
    /// number where it does not, `DtypeError` naming column and types for what is no number.
    template <ElementType T>
    Tensor<T> as() const {
        return values_as(kDType<T>).template as<T>();
    }

private:
    PURVIEW_CSV_EXPORT AnyTensor values_as(DType dtype) const;
};

/// The columns of a table, in order: a range of `CsvColumn`, found by name. A copy shares the values.
class PURVIEW_CSV_EXPORT CsvColumns {
public:
    CsvColumns() = default;
    /// Throws `ShapeError` where values or masks are not all of one shape `[rows]`, `FormatError` where two columns have one
    /// name.
    CsvColumns(std::vector<CsvColumn> columns);
    CsvColumns(std::initializer_list<CsvColumn> list) : CsvColumns(std::vector<CsvColumn>(list)) {}

    /// How many rows all of them have; 0 of no columns.
    index_t rows() const { return columns_.empty() ? 0 : columns_.front().rows(); }
    /// How many columns there are.
    index_t size() const noexcept { return std::ssize(columns_); }
    auto begin() const noexcept { return columns_.begin(); }
    auto end() const noexcept { return columns_.end(); }
    bool contains(std::string_view name) const noexcept { return find(name) != nullptr; }

    /// The column of this name. O(columns). Throws `IndexError` with the names that there are.
    const CsvColumn& operator[](std::string_view name) const&;
    CsvColumn operator[](std::string_view name) && { return std::as_const(*this)[name]; }
    /// Its values as T, `[rows]`, as `CsvColumn::as` has them. Throws `IndexError`, `CastError`, `DtypeError`.
    template <ElementType T>
    Tensor<T> get(std::string_view name) const {
        return (*this)[name].as<T>();
    }

private:
    const CsvColumn* find(std::string_view name) const noexcept;

    std::vector<CsvColumn> columns_;
};

/// An aligned table: names, types, rows counted from 0, how many rows and columns there are; `-` where something is missing. Beyond 10 rows the first
/// and the last 5, and beyond 16 columns the first and the last 8; only those are evaluated. Texts are cut off behind 40 characters. Floats have
/// the precision and the notation of the stream.
PURVIEW_CSV_EXPORT std::ostream& operator<<(std::ostream& out, const CsvColumns& columns);
PURVIEW_CSV_EXPORT std::ostream& operator<<(std::ostream& out, const CsvColumn& column);
/// The text that `operator<<` prints.
PURVIEW_CSV_EXPORT std::string to_string(const CsvColumns& columns);
PURVIEW_CSV_EXPORT std::string to_string(const CsvColumn& column);

template <typename... X>
concept HasCsvColumn = ((std::same_as<X, CsvColumn> || std::same_as<X, CsvColumns>) || ...);
// Arithmetic and comparisons would have to know what a gap does.
#define PURVIEW_NO_COLUMN \
 "a column of a table is values and gaps: compute with its values, as table.get<double>(\"p\")"
#define PURVIEW_NO_COLUMN_OPERATOR(OPERATOR)   \
 template <typename X, typename Y>             \
  requires HasCsvColumn<X, Y> PURVIEW_REFUSED( \
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
template <HasCsvColumn X>
PURVIEW_REFUSED(PURVIEW_NO_COLUMN, operator-(const X&));
template <HasCsvColumn X>
PURVIEW_REFUSED(PURVIEW_NO_COLUMN, operator!(const X&));
#undef PURVIEW_NO_COLUMN_OPERATOR
#undef PURVIEW_NO_COLUMN

} // namespace purview
