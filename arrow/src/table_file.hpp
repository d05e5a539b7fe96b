#pragma once

#include "messages.hpp"

#include <purview/interop/arrow.hpp>
#include <purview/reader/mapped_file.hpp>

#include <cstddef>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::ipc {

/// A mapped file, whose columns are taken as arrays of Arrow's C data interface. Several threads may do so.
class TableFile {
public:
    /// Throws `FormatError`.
    explicit TableFile(const std::string& path);

    const std::string& path() const noexcept { return file_.path(); }
    const std::vector<Field>& fields() const noexcept { return messages_.fields; }
    const std::vector<RowBatch>& batches() const noexcept { return messages_.batches; }

    /// Whether a column of a batch, or what lies in it, has gaps.
    bool has_gaps(const RowBatch& batch, std::size_t column) const;
    /// A column of a batch, in the file or decoded, which the array co-owns. Throws `FormatError`, and `DtypeError` for types that
    /// are not read. What texts, views and indexes refer to is for who imports it to check.
    arrow::Export array(const RowBatch& batch, std::size_t column) const;
    /// Where a column that is no struct has values, as an array of bools.
    arrow::Export validity(const RowBatch& batch, std::size_t column) const;
    /// A column without rows.
    arrow::Export rowless(std::size_t column) const;

private:
    friend class BatchArrays;
    using Dictionary = std::shared_ptr<arrow::Export>;

    /// Of a batch, or null: without values.
    Dictionary dictionary(const RowBatch* batch, const Field& field) const;
    Dictionary made_dictionary(const std::vector<Batch>& parts, const Field& values) const;

    MappedFile file_;
    Messages messages_;
    std::vector<Entries> begins_; ///< of each column, in the lists of a batch
    mutable std::mutex mutex_{};
    /// Those that were asked for, by the parts that they are made of and the column that has them.
    mutable std::map<std::pair<const DictionaryParts*, const Field*>, Dictionary> dictionaries_{};
};

} // namespace purview::ipc
