#include <purview/evaluation/destination.hpp>
#include <purview/evaluation/evaluate.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/io/save_npy.hpp>
#include <purview/tensor/views.hpp>

#include "dtype/element_block.hpp"
#include "io/replacement_file.hpp"

#include <algorithm>

namespace purview::inline v0_1 {
namespace {

constexpr index_t kBlockBytes = index_t{1} << 20;

/// Writes the elements in row-major order.
void write_elements(file::ReplacementFile& file, const AnyTensor& tensor) {
    const index_t size = tensor.size();
    const index_t element_bytes = tensor.dtype().size_bytes();
    if (size == 0) return;
    // Foreign memory may hold bools other than 0 and 1; evaluation normalises them.
    if (tensor.is_contiguous() && leaf_of(tensor.operand())->memory() &&
        tensor.dtype() != boolean) {
        const auto* const memory =
            static_cast<const std::byte*>(leaf_of(tensor.operand())->memory().data);
        file.write({memory + tensor.dimensions().base() * element_bytes,
                    static_cast<std::size_t>(size * element_bytes)});
        return;
    }
    const Evaluation evaluation(tensor.operand(), Reads::within_one_operation);
    const index_t block_size = std::min(size, kBlockBytes / element_bytes);
    ElementBlock block(tensor.dtype(), block_size);
    for (index_t begin = 0; begin < size; begin += block_size) {
        const index_t count = std::min(block_size, size - begin);
        evaluation.read(begin, count, block.data());
        file.write({block.at(0), static_cast<std::size_t>(count * element_bytes)});
    }
}

} // namespace

void save_npy_tensor(const std::string& path, const AnyTensor& tensor) {
    require_host_reads("save_npy", tensor.operand());
    // As in NumPy, a tensor whose first axis is the fastest in memory is saved in that order.
    const AnyTensor transposed = transpose(tensor);
    const bool column_major = !tensor.is_contiguous() && transposed.is_contiguous();
    const std::string header = format_npy_header(
        {.dtype = tensor.dtype(), .column_major = column_major, .shape = tensor.shape()});

    file::ReplacementFile file("save_npy", path);
    file.write(std::as_bytes(std::span(header)));
    write_elements(file, column_major ? transposed : tensor);
    file.commit();
}

} // namespace purview
