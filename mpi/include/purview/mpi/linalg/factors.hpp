#pragma once

// Factors of distributed matrices.
#include <purview/base/random_bits.hpp>
#include <purview/linalg/decompositions.hpp>
#include <purview/linalg/least_squares.hpp>
#include <purview/linalg/products.hpp>
#include <purview/mpi/collective.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/own_values.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <functional>
#include <limits>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

// Functions that all ranks call: see moving.hpp. What is not distributed of a result is the same bits on all ranks.

/// What matrices over ranks are of.
template <typename T>
concept MatrixElement = std::same_as<T, float> || std::same_as<T, double> ||
    std::same_as<T, std::complex<float>> || std::same_as<T, std::complex<double>>;
template <typename T>
using RealPart = typename PartOfComplex<T>::type;

/// A distribution in whole rows as blocks of such along all ranks; nothing of another one.
inline std::optional<Distribution> blocks_of_rows(const Distribution& d) {
    if (!d.is_blocks()) return std::nullopt;
    const Communicator& ranks = d.communicator();
    const ShapeSpan shape = d.shape();
    std::vector<index_t> sizes;
    index_t end = 0;
    for (int rank = 0; rank < ranks.size(); ++rank) {
        const Box box = d.box(rank);
        for (std::size_t axis = 1; axis < shape.size(); ++axis)
            if (box.begin[axis] != 0 || box.end[axis] != shape[axis]) return std::nullopt;
        if (box.begin[0] != end) return std::nullopt;
        end = box.end[0];
        sizes.push_back(end - box.begin[0]);
    }
    if (end != shape[0]) return std::nullopt;
    return blocks(to_shape(shape), Grid(ranks), {sizes});
}
/// The same, or even ones.
inline Distribution whole_rows(const Distribution& d) {
    const std::optional<Distribution> own = blocks_of_rows(d);
    return own ? *own : blocks(to_shape(d.shape()), Grid(d.communicator()));
}
/// How many rows each rank has, at most so many.
inline std::vector<index_t> row_counts(const Distribution& rows, index_t most) {
    std::vector<index_t> counts;
    for (int rank = 0; rank < rows.communicator().size(); ++rank)
        counts.push_back(std::min(rows.local_shape(rank)[0], most));
    return counts;
}
/// Of another shape with as many rows, the same rows.
inline Distribution same_rows(const Distribution& rows, const Shape& shape) {
    return blocks(shape, Grid(rows.communicator()), {row_counts(rows, shape[0])});
}
/// In these whole rows; where it is in them already, the same memory.
template <typename T>
Distributed<T> in_rows(const Distributed<T>& x, const Distribution& rows) {
    if (blocks_of_rows(x.distribution()) == rows)
        return Distributed<T>(AnyDistributed(x.local_operand(), rows));
    return redistribute(x, rows);
}

/// `collective`, of whose `LinearAlgebraError` other ranks see no more than the type that is known to all programs.
template <typename F>
auto linear_collective(const Communicator& ranks, F&& f) {
    try {
        return collective(ranks, std::forward<F>(f));
    } catch (const LinearAlgebraError&) {
        throw;
    } catch (const ArithmeticError& error) {
        throw LinearAlgebraError(error.what());
    }
}
/// What the first rank computes, of which others make an empty one: `f` gives a tensor, or several.
template <typename F>
auto on_first(const Communicator& ranks, F&& f) {
    using R = std::invoke_result_t<F&>;
    return linear_collective(ranks, [&] {
        return std::optional<R>(ranks.rank() == 0 ? std::optional<R>(f()) : std::nullopt);
    });
}
/// A tensor that the first rank has, on all.
template <typename T>
MutableTensor<T> from_first(const Communicator& ranks, const MutableTensor<T>* x) {
    return broadcast(x != nullptr ? *x : empty<T>({0}), ranks, 0);
}
/// A product of what ranks have by themselves.
template <typename T, typename A, typename B>
MutableTensor<T> own_product(const Communicator& ranks, const A& a, const B& b) {
    return collective(ranks, [&] { return MutableTensor<T>(clone(purview::matmul(a, b))); });
}
/// a b, of a matrix in whole rows and one that all ranks have.
template <typename T>
Distributed<T> times_all(const Distributed<T>& a, const Tensor<T>& b) {
    const Communicator& ranks = a.distribution().communicator();
    const auto own = own_product<T>(ranks, a.local(), b);
    return from_local(own, same_rows(a.distribution(), {a.shape()[0], b.shape()[1]}));
}
/// aᴴ b, of matrices in the same whole rows, on all ranks: the sum of what ranks have.
template <typename T>
MutableTensor<T> adjoint_times(const Distributed<T>& a, const Distributed<T>& b) {
    const Communicator& ranks = a.distribution().communicator();
    return all_sum(own_product<T>(ranks, linalg::adjoint(a.local()), b.local()), ranks);
}

