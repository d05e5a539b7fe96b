#pragma once

#include "reader/temporary_memory.hpp"

#include <purview/expression/node.hpp>

#include <memory>
#include <vector>

namespace purview::inline v0_1 {

/// States of chunks that are more than the memory limit: they lie in temporary files, whose pages are memory.
class LargeStates {
public:
    /// Whether an operand is read in chunks, and has more bytes than the limit.
    static bool is_large(const Operand& operand);

    /// Zeros in a file, as an operand in row-major order.
    Operand place(const char* what, DType dtype, ShapeSpan shape);
    /// The elements of an operand in a file, read some rows at a time.
    Operand copy(const char* what, const Operand& operand);

    bool empty() const noexcept { return files_.empty(); }
    /// Bytes of them that may be in memory; 0: there are none.
    index_t in_memory() const;
    /// These rows of all of them are not touched for some time.
    void rest(index_t first, index_t last) const;

private:
    struct File {
        std::shared_ptr<const TemporaryMemory> memory;
        index_t row_bytes;
    };
    std::vector<File> files_;
};

} // namespace purview
