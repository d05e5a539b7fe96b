// Defines member.hpp.
// The exponential.
#include "member.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace {

/// Coefficients of Padé's approximation of degree 13 (Higham 2005), and the norm up to which it is exact to double
/// precision.
constexpr double kCoefficients[] = {64764752532480000.,
                                    32382376266240000.,
                                    7771770303897600.,
                                    1187353796428800.,
                                    129060195264000.,
                                    10559470521600.,
                                    670442572800.,
                                    33522128640.,
                                    1323241920.,
                                    40840800.,
                                    960960.,
                                    16380.,
                                    182.,
                                    1.};
constexpr double kLargestNorm = 5.371920351148152;

template <typename T>
using Matrix = std::vector<T>;

template <typename T>
class Squares {
public:
    Squares(std::size_t n, const Lapack<T>& library) : n_(n), library_(library) {}

    /// x y of rows is y x of columns.
    Matrix<T> product(const Matrix<T>& x, const Matrix<T>& y) const {
        Matrix<T> result(n_ * n_);
        const Int n = static_cast<Int>(n_);
        const T one(1), zero(0);
        library_.gemm("N", "N", &n, &n, &n, &one, y.data(), &n, x.data(), &n, &zero, result.data(),
                      &n, 1, 1);
        return result;
    }
    /// The sum of matrices times coefficients; `diagonal` times the identity.
    Matrix<T> combined(std::initializer_list<std::pair<const Matrix<T>*, double>> parts,
                       double diagonal = 0) const {
        Matrix<T> result(n_ * n_);
        for (const auto& [matrix, factor] : parts)
            for (std::size_t i = 0; i < n_ * n_; ++i)
                result[i] += static_cast<Real<T>>(factor) * (*matrix)[i];
        for (std::size_t i = 0; i < n_; ++i) result[i * n_ + i] += static_cast<Real<T>>(diagonal);
        return result;
    }

private:
    std::size_t n_;
    const Lapack<T>& library_;
};

/// The largest sum of absolute values of a column; NaN where one is.
template <typename T>
Real<T> one_norm(const T* a, std::size_t n) {
    Real<T> norm = 0;
    for (std::size_t j = 0; j < n; ++j) {
        Real<T> sum = 0;
        for (std::size_t i = 0; i < n; ++i) sum += std::abs(a[i * n + j]);
        norm = sum > norm || std::isnan(sum) ? sum : norm;
    }
    return norm;
}
/// The norm of the power `count` of |a| times 2 to an exponent.
template <typename T>
double one_norm_of_power(const Matrix<T>& a, std::size_t n, int count, int exponent) {
    std::vector<double> sums(n, 1), next(n); // of columns
    for (int k = 0; k < count; ++k) {
        std::ranges::fill(next, 0);
        for (std::size_t i = 0; i < n; ++i)
            for (std::size_t j = 0; j < n; ++j)
                next[j] += sums[i] * std::ldexp(double(std::abs(a[i * n + j])), exponent);
        sums.swap(next);
    }
    return std::ranges::max(sums);
}
/// How often `a`, of at most `kLargestNorm`, may be doubled before it is approximated: powers that are small beside those of the
/// norm allow more than the norm does (Al-Mohy and Higham 2009), and what is not halved needs no squaring, which takes digits.
template <typename T>
int doublings(const Squares<T>& squares, const Matrix<T>& a, std::size_t n, int most) {
    const auto root = [&](const Matrix<T>& power, double degree) {
        return std::pow(double(one_norm(power.data(), n)), 1 / degree);
    };
    const Matrix<T> a2 = squares.product(a, a), a4 = squares.product(a2, a2),
                    a6 = squares.product(a2, a4);
    const double d6 = root(a6, 6), d8 = root(squares.product(a4, a4), 8),
                 d10 = root(squares.product(a4, a6), 10);
    const double size = std::min(std::max(d6, d8), std::max(d8, d10));
    int count = size > 0 ? static_cast<int>(std::clamp(std::floor(std::log2(kLargestNorm / size)),
                                                       0., static_cast<double>(most)))
                         : most;
    if (count == 0) return 0;
    // Rounding of the series is that of the absolute values.
    constexpr double kError = 1 / 113250775606021113483283660800000000. / 0x1p-53;
    const double norm = std::ldexp(double(one_norm(a.data(), n)), count);
    const double excess = kError * one_norm_of_power(a, n, 27, count) / norm;
    if (!(excess > 1)) return count;
    if (!std::isfinite(excess)) return 0;
    return std::max(0, count - static_cast<int>(std::ceil(std::log2(excess) / 26)));
}

} // namespace

template <typename T>
Outcome expm_member(const Member<T>& member) {
    const std::size_t n = member.n();
    const Squares<T> squares(n, member.library);
    Matrix<T> a(member.a, member.a + n * n);
    const Real<T> norm = one_norm(member.a, n);
    if (!std::isfinite(norm)) {
        std::fill_n(member.out(0), n * n, T(std::numeric_limits<Real<T>>::quiet_NaN()));
        return {};
    }
    int halvings = norm > kLargestNorm
                       ? static_cast<int>(std::ceil(std::log2(double(norm) / kLargestNorm)))
                       : 0;
    const auto scale = [&](int exponent) {
        for (T& x : a) x *= static_cast<Real<T>>(std::ldexp(1., exponent));
    };
    scale(-halvings);
    if (halvings > 0) {
        const int fewer = doublings(squares, a, n, halvings);
        scale(fewer);
        halvings -= fewer;
    }
    // Divided by the first one, so that the exponential of zeros is exact.
    double b[std::size(kCoefficients)];
    for (std::size_t i = 0; i < std::size(b); ++i) b[i] = kCoefficients[i] / kCoefficients[0];
    const Matrix<T> a2 = squares.product(a, a), a4 = squares.product(a2, a2),
                    a6 = squares.product(a2, a4);
    Matrix<T> odd =
        squares.product(a6, squares.combined({{&a6, b[13]}, {&a4, b[11]}, {&a2, b[9]}}));
    odd = squares.product(
        a, squares.combined({{&odd, 1}, {&a6, b[7]}, {&a4, b[5]}, {&a2, b[3]}}, b[1]));
    Matrix<T> even =
        squares.product(a6, squares.combined({{&a6, b[12]}, {&a4, b[10]}, {&a2, b[8]}}));
    even = squares.combined({{&even, 1}, {&a6, b[6]}, {&a4, b[4]}, {&a2, b[2]}}, b[0]);
    // (even - odd) x = even + odd, of transposes, as rows are columns to LAPACK; (xy)ᵀ = yᵀxᵀ, and all of these commute.
    Matrix<T> below = squares.combined({{&even, 1}, {&odd, -1}});
    Matrix<T> result = squares.combined({{&even, 1}, {&odd, 1}});
    const Int size = static_cast<Int>(n);
    Int* const pivots = member.scratch.integers(n);
    Int info = 0;
    member.library.getrf(&size, &size, below.data(), &size, pivots, &info);
    if (info > 0) return {Failure::singular, info - 1};
    member.library.getrs("N", &size, &size, below.data(), &size, pivots, result.data(), &size,
                         &info, 1);
    for (int i = 0; i < halvings; ++i) result = squares.product(result, result);
    std::ranges::copy(result, member.out(0));
    return {};
}

template Outcome expm_member(const Member<float>&);
template Outcome expm_member(const Member<double>&);
template Outcome expm_member(const Member<std::complex<float>>&);
template Outcome expm_member(const Member<std::complex<double>>&);

} // namespace purview::linalg
