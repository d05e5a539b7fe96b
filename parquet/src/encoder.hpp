#pragma once

#include <purview/table/columns.hpp>

#include <memory>
#include <string>

namespace purview::inline v0_1::parquet {

/// A Parquet file that is being written by Arrow, beside the one that it replaces. Errors name the path; no exception of Arrow's leaves it.
class Encoder {
public:
    /// Throws `FormatError`.
    Encoder(const std::string& path, const std::string& compression);
    ~Encoder();

    /// Writes rows as one row group, those that follow with the columns of the first. Throws as `to_arrow` does, `DtypeError`, `FormatError`.
    void write(const Columns& rows);
    /// Writes the footer, and gives the file its name.
    void commit();

private:
    struct State;
    std::unique_ptr<State> state_;
};

} // namespace purview::parquet
