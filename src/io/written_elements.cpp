#include "io/written_elements.hpp"

#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>

#include "dtype/element_block.hpp"
#include "reader/byte_swapped.hpp"

#include <algorithm>
#include <cstddef>

namespace purview::inline v0_1::file {
namespace {

constexpr index_t kBlockBytes = index_t{1} << 20;

} // namespace

void write_elements(ReplacementFile& file, const AnyTensor& tensor, std::endian order) {
    const index_t size = tensor.size();
    const index_t element_bytes = tensor.dtype().size_bytes();
    if (size == 0) return;
    // Foreign memory may hold bools other than 0 and 1; evaluation normalises them.
    if (tensor.is_contiguous() && leaf_of(tensor.operand())->memory() &&
        tensor.dtype() != boolean && order == std::endian::native) {
        const auto* const memory =
            static_cast<const std::byte*>(leaf_of(tensor.operand())->memory().data);
        file.write({memory + tensor.dimensions().base() * element_bytes,
                    static_cast<std::size_t>(size * element_bytes)});
        return;
    }
    const Evaluation evaluation(tensor.operand(), Reads::within_one_operation);
    const index_t block_size = std::min(size, kBlockBytes / element_bytes);
    const index_t width = swapped_width(tensor.dtype());
    ElementBlock block(tensor.dtype(), block_size);
    for (index_t begin = 0; begin < size; begin += block_size) {
        const index_t count = std::min(block_size, size - begin);
        const index_t bytes = count * element_bytes;
        evaluation.read(begin, count, block.data());
        if (order != std::endian::native) swap_bytes(block.at(0), bytes / width, width);
        file.write({block.at(0), static_cast<std::size_t>(bytes)});
    }
}

} // namespace purview::file
