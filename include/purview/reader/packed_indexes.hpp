#pragma once

#include <purview/base/hidden.hpp>
#include <purview/reader/buffer.hpp>

#include <span>

namespace purview::inline v0_1 {

class IndexSet;
class IndexSetDirectory;

/// Indexes in a compressed set, read by position, ascending. Takes a quarter of the memory of a
/// list, or less, where more than one in 16 places is an index, and 2 bytes per index where fewer
/// are. A `SparseBuffer` may hold its indexes in this form.
class PURVIEW_EXPORT PackedIndexes final : public Reader<index_t> {
public:
    /// O(n).
    explicit PackedIndexes(const IndexSet& indexes);
    ~PackedIndexes() override;

    index_t size() const noexcept override;
    ReaderClass reader_class() const noexcept override { return ReaderClass::packed_indexes; }
    /// O(log n).
    index_t read(index_t position) const override;
    void read_block(index_t begin, index_t step, std::span<index_t> out) const override;
    /// How many indexes are less than `index`. O(log n).
    index_t rank(index_t index) const noexcept;
    /// The bytes of memory that the indexes take.
    index_t size_bytes() const noexcept;

private:
    Hidden<const IndexSetDirectory> directory_;
};

} // namespace purview