inline std::string text_of_argument(const AnyDistributed& x) {
    return std::string(x.dtype().name()) + " " + to_string(x.distribution());
}
inline void require_matrix(const char* what, const AnyDistributed& a) {
    if (a.shape().size() != 2)
        throw ShapeError(std::string(what) + ": a matrix is of two axes, not of " +
                         purview::to_string(a.shape()));
}

template <typename T>
struct DistributedQr {
    Distributed<T> Q;
    MutableTensor<T> R;
};
/// Demmel, Grigori, Hoemmen and Langou 2012, with one level: each rank decomposes its rows, the first one all their factors R, one
/// below the other.
template <typename T>
DistributedQr<T> qr_of_rows(const Distributed<T>& a) {
    const Distribution& rows = a.distribution();
    const Communicator& ranks = rows.communicator();
    const index_t m = a.shape()[0], n = a.shape()[1];
    const auto own = linear_collective(ranks, [&] { return linalg::qr(a.local()); });
    const std::vector<index_t> counts = row_counts(rows, n);
    index_t all = 0;
    for (const index_t count : counts) all += count;
    const Grid line(ranks);
    const MutableTensor<T> stacked = gather(from_local(own.R, blocks({all, n}, line, {counts})), 0);
    const auto first = on_first(ranks, [&] { return linalg::qr(stacked); });
    const Distribution of_turns = blocks({all, std::min(m, n)}, line, {counts});
    const auto turns = scatter(first ? first->Q : empty<T>({0}), of_turns, 0);
    const MutableTensor<T> q = own_product<T>(ranks, own.Q, turns.local());
    return {from_local(q, same_rows(rows, {m, std::min(m, n)})),
            from_first(ranks, first ? &first->R : nullptr)};
}

/// `qr(a)`: `{Q, R}` of a matrix [m, n] in rows: Q [m, k], k = min(m, n), distributed by the same rows, with orthonormal columns,
/// and on every rank R [k, n], upper triangular with a real diagonal that is not negative. Matrices whose rows are divided,
/// or dealt out, are brought to blocks of whole rows first. A rank computes O(m n² / P), the first one O(P n³) besides; n² elements
/// of each rank are sent to the first one, and from it. Throws `ShapeError`, and `LinearAlgebraError` as `linalg::qr`.
template <MatrixElement T>
DistributedQr<T> qr(const Distributed<T>& a) {
    std::optional<DistributedQr<T>> result;
    const auto describe = [&] {
        require_matrix("qr", a);
        return text_of_argument(a);
    };
    run_steps("qr", a.distribution().communicator(), describe,
              [&] { result.emplace(qr_of_rows(in_rows(a, whole_rows(a.distribution())))); });
    return *std::move(result);
}

template <typename T>
struct DistributedLstsq {
    MutableTensor<T> x;
    MutableTensor<RealPart<T>> residuals;
    index_t rank;
    MutableTensor<RealPart<T>> S;
};
/// `lstsq(a, b)`: as `linalg::lstsq`, of a distributed matrix [m, n] and a distributed b, [m] or [m, k]: x [n, k] of the smallest
/// length that makes the sums of squares of `a x - b` least, these sums, the rank, and the singular values of `a`, all on every rank.
/// By `qr`, and the singular values of R. Cost, and errors, as of `qr`.
template <MatrixElement T>
DistributedLstsq<T> lstsq(const Distributed<T>& a, const Distributed<T>& b,
                          const linalg::RankOptions& options = {}) {
    constexpr const char* what = "lstsq";
    using P = RealPart<T>;
    const Communicator& ranks = a.distribution().communicator();
    std::optional<DistributedLstsq<T>> result;
    const auto describe = [&] {
        require_matrix(what, a);
        if (b.shape().size() < 1 || b.shape().size() > 2 || b.shape()[0] != a.shape()[0])
            throw ShapeError(std::string(what) + ": a right side of " +
                             purview::to_string(b.shape()) + " for a matrix of " +
                             purview::to_string(a.shape()));
        return text_of_argument(a) + ", " + text_of_argument(b);
    };
    run_steps(what, ranks, describe, [&] {
        const Distribution rows = whole_rows(a.distribution());
        const Distributed<T> matrix = in_rows(a, rows);
        const Distributed<T> right = in_rows(b, same_rows(rows, to_shape(b.shape())));
        const auto [q, r] = qr_of_rows(matrix);
        const MutableTensor<T> along = adjoint_times(q, right);
        const linalg::RankOptions of_whole{
            static_cast<double>(linalg::relative_tolerance<P>(options, a.shape()))};
        const auto first = on_first(ranks, [&] { return linalg::lstsq(r, along, of_whole); });
        const MutableTensor<T> x = from_first<T>(ranks, first ? &first->x : nullptr);
        const MutableTensor<P> squares = collective(ranks, [&] {
            const auto rest = purview::matmul(matrix.local(), x) - right.local();
            return MutableTensor<P>(clone(purview::sum(sq(abs(rest)), 0)));
        });
        const index_t rank = broadcast(
            first ? static_cast<index_t>(Tensor<index_t>(first->rank).item()) : index_t{0}, ranks);
        result.emplace(x, all_sum(squares, ranks), rank,
                       from_first<P>(ranks, first ? &first->S : nullptr));
    });
    return *std::move(result);
}

