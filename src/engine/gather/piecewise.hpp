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

struct Plan;

/// A piece in the box [begin, end) of a view of all.
struct SeenPiece {
    Operand operand;
    Shape begin;
    Shape end;
};

/// The pieces that a view shows, if it takes boxes to boxes; null for others.
std::optional<std::vector<SeenPiece>> pieces_seen(const Piecewise& node, const Dimensions& view);

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

    /// The box is of `shape_`.
    struct Part : SeenPiece {
        const std::byte* memory = nullptr; ///< its elements, if they are contiguous in memory
        std::unique_ptr<const Values> values = nullptr;
        std::shared_ptr<const Plan> plan = nullptr;
    };

    void merge_axes();
    void prepare(Part& part);

    NodePtr kept_; ///< the node, which may be made for this source
    const Piecewise& node_;
    Shape shape_; ///< axes that no box divides are merged with the axis before them
    std::vector<Part> parts_;
    std::optional<dimensions::AddressStream> addresses_; ///< row-major in the node; none: in order
};

} // namespace purview::engine
