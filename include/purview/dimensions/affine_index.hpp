#pragma once

#include <purview/dimensions/dim.hpp>

namespace purview::inline v0_1 {

/// A sum of multiples of dimensions and a number, `2·i + k - 1`: what arithmetic on Dims gives.
/// Used as an index it makes a view; elsewhere it is the tensor of its values, over its dims. Its
/// dims need no size before it is used.
class PURVIEW_EXPORT AffineIndex {
public:
    using value_type = index_t;
    using HandleKind = DimKind;

    struct Term {
        Dim dim;
        index_t coefficient;
    };
    using Terms = InlineVector<Term, 2>;

    AffineIndex(const Dim& dim) { terms_.push_back({dim, 1}); }
    explicit AffineIndex(index_t constant) : constant_(constant) {}

    /// In the order in which the dims first occurred; a coefficient may be 0.
    std::span<const Term> terms() const noexcept { return {terms_.data(), terms_.size()}; }
    index_t constant() const noexcept { return constant_; }
    DimVector dims() const;

    /// The interval [lowest, highest] that contains all values; `lowest > highest` if there are
    /// none. Throws `DimError` for a Dim without a size, `ShapeError` on overflow.
    struct Bounds {
        index_t lowest;
        index_t highest;
    };
    Bounds bounds() const;

    /// `x + factor·y`, `factor·x`. Throw `ShapeError` on overflow.
    static AffineIndex sum(AffineIndex x, const AffineIndex& y, index_t factor);
    static AffineIndex scaled(AffineIndex x, index_t factor);

private:
    Terms terms_;
    index_t constant_ = 0;
};

/// A Dim, or arithmetic on Dims.
template <typename X>
concept IndexExpression = std::same_as<X, Dim> || std::same_as<X, AffineIndex>;

/// `2*i + k - 1`, as it is written.
PURVIEW_EXPORT std::string to_string(const AffineIndex& index);

} // namespace purview
