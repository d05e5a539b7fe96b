#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace purview::engine {

/// What one thread needs to read through a `BlockSource`.
class BlockReader {
public:
    BlockReader() = default;
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;
    virtual ~BlockReader() = default;

    /// Assigns the elements [begin, begin + count) to constructed elements at `out`. `streaming`: may write past
    /// the caches.
    virtual void read(index_t begin, index_t count, std::byte* out, bool streaming) = 0;
};

/// A node that evaluates what it reads on its own, a gather or pieces, seen through a view: what a plan reads by
/// blocks of the row-major order. Holds no elements; serves several threads. The node has to outlive it.
class BlockSource {
public:
    BlockSource() = default;
    BlockSource(const BlockSource&) = delete;
    BlockSource& operator=(const BlockSource&) = delete;
    virtual ~BlockSource() = default;

    virtual bool is_thread_safe() const noexcept = 0;
    /// "rows of 64 that lie in one piece"
    virtual std::string describe() const = 0;
    virtual std::unique_ptr<BlockReader> make_reader() const = 0;
    /// Whether what it reads at are indexes of elements, not of rows.
    virtual bool follows_elements() const noexcept { return false; }
};

/// One more source below others, for as long as it lives: each takes some kilobytes of stack.
class NestedSource {
public:
    /// Throws `ShapeError` naming `what` beyond 100.
    explicit NestedSource(const char* what);
    ~NestedSource();
    NestedSource(const NestedSource&) = delete;
    NestedSource& operator=(const NestedSource&) = delete;
};

} // namespace purview::engine
