#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace purview::inline v0_1 {

/// The reductions that the engine has for the built-in types.
enum class Reduction : std::uint8_t { sum, product, minimum, maximum, any_of, all_of };

/// The name of a reduction as it is printed: "sum".
PURVIEW_EXPORT std::string_view name_of(Reduction reduction) noexcept;

/// A reduction in a traced computation. Its operand has the reduced axes last and is reduced in
/// `groups` equal parts of its row-major order, each to one element of the result. Its address
/// space is the result's shape, row-major.
class PURVIEW_EXPORT Reduce final : public Node {
public:
    static constexpr NodeKind kKind = NodeKind::reduce;
    Reduce(Reduction reduction, Operand operand, index_t groups)
        : Node(kKind, operand.dtype(), Kind::computed, Below::symbol),
          reduction_(reduction),
          operand_(std::move(operand)),
          groups_(groups) {}

    Reduction reduction() const noexcept { return reduction_; }
    const Operand& operand() const noexcept { return operand_; }
    index_t groups() const noexcept { return groups_; }

    void read(const Dimensions& view, index_t begin, index_t count, void* out) const final;

private:
    Reduction reduction_;
    Operand operand_;
    index_t groups_;
};

/// A reduction as an operand of `shape`, which has `groups` elements. Lazy: computed when the
/// computation is called.
PURVIEW_EXPORT Operand reduce_operand(Reduction reduction, Operand x, index_t groups,
                                      ShapeSpan shape);

} // namespace purview
