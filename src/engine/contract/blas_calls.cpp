// Defines engine/contract/contraction.hpp.

#include "engine/contract/contraction.hpp"
#include "engine/contract/small_products.hpp"

#include <algorithm>
#include <concepts>

namespace purview::inline v0_1::engine {
namespace {

/// Multiplications in a piece of a large product: about 0.1 ms. Neighbouring pieces run as one
/// call.
constexpr double kCallProducts = 4e6;

/// The offsets, in elements, of a step of the loops in A, B and C.
struct Offsets {
    index_t a = 0;
    index_t b = 0;
    index_t c = 0;
};

Offsets offsets_at(const ContractedAxes& axes, index_t index) noexcept {
    Offsets offsets;
    for (std::size_t i = axes.size(); i-- > 0; index /= axes[i].extent) {
        const index_t at = index % axes[i].extent;
        offsets.a += at * axes[i].a;
        offsets.b += at * axes[i].b;
        offsets.c += at * axes[i].c;
    }
    return offsets;
}

/// A large product is cut along the longer one of m and n.
bool splits_m(const BlasCalls& calls) noexcept { return calls.m.extent >= calls.n.extent; }

index_t split_count(const BlasCalls& calls) noexcept {
    if (calls.small) return 1;
    const index_t longer = std::max(calls.m.extent, calls.n.extent);
    const double products = static_cast<double>(calls.m.extent) *
                            static_cast<double>(calls.n.extent) *
                            static_cast<double>(calls.k.extent);
    return std::clamp(static_cast<index_t>(products / kCallProducts), index_t{1},
                      std::max(longer / 64, index_t{1}));
}

template <typename T>
void call(const Blas* blas, const BlasCalls& calls, index_t m, index_t n, const T* a, const T* b,
          T* c, T alpha, T beta) {
    if (calls.swapped) {
        std::swap(a, b);
        std::swap(m, n);
    }
    if constexpr (std::floating_point<T>)
        if (calls.small)
            return small_product_kernel(kDType<T>)(&*calls.small, a, b, c,
                                                   static_cast<double>(alpha));
    const auto rows = static_cast<int>(m);
    const auto columns = static_cast<int>(n);
    const auto depth = static_cast<int>(calls.k.extent);
    const auto scale = CblasScale<T>::of(alpha);
    const auto kept = CblasScale<T>::of(beta);
    const BlasOf<T>& functions = blas->of<T>();
    const BlasCall under_way;
    if (!calls.vector)
        functions.gemm(CblasOrder::row_major, calls.left_transpose, calls.right_transpose, rows,
                       columns, depth, scale, a, calls.left_ld, b, calls.right_ld, kept, c,
                       calls.c_ld);
    else if (calls.left_transpose == CblasTranspose::no)
        functions.gemv(CblasOrder::row_major, calls.left_transpose, rows, depth, scale, a,
                       calls.left_ld, b, calls.right_ld, kept, c, calls.c_ld);
    else
        functions.gemv(CblasOrder::row_major, calls.left_transpose, depth, rows, scale, a,
                       calls.left_ld, b, calls.right_ld, kept, c, calls.c_ld);
}

} // namespace

index_t BlasCalls::pieces() const noexcept { return extent_of(loops) * split_count(*this); }

template <typename T>
void BlasCalls::run(const Blas* blas, const T* a, const T* b, T* c, index_t begin, index_t end,
                    T scale) const {
    const index_t splits = split_count(*this);
    const index_t additions = extent_of(sums);
    const ContractedAxis& cut = splits_m(*this) ? m : n;
    while (begin < end) {
        // Neighbouring pieces of one step of the loops are one call.
        const index_t step = begin / splits;
        const index_t until = std::min(end, (step + 1) * splits);
        const index_t first = (begin - step * splits) * cut.extent / splits;
        const index_t last = (until - step * splits) * cut.extent / splits;
        const Offsets at = offsets_at(loops, step);
        const index_t rows = splits_m(*this) ? last - first : m.extent;
        const index_t columns = splits_m(*this) ? n.extent : last - first;
        for (index_t addition = 0; addition < additions; ++addition) {
            const Offsets inner = offsets_at(sums, addition);
            call(blas, *this, rows, columns, a + at.a + inner.a + first * cut.a,
                 b + at.b + inner.b + first * cut.b, c + at.c + first * cut.c, scale,
                 addition == 0 ? T{0} : T{1});
        }
        begin = until;
    }
}

#define PURVIEW_RUN_CALLS(T) \
 template void BlasCalls::run(const Blas*, const T*, const T*, T*, index_t, index_t, T) const;
PURVIEW_RUN_CALLS(float)
PURVIEW_RUN_CALLS(double)
PURVIEW_RUN_CALLS(std::complex<float>)
PURVIEW_RUN_CALLS(std::complex<double>)
#undef PURVIEW_RUN_CALLS

} // namespace purview::engine
