#pragma once

#include <purview/base/config.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/table/columns.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Columns that lie in a file in groups of rows (row groups, batches) and are decoded when they are read. Any number of threads may ask for
/// them. Columns of structs are columns of their own, "a.b". purview::arrow and purview::parquet derive from it.
class PURVIEW_EXPORT GroupedColumns {
public:
    /// What is read of a group: of gaps alone, values are of no importance.
    enum class Wanted : bool { gaps, values };

    GroupedColumns() = default;
    GroupedColumns(const GroupedColumns&) = delete;
    GroupedColumns& operator=(const GroupedColumns&) = delete;
    virtual ~GroupedColumns();

    /// What begins the messages of errors: "open_parquet: 'trips.parquet'".
    virtual const std::string& where() const noexcept = 0;
    virtual const std::vector<index_t>& group_rows() const noexcept = 0;
    /// The names of the columns, by which they are numbered below.
    virtual const std::vector<std::string>& names() const noexcept = 0;
    /// What numbers and bools that are missing are read as.
    virtual std::optional<double> fill() const noexcept = 0;
    /// A column of a few rows or none: it has the type of elements, the shape of a row, the zone, and whether gaps are filled.
    virtual Column like(std::size_t column) const = 0;
    virtual bool has_gaps(std::size_t column, std::size_t group) const = 0;
    /// What the numbers in a group lie within, those that are missing apart, where that is known without reading them.
    virtual std::optional<NumberBounds> bounds(std::size_t column, std::size_t group) const;
    /// Whether elements of a group are where they are read: `decode` costs nothing then, and is called when the table is opened.
    virtual bool is_in_place(std::size_t group) const;
    /// A column of a group, in pieces one below the other.
    virtual std::vector<Column> decode(std::size_t column, std::size_t group,
                                       Wanted wanted) const = 0;
};

/// A table of such columns, in chunks of a column of a group each, but for groups in place. Columns are wanted by name, in this order, where the name of a
/// struct stands for all in it; none: all of them. Values that are missing and not filled are NaN, NaT, 0, false or an empty
/// string. Throws `IndexError` with the names that there are, and for rows, [begin, end), that there are not.
PURVIEW_EXPORT Columns opened_table(const std::shared_ptr<const GroupedColumns>& columns,
                                    const std::vector<std::string>& names,
                                    std::optional<std::pair<index_t, index_t>> rows = {});

} // namespace purview
