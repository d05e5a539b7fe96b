#pragma once

#include <purview/expression/node.hpp>
#include <purview/reader/reader.hpp>

#include <memory>

namespace purview::inline v0_1::engine {

/// How a sum of products sums its own parts: in whatever way is best for each, which the entrance
/// knows.
struct PartSums {
    /// Each of `groups` equal parts of an operand to an element of `out`.
    void (*into)(const Operand& source, index_t groups, void* out);
    /// The same of a sparse operand, as a sparse buffer.
    std::shared_ptr<AnyReader> (*sparse)(const Operand& source, index_t groups);

    /// The same as a leaf, sparse or of new memory as the operand is.
    NodePtr made(const Operand& source, index_t groups) const;
};

} // namespace purview::engine
