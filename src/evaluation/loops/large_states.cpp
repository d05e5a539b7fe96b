#include "evaluation/loops/large_states.hpp"

#include "evaluation/row_blocks.hpp"

#include <purview/dimensions/select.hpp>
#include <purview/dtype/visit.hpp>
#include <purview/evaluation/chunk_memory.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/expression/leaf.hpp>
#include <purview/reader/allocation.hpp>
#include <purview/reader/buffer.hpp>

#include <algorithm>
#include <utility>

namespace purview::inline v0_1 {

bool LargeStates::is_large(const Operand& operand) {
    return operand.node->reads(Below::blocks) && operand.dtype().is_builtin() &&
           operand.dims.rank() > 0 &&
           operand.dims.size() > memory_limit() / operand.dtype().size_bytes();
}

Operand LargeStates::place(const char* what, DType dtype, ShapeSpan shape) {
    Dimensions dims = Dimensions::row_major(shape);
    const index_t bytes = checked_bytes(dims.size(), dtype.size_bytes(), what);
    const auto memory = std::make_shared<const TemporaryMemory>(what, bytes);
    files_.push_back({memory, bytes / std::max<index_t>(shape[0], 1)});
    return visit_dtype(dtype, what, [&]<typename T>(std::type_identity<T>) {
        const auto buffer = std::make_shared<Buffer<T>>(reinterpret_cast<T*>(memory->data()),
                                                        dims.size(), index_t{sizeof(T)}, memory);
        return Operand{make_node<Leaf>(buffer, *buffer), std::move(dims)};
    });
}

Operand LargeStates::copy(const char* what, const Operand& operand) {
    Operand all = place(what, operand.dtype(), operand.dims.max_shape());
    const File& file = files_.back();
    const index_t row_bytes = std::max<index_t>(file.row_bytes, 1);
    const index_t most = std::max<index_t>(memory_limit() / 4 / row_bytes, 1);
    index_t begin = 0;
    for (const index_t end : row_block_ends({&operand, 1}, most, most)) {
        const Range rows(begin, end);
        assign({operand.node, dimensions::select(operand.dims, 0, rows)},
               {all.node, dimensions::select(all.dims, 0, rows)});
        file.memory->rest(begin * row_bytes, (end - begin) * row_bytes);
        begin = end;
    }
    return all;
}

index_t LargeStates::in_memory() const {
    return empty() ? 0 : std::max<index_t>(memory_limit() / 2, 1);
}

void LargeStates::rest(index_t first, index_t last) const {
    for (const File& file : files_)
        file.memory->rest(first * file.row_bytes, (last - first) * file.row_bytes);
}

} // namespace purview
