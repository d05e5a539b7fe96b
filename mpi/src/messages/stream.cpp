#include "messages/stream.hpp"

#include "messages/counted.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1::mpi {
namespace {

index_t bytes_of(const Operand& x) { return x.dims.size() * x.dtype().size_bytes(); }

/// Where elements lie one after the other; null if they do not.
std::byte* contiguous_memory(const Operand& x) {
    const Leaf* const leaf = leaf_of(x);
    const index_t bytes = x.dtype().size_bytes();
    if (leaf == nullptr || leaf->memory().stride_bytes != bytes || !x.dims.is_contiguous())
        return nullptr;
    // What is sent is only read.
    return static_cast<std::byte*>(const_cast<void*>(leaf->memory().data)) + x.dims.base() * bytes;
}

/// Elements [begin, end) along an axis.
Operand along(const Operand& x, std::size_t axis, index_t begin, index_t end) {
    return {x.node, dimensions::select(x.dims, static_cast<index_t>(axis), Range(begin, end))};
}

} // namespace

Stream::Stream(Direction direction, int rank, int tag, std::vector<Operand> elements)
    : direction_(direction), rank_(rank), tag_(tag), left_(std::move(elements)) {
    std::ranges::reverse(left_);
    for (const Operand& x : left_) bytes_ += bytes_of(x);
}

/// Both ranks cut at the same elements: by the shapes of the lists alone.
bool Stream::next_chunk(Chunk& chunk) {
    const index_t most = std::min(kChunkBytes, slice_bytes());
    while (!left_.empty()) {
        Operand next = std::move(left_.back());
        left_.pop_back();
        const index_t bytes = bytes_of(next);
        if (chunk.bytes + bytes <= most ||
            (bytes <= next.dtype().size_bytes() && chunk.bytes == 0)) {
            if (bytes > 0) chunk.parts.push_back(std::move(next));
            chunk.bytes += bytes;
            continue;
        }
        if (chunk.bytes > 0) { // it begins the next chunk
            left_.push_back(std::move(next));
            break;
        }
        const ShapeSpan shape = next.dims.max_shape();
        std::size_t axis = 0;
        while (shape[axis] == 1) ++axis;
        const index_t rows = std::clamp<index_t>(most / (bytes / shape[axis]), 1, shape[axis] - 1);
        left_.push_back(along(next, axis, rows, shape[axis]));
        left_.push_back(along(next, axis, 0, rows));
    }
    return !chunk.parts.empty();
}

std::byte* Stream::packed_bytes(const Slot& slot) noexcept {
    return static_cast<std::byte*>(slot.packed->writable_memory().data);
}

void Stream::begin(Ranks& ranks, Slot& slot) {
    std::byte* place =
        slot.chunk.parts.size() == 1 ? contiguous_memory(slot.chunk.parts[0]) : nullptr;
    if (place == nullptr) {
        // Memory that is kept for reuse: the system would have to clear new pages.
        slot.packed = allocate_uninitialized_buffer<std::uint8_t>(slot.chunk.bytes);
        place = packed_bytes(slot);
        if (direction_ == Direction::send) pack(slot, place);
    }
    const int count = static_cast<int>(slot.chunk.bytes);
    if (direction_ == Direction::send)
        MPI_Isend(place, count, MPI_BYTE, rank_, tag_, ranks.comm(), &slot.request);
    else
        MPI_Irecv(place, count, MPI_BYTE, rank_, tag_, ranks.comm(), &slot.request);
}

void Stream::pack(const Slot& slot, std::byte* to) {
    if (thrown_) return;
    try {
        for (const Operand& part : slot.chunk.parts) {
            read_all(part, to);
            to += bytes_of(part);
        }
    } catch (...) {
        thrown_ = std::current_exception();
    }
}

void Stream::finish(Slot& slot) {
    if (direction_ == Direction::send || slot.packed == nullptr || thrown_) return;
    try {
        for (std::byte* from = packed_bytes(slot); const Operand& part : slot.chunk.parts) {
            purview::assign(Destination(from).elements(part.dtype(), part.dims.max_shape()), part);
            from += bytes_of(part);
        }
    } catch (...) {
        thrown_ = std::current_exception();
    }
}

bool Stream::advance(Ranks& ranks) {
    while (!slots_.empty()) {
        int done = 0;
        MPI_Test(&slots_.front().request, &done, MPI_STATUS_IGNORE);
        if (done == 0) break;
        finish(slots_.front());
        slots_.erase(slots_.begin());
    }
    while (slots_.size() < kUnderWay) {
        Slot slot;
        if (!next_chunk(slot.chunk)) return slots_.empty();
        begin(ranks, slots_.emplace_back(std::move(slot)));
    }
    return false;
}

void Stream::cancel() noexcept {
    for (Slot& slot : slots_) {
        if (slot.request == MPI_REQUEST_NULL) continue;
        if (direction_ == Direction::receive) MPI_Cancel(&slot.request);
        MPI_Request_free(&slot.request);
        (void)new auto(slot.packed); // MPI may still use it
    }
}

} // namespace purview
