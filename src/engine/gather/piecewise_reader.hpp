#pragma once

#include "dtype/element_block.hpp"
#include "engine/gather/piecewise.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace purview::inline v0_1::engine {

class Runner;

/// Reads pieces in row-major order.
class PiecewiseReader final : public BlockReader {
public:
    explicit PiecewiseReader(const PiecewiseSource& source);
    ~PiecewiseReader() override;

    void read(index_t begin, index_t count, std::byte* out, bool streaming) override;

private:
    using Part = PiecewiseSource::Part;

    /// The parts of a row, in its order.
    struct Row {
        std::vector<std::size_t> parts;
        index_t same_until =
            0; ///< the coordinate of the last axis but one at which other parts follow
    };

    void read_in_order(index_t begin, index_t count, std::byte* out);
    void read_at_step(index_t address, index_t step, index_t count, std::byte* out);
    void read_part(std::size_t part, index_t begin, index_t count, std::byte* out);
    /// Reads a block in which pieces alternate: the elements of each piece in it are read at once,
    /// and then copied to their places.
    void read_alternating(index_t begin, index_t count, std::byte* out);
    void interleave_rows(index_t begin, index_t count, std::byte* out);
    /// Rows of the same parts, of words.
    void interleave_whole_rows(index_t rows, std::byte* out);
    void transpose_parts(index_t rows, std::byte* out);
    void find_row(ShapeSpan coordinates);
    void copy(const std::byte* from, index_t count, std::byte* out) const;

    /// The number of elements of a part before the row-major index `place`.
    index_t elements_before(const Part& part, index_t place) const;
    Shape coordinates_of(index_t place) const;

    const PiecewiseSource& source_;
    DType dtype_;
    index_t size_;  ///< of an element
    index_t word_;  ///< the same for words, which are copied as bytes; else 0
    index_t block_; ///< elements that are put together at a time where pieces alternate
    std::vector<std::unique_ptr<Runner>> runners_;
    std::vector<std::unique_ptr<ElementBlock>> blocks_; ///< of parts
    std::vector<const std::byte*> cursors_;             ///< the next element of each part
    std::unique_ptr<ElementBlock> planes_;              ///< parts copied side by side
    std::unique_ptr<ElementBlock> picked_; ///< a block from which elements are picked at a step
    Row row_;
};

} // namespace purview::engine
