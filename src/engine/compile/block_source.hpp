#pragma once

#include <purview/base/index.hpp>

#include <cstddef>
#include <memory>
#include <string>

namespace purview::inline v0_1::engine {

/// What one thread needs to read through a `BlockSource`.
class BlockReader {
public:
    BlockReader() = default;
    BlockReader(const BlockReader&) = delete;
    BlockReader& operator=(const BlockReader&) = delete;
    virtual ~BlockReader() = default;

    /// Assigns the elements [begin, begin + count) to constructed elements at `out`. `streaming`:
    /// may write past the caches.
    virtual void read(index_t begin, index_t count, std::byte* out, bool streaming) = 0;

    /// Shares reads with another reader, which reads the same blocks on the same thread and lives as
    /// long: if both read neighbouring elements, one may read them for both.
    virtual void share_with(BlockReader& other) { static_cast<void>(other); }
};

/// A gather or pieces seen through a view: the plan that contains it reads it by blocks of the
/// row-major order, and it evaluates its own operands apart from that plan. Holds no elements;
/// serves several threads. The node has to outlive it.
class BlockSource {
public:
    BlockSource() = default;
    BlockSource(const BlockSource&) = delete;
    BlockSource& operator=(const BlockSource&) = delete;
    virtual ~BlockSource() = default;

    virtual bool is_thread_safe() const noexcept = 0;
    /// What it reads and how, in words: "rows of 64 that lie in one piece".
    virtual std::string describe() const = 0;
    virtual std::unique_ptr<BlockReader> make_reader() const = 0;
    /// Whether it reads single elements, not rows of several, and an index or more for each of them.
    virtual bool reads_indexes_of_elements() const noexcept { return false; }
};

/// Counts one more nested source on this thread for as long as it lives: each nested source takes
/// some kilobytes of stack.
class NestedSource {
public:
    /// Throws a `ShapeError` that names `what` if 100 are nested already.
    explicit NestedSource(const char* what);
    ~NestedSource();
    NestedSource(const NestedSource&) = delete;
    NestedSource& operator=(const NestedSource&) = delete;
};

} // namespace purview::engine
