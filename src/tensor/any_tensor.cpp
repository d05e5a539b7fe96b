#include <purview/expression/evaluate.hpp>
#include <purview/tensor/any_tensor.hpp>

namespace purview {

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
