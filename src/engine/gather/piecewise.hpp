#pragma once

#include <purview/dimensions/address_stream.hpp>
#include <purview/expression/piecewise.hpp>

#include "engine/compile/block_source.hpp"
#include "engine/compile/values.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace purview::inline v0_1::engine {

struct AxisAlignedView;
struct Plan;

/// Pieces seen through a view. A view that takes boxes to boxes is composed with the views of the
/// pieces; any other is read by address.
class PiecewiseSource final : public BlockSource {
public:
    PiecewiseSource(const Piecewise& node, const Dimensions& view);
    ~PiecewiseSource() override;

    bool is_thread_safe() const noexcept override;
    std::string describe() const override;
    std::unique_ptr<BlockReader> make_reader() const override;

private:
    friend class PiecewiseReader;

    /// A piece, and the box [begin, end) of `shape_` that it fills.
    struct Part {
        Operand operand;
        Shape begin;
        Shape end;
        const std::byte* memory = nullptr; ///< its elements, if they are contiguous in memory
        std::unique_ptr<const Values> values = nullptr;
        std::shared_ptr<const Plan> plan = nullptr;
    };

    void add_boxes(ShapeSpan shape, const AxisAlignedView& aligned);
    void merge_axes();
    void prepare(Part& part);

    const Piecewise& node_;
    Shape shape_; ///< axes that no box divides are merged with the axis before them
    std::vector<Part> parts_;
    std::optional<dimensions::AddressStream> addresses_; ///< row-major in the node; none: in order
};

} // namespace purview::engine
