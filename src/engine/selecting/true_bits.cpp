#include "engine/selecting/true_bits.hpp"
#include "engine/places/buffers.hpp"
#include "engine/places/costs.hpp"

#include <purview/evaluation/evaluate.hpp>
#include <purview/evaluation/selection.hpp>
#include <purview/expression/leaf.hpp>

#include "engine/kernels/table/selection.hpp"
#include "engine/places/cache_sizes.hpp"
#include "engine/places/line_in_memory.hpp"
#include "engine/places/load.hpp"
#include "engine/realise/realised_operand.hpp"
#include "engine/run/plan_threads.hpp"
#include "engine/run/range_fold.hpp"
#include "engine/selecting/decided_mask.hpp"
#include "engine/sparse/selection.hpp"
#include "reader/index_set_state.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace purview::inline v0_1 {
namespace engine {
namespace {

/// Elements that are computed before they are packed: bytes in the first-level cache.
constexpr index_t kBitsPiece = 4096;

} // namespace

bool TrueBits::packs_memory(const Operand& source) {
    return line_in_memory(source, BoolBytes::accepted, Alignment::any) != nullptr;
}

TrueBits::TrueBits(const Operand& source)
    : size_(source.dims.size()),
      buffer_(allocate_uninitialized_buffer<std::uint64_t>((size_ + 63) / 64)),
      words_(data_of(buffer_)),
      starts_(static_cast<std::size_t>((size_ + kChunk - 1) / kChunk) + 1, 0) {
    if (size_ == 0) return;
    const Values values(source);
    const std::shared_ptr<const Plan> plan = plan_for(values, {});
    const std::byte* const bools = line_in_memory(source, BoolBytes::accepted, Alignment::any);
    parallel_for(chunks(), 1, threads_for(*plan, size_), [&](index_t first, index_t last) {
        Runner runner(*plan, values);
        alignas(64) std::array<std::byte, kBitsPiece> piece;
        for (index_t chunk = first; chunk < last; ++chunk) {
            const index_t end = std::min(size_, (chunk + 1) * kChunk);
            index_t count = 0;
            if (bools != nullptr) {
                count = plan->kernels.pack_bools(bools + chunk * kChunk, end - chunk * kChunk,
                                                 words_ + chunk * kChunkWords);
            } else {
                for (index_t at = chunk * kChunk; at < end; at += kBitsPiece) {
                    const index_t length = std::min(kBitsPiece, end - at);
                    runner.run_into(at, length, piece.data());
                    count += plan->kernels.pack_bools(piece.data(), length, words_ + at / 64);
                }
            }
            starts_[static_cast<std::size_t>(chunk) + 1] = count;
        }
    });
    for (std::size_t i = 1; i < starts_.size(); ++i) starts_[i] += starts_[i - 1];
}

void TrueBits::write_positions(index_t* out) const {
    const KernelTable& kernels = engine::kernels();
    const double cost = static_cast<double>(count()) * costs::kWrittenIndex;
    parallel_for(chunks(), 1, worthwhile_threads(cost), [&](index_t first, index_t last) {
        for (index_t chunk = first; chunk < last; ++chunk)
            kernels.expand_bits(words(chunk), word_count(chunk), chunk * kChunk, out + start(chunk),
                                out + start(chunk + 1));
    });
}

} // namespace engine

IndexSet true_set(const Operand& given) {
    const Operand decided = engine::decided_mask(given);
    const engine::RealisedOperand realised("filter", decided);
    const Operand& source = *realised;
    if (is_sparse(source)) return engine::true_set_sparse(source);
    const engine::TrueBits bits(source);
    IndexSetBuilder builder;
    for (index_t chunk = 0; chunk < bits.chunks(); ++chunk)
        builder.add(chunk * engine::TrueBits::kChunk, bits.words(chunk), bits.word_count(chunk),
                    bits.count(chunk));
    return builder.finish();
}

index_t first_true(const Operand& given) {
    const Operand source = engine::decided_mask(given);
    if (is_sparse(source)) return engine::first_true_sparse(source);
    const Evaluation evaluation(source, Reads::within_one_operation);
    bool block[engine::kBitsPiece];
    for (index_t begin = 0, piece = 256; begin < evaluation.size(); begin += piece) {
        piece = std::min({begin == 0 ? 256 : engine::kBitsPiece, evaluation.size() - begin});
        evaluation.read(begin, piece, block);
        const void* const found = std::memchr(block, 1, static_cast<std::size_t>(piece));
        if (found != nullptr) return begin + (static_cast<const bool*>(found) - block);
    }
    return -1;
}

} // namespace purview
