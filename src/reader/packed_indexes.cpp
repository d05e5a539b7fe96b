#include <purview/reader/index_set.hpp>
#include <purview/reader/packed_indexes.hpp>

#include "reader/index_set_directory.hpp"

namespace purview::inline v0_1 {

PackedIndexes::PackedIndexes(const IndexSet& indexes)
    : directory_(new IndexSetDirectory(indexes.serialize())) {}
PackedIndexes::~PackedIndexes() = default;

index_t PackedIndexes::size() const noexcept { return directory_->size(); }
index_t PackedIndexes::read(index_t position) const { return directory_->select(position); }

void PackedIndexes::read_block(index_t begin, index_t step, std::span<index_t> out) const {
    if (out.empty()) return;
    if (step == 1) return directory_->read(begin, out);
    for (std::size_t i = 0; i < out.size(); ++i)
        out[i] = directory_->select(begin + static_cast<index_t>(i) * step);
}

index_t PackedIndexes::rank(index_t index) const noexcept { return directory_->rank(index); }
index_t PackedIndexes::size_bytes() const noexcept { return directory_->size_bytes(); }

} // namespace purview
