#pragma once

#include <purview/functional/reductions/reduced_view.hpp>

#include "evaluation/left_range.hpp"

#include <span>
#include <utility>
#include <vector>

namespace purview::inline v0_1 {

/// The greatest (`Reduction::maximum`) or least magnitude of each group of floats, which has
/// elements. NaN of a group with NaN.
std::vector<double> extreme_magnitudes(const Operand& x, index_t groups, Reduction reduction);

/// Whether a finite element is so large that its square may overflow, or one but 0 so small that
/// its square may vanish. One pass.
bool has_large(const Operand& x);
bool has_small(const Operand& x);

/// Whether the power p of an element that is finite and not 0 may leave the range of the type, or a
/// sum of them. One or two passes.
bool has_extraordinary(const Operand& x, double p);

/// Divides the elements of a sparse view of floats by the greatest (`Reduction::maximum`) or least
/// magnitude of their group, 1 where that is 0 or not finite, and returns these numbers, sparse too.
/// In time proportional to what is stored.
Operand divide_by_sizes_of_sparse(ReducedView& view, Reduction reduction);

/// `op` of each element of a floating operand and the number of its group. Lazy.
Operand with_numbers_of_groups(Op op, const Operand& x, std::span<const double> numbers);

/// Exponents by group: its elements times 2^-exponent are near 1.
class GroupScales {
public:
    GroupScales() = default;
    /// For groups with `lost[g]`; 0 for others, and where elements are zeros, not finite or of
    /// ordinary size, so that nothing was lost. O(1) if nothing is; else one pass.
    GroupScales(const Operand& x, const std::vector<bool>& lost);
    /// The same of sums of squares.
    template <typename T>
    GroupScales(const Operand& x, std::span<const T> squares) {
        if (squares.empty()) return;
        const double count =
            static_cast<double>(x.dims.size()) / static_cast<double>(squares.size());
        std::vector<bool> lost; // no memory is asked for if nothing is
        for (std::size_t g = 0; g < squares.size(); ++g) {
            if (!left_range(squares[g], count)) continue;
            lost.resize(squares.size());
            lost[g] = true;
        }
        if (!lost.empty()) *this = GroupScales(x, lost);
    }

    /// Whether any exponent is not 0.
    explicit operator bool() const noexcept { return !exponents_.empty(); }
    int operator[](std::size_t group) const noexcept {
        return exponents_.empty() ? 0 : exponents_[group];
    }
    /// The elements near 1, of the operand or another one of its shape and type. Lazy.
    Operand scaled(const Operand& x) const;

private:
    std::vector<int> exponents_;
};

/// The results of scaled groups.
template <typename T>
void take_scaled(const GroupScales& scales, const std::vector<T>& from, std::span<T> to) {
    for (std::size_t g = 0; g < to.size(); ++g)
        if (scales[g] != 0) to[g] = from[g];
}

} // namespace purview
