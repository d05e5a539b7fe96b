// Defines purview/linalg/singular_values.hpp.
// Random vectors, and principal components.
#include "svds.hpp"

#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/linalg/decompositions.hpp>
#include <purview/linalg/products.hpp>
#include <purview/tensor/views.hpp>

#include <fmt/format.h>

namespace purview::inline v0_1::linalg {
namespace {

template <typename T>
MutableTensor<T> random_columns(index_t rows, index_t columns) {
    MutableTensor<T> made = empty<T>({rows, columns});
    for (index_t i = 0; T & to : as_span(made)) to = Basis<T>::random(1, i++);
    return made;
}

/// Q and R of a matrix of many more rows than columns: of blocks of rows on all threads, then of what is left of these
/// (Demmel, Grigori, Hoemmen and Langou 2012).
template <typename T>
std::pair<Tensor<T>, Tensor<T>> tall_qr(const Tensor<T>& y) {
    const index_t m = y.shape()[0], n = y.shape()[1];
    const index_t least = std::max<index_t>(4 * n, 2048);
    if (n == 0 || m < 2 * least) {
        const auto [q, r] = qr(y);
        return {q, r};
    }
    const index_t count = m / least, rows = m / count, whole = count * rows, left = count * n;
    const auto [q, r] = qr(clone(reshape(y(range(0, whole), all), {count, rows, n})));
    const Tensor<T> rest = reshape(r, {left, n});
    const auto [turns, last] =
        tall_qr(Tensor<T>(clone(concat(rest, Tensor<T>(y(range(whole, m), all)), 0))));
    const Tensor<T> of_blocks = reshape(turns(range(0, left), all), {count, n, n});
    const MutableTensor<T> all_rows = empty<T>({m, n});
    copy(reshape(matmul(q, of_blocks), {whole, n}), all_rows(range(0, whole), all));
    copy(turns(range(left, left + m - whole), all), all_rows(range(whole, m), all));
    return {all_rows, last};
}

} // namespace

/// Halko, Martinsson and Tropp 2011: what is left of random vectors, multiplied by the operator and its adjoint in turn, lies along
/// the largest singular vectors. The last product is decomposed.
template <typename T>
SvdsOperands randomised_svd(const SvdsRequest& request) {
    const LinearOperator& a = *request.matrix;
    Basis<T> u(a.to()), v(a.from());
    const index_t k = request.count, n = v.length();
    if (k == 0) return found_factors<T>(request, u, {}, v, 0, 0);
    const index_t width = std::min({k + request.oversampling, n, u.length()});
    Tensor<T> product, base = request.base ? Tensor<T>(*request.base) : random_columns<T>(n, width);
    watched_steps(request.what, request.passes, [&](index_t pass) {
        product = Tensor<T>(a.products(base.operand(), pass % 2 == 1));
        if (request.on_iteration)
            request.on_iteration(pass + 1, std::numeric_limits<double>::quiet_NaN());
        if (pass + 1 < request.passes) base = tall_qr(product).first;
        return true;
    });
    for (const T& each : as_span(product))
        if (!std::isfinite(std::abs(each)))
            throw LinearAlgebraError(
                fmt::format("{}: the operator gives numbers that are not finite", request.what));
    // A = product baseᴴ, or A = base productᴴ
    const auto [q, r] = tall_qr(product);
    const auto [within, values, turn] = svd(r);
    const Tensor<T> own = clone(matmul(q, within));
    const Tensor<T> other = clone(matmul(base, adjoint(turn)));
    const bool is_of_adjoint = request.passes % 2 == 0;
    (is_of_adjoint ? v : u).add_columns(own, k);
    (is_of_adjoint ? u : v).add_columns(other, k);
    const auto all = as_span(values);
    const std::vector<double> found(all.begin(), all.begin() + k);
    return found_factors<T>(request, u, found, v, request.passes,
                            std::numeric_limits<double>::quiet_NaN());
}

namespace {

/// A matrix of which the mean of the rows is taken from each.
template <typename T>
class CentredOperator final : public LinearOperator {
public:
    CentredOperator(OperatorPtr a, Tensor<T> mean)
        : LinearOperator(to_shape(a->from()), to_shape(a->to())),
          a_(std::move(a)),
          mean_(std::move(mean)) {}

