#include <purview/base/checked.hpp>
#include <purview/expression/evaluate.hpp>
#include <purview/tensor/any_tensor.hpp>
#include <purview/tensor/description.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <string>

namespace purview {
namespace {

const Leaf& stored_leaf(const Operand& operand, const char* what) {
    const Leaf* const leaf = leaf_of(operand);
    if (leaf == nullptr)
        throw ShapeError(fmt::format("{}: a computed tensor has no storage", what));
    return *leaf;
}

void require_strided(const AnyTensor& tensor, const char* what) {
    stored_leaf(tensor.operand(), what);
    if (!tensor.dimensions().is_strided())
        throw ShapeError(fmt::format(
            "{}: no strides describe a rotated, tiled, listed or regrouped axis", what));
}

} // namespace

index_t AnyTensor::extent(index_t axis) const {
    return operand_.dims
        .max_shape()[static_cast<std::size_t>(checked_axis(axis, rank(), "extent"))];
}

bool AnyTensor::is_read_only() const {
    const Leaf* const leaf = leaf_of(operand_);
    return leaf == nullptr || leaf->writer() == nullptr || !operand_.dims.is_unique();
}

bool AnyTensor::is_contiguous() const noexcept {
    const Leaf* const leaf = leaf_of(operand_);
    return leaf != nullptr && leaf->memory() &&
           leaf->memory().stride_bytes == dtype().size_bytes() && operand_.dims.is_contiguous();
}

ShapeSpan AnyTensor::checked_strides() const {
    require_strided(*this, "strides");
    return operand_.dims.strides();
}

index_t AnyTensor::storage_offset() const {
    require_strided(*this, "storage_offset");
    return operand_.dims.base();
}

AnyTensor AnyTensor::storage() const {
    const index_t size = stored_leaf(operand_, "storage").size();
    return AnyTensor(Operand{operand_.node, Dimensions::row_major(ShapeSpan(&size, 1))});
}

index_t AnyTensor::checked_address(ShapeSpan coordinates) const {
    if (std::ssize(coordinates) < rank())
        throw IndexError(fmt::format(
            "indexing: an element of shape {} needs {} indexes, not {}; for a view, write t(i, pv::all) or t | pv::select(i)",
            to_string(shape()), rank(), coordinates.size()));
    if (std::ssize(coordinates) > rank())
        throw IndexError(fmt::format("indexing: {} indexes for shape {} of rank {}",
                                     coordinates.size(), to_string(shape()), rank()));
    Shape inside;
    for (std::size_t a = 0; a < coordinates.size(); ++a)
        inside.push_back(checked_index(coordinates[a], operand_.dims.max_shape()[a],
                                       static_cast<int>(a), "indexing"));
    return operand_.dims.local_of(inside);
}

void AnyTensor::read_computed(index_t address, void* out) const {
    const Operand element{operand_.node, Dimensions::strided({}, {}, address)};
    Evaluation(element).read(0, 1, out);
}

void AnyTensor::leave_share() const noexcept {
    const Leaf* const leaf = leaf_of(operand_);
    if (leaf == nullptr || leaf->writer() == nullptr) return;
    const AnyReader& reader = leaf->reader();
    keep_while_lent(&reader, 1, leaf->shared_reader());
    const MutableMemoryView memory = leaf->writable_memory();
    if (!memory || leaf->size() == 0) return;
    const index_t last = (leaf->size() - 1) * memory.stride_bytes;
    const std::byte* const lowest =
        static_cast<const std::byte*>(memory.data) + std::min(last, index_t{0});
    keep_while_lent(lowest, std::abs(last) + leaf->dtype().size_bytes(), leaf->shared_reader());
}

void AnyTensor::throw_not_one_element() const {
    throw ShapeError(
        fmt::format("item: shape {} has {} elements, not one", to_string(shape()), size()));
}

void AnyTensor::throw_read_only(const char* what) const {
    const Leaf* const leaf = leaf_of(operand_);
    const char* const why = leaf == nullptr ? "it is computed"
                            : leaf->writer() == nullptr
                                ? "what it reads cannot be written"
                                : "several of its elements share an address";
    throw ReadOnlyError(fmt::format("{}: this tensor of shape {} can only be read: {}", what,
                                    to_string(shape()), why));
}

bool shares_storage(const AnyTensor& a, const AnyTensor& b) {
    const Leaf* const x = leaf_of(a.operand());
    const Leaf* const y = leaf_of(b.operand());
    if (x == nullptr || y == nullptr) return false;
    if (&x->reader() == &y->reader()) return true;
    const StorageId storage = x->reader().storage();
    return storage.address != nullptr && storage == y->reader().storage();
}

bool may_overlap(const AnyTensor& a, const AnyTensor& b) {
    return may_overlap(a.operand(), b.operand());
}

} // namespace purview
