#pragma once

#include "messages/ranks.hpp"

#include <purview/expression/node.hpp>
#include <purview/reader/buffer.hpp>

#include <exception>
#include <memory>
#include <vector>

namespace purview::inline v0_1::mpi {

/// Elements of one rank for another, in an order that both know: sent or received in chunks, which are packed where they do not lie
/// contiguously. Few chunks are under way at a time.
class Stream {
public:
    enum class Direction : bool { send, receive };
    /// `elements` are lists of elements in memory; the other rank has as many in each.
    Stream(Direction direction, int rank, int tag, std::vector<Operand> elements);

    index_t bytes() const noexcept { return bytes_; }
    /// Begins what can begin, finishes what has come. True if all is done.
    bool advance(Ranks& ranks);
    /// What reading or writing elements has thrown, if anything: the other rank gets as many bytes all the same.
    const std::exception_ptr& thrown() const noexcept { return thrown_; }
    /// Ends what is under way, as far as MPI can.
    void cancel() noexcept;

private:
    static constexpr index_t kChunkBytes = index_t{1} << 20;
    static constexpr std::size_t kUnderWay = 3;

    /// A box of one of the lists, or several whole lists that are small.
    struct Chunk {
        std::vector<Operand> parts;
        index_t bytes = 0;
    };
    struct Slot {
        MPI_Request request = MPI_REQUEST_NULL;
        Chunk chunk;
        BufferPtr<std::uint8_t> packed; ///< null where the chunk is sent from where it lies
    };

    bool next_chunk(Chunk& chunk);
    static std::byte* packed_bytes(const Slot& slot) noexcept;
    void begin(Ranks& ranks, Slot& slot);
    void pack(const Slot& slot, std::byte* to);
    void finish(Slot& slot);

    Direction direction_;
    int rank_;
    int tag_;
    std::vector<Operand> left_; ///< the last is next
    index_t bytes_ = 0;
    std::vector<Slot> slots_; ///< in the order in which they began
    std::exception_ptr thrown_;
};

} // namespace purview
