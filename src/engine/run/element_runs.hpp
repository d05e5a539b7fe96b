#pragma once

#include <purview/expression/leaf.hpp>

#include "dtype/element_block.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"

#include <cstdint>
#include <optional>
#include <type_traits>

namespace purview::inline v0_1::engine {

/// The elements of an operand if they are of type `T`, contiguous in memory in its row-major order,
/// and aligned; else null. Always null for bools: their bytes in memory may be others than 0 and 1.
template <typename T>
const T* elements_in_memory(const Operand& source) {
    if (source.dtype() != kDType<T>) return nullptr;
    return reinterpret_cast<const T*>(
        line_in_memory(source, BoolBytes::rejected, Alignment::natural));
}

/// Gives ranges of the elements of an operand of type `T`: where they lie, or computed into a block
/// that this owns, valid until the next call.
template <typename T>
class ElementRuns {
public:
    /// Ranges of at most `longest` elements.
    ElementRuns(const Operand& source, index_t longest) : memory_(elements_in_memory<T>(source)) {
        if (memory_ != nullptr) return;
        store_.emplace(source);
        block_.emplace(kDType<T>, longest);
    }

    const T* operator()(index_t begin, index_t count) {
        if (memory_ != nullptr) return memory_ + begin;
        (*store_)(begin, count, block_->data());
        return static_cast<const T*>(block_->data());
    }

    /// Whether ranges lie one after the other in memory, and stay valid.
    bool in_memory() const noexcept { return memory_ != nullptr; }

    /// The number of threads worth using for `count` elements, each of which takes `nanoseconds`
    /// beside being computed.
    int threads(index_t count, double nanoseconds) const {
        if (store_ && !store_->plan().thread_safe) return 1;
        const int threads = worthwhile_threads(static_cast<double>(count) * nanoseconds);
        return store_ ? std::max(threads, threads_for(store_->plan(), count)) : threads;
    }

private:
    const T* memory_;
    std::optional<RangeStore> store_;
    std::optional<ElementBlock> block_;
};

} // namespace purview::engine
