#pragma once

#include <purview/expression/elementwise.hpp>
#include <purview/expression/node.hpp>

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

namespace purview::inline v0_1::derivatives {

/// A sum over the steps of a loop, in each of which it is a product of rows, or a row: of which rows, how those are seen
/// in a step, and how many elements the sum has.
struct RowProduct {
    struct Factor {
        std::size_t row; ///< its number among all
        Dimensions view;
        index_t size;
    };
    std::vector<Factor> factors; ///< one or two
    index_t groups;              ///< the rest of the product is added up, too
};

/// What steps add up in derivatives by what does not change, a weight's, which are larger than the rows that they are
/// products of: rows of all steps make them by one product of matrices behind the loop.
class RowProducts {
public:
    /// `given`: what each of so many steps is given of each row; `outputs`: those that it has anyway.
    RowProducts(index_t steps, std::span<const Operand> given, std::span<const Operand> outputs)
        : steps_(steps), rows_(given.begin(), given.end()) {
        rows_.insert(rows_.end(), outputs.begin(), outputs.end());
        first_own_ = rows_.size();
    }

    /// The products that `x`, which each step adds, is the sum of; nothing where the steps are to add it up.
    std::optional<std::vector<RowProduct>> of(const Operand& x);
    /// The outputs that the step needs besides, whole nodes.
    std::span<const Operand> outputs() const { return std::span(rows_).subspan(first_own_); }

private:
    bool add_terms(const Operand& x, std::vector<RowProduct>& terms);
    std::optional<RowProduct> product(const Operand& x);
    std::optional<std::vector<RowProduct::Factor>> factors_of(const Elementwise& operation,
                                                              index_t groups);
    std::optional<RowProduct::Factor> factor(const Operand& x, bool may_add);

    index_t steps_;
    index_t bytes_ = 0;         ///< of rows that are summed up behind the loop, of all steps
    std::vector<Operand> rows_; ///< given, outputs, further outputs
    std::size_t first_own_;
};

/// The sum over all steps, of `shape`: `rows` are those of all of them, in the same order.
Operand sum_of(const std::vector<RowProduct>& products, std::span<const Operand> rows,
               ShapeSpan shape);

} // namespace purview::derivatives
