#pragma once

#include <purview/expression/opaque_stage.hpp>
#include <purview/functional/reductions/own_reducer.hpp>

#include <algorithm>
#include <memory>

namespace purview::inline v0_1 {

/// A reducer of one's own in a traced computation.
class ReducerStage final : public StageFunction {
public:
    ReducerStage(std::shared_ptr<const FunctionReducer> own, bool skips_nan)
        : own_(std::move(own)), skips_nan_(skips_nan) {
        if (skips_nan) numbers_ = numbers_only(*own_);
    }

    const FunctionReducer& own() const noexcept { return *own_; }
    bool skips_nan() const noexcept { return skips_nan_; }

    std::string_view name() const noexcept override { return own_->name(); }
    DType result() const noexcept override { return own_->result(); }
    index_t results() const noexcept override { return own_->results_of(1); }
    void run(const Operand& source, index_t groups, void* out) const override {
        reduce_groups(skips_nan_ ? *numbers_ : *own_, source, groups, out);
    }
    bool does_same(const StageFunction& other) const noexcept override {
        const auto* const stage = dynamic_cast<const ReducerStage*>(&other);
        return stage != nullptr && stage->own_ == own_ && stage->skips_nan_ == skips_nan_;
    }

private:
    std::shared_ptr<const FunctionReducer> own_;
    std::unique_ptr<const Reducer> numbers_;
    bool skips_nan_;
};

} // namespace purview
