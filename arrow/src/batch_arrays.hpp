#pragma once

#include "buffers.hpp"
#include "table_file.hpp"

namespace purview::inline v0_1::ipc {

/// The arrays of a batch, in order, each with those that lie in it.
class BatchArrays {
public:
    /// Begins behind `begin`; without a batch, arrays are of no rows. `rows` has the dictionaries.
    BatchArrays(const TableFile& file, const Batch* batch, const RowBatch* rows,
                const Entries& begin);

    arrow::Export next(const Field& field);
    /// Where the next array has values, as an array of bools.
    arrow::Export next_validity(const Field& field);
    /// Whether the next array, or one in it, has gaps.
    bool next_has_gaps(const Field& field);

private:
    struct Node {
        index_t length = 0;
        index_t null_count = 0;
    };
    Node next_node(const Field& field);
    index_t next_count(const Field& field);
    /// The next buffer, of which the first `needed` bytes are used: null for none.
    Bytes next_bytes(const Field& field, index_t needed, bool is_used = true);
    const void* next_buffer(const Field& field, index_t needed, std::vector<Owner>& owners,
                            bool is_used = true);
    void add_text(const Field& field, index_t length, index_t width,
                  std::vector<const void*>& buffers, std::vector<Owner>& owners);
    void add_views(const Field& field, index_t length, std::vector<const void*>& buffers,
                   std::vector<Owner>& owners);

    const TableFile& file_;
    const Batch* batch_;
    const RowBatch* rows_;
    std::size_t node_;
    std::size_t buffer_;
    std::size_t view_;
};

} // namespace purview::ipc
