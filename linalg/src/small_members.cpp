#include "small_members.hpp"

#include "small/small_kernels.hpp"

#include <purview/evaluation/parallel.hpp>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>
#include <vector>

namespace purview::inline v0_1::linalg {
namespace {

/// The best that this machine runs, or no more than the environment variable PURVIEW_TARGET allows.
const SmallTable& small_table() {
    static const SmallTable* const chosen = [] {
#if defined(PURVIEW_SMALL_AVX2)
        const char* const wanted = std::getenv("PURVIEW_TARGET");
        const std::string_view name = wanted == nullptr ? "" : wanted;
        __builtin_cpu_init();
        if (name != "scalar" && name != "ssse3" && __builtin_cpu_supports("avx2"))
            return &kSmallAvx2;
#endif
        return &kSmallBaseline;
    }();
    return *chosen;
}
template <typename T>
const SmallFunctions<T>& small_functions() {
    if constexpr (std::is_same_v<T, float>)
        return small_table().of_float;
    else
        return small_table().of_double;
}

SmallKernel kernel_of(const MatrixWork& work, std::span<void* const> outs) {
    const bool is_one = work.columns == 1, are_several = work.columns <= kLargestSmall;
    switch (work.function) {
    case MatrixFunction::solve:
        return is_one        ? SmallKernel::solve
               : are_several ? SmallKernel::solve_several
                             : SmallKernel::solve_columns;
    case MatrixFunction::solve_triangular:
        return are_several ? SmallKernel::triangle : SmallKernel::triangle_columns;
    case MatrixFunction::inv: return SmallKernel::inverse;
    case MatrixFunction::det: return SmallKernel::determinant;
    case MatrixFunction::slogdet: return SmallKernel::slogdet;
    case MatrixFunction::cholesky: return SmallKernel::cholesky;
    case MatrixFunction::eigh:
        return outs[1] == nullptr ? SmallKernel::eigenvalues : SmallKernel::eigenvectors;
    default: return SmallKernel::eigenvalues;
    }
}
Failure failure_of(SmallKernel kernel) {
    switch (kernel) {
    case SmallKernel::cholesky: return Failure::not_positive_definite;
    case SmallKernel::eigenvalues:
    case SmallKernel::eigenvectors: return Failure::not_converged;
    default: return Failure::singular;
    }
}
/// Of a member, roughly.
double nanoseconds_of(SmallKernel kernel, const MatrixWork& work) {
    const auto n = static_cast<double>(work.n);
    const bool turns = kernel == SmallKernel::eigenvalues || kernel == SmallKernel::eigenvectors;
    return 5 + n * n * ((turns ? 3 : 0.25) * n + 0.25 * static_cast<double>(work.columns));
}

/// Elements of as many members as there are lanes.
template <typename T>
using Staged = std::array<T, static_cast<std::size_t>(kLargestSmall* kLargestSmall* kMostLanes)>;

/// What the member `at` of a batch reads and writes, and those behind it.
template <typename T>
SmallGroups<T> groups_from(SmallGroups<T> batch, index_t at) {
    batch.a += at * batch.of_a;
    batch.b += at * batch.of_b;
    batch.first += at * batch.of_first;
    batch.second += at * batch.of_second;
    return batch;
}
template <typename T>
SmallGroups<T> batch_of(const MatrixWork& work, std::span<const void* const> operands,
                        std::span<void* const> outs, std::span<const ResultSize> sizes) {
    const auto out = [&](std::size_t i) {
        return i < outs.size() ? static_cast<T*>(outs[i]) : nullptr;
    };
    // What nobody asks for has one place for all members.
    const auto elements = [&](std::size_t i) {
        return out(i) == nullptr ? 0 : static_cast<std::int64_t>(sizes[i].elements);
    };
    const bool is_solved = operands.size() > 1;
    return {static_cast<const T*>(operands[0]),
            is_solved ? static_cast<const T*>(operands[1]) : nullptr,
            out(0),
            out(1),
            work.n * work.n,
            is_solved ? work.n * work.columns : 0,
            elements(0),
            elements(1),
            work.columns,
            static_cast<int>(std::min<index_t>(work.columns, kLargestSmall)),
            work.options.upper};
}

/// The last members of a batch, fewer than there are lanes: copies of the last one fill the others.
template <typename T>
void compute_last(const SmallGroups<T>& own, SmallFunction<T> function, index_t count,
                  index_t lanes, int* failed) {
    Staged<T> a, b, first, second;
    const auto fill = [&](const T* from, index_t elements, Staged<T>& to) {
        for (index_t l = 0; l < lanes; ++l)
            std::copy_n(from + std::min(l, count - 1) * elements, elements,
                        to.data() + l * elements);
    };
    SmallGroups<T> group = own;
    fill(own.a, own.of_a, a);
    group.a = a.data();
    if (own.b != nullptr) {
        fill(own.b, own.of_b, b);
        group.b = b.data();
    }
    group.first = first.data();
    group.second = second.data();
    function(group, 1, failed);
    if (own.first != nullptr) std::copy_n(first.data(), count * own.of_first, own.first);
    if (own.second != nullptr) std::copy_n(second.data(), count * own.of_second, own.second);
}

/// Members in groups of as many as there are lanes.
template <typename T>
void compute_groups(const MatrixWork& work, const SmallGroups<T>& batch, SmallKernel kernel,
                    FunctionRef<void(index_t, const Outcome&)> fail) {
    constexpr index_t kGroups = 16; // of a call
    const SmallFunctions<T>& functions = small_functions<T>();
    const SmallFunction<T> function = functions.by_rows[static_cast<int>(kernel)][work.n - 1];
    const index_t lanes = functions.lanes, groups = (work.batch + lanes - 1) / lanes;
    const Failure failure = failure_of(kernel);
    const double nanoseconds = static_cast<double>(work.batch) * nanoseconds_of(kernel, work);
    parallel_ranges(groups, 1, nanoseconds, [&](index_t begin, index_t end) {
        Staged<T> unwanted;
        int failed[kGroups * kMostLanes];
        const index_t last = std::min(end * lanes, work.batch);
        for (index_t member = begin * lanes; member < last;) {
            const index_t whole = std::min((last - member) / lanes, kGroups);
            SmallGroups<T> own = groups_from(batch, member);
            index_t count = whole * lanes;
            if (whole == 0) {
                count = last - member;
                compute_last(own, function, count, lanes, failed);
            } else {
                if (batch.first == nullptr) own.first = unwanted.data();
                if (batch.second == nullptr) own.second = unwanted.data();
                function(own, static_cast<int>(whole), failed);
            }
            for (index_t l = 0; l < count; ++l)
                if (failed[l] >= 0) fail(member + l, Outcome{failure, failed[l]});
            member += count;
        }
    });
}

/// Many right sides: those of a member in groups of as many vectors of them as there may be rows.
template <typename T>
void compute_columns(const MatrixWork& work, const SmallGroups<T>& batch, SmallKernel kernel,
                     FunctionRef<void(index_t, const Outcome&)> fail) {
    const SmallFunctions<T>& functions = small_functions<T>();
    const SmallFunction<T> function = functions.by_rows[static_cast<int>(kernel)][work.n - 1];
    const index_t width = functions.lanes * kLargestSmall;
    const index_t parts = (work.columns + width - 1) / width;
    std::vector<int> pivots(static_cast<std::size_t>(work.batch));
    const double nanoseconds = static_cast<double>(work.batch) * nanoseconds_of(kernel, work);
    parallel_ranges(work.batch * parts, 1, nanoseconds, [&](index_t begin, index_t end) {
        int failed[kMostLanes];
        for (index_t i = begin; i < end; ++i) {
            const index_t member = i / parts, column = i % parts * width;
            SmallGroups<T> group = groups_from(batch, member);
            group.b += column;
            group.first += column;
            group.columns = static_cast<int>(std::min(width, work.columns - column));
            function(group, 1, failed);
            if (column == 0) pivots[static_cast<std::size_t>(member)] = failed[0];
        }
    });
    // What all parts of a member write is there by now.
    for (index_t member = 0; member < work.batch; ++member)
        if (const int pivot = pivots[static_cast<std::size_t>(member)]; pivot >= 0)
            fail(member, Outcome{Failure::singular, pivot});
}

} // namespace

bool are_small(const MatrixWork& work, DType dtype) {
    if ((dtype != float32 && dtype != float64) || work.n < 1 || work.n > kLargestSmall ||
        work.is_factored || work.options.transposed)
        return false;
    switch (work.function) {
    case MatrixFunction::solve:
    case MatrixFunction::solve_triangular: return work.columns > 0;
    case MatrixFunction::inv:
    case MatrixFunction::det:
    case MatrixFunction::slogdet:
    case MatrixFunction::cholesky:
    case MatrixFunction::eigh:
    case MatrixFunction::eigvalsh: return true;
    default: return false;
    }
}

template <typename T>
void compute_small(const MatrixWork& work, std::span<const void* const> operands,
                   std::span<void* const> outs, std::span<const ResultSize> sizes,
                   FunctionRef<void(index_t member, const Outcome& outcome)> fail) {
    const SmallGroups<T> batch = batch_of<T>(work, operands, outs, sizes);
    const SmallKernel kernel = kernel_of(work, outs);
    if (kernel == SmallKernel::solve_columns || kernel == SmallKernel::triangle_columns)
        compute_columns<T>(work, batch, kernel, fail);
    else
        compute_groups<T>(work, batch, kernel, fail);
}

template void compute_small<float>(const MatrixWork&, std::span<const void* const>,
                                   std::span<void* const>, std::span<const ResultSize>,
                                   FunctionRef<void(index_t, const Outcome&)>);
template void compute_small<double>(const MatrixWork&, std::span<const void* const>,
                                    std::span<void* const>, std::span<const ResultSize>,
                                    FunctionRef<void(index_t, const Outcome&)>);

} // namespace purview::linalg
