#include <purview/expression/leaf.hpp>

#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/run/lane_pieces.hpp"

#include <cstring>

namespace purview::inline v0_1::engine {

PieceReader::PieceReader(const Operand& source, index_t most)
    : source_(source), most_(most), bytes_(source.dtype().size_bytes()) {
    if (source.dims.size() > 0)
        memory_ = line_in_memory(source, BoolBytes::rejected, Alignment::any);
}

const std::byte* PieceReader::operator()(index_t begin, index_t count) {
    constexpr auto kSlack = static_cast<index_t>(kLaneSlackBytes);
    if (memory_ != nullptr && (source_.dims.size() - begin - count) * bytes_ >= kSlack)
        return memory_ + begin * bytes_;
    if (!block_) block_.emplace(source_.dtype(), with_slack(source_.dtype(), most_));
    if (!compute_) compute_.emplace(source_);
    (*compute_)(begin, count, block_->data());
    // Kernels compute whole vectors: the slack is zeroed, as other bytes might raise floating-point
    // exceptions.
    std::memset(block_->at(count), 0, kLaneSlackBytes);
    return block_->at(0);
}

PieceWriter::PieceWriter(index_t whole_bytes) : streaming_(whole_bytes >= kStreamedBytes) {}

PieceWriter::~PieceWriter() {
    if (streaming_) kernels().finish_streams();
}

void PieceWriter::operator()(const void* piece, std::byte* out, index_t bytes) {
    if (streaming_)
        kernels().copy_streaming(piece, out, static_cast<std::size_t>(bytes));
    else
        std::memcpy(out, piece, static_cast<std::size_t>(bytes));
}

int lane_threads(const Operand& source, double cost) {
    return may_use_threads(cost) && RangeStore(source).plan().thread_safe ? worthwhile_threads(cost)
                                                                          : 1;
}

index_t with_slack(DType dtype, index_t count) noexcept {
    return count + static_cast<index_t>(kLaneSlackBytes) / dtype.size_bytes();
}

} // namespace purview::engine
