#pragma once

// Some eigenvalues of operators over ranks.
#include <purview/linalg/eigenvalues.hpp>
#include <purview/mpi/linalg/iterative.hpp>

namespace purview::inline v0_1::mpi {

/// Options of `lobpcg`: those of linalg.
template <typename T>
struct LobpcgOptions {
    bool largest = false;
    double tolerance = linalg::kUsualTolerance<T>; ///< of |A x - λ x| / |A|
    index_t max_iterations = 500;
    VectorFunction<T> preconditioner = {};                  ///< nearly A⁻¹, positive definite
    std::function<void(index_t, double)> on_iteration = {}; ///< called on all ranks
    bool throws = true;
};
template <typename T>
struct DistributedEigenvalues {
    MutableTensor<RealPart<T>> eigenvalues; ///< [k], ascending
    Distributed<T> eigenvectors;            ///< [..., k]
    index_t iterations = 0;
    double residual = 0; ///< the largest |A x - λ x| / |A|, computed of these x
};

/// Where vectors [..., k] lie, of which each rank has its part of all; nothing where they lie otherwise.
inline std::optional<Distribution> distribution_of_each(const Distribution& d) {
    const ShapeSpan extents = d.grid().extents();
    const std::size_t axes = d.shape().size() - 1;
    if (!d.is_blocks() || (extents.size() > axes && extents[axes] != 1)) return std::nullopt;
    std::vector<std::vector<index_t>> sizes;
    index_t stride = d.communicator().size();
    for (std::size_t axis = 0; axis < std::min(axes, extents.size()); ++axis) {
        stride /= extents[axis];
        std::vector<index_t>& own = sizes.emplace_back();
        for (index_t place = 0; place < extents[axis]; ++place)
            own.push_back(d.local_shape(static_cast<int>(place * stride))[axis]);
    }
    const Shape grid(extents.begin(), extents.begin() + std::ssize(sizes));
    return blocks(Shape(d.shape().begin(), d.shape().end() - 1), Grid(d.communicator(), grid),
                  sizes);
}
/// Where as many vectors lie, each of which lies so.
inline Distribution distribution_of_all(const Distribution& each, index_t k) {
    std::vector<std::vector<index_t>> sizes;
    const ShapeSpan extents = each.grid().extents();
    index_t stride = each.communicator().size();
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
        stride /= extents[axis];
        std::vector<index_t>& own = sizes.emplace_back();
        for (index_t place = 0; place < extents[axis]; ++place)
            own.push_back(each.local_shape(static_cast<int>(place * stride))[axis]);
    }
    Shape shape = to_shape(each.shape());
    shape.push_back(k);
    return blocks(shape, each.grid(), sizes);
}

/// `lobpcg(a, x, {.largest, .preconditioner})`: as `linalg::lobpcg`, of a distributed matrix or of a function over ranks, as of
/// `cg`, and distributed vectors x [..., k], from which it starts; the eigenvectors are distributed as x. Small matrices
/// of k, 2 k and 3 k rows are decomposed by the first rank. Where x divides its last axis, or is dealt out, it is brought into blocks along
/// the first. An iteration is k products, and a sum over ranks for each of about 8 k passes. Throws as `linalg::lobpcg`, on all ranks alike.
template <typename A, MatrixElement T>
    requires OperatorOfRanks<A, T> DistributedEigenvalues<T>
    lobpcg(const A& a, const Distributed<T>& x,
           const LobpcgOptions<std::type_identity_t<T>>& options = {}) {
        constexpr const char* what = "lobpcg";
        const Communicator& ranks = x.distribution().communicator();
        const auto describe = [&] {
            if (x.shape().size() < 2)
                throw ShapeError(std::string(what) +
                                 ": vectors to start from are columns of two axes or "
                                 "more, not of " +
                                 purview::to_string(x.shape()));
            std::ostringstream text;
            if constexpr (kIsMatrixOfRanks<A, T>) {
                require_matrix(what, a);
                const Shape n{a.shape()[1]}, own(x.shape().begin(), x.shape().end() - 1);
                if (a.shape()[0] != n[0])
                    throw ShapeError(std::string(what) + ": the operator takes vectors of " +
                                     purview::to_string(n) + " and gives vectors of " +
                                     purview::to_string(Shape{a.shape()[0]}));
                if (own != n)
                    throw ShapeError(std::string(what) + ": the start has vectors of " +
                                     purview::to_string(own) + ", the operator takes " +
                                     purview::to_string(n));
                text << text_of_argument(a) << ", ";
            }
            text << text_of_argument(x) << ", " << options.tolerance << ", "
                 << options.max_iterations << (options.largest ? ", largest" : "")
                 << (options.preconditioner ? ", preconditioned" : "")
                 << (options.throws ? "" : ", throws not")
                 << (options.on_iteration ? ", watched" : "");
            return text.str();
        };
        std::optional<DistributedEigenvalues<T>> result;
        run_steps(what, ranks, describe, [&] {
            const index_t k = x.shape().back();
            std::optional<Distribution> each;
            linalg::OperatorPtr matrix;
            if constexpr (kIsMatrixOfRanks<A, T>) {
                const Distribution rows = whole_rows(a.distribution());
                each = same_rows(rows, {x.shape()[0]});
                matrix = std::make_shared<const RowsOfRanks<T>>(in_rows(a, rows), *each);
            } else {
                each = distribution_of_each(x.distribution());
                const Shape shape(x.shape().begin(), x.shape().end() - 1);
                if (!each) each = blocks(shape, Grid(ranks));
                check_shape_over_ranks<T>(what, a, *each, ": the operator takes vectors of ",
                                          " and gives vectors of ");
                matrix = std::make_shared<const FunctionOfRanks<T>>(a, *each);
            }
            if (options.preconditioner)
                check_shape_over_ranks<T>(what, options.preconditioner, *each, ": x is of ",
                                          ", the preconditioner gives vectors of ");
            const Distribution of_all = distribution_of_all(*each, k);
            const Distributed<T> start = redistribute(x, of_all);
            const PartsOfRanks parts(what, *each);
            linalg::EigenvaluesRequest request{.what = what,
                                               .dtype = kDType<T>,
                                               .matrix = matrix,
                                               .count = k,
                                               .which = options.largest ? linalg::largest
                                                                        : linalg::smallest,
                                               .start = start.local_operand(),
                                               .tolerance = options.tolerance,
                                               .max_iterations = options.max_iterations,
                                               .on_iteration = watched_over_ranks(ranks, options),
                                               .throws = options.throws,
                                               .parts = &parts};
            if (options.preconditioner)
                request.preconditioner =
                    std::make_shared<const FunctionOfRanks<T>>(options.preconditioner, *each);
            linalg::EigenvaluesOperands found = linalg::lobpcg_result(request);
            const Distributed<T> vectors(AnyDistributed(std::move(found.vectors), of_all));
            result.emplace(MutableTensor<RealPart<T>>(std::move(found.values)),
                           redistribute(vectors, x.distribution()), found.iterations,
                           found.residual);
        });
        return *std::move(result);
    }

} // namespace purview::mpi
