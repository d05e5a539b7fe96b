#pragma once

#include <purview/interop/arrow.hpp>
#include <purview/reader/chunks.hpp>
#include <purview/table/columns.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::parquet {

/// A Parquet file that is open for reading: what its footer says, and columns of row groups, decoded by Arrow. Any number of threads may
/// ask for them: each takes a reader of Arrow's for itself. Errors name the path; no exception of Arrow's leaves it.
class Decoder {
public:
    /// Reads the footer. Throws `FormatError`.
    explicit Decoder(const std::string& path);
    ~Decoder();

    const std::string& path() const noexcept;
    /// The rows of each row group.
    const std::vector<index_t>& group_rows() const noexcept;
    /// The names of the columns, those in structs as "a.b". What they are numbered by below.
    const std::vector<std::string>& names() const noexcept;

    /// A column without rows, or with one that is missing where there is a fill: it has the type of elements, the shape of a row, and the zone. Throws `DtypeError`, `CastError`.
    Column like(std::size_t column, const ArrowOptions& options) const;
    /// Whether something may be missing in a column of a row group, as far as the footer says.
    /// What the footer says that the numbers in a row group lie within, those that are missing apart.
    std::optional<NumberBounds> bounds(std::size_t column, std::size_t group) const;
    bool has_gaps(std::size_t column, std::size_t group) const;
    /// A column of a row group, in pieces one below the other. Throws `FormatError`.
    std::vector<Column> decode(std::size_t column, std::size_t group,
                               const ArrowOptions& options) const;

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace purview::parquet
