#pragma once

#include "dtype/element_block.hpp"
#include "engine/places/memory_leaf.hpp"
#include "engine/realise/assign_dense.hpp"
#include "engine/run/element_runs.hpp"

#include <optional>

namespace purview::inline v0_1::engine {

/// The elements of a source of type `T`, contiguous in its row-major order: where they lie, or
/// computed into memory that this owns.
template <typename T>
class RealisedElements {
public:
    explicit RealisedElements(const Operand& source) : data_(elements_in_memory<T>(source)) {
        if (data_ != nullptr) return;
        block_.emplace(kDType<T>, source.dims.size());
        data_ = static_cast<const T*>(block_->data());
        if (source.dims.size() > 0) assign_dense(source, operand(source));
    }
    RealisedElements(const RealisedElements&) = delete;
    RealisedElements& operator=(const RealisedElements&) = delete;

    const T* data() const noexcept { return data_; }
    /// `source` read from them.
    Operand operand(const Operand& source) const {
        return memory_operand(kDType<T>, const_cast<T*>(data_), source.dims.max_shape());
    }

private:
    const T* data_;
    std::optional<ElementBlock> block_;
};

} // namespace purview::engine
