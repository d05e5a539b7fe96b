#include "matrix_work.hpp"

#include "lapack.hpp"
#include "member.hpp"
#include "small/small_kernels.hpp"
#include "small_members.hpp"

#include "evaluation/lapack.hpp"

#include <purview/base/errors.hpp>
#include <purview/evaluation/parallel.hpp>
#include <purview/evaluation/threads.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

namespace purview::inline v0_1::linalg {
namespace {

struct FunctionNames {
    MatrixFunction function;
    const char* name;
};
constexpr FunctionNames kNames[] = {{MatrixFunction::solve, "solve"},
                                    {MatrixFunction::solve_triangular, "solve_triangular"},
                                    {MatrixFunction::inv, "inv"},
                                    {MatrixFunction::det, "det"},
                                    {MatrixFunction::slogdet, "slogdet"},
                                    {MatrixFunction::cholesky, "cholesky"},
                                    {MatrixFunction::qr, "qr"},
                                    {MatrixFunction::lu, "lu"},
                                    {MatrixFunction::svd, "svd"},
                                    {MatrixFunction::svdvals, "svdvals"},
                                    {MatrixFunction::eigh, "eigh"},
                                    {MatrixFunction::eigvalsh, "eigvalsh"},
                                    {MatrixFunction::eig, "eig"},
                                    {MatrixFunction::eigvals, "eigvals"},
                                    {MatrixFunction::expm, "expm"},
                                    {MatrixFunction::cofactors, "cofactors"},
                                    {MatrixFunction::lu_factors, "lu_factors"}};

template <typename T>
using MemberFunction = Outcome (*)(const Member<T>&);

template <typename T>
MemberFunction<T> function_of(MatrixFunction function) {
    switch (function) {
    case MatrixFunction::solve: return solve_member<T>;
    case MatrixFunction::solve_triangular: return triangle_member<T>;
    case MatrixFunction::inv: return inverse_member<T>;
    case MatrixFunction::det:
    case MatrixFunction::slogdet: return determinant_member<T>;
    case MatrixFunction::cholesky: return cholesky_member<T>;
    case MatrixFunction::qr: return qr_member<T>;
    case MatrixFunction::lu: return lu_member<T>;
    case MatrixFunction::svd:
    case MatrixFunction::svdvals: return svd_member<T>;
    case MatrixFunction::eigh:
    case MatrixFunction::eigvalsh: return eigh_member<T>;
    case MatrixFunction::eig:
    case MatrixFunction::eigvals: return eig_member<T>;
    case MatrixFunction::expm: return expm_member<T>;
    case MatrixFunction::cofactors: return cofactors_member<T>;
    case MatrixFunction::lu_factors: return factors_member<T>;
    }
    __builtin_unreachable();
}

[[noreturn]] void throw_failure(const MatrixWork& work, const Outcome& outcome, index_t number) {
    std::string which = "the matrix";
    if (!work.batch_shape.empty()) {
        Shape indexes(work.batch_shape.size());
        index_t rest = number;
        for (std::size_t axis = indexes.size(); axis-- > 0;) {
            indexes[axis] = rest % work.batch_shape[axis];
            rest /= work.batch_shape[axis];
        }
        which = "matrix " + to_string(indexes) + " of the batch";
    }
    const char* const what = name_of(work.function);
    switch (outcome.failure) {
    case Failure::singular:
        throw LinearAlgebraError(
            fmt::format("{}: {} is singular: pivot {} is 0", what, which, outcome.pivot));
    case Failure::not_positive_definite:
        throw LinearAlgebraError(
            fmt::format("{}: {} is not positive definite, by the first {} rows and columns", what,
                        which, outcome.pivot + 1));
    default:
        throw LinearAlgebraError(fmt::format(
            "{}: {} has no decomposition that was found: it has NaN or infinities, or does not converge",
            what, which));
    }
}

/// Elements of an operand, and of each result, for a member.
std::size_t elements_of_operand(const MatrixWork& work, std::size_t i) {
    if (i == 0) return static_cast<std::size_t>(work.m * work.n);
    const bool is_right_side = i == 1 && has_right_side(work.function);
    return static_cast<std::size_t>(is_right_side ? work.m * work.columns : (work.n + 1) * work.n);
}

/// Matrices without elements, which LAPACK refuses: their determinants are 1, bases of whole spaces the identity.
template <typename T>
Outcome empty_member(const Member<T>& member) {
    const auto put_identity = [](T* matrix, std::size_t n) {
        if (matrix != nullptr)
            for (std::size_t i = 0; i < n * n; ++i) matrix[i] = T(i % (n + 1) == 0 ? 1 : 0);
    };
    switch (member.work.function) {
    case MatrixFunction::det: *member.out(0) = T(1); break;
    case MatrixFunction::slogdet:
        if (member.outs[0] != nullptr) *member.out(0) = T(1);
        if (member.outs[1] != nullptr) *static_cast<Real<T>*>(member.outs[1]) = 0;
        break;
    case MatrixFunction::lu:
        if (auto* const places = static_cast<std::int64_t*>(member.outs[0]))
            std::iota(places, places + member.m(), std::int64_t{0});
        break;
    case MatrixFunction::qr:
        if (member.work.options.full) put_identity(member.out(0), member.m());
        break;
    case MatrixFunction::svd:
        if (!member.work.options.full) break;
        put_identity(member.out(0), member.m());
        put_identity(member.out(2), member.n());
        break;
    default: break;
    }
    return {};
}

/// Of one matrix that is worth several threads: 256 rows.
constexpr double kLargeFlops = 256. * 256 * 256;

template <typename T>
void compute(const MatrixWork& work, std::span<const void* const> operands,
             std::span<void* const> outs, std::span<const ResultSize> sizes) {
    const auto fail = [&](index_t i, const Outcome& outcome) {
        if (work.options.if_singular == IfSingular::error) throw_failure(work, outcome, i);
        for (std::size_t k = 0; k < outs.size(); ++k)
            if (outs[k] != nullptr)
                sizes[k].fill_with_nan(static_cast<std::byte*>(outs[k]) +
                                       static_cast<std::size_t>(i) * sizes[k].elements *
                                           sizes[k].bytes);
    };
    if constexpr (!kIsComplex<T>)
        if (are_small(work, kDType<T>)) return compute_small<T>(work, operands, outs, sizes, fail);
    const bool is_empty =
        work.m == 0 || work.n == 0 || (has_right_side(work.function) && work.columns == 0);
    static constexpr Lapack<T> kNone{};
    const bool needs_none =
        is_empty || (work.function == MatrixFunction::cofactors && work.n <= kLargestSmall);
    const Lapack<T>& library = needs_none ? kNone : lapack<T>(name_of(work.function));
    const MemberFunction<T> function = is_empty ? empty_member<T> : function_of<T>(work.function);
    const double n = static_cast<double>(std::max(work.m, work.n));
    const double flops = n * static_cast<double>(std::min(work.m, work.n)) *
                         static_cast<double>(std::min(work.m, work.n) + work.columns);
    // One large matrix has the threads of LAPACK.
    const int own_threads = work.batch == 1 && flops > kLargeFlops ? threads() : 1;
    parallel_ranges(work.batch, 1, static_cast<double>(work.batch) * (500 + flops / 4),
                    [&](index_t begin, index_t end) {
                        const LapackCall call(own_threads);
                        Scratch<T> scratch;
                        std::vector<void*> own(outs.size());
                        for (index_t i = begin; i < end; ++i) {
                            const auto at = static_cast<std::size_t>(i);
                            const auto part = [&](std::size_t k) {
                                return operands.size() <= k ? nullptr
                                                            : static_cast<const T*>(operands[k]) +
                                                                  at * elements_of_operand(work, k);
                            };
                            for (std::size_t k = 0; k < outs.size(); ++k)
                                own[k] = outs[k] == nullptr
                                             ? nullptr
                                             : static_cast<std::byte*>(outs[k]) +
                                                   at * sizes[k].elements * sizes[k].bytes;
                            const T* const factors =
                                work.is_factored ? part(operands.size() - 1) : nullptr;
                            const Outcome outcome =
                                function({work, library, scratch, part(0), part(1), factors, own});
                            if (outcome.failure != Failure::none) fail(i, outcome);
                        }
                    });
}

} // namespace

const char* name_of(MatrixFunction function) noexcept {
    for (const FunctionNames& known : kNames)
        if (known.function == function) return known.name;
    return "?";
}

void compute_members(const MatrixWork& work, DType dtype, std::span<const void* const> operands,
                     std::span<void* const> outs, std::span<const ResultSize> sizes) {
    if (work.batch == 0) return;
    visit_matrix_dtype(
        dtype, [&]<typename T>(std::type_identity<T>) { compute<T>(work, operands, outs, sizes); });
}

} // namespace purview::linalg
