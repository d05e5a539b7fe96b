#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/expression/node.hpp>

#include <limits>

namespace purview {

/// What the elements of a part add up to: their sum, and the sums of the powers of their differences from the mean.
struct PartMoments {
    double count = 0;
    double sum = 0;
    double mean = 0;    ///< 0 of nothing
    double squares = 0; ///< the sum of (x - mean)²
    double cubes = 0;
    double fourths = 0;
    double least = kInfiniteNumber<double>; ///< NaN if any element is
    double greatest = -kInfiniteNumber<double>;
};

/// Which of them are asked for: powers up to this one, and the least and greatest. Others may be left out.
struct MomentsWanted {
    int power = 4;
    bool extremes = true;
};

/// The moments of each of `groups` equal parts of the global order, of float64. NaN and infinities give NaN. Memory is
/// read once where a part lies side by side.
///
/// Each chunk of 4096 elements is summed twice, the second time about its mean, which leaves the first
/// sum to correct the rounding of that; chunks are joined pairwise by Pébay's formulae ("Formulas for robust, one-pass
/// parallel computation of covariances and arbitrary-order statistical moments", 2008), with means of twice the
/// precision. The same on every machine and for any number of threads.
PURVIEW_EXPORT void moments(const Operand& source, index_t groups, const MomentsWanted& wanted,
                            PartMoments* out);

/// What two sources add up to together.
struct PairMoments {
    double count = 0;
    double mean_x = 0;
    double mean_y = 0;
    double squares_x = 0; ///< the sum of (x - mean_x)²
    double squares_y = 0;
    double products = 0; ///< the sum of (x - mean_x)(y - mean_y)
};

/// The same of pairs of elements of two sources of float64 and of equal size, in their global orders. A source whose parts do
/// not lie side by side is copied.
PURVIEW_EXPORT void pair_moments(const Operand& x, const Operand& y, index_t groups,
                                 PairMoments* out);

} // namespace purview
