#pragma once

#include "arrow_table.hpp"
#include "buffers.hpp"

#include <span>

namespace purview::inline v0_1::ipc {

/// The arrays of a batch, in order, each with those that lie in it.
class BatchArrays {
public:
    using Wanted = GroupedColumns::Wanted;

    /// Begins behind `begin`; without a batch, arrays are of no rows. `rows_of` has the dictionaries.
    BatchArrays(const ArrowTable& table, const Batch* batch, const RowBatch* rows_of,
                const Entries& begin);

    /// Throws `FormatError`, and `DtypeError` for types that are not read. What texts, views and indexes refer to is for who imports it to check.
    arrow::Export next(const Field& field);
    /// Of structs, only what lies at a path: a field, and of each struct the number of a child. Of gaps alone, bools.
    arrow::Export next(const Field& field, std::span<const std::size_t> path,
                       Wanted wanted = Wanted::values);
    /// Whether something at a path is missing, in a struct around it too.
    bool next_has_gaps(const Field& field, std::span<const std::size_t> path);

private:
    struct Node {
        index_t length = 0;
        index_t null_count = 0;
    };
    Node next_node(const Field& field);
    index_t next_count(const Field& field);
    void skip(const Field& field);
    /// The next buffer, of which the first `needed` bytes are used, if it is.
    Bytes next_bytes(const Field& field, index_t needed, bool is_used, bool may_be_longer = false);
    const void* next_buffer(const Field& field, index_t needed, std::vector<Owner>& owners,
                            bool is_used);
    arrow::Export next_gaps(const Field& field);
    void add_text(const Field& field, index_t length, index_t width,
                  std::vector<const void*>& buffers, std::vector<Owner>& owners);
    void add_views(const Field& field, index_t length, std::vector<const void*>& buffers,
                   std::vector<Owner>& owners);

    const ArrowTable& table_;
    const Batch* batch_;
    const RowBatch* rows_of_;
    std::size_t node_;
    std::size_t buffer_;
    std::size_t view_;
};

} // namespace purview::ipc
