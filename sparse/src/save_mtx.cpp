// Defines purview/sparse/matrix_market.hpp.

#include <purview/evaluation/evaluate.hpp>
#include <purview/sparse/matrix_market.hpp>
#include <purview/tensor/shape_check.hpp>
#include <purview/tensor/views.hpp>

#include "io/replacement_file.hpp"
#include "mtx_text.hpp"

#include <array>
#include <charconv>
#include <vector>

namespace purview::inline v0_1 {
namespace {

/// Text that is written to a file a mebibyte at a time.
class LineWriter {
public:
    explicit LineWriter(const std::string& path) : file_("save_mtx", path) {
        text_.reserve(kBlockBytes + kMostNumber);
    }

    void write(const std::string& text) { text_.insert(text_.end(), text.begin(), text.end()); }
    template <typename N>
    void write(N number, char behind) {
        std::array<char, kMostNumber> digits;
        const auto written =
            std::to_chars(digits.data(), digits.data() + digits.size() - 1, number);
        *written.ptr = behind;
        text_.insert(text_.end(), digits.data(), written.ptr + 1);
        if (text_.size() >= kBlockBytes) flush();
    }
    void commit() {
        flush();
        file_.commit();
    }

private:
    static constexpr std::size_t kBlockBytes = std::size_t{1} << 20;
    static constexpr std::size_t kMostNumber = 64;

    void flush() {
        file_.write(std::as_bytes(std::span(text_)));
        text_.clear();
    }

    file::ReplacementFile file_;
    std::vector<char> text_;
};

template <typename T>
constexpr MtxField kField = std::is_integral_v<T> ? MtxField::integer : MtxField::decimal;

} // namespace

template <typename T, typename I>
void save_mtx_entries(const std::string& path, const CooMatrix<T, I>& matrix) {
    MtxHeader header;
    header.field = kField<T>;
    header.rows = matrix.rows();
    header.columns = matrix.columns();
    header.entries = matrix.stored();
    const std::span<const I> rows = as_span(matrix.row_indices());
    const std::span<const I> columns = as_span(matrix.column_indices());
    const std::span<const T> values = as_span(matrix.values());
    LineWriter lines(path);
    lines.write(sparse::format_mtx_header(header));
    for (std::size_t k = 0; k < values.size(); ++k) {
        lines.write(index_t{rows[k]} + 1, ' ');
        lines.write(index_t{columns[k]} + 1, ' ');
        lines.write(values[k], '\n');
    }
    lines.commit();
}

template <typename T>
void save_mtx_array(const std::string& path, const Tensor<T>& matrix) {
    check_rank("save_mtx", matrix.rank(), 2);
    MtxHeader header;
    header.layout = MtxLayout::array;
    header.field = kField<T>;
    header.rows = matrix.extent(0);
    header.columns = matrix.extent(1);
    LineWriter lines(path);
    lines.write(sparse::format_mtx_header(header));
    // Column by column, evaluated in blocks.
    const Evaluation evaluation(transpose_operand(matrix.operand(), Shape{1, 0}),
                                Reads::within_one_operation);
    const index_t size = matrix.size();
    std::vector<T> block(static_cast<std::size_t>(std::min<index_t>(size, 1 << 16)));
    for (index_t begin = 0; begin < size; begin += std::ssize(block)) {
        const index_t count = std::min<index_t>(std::ssize(block), size - begin);
        evaluation.read(begin, count, block.data());
        for (index_t k = 0; k < count; ++k) lines.write(block[static_cast<std::size_t>(k)], '\n');
    }
    lines.commit();
}

#define PURVIEW_MAKE_MTX(T) PURVIEW_MTX_SAVES(, T)
PURVIEW_FOR_MTX_VALUES(PURVIEW_MAKE_MTX)
#undef PURVIEW_MAKE_MTX

} // namespace purview
