#pragma once

#include <purview/interop/arrow.hpp>

#include "table/grouped_columns.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::parquet {

/// The table in a Parquet file: what its footer says, and columns of row groups, decoded by Arrow. Any number of threads may ask for them: each takes a
/// reader of Arrow's for itself. Errors name the path; no exception of Arrow's leaves it.
class ParquetTable final : public GroupedColumns {
public:
    /// Reads the footer. Throws `FormatError`.
    ParquetTable(const std::string& path, std::optional<double> fill);
    ~ParquetTable() override;

    const std::string& where() const noexcept override;
    const std::vector<index_t>& group_rows() const noexcept override;
    const std::vector<std::string>& names() const noexcept override;
    std::optional<double> fill() const noexcept override { return options_.fill; }
    /// Of a row that is missing, where there is a fill. Throws `DtypeError`, `CastError`.
    Column like(std::size_t column) const override;
    /// As far as the footer says.
    bool has_gaps(std::size_t column, std::size_t group) const override;
    std::optional<NumberBounds> bounds(std::size_t column, std::size_t group) const override;
    /// Throws `FormatError`.
    std::vector<Column> decode(std::size_t column, std::size_t group, Wanted wanted) const override;

private:
    struct State;
    std::unique_ptr<State> state_;
    ArrowOptions options_;
};

} // namespace purview::parquet
