#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/expression/node.hpp>

#include <limits>

namespace purview::inline v0_1 {

/// Statistics of the elements of a part: their sum, and the sums of powers of their differences
/// from the mean.
struct PartMoments {
    double count = 0;
    double sum = 0;
    double mean = 0;    ///< 0 for an empty part
    double squares = 0; ///< the sum of (x - mean)²
    double cubes = 0;
    double fourths = 0;
    double least = kInfiniteNumber<double>; ///< NaN if any element is NaN
    double greatest = -kInfiniteNumber<double>;
};

/// Which members of `PartMoments` to compute: the sums of powers up to `power`, and with `extremes`
/// the least and the greatest. Other members may be left out.
struct MomentsWanted {
    int power = 4;
    bool extremes = true;
};

/// The moments of each of `groups` equal parts of the global order of a float64 source. NaN and
/// infinities give NaN. Memory is read once if the elements of a part are contiguous.
///
/// Each chunk of 4096 elements is summed twice: the second sum is of the differences from the first
/// sum's mean, and corrects the rounding of the first. Chunks are joined pairwise by Pébay's
/// formulae ("Formulas for robust, one-pass parallel computation of covariances and arbitrary-order
/// statistical moments", 2008), with means in twice the precision. The result is the same on every
/// machine and for any number of threads.
PURVIEW_EXPORT void moments(const Operand& source, index_t groups, const MomentsWanted& wanted,
                            PartMoments* out);

/// Joint statistics of the elements of two sources.
struct PairMoments {
    double count = 0;
    double mean_x = 0;
    double mean_y = 0;
    double squares_x = 0; ///< the sum of (x - mean_x)²
    double squares_y = 0;
    double products = 0; ///< the sum of (x - mean_x)(y - mean_y)
};

/// The moments of the pairs of elements of two float64 sources of equal size, paired in their
/// global orders, for each of `groups` equal parts. A source whose parts are not contiguous is
/// copied.
PURVIEW_EXPORT void pair_moments(const Operand& x, const Operand& y, index_t groups,
                                 PairMoments* out);

} // namespace purview
