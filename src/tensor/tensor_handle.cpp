#include <purview/base/checked.hpp>
#include <purview/expression/gather.hpp>
#include <purview/tensor/tensor_handle.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {
namespace {

const Leaf& stored_leaf(const Operand& operand, const char* what) {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr)
        throw ShapeError(fmt::format("{}: a computed tensor has no storage", what));
    return *leaf;
}

void require_strided(const TensorHandle& tensor, const char* what) {
    stored_leaf(tensor.operand(), what);
    if (!tensor.dimensions().is_strided())
        throw ShapeError(fmt::format(
            "{}: no strides describe a rotated, tiled, listed or regrouped axis", what));
}

} // namespace

TakenOperand::~TakenOperand() {
    static const index_t nothing = 0;
    static const Dimensions none = Dimensions::row_major({&nothing, 1});
    from_.node = std::move(empty_);
    from_.dims = none;
}

index_t TensorHandle::extent(index_t axis) const {
    return operand_.dims
        .max_shape()[static_cast<std::size_t>(checked_axis(axis, rank(), "extent"))];
}

bool TensorHandle::is_contiguous() const noexcept {
    const Leaf* const leaf = leaf_of(operand_);
    return leaf != nullptr && operand_.dims.is_contiguous() &&
           (leaf->reads(Below::device) ||
            (leaf->memory() && leaf->memory().stride_bytes == dtype().size_bytes()));
}

ShapeSpan TensorHandle::checked_strides() const {
    require_strided(*this, "strides");
    return operand_.dims.strides();
}

index_t TensorHandle::storage_offset() const {
    require_strided(*this, "storage_offset");
    return operand_.dims.base();
}

Operand TensorHandle::storage_operand() const {
    const index_t size = stored_leaf(operand_, "storage").size();
    return {operand_.node, Dimensions::row_major(ShapeSpan(&size, 1))};
}

index_t TensorHandle::checked_address(ShapeSpan coordinates) const {
    if (std::ssize(coordinates) < rank())
        throw IndexError(fmt::format(
            "indexing: an element of shape {} needs {} indexes, not {}; for a view, write t({}, pv::all){}",
            to_string(shape()), rank(), coordinates.size(), fmt::join(coordinates, ", "),
            coordinates.size() == 1 ? fmt::format(" or t.row({})", coordinates[0]) : ""));
    if (std::ssize(coordinates) > rank())
        throw IndexError(fmt::format("indexing: {} indexes for shape {} of rank {}",
                                     coordinates.size(), to_string(shape()), rank()));
    const ShapeSpan extents = dimensions().max_shape();
    if (std::ranges::equal(coordinates, extents,
                           [](index_t i, index_t n) { return 0 <= i && i < n; }))
        return dimensions().local_of(coordinates);
    Shape inside;
    for (std::size_t a = 0; a < coordinates.size(); ++a)
        inside.push_back(
            checked_index(coordinates[a], extents[a], static_cast<int>(a), "indexing"));
    return operand_.dims.local_of(inside);
}

index_t TensorHandle::index_of(ShapeSpan coordinates) const {
    const ShapeSpan extents = dimensions().max_shape();
    index_t index = 0;
    for (std::size_t a = 0; a < extents.size(); ++a)
        index = index * extents[a] + coordinates[a] + (coordinates[a] < 0 ? extents[a] : 0);
    return index;
}

void TensorHandle::read_computed(index_t address, void* out) const {
    operand_.node->read(Dimensions::strided({}, {}, address), 0, 1, out);
}

void TensorHandle::keep_data_alive() const noexcept {
    const Leaf* const leaf = leaf_of(operand_);
    if (leaf == nullptr || leaf->writer() == nullptr) return;
    const AnyReader& reader = leaf->reader();
    keep_while_referenced(&reader, 1, leaf->shared_reader());
    const MutableMemoryView memory = leaf->writable_memory();
    if (!memory || leaf->size() == 0) return;
    const index_t last = (leaf->size() - 1) * memory.stride_bytes;
    const std::byte* const lowest =
        static_cast<const std::byte*>(memory.data) + std::min(last, index_t{0});
    keep_while_referenced(lowest, std::abs(last) + leaf->dtype().size_bytes(),
                          leaf->shared_reader());
}

void TensorHandle::throw_not_one_element() const {
    throw ShapeError(
        fmt::format("item: shape {} has {} elements, not one", to_string(shape()), size()));
}

bool is_writable(const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    return leaf != nullptr && leaf->writer() != nullptr && operand.dims.is_unique();
}

void throw_read_only(const char* what, const Operand& operand, bool allowed) {
    const Leaf* const leaf = leaf_of(operand);
    const bool gathered = gather_of(operand) != nullptr;
    const char* why = "several of its elements share an address";
    if (leaf == nullptr && !gathered)
        why = "it is computed";
    else if (leaf != nullptr && leaf->writer() == nullptr)
        why = "what it reads cannot be written";
    else if (!allowed)
        why = "it was made of a tensor that only reads";
    else if (gathered)
        why = "it is looked up at indexes, which may repeat; assign and add_to write there";
    throw ReadOnlyError(fmt::format("{}: this tensor of shape {} can only be read: {}", what,
                                    to_string(operand.dims.max_shape()), why));
}

IndexSequencePtr listed_indexes(std::initializer_list<ListedIndex> list) {
    std::vector<index_t> indexes;
    for (const ListedIndex& index : list) indexes.push_back(index.value);
    return make_index_sequence(std::move(indexes));
}

BracedIndex::BracedIndex(std::initializer_list<ListedIndex> list) {
    index_.emplace(listed_indexes(list));
}

Operand select_braced(const Operand& operand, const std::array<const BracedIndex*, 4>& indexes) {
    std::vector<TensorIndex> given;
    for (const BracedIndex* const index : indexes)
        if (index->index()) given.push_back(*index->index());
    return select_operand(operand, given);
}

} // namespace purview
