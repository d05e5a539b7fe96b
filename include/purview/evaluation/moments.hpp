#pragma once

#include <purview/base/not_finite.hpp>
#include <purview/evaluation/reducer.hpp>

#include <cmath>

namespace purview::inline v0_1 {

/// Statistics of the elements of a part: their sum, and the sums of powers of their differences
/// from the mean. The mean and these sums are those of elements divided by 2^exponent, which is 0
/// unless squares would leave the range of float64.
struct PartMoments {
    double count = 0;
    double mean = 0;      ///< 0 for an empty part
    double mean_rest = 0; ///< what is lost in rounding the mean
    double squares = 0;   ///< the sum of (x - mean)²
    double exponent = 0;
    double sum = 0; ///< of elements as they are
    double cubes = 0;
    double fourths = 0;
    double least = kInfiniteNumber<double>; ///< NaN if any element is NaN
    double greatest = -kInfiniteNumber<double>;

    /// A number that is a power of the elements, in their units.
    double in_units(double x, int power) const noexcept {
        return exponent == 0 ? x : std::ldexp(x, power * static_cast<int>(exponent));
    }
};

/// Which members of `PartMoments` to compute: the sums of powers up to `power`, and with `extremes`
/// the least and the greatest. Other members may be left out.
struct MomentsWanted {
    int power = 4;
    bool extremes = true;
    bool skips_nan = false; ///< of the elements that are not NaN

    bool operator==(const MomentsWanted&) const = default;
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

/// A number made of the moments of elements of any built-in type: float32 or float64. States have six
/// numbers for powers up to 2, else ten.
class PURVIEW_EXPORT MomentsReducer final : public Reducer {
public:
    using Number = double (*)(const PartMoments& part);
    MomentsReducer(const char* name, DType result, const MomentsWanted& wanted,
                   Number number) noexcept;

    void clear(std::byte* states, index_t count) const override;
    void fold(const FoldedPart& part, std::byte* states) const override;
    void join(std::byte* left, const std::byte* right, index_t count) const override;
    void finish(const std::byte* states, index_t count, index_t elements, void* out) const override;
    bool reads_elsewhere() const noexcept override { return true; }
    bool has_states_of(const Reducer& other) const noexcept override;

    PartMoments moments_at(const std::byte* states, index_t i) const noexcept;

private:
    void put(std::byte* states, index_t i, const PartMoments& part) const noexcept;

    MomentsWanted wanted_;
    Number number_;
};

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

/// The sums of the products of the differences of two rows from their means, of float64 rows of an expression over
/// arrays of chunks: `[k, n]` → `[k, k]`, row-major. Slabs of columns are read one after the other, and summed in blocks
/// whose size depends on k alone; these are joined in their order, as Pébay's formulae say.
PURVIEW_EXPORT void products_of_rows(const Operand& rows, double* products);

} // namespace purview