/// Options of `svds`.
struct SvdsOptions {
    bool randomised = false;   ///< by products with random vectors, `passes` of them
    index_t oversampling = 10; ///< more random vectors than k
    index_t passes = 3;        ///< how often the matrix, or its adjoint, multiplies: at least 2
};
template <typename T>
struct DistributedSvds {
    Distributed<T> U;             ///< [m, k]
    MutableTensor<RealPart<T>> S; ///< [k], descending
    MutableTensor<T> Vh;          ///< [k, n]
};
/// What turns the largest component of each column, the first of several, into a real and positive one.
template <typename T>
MutableTensor<T> phases_of_columns(const Distributed<T>& u) {
    const Communicator& ranks = u.distribution().communicator();
    const index_t k = u.shape()[1], count = ranks.size();
    constexpr RealPart<T> kMore = 1 + 64 * std::numeric_limits<RealPart<T>>::epsilon();
    const auto take_larger = [](T& most, const T& x) {
        if (std::abs(x) > std::abs(most) * kMore) most = x;
    };
    const MutableTensor<T> own = collective(ranks, [&] {
        MutableTensor<T> largest = clone(full<T>({1, k}, T{}));
        const Tensor<T> part = clone(u.local());
        const std::span<const T> from = as_span(part);
        const std::span<T> to = as_span(largest);
        for (std::size_t i = 0; i < from.size(); ++i) take_larger(to[i % to.size()], from[i]);
        return largest;
    });
    const MutableTensor<T> found = all_gather(from_local(own, blocks({count, k}, Grid(ranks))));
    MutableTensor<T> phases = clone(full<T>({k}, T{}));
    const std::span<T> to = as_span(phases);
    const std::span<const T> from = as_span(found);
    for (std::size_t i = 0; i < from.size(); ++i) take_larger(to[i % to.size()], from[i]);
    for (T& each : to) {
        [[maybe_unused]] const RealPart<T> size = std::abs(each);
        if constexpr (std::is_floating_point_v<T>)
            each = each < 0 ? T(-1) : T(1);
        else
            each = size > 0 ? std::conj(each) / size : T(1);
    }
    return phases;
}
template <typename T>
struct SmallSvd {
    MutableTensor<T> U;
    MutableTensor<RealPart<T>> S;
    MutableTensor<T> Vh;
};
/// Of a small matrix that all ranks have.
template <typename T, typename F>
SmallSvd<T> svd_on_first(const Communicator& ranks, const F& matrix) {
    const auto first = on_first(ranks, [&] { return linalg::svd(matrix()); });
    return {from_first<T>(ranks, first ? &first->U : nullptr),
            from_first<RealPart<T>>(ranks, first ? &first->S : nullptr),
            from_first<T>(ranks, first ? &first->Vh : nullptr)};
}
/// The first k of U = left turn, of singular values, and of Vh.
template <typename T>
DistributedSvds<T> signed_factors(const Distributed<T>& left, const Tensor<T>& turn,
                                  const Tensor<RealPart<T>>& s, const Tensor<T>& vh, index_t k) {
    const Communicator& ranks = left.distribution().communicator();
    const Distributed<T> u = times_all<T>(left, clone(turn(all, range(0, k))));
    const MutableTensor<T> phases = phases_of_columns(u);
    collective(ranks, [&] { copy(clone(u.local() * phases), u.local()); });
    return {u, clone(s(range(0, k))),
            clone(linalg::conjugate(phases)(all, new_axis) * vh(range(0, k), all))};
}
/// Numbers between -1 and 1, the same on all ranks.
template <typename T>
MutableTensor<T> random_columns(index_t n, index_t width) {
    MutableTensor<T> columns = empty<T>({n, width});
    std::uint64_t i = 0;
    const auto next = [&] {
        return static_cast<RealPart<T>>(std::ldexp(double(random_word(1, i++) >> 32), -31) - 1);
    };
    for (T& each : as_span(columns))
        if constexpr (std::is_floating_point_v<T>)
            each = next();
        else
            each = T{next(), next()};
    return columns;
}
/// By Halko, Martinsson and Tropp 2011: see `linalg::svds`.
template <typename T>
DistributedSvds<T> randomised_svds(const Distributed<T>& a, index_t k, const SvdsOptions& options) {
    const Communicator& ranks = a.distribution().communicator();
    const index_t n = a.shape()[1];
    const index_t width = std::min({k + options.oversampling, a.shape()[0], n});
    MutableTensor<T> right = collective(ranks, [&] { return random_columns<T>(n, width); });
    Distributed<T> left = times_all<T>(a, right);
    for (index_t pass = 1; pass < options.passes; ++pass) { // A = left rightᴴ, nearly
        if (pass % 2 == 1) {
            left = qr_of_rows(left).Q;
            right = adjoint_times(a, left);
        } else {
            const auto basis = on_first(ranks, [&] { return linalg::qr(right).Q; });
            right = from_first<T>(ranks, basis ? &*basis : nullptr);
            left = times_all<T>(a, right);
        }
    }
    if (options.passes % 2 == 0) {
        const auto svd = svd_on_first<T>(ranks, [&] { return linalg::adjoint(right); });
        return signed_factors<T>(left, svd.U, svd.S, svd.Vh, k);
    }
    const auto [q, r] = qr_of_rows(left);
    const auto svd = svd_on_first<T>(ranks, [&] { return r; });
    return signed_factors<T>(q, svd.U, svd.S, own_product<T>(ranks, svd.Vh, linalg::adjoint(right)),
                             k);
}

