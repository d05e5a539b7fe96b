#pragma once

#include <purview/expression/node.hpp>

#include <cstdint>
#include <string_view>
#include <utility>

namespace purview {

/// Folds that the engine knows for the built-in types.
enum class Reduction : std::uint8_t { sum, product, minimum, maximum, any_of, all_of };

/// The name of a reduction as it is printed: "sum".
PURVIEW_EXPORT std::string_view name_of(Reduction reduction) noexcept;

/// A fold of symbols. Its operand has the reduced axes last, and is folded in `groups` equal parts of the
/// row-major order, one for each element of the result. Its address space is the result's shape, row-major.
class PURVIEW_EXPORT Reduce final : public Node {
public:
    Reduce(Reduction reduction, Operand operand, index_t groups)
        : Node(NodeKind::reduce, operand.dtype()),
          reduction_(reduction),
          operand_(std::move(operand)),
          groups_(groups) {}

    Reduction reduction() const noexcept { return reduction_; }
    const Operand& operand() const noexcept { return operand_; }
    index_t groups() const noexcept { return groups_; }

private:
    Reduction reduction_;
    Operand operand_;
    index_t groups_;
};

/// A fold as an operand of a shape of `groups` elements. Lazy: nothing is folded before a call.
PURVIEW_EXPORT Operand reduce_operand(Reduction reduction, Operand x, index_t groups,
                                      ShapeSpan shape);

} // namespace purview
