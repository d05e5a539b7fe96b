#include <purview/evaluation/evaluate.hpp>
#include <purview/io/npy_header.hpp>
#include <purview/io/save_npy.hpp>
#include <purview/tensor/views.hpp>

#include "io/replacement_file.hpp"
#include "io/written_elements.hpp"

#include <span>

namespace purview::inline v0_1 {

void save_npy_tensor(const std::string& path, const AnyTensor& tensor) {
    require_host_reads("save_npy", tensor.operand());
    // As in NumPy, a tensor whose first axis is the fastest in memory is saved in that order.
    const AnyTensor transposed = transpose(tensor);
    const bool column_major = !tensor.is_contiguous() && transposed.is_contiguous();
    const std::string header = format_npy_header(
        {.dtype = tensor.dtype(), .column_major = column_major, .shape = tensor.shape()});

    file::ReplacementFile file("save_npy", path);
    file.write(std::as_bytes(std::span(header)));
    file::write_elements(file, column_major ? transposed : tensor);
    file.commit();
}

} // namespace purview