/// `svds(a, k)`: the k largest singular values of a distributed matrix [m, n], with U [m, k] in its rows, and S and Vh [k, n] on
/// every rank; the largest component of each column of U is real and positive. By `qr`, and the singular values of R. With
/// `{.randomised = true}` as `linalg::svds` with it: O(passes m n k / P), and (k + oversampling) n elements summed over ranks for
/// every second pass. Throws `ShapeError`, `LinearAlgebraError`, `Error`.
template <MatrixElement T>
DistributedSvds<T> svds(const Distributed<T>& a, index_t k, const SvdsOptions& options = {}) {
    constexpr const char* what = "svds";
    const Communicator& ranks = a.distribution().communicator();
    std::optional<DistributedSvds<T>> result;
    const auto describe = [&] {
        require_matrix(what, a);
        if (k < 0 || k > std::min(a.shape()[0], a.shape()[1]))
            throw ShapeError(std::string(what) + ": " + std::to_string(k) +
                             " singular values of a matrix of " + purview::to_string(a.shape()));
        if (options.randomised && (options.passes < 2 || options.oversampling < 0))
            throw Error(std::string(what) + ": " + std::to_string(options.passes) +
                        " passes, of which there are at least 2, and an oversampling of " +
                        std::to_string(options.oversampling) + ", which is at least 0");
        return text_of_argument(a) + ", " + std::to_string(k) + ", " +
               (options.randomised ? std::to_string(options.passes) + " passes, " +
                                         std::to_string(options.oversampling)
                                   : std::string("all"));
    };
    run_steps(what, ranks, describe, [&] {
        const Distributed<T> matrix = in_rows(a, whole_rows(a.distribution()));
        if (options.randomised) {
            result.emplace(randomised_svds(matrix, k, options));
            return;
        }
        const auto [q, r] = qr_of_rows(matrix);
        const auto svd = svd_on_first<T>(ranks, [&] { return r; });
        result.emplace(signed_factors<T>(q, svd.U, svd.S, svd.Vh, k));
    });
    return *std::move(result);
}

} // namespace purview::mpi
