#pragma once

#include "dtype/number_types.hpp"
#include "evaluation/stages.hpp"

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/constant.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/expression/loop.hpp>
#include <purview/reader/buffer.hpp>

#include <cstddef>
#include <memory>
#include <utility>

namespace purview::inline v0_1 {

/// `count` elements at `data` as the operand that a placeholder is bound to. `owner` keeps them
/// alive.
inline Operand bound_memory(DType dtype, index_t count, void* data, Owner owner) {
    return visit_number_dtype(dtype, "computation", [&]<typename T>(std::type_identity<T>) {
        T* const values = static_cast<T*>(data);
        if (count == 1) return constant_operand<T>(*values);
        return Operand{make_node<Leaf>(std::make_shared<const ConstBuffer<T>>(
                           values, count, index_t{sizeof(T)}, std::move(owner))),
                       Dimensions::row_major(ShapeSpan(&count, 1))};
    });
}

/// What a stage would leave to later ones, all zero.
inline Operand unwritten_memory(DType dtype, index_t count) {
    Owner memory = allocate_zeroed_bytes(checked_bytes(count, dtype.size_bytes(), "explain"));
    void* const data = const_cast<void*>(memory.get());
    return bound_memory(dtype, count, data, std::move(memory));
}

/// Whether it has rows of steps that a loop may not come to, and leaves unwritten: states that it keeps.
inline bool may_have_unwritten_rows(const StageOutput& part) {
    const auto* const result = part.node == nullptr ? nullptr : node_as<StageResult>(*part.node);
    const auto* const loop = result == nullptr ? nullptr : node_as<Loop>(result->source());
    return loop != nullptr && result->number() >= loop->rule().step->outputs.size() &&
           (loop->rule().is_counted || loop->rule().condition != nullptr);
}
inline void clear_result(const Destination& out, const StageOutput& part) {
    visit_number_dtype(part.dtype, "computation", [&]<typename T>(std::type_identity<T>) {
        assign(constant_operand(T{}, part.shape()), out.elements(part.dtype, part.shape()));
    });
}

/// Where one result of a stage goes. `output` is the destination that it has as an output, null for none.
class ResultPlace {
public:
    /// In this process.
    ResultPlace(const StageOutput& part, const Destination* output) : part_(part) {
        if (output != nullptr) {
            out_ = *output;
            if (may_have_unwritten_rows(part)) clear_result(out_, part);
        } else if (part.slot != kNone) {
            if (part.count != 1) {
                // Pages that nobody writes take no room, whether they are zero or not.
                const index_t bytes =
                    checked_bytes(part.count, part.dtype.size_bytes(), "computation");
                memory_ = may_have_unwritten_rows(part) ? allocate_zeroed_bytes(bytes)
                                                        : allocate_bytes(bytes);
            }
            out_ = part.count == 1 ? element_ : const_cast<void*>(memory_.get());
        }
    }
    /// Where `there` lies. What later stages read stays there, and is copied by `result` if it is also a
    /// number that was asked for.
    ResultPlace(const StageOutput& part, const Destination* output, const Operand& there)
        : part_(part), output_(output) {
        if (output != nullptr) out_ = *output;
        if (part.slot != kNone && (output == nullptr || output->memory() != nullptr)) {
            there_ = results_like("computation", there, part.dtype, part.shape());
            out_ = there_;
        }
        if (part.is_wanted() && may_have_unwritten_rows(part)) clear_result(out_, part);
    }
    ResultPlace(const ResultPlace&) = delete;
    ResultPlace& operator=(const ResultPlace&) = delete;

    const Destination& destination() const noexcept { return out_; }

    /// What later stages read.
    Operand result() {
        if (there_.node != nullptr) {
            if (output_ != nullptr) assign(there_, output_->elements(part_.dtype, part_.shape()));
            return std::move(there_);
        }
        if (out_.memory() == nullptr) return out_.elements(part_.dtype, part_.shape());
        return bound_memory(part_.dtype, part_.count, out_.memory(), std::move(memory_));
    }

private:
    const StageOutput& part_;
    const Destination* output_ = nullptr;
    alignas(8) std::byte element_[8]{};
    Owner memory_ = borrowed(element_);
    Operand there_;
    Destination out_ = Destination::nowhere();
};

} // namespace purview
