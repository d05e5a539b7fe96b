#include <purview/evaluation/evaluate.hpp>
#include <purview/tensor/any_tensor.hpp>

#include "reader/file_mappings.hpp"

namespace purview::inline v0_1 {

bool shares_storage(const AnyTensor& a, const AnyTensor& b) {
    const Leaf* const x = leaf_of(a.operand());
    const Leaf* const y = leaf_of(b.operand());
    if (x == nullptr || y == nullptr) return false;
    if (&x->reader() == &y->reader()) return true;
    const StorageId storage = x->reader().storage();
    const StorageId other = y->reader().storage();
    return storage.address != nullptr &&
           (storage == other || between_mappings(storage.address, other.address) != 0);
}

bool may_overlap(const AnyTensor& a, const AnyTensor& b) {
    return may_overlap(a.operand(), b.operand());
}

} // namespace purview
