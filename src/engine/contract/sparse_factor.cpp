#include "engine/contract/sparse_factor.hpp"
#include "engine/places/buffers.hpp"

#include <purview/base/errors.hpp>

#include "engine/places/line_in_memory.hpp"

#include <cstdint>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// The pairs of an operand's leaf, if the operand shows all of it in order, indexes are a checked
/// list (not packed), and values are contiguous and aligned; else none.
template <typename T>
SparsePairs pairs_in_memory(const Operand& operand) {
    const Leaf* const leaf = leaf_of(operand);
    if (operand.dtype() == kDType<bool> || leaf == nullptr) return {};
    const SparsePairs pairs = leaf->reader().pairs();
    const bool shows_all = operand.dims.is_contiguous() && operand.dims.base() == 0 &&
                           operand.dims.size() == leaf->reader().size();
    const bool are_neighbours =
        pairs.values.stride_bytes == static_cast<index_t>(sizeof(T)) &&
        reinterpret_cast<std::uintptr_t>(pairs.values.data) % alignof(T) == 0;
    const bool is_list = pairs.packed == nullptr && pairs.offset == 0 && pairs.are_checked;
    return shows_all && are_neighbours && is_list ? pairs : SparsePairs{};
}

} // namespace

template <typename T>
std::optional<SparseFactor<T>> SparseFactor<T>::in_memory(const Operand& operand) {
    const SparsePairs pairs = pairs_in_memory<T>(operand);
    if (!pairs) return {};
    SparseFactor factor;
    factor.stored_ = pairs.stored();
    factor.index_ = pairs.indexes.data();
    factor.value_ = static_cast<const T*>(pairs.values.data);
    if (factor.stored_ < operand.dims.size() && *static_cast<const T*>(pairs.fill) != T{})
        return {};
    return factor;
}

template <typename T>
std::optional<SparseFactor<T>> SparseFactor<T>::of(const Operand& operand) {
    if (auto factor = in_memory(operand)) return factor;
    SparseFactor factor;
    T fill{};
    try {
        factor.evaluated_.emplace(operand, "sum");
    } catch (const KindError&) {
        return {};
    }
    const SparseEvaluation& found = *factor.evaluated_;
    factor.stored_ = found.stored();
    factor.index_ = static_cast<const index_t*>(found.indexes()->memory().data);
    if (found.stored() < found.size()) Evaluation(found.fill()).read(0, 1, &fill);
    factor.value_ = static_cast<const T*>(static_cast<const void*>(
        line_in_memory(found.values(), BoolBytes::rejected, Alignment::natural)));
    if (factor.value_ == nullptr) {
        factor.values_ = allocate_uninitialized_buffer<T>(found.stored());
        T* const values = data_of(factor.values_);
        if (found.stored() > 0) Evaluation(found.values()).read(0, found.stored(), values);
        factor.value_ = values;
    }
    if (fill != T{}) return {};
    return factor;
}

#define PURVIEW_MAKE_SPARSE_FACTOR(T) template class SparseFactor<T>;
PURVIEW_FOR_FACTORS(PURVIEW_MAKE_SPARSE_FACTOR)
#undef PURVIEW_MAKE_SPARSE_FACTOR

} // namespace purview::engine
