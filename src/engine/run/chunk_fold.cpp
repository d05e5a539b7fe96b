#include "engine/run/chunk_fold.hpp"

namespace purview::inline v0_1::engine {

ChunkFold::ChunkFold(const FoldKind& kind, const Operand& source)
    : kind_(kind),
      values_(source),
      plan_(plan_for(values_, {Walk::in_order, nullptr, kind.op, kind.neutral})),
      runner_(*plan_, values_),
      lane_bytes_(std::get<TileStep>(plan_->steps.back()).program.lane_bytes) {}

FoldValue ChunkFold::operator()(index_t begin, index_t count) {
    const std::size_t lanes = kind_.lanes(lane_bytes_);
    kind_.reset(runner_.accumulator());
    runner_.run(
        begin, count, kNoLimit, [](index_t, index_t) -> std::byte* { return nullptr; },
        kNothingAfter);
    return kind_.join(runner_.accumulator(), lane_bytes_, lanes);
}

ChunkStore::ChunkStore(const Operand& source)
    : values_(source), plan_(plan_for(values_, {})), runner_(*plan_, values_) {}

void ChunkStore::operator()(index_t begin, index_t count, void* out) {
    runner_.run_into(begin, count, out);
}

} // namespace purview::engine
