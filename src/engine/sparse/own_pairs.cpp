#include "engine/sparse/own_pairs.hpp"

#include "engine/places/compact_leaf.hpp"

#include <cstring>
#include <utility>

namespace purview::inline v0_1::engine {

std::unique_ptr<ElementBlock> default_element(DType dtype) {
    auto element = std::make_unique<ElementBlock>(dtype, 1);
    if (dtype.descriptor().trivial)
        std::memset(element->data(), 0, static_cast<std::size_t>(dtype.size_bytes()));
    return element;
}

OwnPairs own_pairs(const SparseEvaluation& evaluation) {
    OwnPairs own = pairs_of(evaluation);
    own.indexes = taken(evaluation.indexes(), evaluation.stored());
    return own;
}

OwnPairs pairs_of(const SparseEvaluation& evaluation) {
    const DType dtype = evaluation.dtype();
    const index_t stored = evaluation.stored();
    OwnPairs own{
        {evaluation.stored_indexes(), nullptr}, evaluation.computed(), default_element(dtype)};
    if (own.values == nullptr) {
        auto values = std::make_unique<ElementBlock>(dtype, stored);
        if (stored > 0) Evaluation(evaluation.values()).read(0, stored, values->data());
        own.values = std::make_shared<CompactReader>(dtype, stored, std::move(values));
    }
    read_fill(evaluation, own.fill->data());
    return own;
}

} // namespace purview::engine