    void apply(const Operand& x, const Operand& y) const override {
        a_->apply(x, y);
        take_from(x, y, 1, false);
    }
    void apply_adjoint(const Operand& x, const Operand& y) const override {
        a_->apply_adjoint(x, y);
        take_from(x, y, 1, true);
    }
    Operand products(const Operand& x, bool of_adjoint) const override {
        const Operand y = a_->products(x, of_adjoint);
        take_from(x, y, x.dims.max_shape()[1], of_adjoint);
        return y;
    }

private:
    /// y -= 1 (mean x), or its adjoint, of columns.
    void take_from(const Operand& x, const Operand& y, index_t columns, bool of_adjoint) const {
        const T *from = as_span(Tensor<T>(x)).data(), *mean = as_span(mean_).data();
        const index_t width = columns;
        std::vector<Wide<T>> sums(static_cast<std::size_t>(width));
        const index_t count = (of_adjoint ? to() : this->from())[0];
        for (index_t i = 0; i < count; ++i)
            for (index_t j = 0; j < width; ++j, ++from)
                sums[static_cast<std::size_t>(j)] +=
                    Wide<T>(of_adjoint ? *from : times(mean[i], *from));
        T* out = as_span(MutableTensor<T>(Operand(y))).data();
        const index_t rows = (of_adjoint ? this->from() : to())[0];
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < width; ++j, ++out) {
                const T sum = scalar<T>(sums[static_cast<std::size_t>(j)]);
                *out -= of_adjoint ? conjugate_times(mean[i], sum) : sum;
            }
    }

    OperatorPtr a_;
    Tensor<T> mean_;
};

/// The mean of the rows.
template <typename T>
MutableTensor<T> mean_of_rows(const LinearOperator& a) {
    const index_t m = a.to()[0];
    const MutableTensor<T> ones = full<T>({m}, T(1)) | clone, mean = empty<T>({a.from()[0]});
    a.apply_adjoint(ones.operand(), mean.operand());
    for (T& each : as_span(mean))
        each = conjugate(each) / T(static_cast<typename PartOfComplex<T>::type>(m));
    return mean;
}
/// The same with the first product of randomised ones, (A - 1 mean)ᴴ times random vectors, which becomes their base.
template <typename T>
MutableTensor<T> mean_with_base(SvdsRequest& request) {
    const LinearOperator& a = *request.matrix;
    const index_t m = a.to()[0], n = a.from()[0];
    const index_t width = std::min({request.count + request.oversampling, m, n});
    const MutableTensor<T> columns = random_columns<T>(m, width + 1);
    copy(ones<T>({m}), columns(all, width));
    const Tensor<T> product(a.products(columns.operand(), true));
    const MutableTensor<T> mean = clone(product(all, width));
    const Tensor<T> sums = sum(columns(all, range(0, width)), 0);
    MutableTensor<T> base = clone(product(all, range(0, width)));
    const auto number = T(static_cast<typename PartOfComplex<T>::type>(m));
    for (T& each : as_span(mean)) each = each / number; // conjugated
    copy(base - mean(all, new_axis) * sums, base);
    for (T& each : as_span(mean)) each = conjugate(each);
    request.base = tall_qr<T>(base).first.operand();
    --request.passes;
    return mean;
}

} // namespace

PcaOperands pca_result(SvdsRequest request) {
    const LinearOperator& a = *request.matrix;
    const index_t m = a.to()[0], n = a.from()[0];
    if (m < 2)
        throw ShapeError(fmt::format(
            "pca: [{}, {}] has {} rows: of observations there are 2 at least", m, n, m));
    return visit_matrix_dtype(request.dtype, [&]<typename T>(std::type_identity<T>) {
        using P = typename PartOfComplex<T>::type;
        // What is wrong is told by svds.
        const bool at_once = request.randomised && request.count > 0 &&
                             request.count <= std::min(m, n) && request.passes >= 2 &&
                             request.oversampling >= 0;
        const MutableTensor<T> mean =
            at_once ? mean_with_base<T>(request) : mean_of_rows<T>(*request.matrix);
        request.matrix = std::make_shared<const CentredOperator<T>>(request.matrix, mean);
        request.signs_of_rows = true;
        SvdsOperands found = svds_result(request);
        const MutableTensor<P> variances(std::move(found.s));
        for (P& each : as_span(variances)) each = each * each / static_cast<P>(m - 1);
        return PcaOperands{std::move(found.vh), variances.operand(), mean.operand(),
                           found.iterations + (at_once ? 1 : 0), found.residual};
    });
}

#define PURVIEW_RANDOMISED_SVD(T) template SvdsOperands randomised_svd<T>(const SvdsRequest&);
PURVIEW_EACH_VECTOR_TYPE(PURVIEW_RANDOMISED_SVD)

} // namespace purview::linalg
