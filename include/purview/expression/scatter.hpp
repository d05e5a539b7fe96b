#pragma once

#include <purview/expression/gather.hpp>

#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// Where the elements of a scatter are added: `axes` say, as those of a gather, at which coordinates
/// of `into`, whose addresses are those of the result.
struct ScatterPlace {
    GatherAxes axes;
    Dimensions into;
    index_t size = 0; ///< elements of the result; the addresses of `into` are in [0, size)

    friend bool operator==(const ScatterPlace&, const ScatterPlace&) = default;
};

/// In a traced computation, the opposite of a gather, or of a view that may read an element several
/// times: zeros, to which each element of the values is added at the place that a gather of that
/// shape would read. Its address space is `size` elements.
class PURVIEW_EXPORT Scatter final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::scatter;
    /// `operands` are the values, then the indexes, which are int64, all of one shape.
    Scatter(std::vector<Operand> operands, ScatterPlace place)
        : Node(kKind, operands[0].dtype(), Kind::computed, Below::symbol),
          operands_(std::move(operands)),
          place_(std::move(place)) {}

    std::span<const Operand> operands() const noexcept { return operands_; }
    const ScatterPlace& place() const noexcept { return place_; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    std::vector<Operand> operands_;
    ScatterPlace place_;
};

/// A scatter as an operand of one axis of `place.size` elements. `indexes` have the shape of the
/// values. Elements with one address are added in the row-major order of the values. Lazy: computed
/// when the computation is called, which throws `IndexError` as gathers do.
PURVIEW_EXPORT Operand scatter_operand(Operand values, std::span<const Operand> indexes,
                                       ScatterPlace place);

} // namespace purview
