#pragma once

/// Random batches of matrices, seen through views, and what the definitions say of them.

#include <support/oracle.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/assembly/triangle.hpp>
#include <purview/functional/elementwise/complex.hpp>
#include <purview/functional/reductions/product.hpp>
#include <purview/linalg.hpp>

#include <cmath>
#include <complex>
#include <cstddef>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace linalg_tests {

namespace pv = purview;
namespace la = purview::linalg;
using oracle::index_t;
using oracle::Random;

template <typename T>
using Real = typename pv::PartOfComplex<T>::type;
template <typename T>
inline constexpr bool kIsComplex = !std::is_same_v<T, Real<T>>;

template <typename T>
T random_number(Random& random) {
    const auto part = [&] {
        return static_cast<Real<T>>(random.between(-1000, 1000)) / Real<T>(256);
    };
    if constexpr (kIsComplex<T>) {
        const Real<T> real = part();
        return T(real, part());
    } else {
        return part();
    }
}

/// Of this shape; about half of them transposed, turned round, sliced, or repeated along the first axis.
template <typename T>
pv::Tensor<T> random_matrices(Random& random, pv::Shape shape) {
    const auto made = [&](const pv::Shape& own) {
        pv::MutableTensor<T> x = pv::empty<T>(own);
        for (T& element : pv::as_span(x)) element = random_number<T>(random);
        return x;
    };
    const auto rank = static_cast<index_t>(shape.size());
    switch (random.between(0, 7)) {
    case 0: {
        std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
        return pv::swap_axes(made(shape), -1, -2);
    }
    case 1: return pv::flip(made(shape), -1);
    case 2: {
        shape.back() *= 2;
        return made(shape)(pv::ellipsis, pv::range(0, shape.back(), 2));
    }
    case 3: {
        if (rank < 3) break;
        pv::Shape one = shape;
        one[0] = 1;
        return pv::Tensor<T>(pv::broadcast(made(one), pv::AxisValues(shape)));
    }
    default: break;
    }
    return made(shape);
}
/// A batch of none to two axes.
inline pv::Shape random_batch(Random& random) {
    pv::Shape batch;
    for (index_t axes = random.between(0, 2); axes > 0; --axes)
        batch.push_back(random.between(random.one_in(8) ? 0 : 1, 4));
    return batch;
}
inline pv::Shape with(pv::Shape batch, std::initializer_list<index_t> own) {
    batch.insert(batch.end(), own.begin(), own.end());
    return batch;
}

template <typename T>
double largest(const T& x) {
    return x.size() == 0 ? 0 : static_cast<double>(pv::max(pv::abs(x)));
}
/// The largest difference, in units of rounding of the largest element.
template <typename T, typename X, typename Y>
double apart(const X& x, const Y& y) {
    const double size = std::max({largest(x), largest(y), 1.});
    return largest(pv::clone(x) - pv::clone(y)) / size /
           static_cast<double>(std::numeric_limits<Real<T>>::epsilon());
}
/// Far above rounding, far below mistakes.
inline constexpr double kFew = 5000;

template <typename X>
auto identities_like(const X& x) {
    using T = typename X::value_type;
    return pv::eye<T>(x.shape().back());
}
template <typename X>
auto adjoint(const X& x) {
    return pv::clone(la::adjoint(x));
}

/// Matrices with zeros where `keeps(row, column)` is false.
template <typename X, typename F>
auto part_of(const X& x, const F& keeps) {
    const auto copy = pv::clone(x);
    const index_t n = copy.shape().back(),
                  m = copy.shape()[static_cast<std::size_t>(copy.rank() - 2)];
    index_t at = 0;
    for (auto& element : pv::as_span(copy)) {
        if (!keeps(at / n % m, at % n)) element = {};
        ++at;
    }
    return copy;
}
template <typename X>
auto upper_part(const X& x, index_t offset = 0) {
    return part_of(x, [=](index_t i, index_t j) { return j >= i + offset; });
}
template <typename X>
auto lower_part(const X& x, index_t offset = 0) {
    return part_of(x, [=](index_t i, index_t j) { return j <= i + offset; });
}

#define LINALG_TYPES float, double, std::complex<float>, std::complex<double>

} // namespace linalg_tests
