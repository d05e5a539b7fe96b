// Defines engine/contract/contraction.hpp.

#include "engine/contract/contraction.hpp"
#include "engine/kernels/table/lane_selection.hpp"
#include "engine/threads/parallel.hpp"

#include <algorithm>
#include <concepts>
#include <utility>

namespace purview::inline v0_1::engine {
namespace {

/// Walks axes in row-major order, from a step on: the offsets in A, B and C, in elements.
class AxisWalk {
public:
    AxisWalk(const ContractedAxes& axes, index_t step) : axes_(axes), at_(axes.size(), 0) {
        for (std::size_t i = axes.size(); i-- > 0; step /= axes[i].extent)
            move(i, at_[i] = step % axes[i].extent);
    }
    void next() noexcept {
        for (std::size_t i = axes_.size(); i-- > 0;) {
            if (++at_[i] < axes_[i].extent) return move(i, 1);
            move(i, 1 - std::exchange(at_[i], 0));
        }
    }

    index_t a = 0;
    index_t b = 0;
    index_t c = 0;

private:
    void move(std::size_t axis, index_t by) noexcept {
        a += by * axes_[axis].a;
        b += by * axes_[axis].b;
        c += by * axes_[axis].c;
    }

    const ContractedAxes& axes_;
    Shape at_;
};

template <typename T>
void call(const BlasCalls& calls, index_t m, index_t n, const T* a, const T* b, T* c, T alpha,
          T beta) {
    if (calls.swapped) {
        std::swap(a, b);
        std::swap(m, n);
    }
    const auto rows = static_cast<int>(m);
    const auto columns = static_cast<int>(n);
    const auto depth = static_cast<int>(calls.k.extent);
    const auto scale = CblasScale<T>::of(alpha);
    const auto kept = CblasScale<T>::of(beta);
    const BlasOf<T>& functions = calls.blas->of<T>();
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

/// Runs pieces [begin, end) of calls of the kernel.
template <typename T>
void run_small(const BlasCalls& calls, const T* a, const T* b, T* c, index_t begin, index_t end) {
    const MultiplySmall<T> multiply = lane_kernels().multiply_small<T>();
    const auto scale = static_cast<T>(calls.scale);
    for (AxisWalk at(calls.loops, begin); begin < end; ++begin, at.next())
        if (calls.swapped)
            multiply(&*calls.small, b + at.b, a + at.a, c + at.c, scale);
        else
            multiply(&*calls.small, a + at.a, b + at.b, c + at.c, scale);
}

} // namespace

template <typename T>
void BlasCalls::run(const T* of_a, const T* of_b, T* of_c, index_t begin, index_t end) const {
    if constexpr (std::floating_point<T>)
        if (small) return run_small(*this, of_a, of_b, of_c, begin, end);
    T alpha{1};
    if constexpr (std::floating_point<T>) alpha = static_cast<T>(scale);
    // A large product is cut along the longer one of m and n.
    const bool cuts_m = m.extent >= n.extent;
    const ContractedAxis& cut = cuts_m ? m : n;
    const index_t additions = extent_of(sums);
    for (AxisWalk at(loops, begin / splits); begin < end; at.next()) {
        // Neighbouring pieces of one step of the loops are one call.
        const index_t step = begin / splits;
        const index_t until = std::min(end, (step + 1) * splits);
        const index_t first = (begin - step * splits) * cut.extent / splits;
        const index_t last = (until - step * splits) * cut.extent / splits;
        const index_t rows = cuts_m ? last - first : m.extent;
        const index_t columns = cuts_m ? n.extent : last - first;
        AxisWalk inner(sums, 0);
        for (index_t addition = 0; addition < additions; ++addition, inner.next())
            call(*this, rows, columns, of_a + at.a + inner.a + first * cut.a,
                 of_b + at.b + inner.b + first * cut.b, of_c + at.c + first * cut.c, alpha,
                 addition == 0 ? T{0} : T{1});
        begin = until;
    }
}

template <typename T>
void BlasCalls::run(const T* of_a, const T* of_b, T* of_c) const {
    const int threads =
        pieces() > 1 && (small || blas->is_single_threaded()) ? worthwhile_threads(nanoseconds) : 1;
    if (threads == 1) return run(of_a, of_b, of_c, 0, pieces());
    // Each part of a large product reads all of one factor: there are no more parts than threads.
    parallel_for(pieces(), (pieces() + threads - 1) / threads, threads,
                 [&](index_t begin, index_t end) { run(of_a, of_b, of_c, begin, end); });
}

#define PURVIEW_RUN_CALLS(T)                                 \
 template void BlasCalls::run(const T*, const T*, T*) const; \
 template void BlasCalls::run(const T*, const T*, T*, index_t, index_t) const;
PURVIEW_RUN_CALLS(float)
PURVIEW_RUN_CALLS(double)
PURVIEW_RUN_CALLS(std::complex<float>)
PURVIEW_RUN_CALLS(std::complex<double>)
#undef PURVIEW_RUN_CALLS

} // namespace purview::engine
