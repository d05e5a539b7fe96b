#pragma once

// Sparse matrices whose rows lie on the ranks, for programs that link purview::sparse, too.
#include <purview/mpi/collective.hpp>
#include <purview/mpi/evaluate.hpp>
#include <purview/mpi/moving.hpp>
#include <purview/mpi/needed_elements.hpp>
#include <purview/mpi/products.hpp>
#include <purview/mpi/reductions.hpp>
#include <purview/sparse.hpp>

#include <algorithm>
#include <concepts>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace purview::inline v0_1::mpi {

/// The same blocks of rows of another number of columns; none: of a vector.
inline Distribution blocks_of_rows(const Distribution& d, std::optional<index_t> columns) {
    Shape shape{d.shape()[0]};
    if (columns) shape.push_back(*columns);
    std::vector<index_t> sizes;
    for (int rank = 0; rank < d.communicator().size(); ++rank)
        sizes.push_back(d.local_shape(rank)[0]);
    return blocks(shape, Grid(d.communicator()), {sizes});
}

/// A sparse matrix in compressed rows, of which each rank has a block. A handle: copies share the entries.
template <BuiltinType T, SparseIndex I = index_t>
class DistributedCsr {
public:
    using value_type = T;

    /// Of this rank's rows, with all columns. `rows` and `columns` are distributions of vectors, in blocks, that the matrix gives and
    /// takes: [m] and [n]. A call of all ranks, which asks once which elements of a vector each rank needs of others. Throws
    /// `ShapeError` for rows that are not as many as `rows` says, or of other columns, `DistributionError` where these are no blocks. O(stored · log stored).
    DistributedCsr(CsrMatrix<T, I> local, const Distribution& rows, const Distribution& columns)
        : rows_(rows), columns_(columns) {
        constexpr const char* kWhat = "DistributedCsr";
        const auto describe = [&] {
            for (const Distribution* const d : {&rows, &columns})
                if (d->shape().size() != 1 || !d->is_blocks())
                    throw DistributionError(std::string(kWhat) + ": " + to_string(*d) +
                                            " where blocks of a vector are wanted");
            if (local.rows() != rows.local_shape()[0] || local.columns() != columns.shape()[0])
                throw ShapeError(std::string(kWhat) + ": rows of shape " +
                                 to_string(local.shape()) + " where the block is " +
                                 to_string(Shape{rows.local_shape()[0], columns.shape()[0]}));
            return to_string(rows) + ", " + to_string(columns) + ", " +
                   std::string(kDType<T>.name());
        };
        run_steps(kWhat, rows.communicator(), describe, [&] {
            const Box box = columns.box();
            std::vector<index_t> needed;
            for (const I column : as_span(local.indices()))
                if (column < box.begin[0] || column >= box.end[0]) needed.push_back(column);
            std::ranges::sort(needed);
            const auto repeated = std::ranges::unique(needed);
            needed.erase(repeated.begin(), repeated.end());
            needed_ = std::make_shared<const NeededElements>(kWhat, columns, std::move(needed));
            // Columns keep their order, so that sums do.
            MutableTensor<I> places = empty<I>({local.stored()});
            std::ranges::transform(
                as_span(local.indices()), as_span(places).begin(),
                [&](I column) { return static_cast<I>(needed_->place_of(column)); });
            local_ = CsrMatrix<T, I>(typename CsrMatrix<T, I>::Unchecked{}, local.rows(),
                                     needed_->all(), local.pointers(), places, local.values());
        });
    }

    Shape shape() const { return {rows_.shape()[0], columns_.shape()[0]}; }
    /// Of vectors that the matrix gives, and takes.
    const Distribution& rows() const noexcept { return rows_; }
    const Distribution& columns() const noexcept { return columns_; }
    /// This rank's rows, of the columns that it needs alone: those of others before its block, its block, those behind.
    const CsrMatrix<T, I>& local() const noexcept { return local_; }
    const NeededElements& needed() const noexcept { return *needed_; }

    /// The product with a vector, for methods that take functions: `cg(a, b)`.
    Tensor<T> operator()(const Tensor<T>& x) const requires std::floating_point<T> {
        return matmul(*this, x).global();
    }

private:
    Distribution rows_;
    Distribution columns_;
    CsrMatrix<T, I> local_;
    std::shared_ptr<const NeededElements> needed_;
};

/// A sparse matrix that all ranks have, in equal blocks of rows: each keeps its own. Sends no entries.
template <BuiltinType T, SparseIndex I>
DistributedCsr<T, I> distribute(const CsrMatrix<T, I>& a, const Communicator& ranks) {
    const Distribution rows = blocks({a.rows()}, Grid(ranks));
    const Distribution columns = blocks({a.columns()}, Grid(ranks));
    const Box box = rows.box();
    const std::span<const I> pointers = as_span(a.pointers());
    const index_t first = pointers[static_cast<std::size_t>(box.begin[0])];
    const index_t last = pointers[static_cast<std::size_t>(box.end[0])];
    MutableTensor<I> begins = empty<I>({box.end[0] - box.begin[0] + 1});
    std::ranges::transform(pointers.subspan(static_cast<std::size_t>(box.begin[0]),
                                            static_cast<std::size_t>(begins.size())),
                           as_span(begins).begin(),
                           [&](I begin) { return static_cast<I>(begin - first); });
    return {CsrMatrix<T, I>(typename CsrMatrix<T, I>::Unchecked{}, begins.size() - 1, a.columns(),
                            begins, clone(a.indices()(range(first, last))),
                            clone(a.values()(range(first, last)))),
            rows, columns};
}
/// A sparse matrix in a Matrix Market file, which each rank reads, and of which it keeps its rows. Throws on all ranks what
/// `load_mtx` throws on one.
template <BuiltinType T>
DistributedCsr<T> load_mtx(const std::string& path, const Communicator& ranks) {
    return distribute(collective(ranks, [&] { return read_mtx<T, index_t>(path); }), ranks);
}

