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
    AnyTensor values;     ///< `[rows]`
    Tensor<bool> missing; ///< `[rows]`; constant, and no memory, where nothing is

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
    /// The values with their static type. O(1). Throws `DtypeError` naming the column for another one: `as_tensor<T>(column.values)` casts numbers.
    template <ElementType T>
    Tensor<T> as() const {
        require(kDType<T>);
        return values.as<T>();
    }

private:
    PURVIEW_CSV_EXPORT void require(DType expected) const;
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
    /// Its values, `[rows]`. Throws `IndexError`, `DtypeError`.
    template <ElementType T>
    Tensor<T> get(std::string_view name) const {
        return (*this)[name].as<T>();
    }

private:
    const CsvColumn* find(std::string_view name) const noexcept;

    std::vector<CsvColumn> columns_;
};

/// A table is printed column by column.
template <typename X>
    requires(std::same_as<X, CsvColumns> || std::same_as<X, CsvColumn>)
PURVIEW_REFUSED("a table is printed column by column: std::cout << column.name << column.values",
                operator<<(std::ostream&, const X&));

} // namespace purview
