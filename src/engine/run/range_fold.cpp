#include "engine/run/range_fold.hpp"

namespace purview::inline v0_1::engine {

RangeFold::RangeFold(const FoldKind& kind, const Operand& source)
    : kind_(kind),
      values_(source),
      plan_(plan_for(values_, {Walk::in_order, nullptr, kind.op, kind.neutral})),
      runner_(*plan_, values_),
      lane_bytes_(std::get<TileStep>(plan_->steps.back()).program.lane_bytes) {}

FoldValue RangeFold::operator()(index_t begin, index_t count) {
    const std::size_t lanes = kind_.lanes(lane_bytes_);
    kind_.reset(runner_.accumulator());
    runner_.run(
        begin, count, kNoLimit, [](index_t, index_t) -> std::byte* { return nullptr; },
        kNothingAfter);
    return kind_.join(runner_.accumulator(), lane_bytes_, lanes);
}

RangeStore::RangeStore(const Operand& source)
    : values_(source), plan_(plan_for(values_, {})), runner_(*plan_, values_) {}

void RangeStore::operator()(index_t begin, index_t count, void* out) {
    runner_.run_into(begin, count, out);
}

} // namespace purview::engine