/// For the agreement of ranks, and checks: a product of a matrix, on the left or not, and what it is multiplied by.
template <BuiltinType T, SparseIndex I>
std::string described_product(const DistributedCsr<T, I>& a, const Operand& x, bool is_left) {
    const ShapeSpan shape = x.dims.max_shape();
    is_left ? check_product(a.shape(), shape) : check_product(shape, a.shape());
    if (x.dtype() != kDType<T>)
        throw DtypeError("matmul: elements of type " + std::string(x.dtype().name()) +
                         " times a sparse matrix of " + std::string(kDType<T>.name()));
    return to_string(a.rows()) + to_string(a.columns()) + std::to_string(a.needed().number()) +
           (is_left ? "x" : "Tx") + to_string(to_shape(shape));
}

/// What a sparse product multiplies: an expression over ranks, of elements of T, in blocks of rows.
template <BuiltinType T>
Distributed<T> in_blocks_of_rows(const char* what, const Whole& x, const Distribution& rows) {
    const ShapeSpan shape = x.operand().dims.max_shape();
    const Distribution d =
        blocks_of_rows(rows, shape.size() == 2 ? std::optional<index_t>(shape[1]) : std::nullopt);
    return Distributed<T>(evaluate_any(what, x.operand(), d));
}

/// `matmul(a, x)`: a sparse matrix [m, n] times a vector [n] or a matrix [n, k], distributed in any way, or an expression over such:
/// in the blocks of `a.rows()`, with the bits of one process. Each rank sends each other the elements that this one needs, once, and
/// no more. Throws `ShapeError` naming both shapes, `DtypeError` for elements of another type.
template <BuiltinType T, SparseIndex I, typename X>
    requires std::convertible_to<const X&, Whole> Distributed<Accumulated<T>>
    matmul(const DistributedCsr<T, I>& a, const X& x) {
        constexpr const char* kWhat = "matmul";
        using R = Accumulated<T>;
        const Shape shape = to_shape(Whole(x).operand().dims.max_shape());
        const Communicator& ranks = a.rows().communicator();
        std::optional<Distributed<R>> result;
        const auto describe = [&] { return described_product(a, Whole(x).operand(), true); };
        run_steps(kWhat, ranks, describe, [&] {
            const Distributed<T> own = in_blocks_of_rows<T>(kWhat, x, a.columns());
            Shape all = shape;
            all[0] = a.needed().all();
            const MutableTensor<T> seen = empty<T>(all);
            const index_t width = shape.size() == 2 ? shape[1] : 1;
            a.needed().gather(kWhat, as_span(own.local()).data(), as_span(seen).data(),
                              sizeof(T) * static_cast<std::size_t>(width));
            const auto found =
                collective(ranks, [&] { return multiply_dense(a.local(), Tensor<T>(seen)); });
            const Distribution d = blocks_of_rows(
                a.rows(), shape.size() == 2 ? std::optional<index_t>(width) : std::nullopt);
            result.emplace(AnyDistributed(found.operand(), d));
        });
        return *std::move(result);
    }

/// `matmul(x, a)`: a vector [m] times a sparse matrix [m, n], the product of the transpose: in the blocks of `a.columns()`. Each rank
/// sends each other the sums that its rows have for elements of that one, which adds them up in the order of the ranks: the same
/// bits in each run on as many ranks. Throws as the one above.
template <BuiltinType T, SparseIndex I, typename X>
    requires std::convertible_to<const X&, Whole> Distributed<Accumulated<T>>
    matmul(const X& x, const DistributedCsr<T, I>& a) {
        constexpr const char* kWhat = "matmul";
        using R = Accumulated<T>;
        const Shape shape = to_shape(Whole(x).operand().dims.max_shape());
        const Communicator& ranks = a.rows().communicator();
        std::optional<Distributed<R>> result;
        const auto describe = [&] {
            if (shape.size() != 1)
                throw ShapeError("matmul: shape " + to_string(shape) +
                                 " times a sparse matrix over ranks: a vector is wanted; "
                                 "matmul(transpose of the matrix, x) takes matrices");
            return described_product(a, Whole(x).operand(), false);
        };
        run_steps(kWhat, ranks, describe, [&] {
            const Distributed<T> own = in_blocks_of_rows<T>(kWhat, x, a.rows());
            const auto sums = collective(ranks, [&] {
                return multiply_dense(transposed(a.local()), Tensor<T>(own.local()));
            });
            const std::span<const R> all = as_span(Tensor<R>(sums));
            MutableTensor<R> own_sums = empty<R>({a.needed().own()});
            const std::span<R> out = as_span(own_sums);
            std::ranges::copy(
                all.subspan(static_cast<std::size_t>(a.needed().before()), out.size()),
                out.begin());
            a.needed().give_back(
                kWhat, all.data(), sizeof(R), [&](index_t place, const void* element) {
                    R& total = out[static_cast<std::size_t>(place)];
                    total = static_cast<R>(total + *static_cast<const R*>(element));
                });
            result.emplace(AnyDistributed(own_sums.operand(), a.columns()));
        });
        return *std::move(result);
    }

} // namespace purview
