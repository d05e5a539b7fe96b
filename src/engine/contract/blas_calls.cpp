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
    const MatrixForm left = calls.left;
    const MatrixForm right = calls.right;
    const bool transposed = left.transpose == CblasTranspose::yes;
    const auto scale = CblasScale<T>::of(alpha);
    const auto kept = CblasScale<T>::of(beta);
    const BlasOf<T>& functions = calls.blas->of<T>();
    const BlasCall under_way;
    if (!calls.vector)
        functions.gemm(CblasOrder::row_major, left.transpose, right.transpose, rows, columns, depth,
                       scale, a, left.ld, b, right.ld, kept, c, calls.c_ld);
    else
        functions.gemv(CblasOrder::row_major, left.transpose, transposed ? depth : rows,
                       transposed ? rows : depth, scale, a, left.ld, b, right.ld, kept, c,
                       calls.c_ld);
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

template <typename T>
void run_pieces(const BlasCalls& calls, const void* of_a, const void* of_b, void* of_c,
                index_t begin, index_t end) {
    const auto* const a = static_cast<const T*>(of_a);
    const auto* const b = static_cast<const T*>(of_b);
    auto* const c = static_cast<T*>(of_c);
    if constexpr (std::floating_point<T>)
        if (calls.small) return run_small(calls, a, b, c, begin, end);
    T alpha{1};
    if constexpr (std::floating_point<T>) alpha = static_cast<T>(calls.scale);
    const index_t splits = calls.splits;
    // A large product is cut along the longer one of m and n.
    const bool cuts_m = calls.m.extent >= calls.n.extent;
    const ContractedAxis& cut = cuts_m ? calls.m : calls.n;
    AxisWalk at(calls.loops, begin / splits * calls.additions);
    while (begin < end) {
        // Neighbouring pieces of one step of the loops are one call.
        const index_t step = begin / splits;
        const index_t until = std::min(end, (step + 1) * splits);
        const index_t first = (begin - step * splits) * cut.extent / splits;
        const index_t last = (until - step * splits) * cut.extent / splits;
        const index_t rows = cuts_m ? last - first : calls.m.extent;
        const index_t columns = cuts_m ? calls.n.extent : last - first;
        for (index_t addition = 0; addition < calls.additions; ++addition, at.next())
            call(calls, rows, columns, a + at.a + first * cut.a, b + at.b + first * cut.b,
                 c + at.c + first * cut.c, alpha, addition == 0 ? T{0} : T{1});
        begin = until;
    }
}

} // namespace

void BlasCalls::run(const void* of_a, const void* of_b, void* of_c, index_t begin,
                    index_t end) const {
    const auto run_in = dtype == float32                       ? run_pieces<float>
                        : dtype == float64                     ? run_pieces<double>
                        : dtype == kDType<std::complex<float>> ? run_pieces<std::complex<float>>
                                                               : run_pieces<std::complex<double>>;
    run_in(*this, of_a, of_b, of_c, begin, end);
}

void BlasCalls::run(const void* of_a, const void* of_b, void* of_c) const {
    const index_t all = pieces();
    const int threads =
        all > 1 && (small || blas->is_single_threaded()) ? worthwhile_threads(nanoseconds) : 1;
    if (threads == 1) return run(of_a, of_b, of_c, 0, all);
    // Each part of a large product reads all of one factor: there are no more parts than threads.
    parallel_for(all, (all + threads - 1) / threads, threads,
                 [&](index_t begin, index_t end) { run(of_a, of_b, of_c, begin, end); });
}

} // namespace purview::engine
