#pragma once

#include "messages.hpp"

#include <purview/interop/arrow.hpp>
#include <purview/reader/mapped_file.hpp>

#include "table/grouped_columns.hpp"

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::ipc {

/// The table in a mapped file, whose batches are groups of rows: in place where they are not compressed. Errors name the file.
class ArrowTable final : public GroupedColumns {
public:
    /// Throws `FormatError`.
    ArrowTable(const std::string& path, std::optional<double> fill);

    const std::string& where() const noexcept override { return where_; }
    const std::vector<index_t>& group_rows() const noexcept override { return group_rows_; }
    const std::vector<std::string>& names() const noexcept override { return names_; }
    std::optional<double> fill() const noexcept override { return fill_; }
    Column like(std::size_t column) const override;
    bool has_gaps(std::size_t column, std::size_t group) const override;
    bool is_in_place(std::size_t group) const override;
    std::vector<Column> decode(std::size_t column, std::size_t group, Wanted wanted) const override;

    const MappedFile& file() const noexcept { return file_; }
    /// The values that a column refers to, with their schema; of no batch, none of them.
    std::shared_ptr<arrow::Export> dictionary(const RowBatch* batch, const Field& field) const;

private:
    /// A column of the table: where it is in the fields of the file, and in the lists of a batch.
    struct Leaf {
        std::vector<std::size_t> path; ///< a field, and of each struct the number of a child
        Entries begin;                 ///< of the field
    };
    void append_leaves(const Field& field, std::vector<std::size_t> path, const std::string& prefix,
                       const Entries& begin);
    std::shared_ptr<arrow::Export> made_dictionary(const Dictionary& parts,
                                                   const Field& values) const;
    template <typename Work>
    auto named(Work work) const;

    std::string where_;
    MappedFile file_;
    std::optional<double> fill_;
    Messages messages_{};
    std::vector<Leaf> leaves_{};
    std::vector<std::string> names_{};
    std::vector<index_t> group_rows_{};
    mutable std::mutex mutex_{};
    /// Those that were asked for, for the column that has them.
    mutable std::map<std::pair<const Dictionary*, const Field*>, std::shared_ptr<arrow::Export>>
        dictionaries_{};
};

} // namespace purview::ipc
