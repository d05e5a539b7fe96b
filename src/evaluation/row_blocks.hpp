#pragma once

#include <purview/expression/node.hpp>

#include <memory>
#include <span>

namespace purview::inline v0_1 {

/// Where blocks of the first axis of operands of one shape end, so that each may be read after the other: where chunks of
/// all end, as far as blocks of `most` coordinates go, or of `longest` where chunks want it; else anywhere.
PURVIEW_EXPORT Shape row_block_ends(std::span<const Operand> columns, index_t most,
                                    index_t longest);

/// What blocks have of an operand: each by itself, or, where the limit has no room for a row of its chunks, by way of a
/// temporary file, so that each chunk is read once.
class RowBlocks {
public:
    /// Blocks that end there along the first axis; where one is read, chunks may take up to `room`.
    RowBlocks(const char* what, const Operand& column, ShapeSpan ends, index_t room);
    RowBlocks(RowBlocks&&) noexcept;
    ~RowBlocks();

    /// In memory, row-major.
    Operand block(index_t number) const;

private:
    struct Stored;
    const Operand* column_;
    ShapeSpan ends_;
    std::unique_ptr<Stored> stored_;
};

} // namespace purview
