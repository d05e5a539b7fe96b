#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/piecewise.hpp>

#include "dtype/element_block.hpp"
#include "engine/compile/block_source.hpp"
#include "engine/compile/values.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::engine {

struct Plan;
class Runner;

/// Pieces seen through a view: a view that keeps boxes boxes goes on to the pieces, any other is read by address.
class PiecewiseSource final : public BlockSource {
public:
    PiecewiseSource(const Piecewise& node, const Dimensions& view);
    ~PiecewiseSource() override;

    bool is_thread_safe() const noexcept override;
    std::string describe() const override;
    std::unique_ptr<BlockReader> make_reader() const override;

private:
    friend class PiecewiseReader;

    /// A piece, in its box of `shape_`.
    struct Part {
        Operand operand;
        Shape begin;
        Shape end;
        const std::byte* memory =
            nullptr; ///< where its elements lie one after the other, if they do
        std::unique_ptr<const Values> values = nullptr;
        std::shared_ptr<const Plan> plan = nullptr;
    };

    void add_boxes(const Dimensions& view);
    void merge_axes();
    void prepare(Part& part);

    const Piecewise& node_;
    Shape shape_; ///< axes that no box divides are one with the axis in front of them
    std::vector<Part> parts_;
    std::optional<dimensions::AddressStream> addresses_; ///< row-major, of the node; none: in order
};

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
            0; ///< coordinate on the axis before the innermost, from which others follow
    };

    void read_in_order(index_t begin, index_t count, std::byte* out);
    void read_at_step(index_t address, index_t step, index_t count, std::byte* out);
    void read_part(std::size_t part, index_t begin, index_t count, std::byte* out);
    /// A block in which pieces alternate: what each of them has in it is read at once, and dealt out.
    void deal(index_t begin, index_t count, std::byte* out);
    void deal_rows(index_t begin, index_t count, std::byte* out);
    void find_row(ShapeSpan coordinates);
    void copy(const std::byte* from, index_t count, std::byte* out) const;

    /// Elements of a part before row-major place `place`.
    index_t elements_before(const Part& part, index_t place) const;
    Shape coordinates_of(index_t place) const;

    const PiecewiseSource& source_;
    DType dtype_;
    index_t size_; ///< of an element
    index_t word_; ///< the same, if it can be moved by its bytes; else 0
    std::vector<std::unique_ptr<Runner>> runners_;
    std::vector<std::unique_ptr<ElementBlock>> blocks_; ///< of parts
    std::vector<const std::byte*> cursors_;             ///< the next element of each part
    std::unique_ptr<ElementBlock> picked_;              ///< what is read to pick elements from
    Row row_;
};

} // namespace purview::engine
