#pragma once

#include "iteration.hpp"
#include "matrix_work.hpp"
#include "member.hpp"

#include <purview/base/random_bits.hpp>

#include <array>
#include <vector>

namespace purview::inline v0_1::linalg {

/// A small matrix in double precision, row by row.
template <typename W>
struct Small {
    Small(index_t m, index_t n)
        : tensor(zeros<W>({m, n})), data(as_span(tensor).data()), columns(n) {}
    explicit Small(MutableTensor<W> of)
        : tensor(std::move(of)), data(as_span(tensor).data()), columns(tensor.shape()[1]) {}
    W& operator()(index_t i, index_t j) const noexcept { return data[i * columns + j]; }

    MutableTensor<W> tensor;
    W* data;
    index_t columns;
};
/// What the first of several processes has computed, on all of them.
template <typename W>
void take_first(const JoinedParts* parts, std::span<W> numbers) {
    if (parts == nullptr) return;
    if (!parts->is_first()) std::ranges::fill(numbers, W{});
    add_over(parts, numbers);
}
/// Values, ascending, and vectors of a Hermitian matrix, of which the lower triangle is read.
template <typename W>
std::pair<std::vector<double>, Small<W>> small_eigh(const Small<W>& matrix,
                                                    const JoinedParts* parts = nullptr) {
    std::vector<Operand> both =
        matrix_results(MatrixFunction::eigh, std::array{matrix.tensor.operand()}, {});
    const MutableTensor<double> held(std::move(both[0]));
    const MutableTensor<W> vectors(std::move(both[1]));
    take_first(parts, as_span(held)); // others may have another LAPACK
    take_first(parts, as_span(vectors));
    const std::span<const double> values = as_span(held);
    return {{values.begin(), values.end()}, Small<W>(vectors)};
}

/// Vectors of one shape, and what is done with all of them in one pass.
template <typename T>
class Basis {
    using W = Wide<T>;

public:
    explicit Basis(ShapeSpan shape, const JoinedParts* parts = nullptr)
        : shape_(to_shape(shape)), parts_(parts) {
        for (const index_t extent : shape_) n_ *= extent;
    }

    /// Of which these are parts; null: they are whole.
    const JoinedParts* parts() const noexcept { return parts_; }
    index_t length() const noexcept { return n_; }
    double norm_of(const T* w) const { return joined_norm(inner_product(n_, w, w)); }
    /// y = a x + c y; the norm of y
    double combine(T* y, T a, const T* x, T c) const {
        return joined_norm(combined_square(n_, y, a, x, c));
    }
    index_t count() const noexcept { return static_cast<index_t>(vectors_.size()); }
    ShapeSpan shape() const noexcept { return shape_; }
    Vector<T>& operator[](index_t i) noexcept { return vectors_[static_cast<std::size_t>(i)]; }
    const Vector<T>& operator[](index_t i) const noexcept {
        return vectors_[static_cast<std::size_t>(i)];
    }
    Vector<T>& add() { return vectors_.emplace_back(shape_); }
    void add(Vector<T> vector) { vectors_.push_back(std::move(vector)); }
    void shorten(index_t count) { vectors_.erase(vectors_.begin() + count, vectors_.end()); }

    /// Vᴴ w of the first `count` vectors, and behind them |w|², where first, if `less` is given, w -= V less.
    std::vector<W> swept(index_t count, T* w, const W* less, bool wants_products) const {
        const auto width = static_cast<std::size_t>(count) + 1;
        std::vector<W> sums(width * static_cast<std::size_t>((n_ + kBlock - 1) / kBlock + 1));
        const double cost = 0.06 * sizeof(T) * static_cast<double>(count + 1) *
                            static_cast<double>(n_) * (less != nullptr ? 2 : 1);
        parallel_ranges(n_, kBlock, cost, [&](index_t first, index_t last) {
            for (index_t begin = first; begin < last; begin += kBlock) {
                const index_t size = std::min(begin + kBlock, last) - begin;
                W* const own = sums.data() + static_cast<std::size_t>(begin / kBlock + 1) * width;
                if (less != nullptr)
                    for (index_t i = 0; i < count; ++i)
                        add_part(size, w + begin, -scalar<T>(less[i]), (*this)[i].data + begin);
                for (index_t i = 0; i < count && wants_products; ++i)
                    own[i] = product_of_parts(size, (*this)[i].data + begin, w + begin);
                own[count] = product_of_parts(size, w + begin, w + begin);
            }
        });
        for (std::size_t i = width; i < sums.size(); ++i) sums[i % width] += sums[i];
        sums.resize(width);
        add_over<W>(parts_, sums);
        return sums;
    }
    /// Takes from w what it has along the first `count` vectors, twice, which are to be orthonormal: Vᴴ w as it was, and
    /// behind that the norm of what is left. Not finite: w is not. Once is not enough, even where much is left: what rounding leaves
    /// along them grows from vector to vector.
    std::vector<W> orthogonalised(index_t count, T* w) const {
        std::vector<W> products = swept(count, w, nullptr, true);
        const std::vector<W> rest = swept(count, w, products.data(), true);
        const double norm = std::sqrt(std::real(swept(count, w, rest.data(), false).back()));
        for (std::size_t i = 0; i < static_cast<std::size_t>(count); ++i) products[i] += rest[i];
        products.back() = W(norm);
        return products;
    }
    /// Numbers between -1 and 1, orthonormal to the first `count` vectors, of which there are fewer than elements.
    void make_random(index_t count, T* w, std::uint64_t seed) const {
        for (;; ++seed) {
            const index_t before = parts_ != nullptr ? parts_->before() : 0;
            parallel_ranges(n_, kBlock, 4. * static_cast<double>(n_),
                            [=](index_t begin, index_t end) {
                                for (index_t i = begin; i < end; ++i)
                                    w[i] = random(seed, before + i);
                            });
            double norm = 0;
            for (int times = 0; times < 2; ++times) { // of little that is left, once more
                norm = std::real(orthogonalised(count, w).back());
                if (norm == 0) break;
                scale_to(n_, w, scalar<T>(1 / norm), w);
            }
            if (norm > 0.5) return;
        }
    }
    /// The vectors that the columns of `by` make of the first ones.
    Basis combined(const Small<W>& by, index_t columns) const {
        Basis made(shape_, parts_);
        for (index_t j = 0; j < columns; ++j) made.add();
        const index_t count = by.tensor.shape()[0];
        constexpr index_t kPart = 512;
        const double cost =
            0.1 * sizeof(T) * static_cast<double>(count * columns) * static_cast<double>(n_);
        parallel_ranges(n_, kBlock, cost, [&](index_t first, index_t last) {
            for (index_t begin = first; begin < last; begin += kPart) {
                const index_t size = std::min(begin + kPart, last) - begin;
                for (index_t j = 0; j < columns; ++j) {
                    T* const to = made[j].data + begin;
                    std::fill_n(to, size, T{});
                    for (index_t i = 0; i < count; ++i)
                        if (by(i, j) != W{})
                            add_part(size, to, scalar<T>(by(i, j)), (*this)[i].data + begin);
                }
            }
        });
        return made;
    }
    /// Of each vector what makes its largest component real and positive.
    std::vector<T> phases() const {
        std::vector<T> made;
        for (const Vector<T>& each : vectors_)
            made.push_back(conjugate(phase_of(largest_of(each))));
        return made;
    }
    /// [shape..., count]: vectors times phases.
    MutableTensor<T> columns(const std::vector<T>& phases) const {
        Shape shape = shape_;
        shape.push_back(count());
        MutableTensor<T> made = empty<T>(shape);
        T* const to = as_span(made).data();
        const index_t width = count();
        for (index_t j = 0; j < width; ++j) {
            const T* const from = (*this)[j].data;
            for (index_t i = 0; i < n_; ++i)
                to[i * width + j] = times(phases[static_cast<std::size_t>(j)], from[i]);
        }
        return made;
    }
    /// [count, shape...]: their conjugates.
    MutableTensor<T> conjugate_rows(const std::vector<T>& phases) const {
        Shape shape{count()};
        shape.insert(shape.end(), shape_.begin(), shape_.end());
        MutableTensor<T> made = empty<T>(shape);
        T* to = as_span(made).data();
        for (index_t j = 0; j < count(); ++j)
            for (index_t i = 0; i < n_; ++i)
                *to++ = conjugate(times(phases[static_cast<std::size_t>(j)], (*this)[j].data[i]));
        return made;
    }
    /// The first columns of [elements, ...].
    void add_columns(const Tensor<T>& of, index_t columns) {
        const T* const from = as_span(of).data();
        const index_t width = of.shape()[1];
        for (index_t j = 0; j < columns; ++j) {
            T* const to = add().data;
            for (index_t i = 0; i < n_; ++i) to[i] = from[i * width + j];
        }
    }

    /// Word i of a seed as numbers between -1 and 1.
    static T random(std::uint64_t seed, index_t i) {
        using P = typename PartOfComplex<T>::type;
        const std::uint64_t word = random_word(seed, static_cast<std::uint64_t>(i));
        const auto part = [](std::uint64_t bits) { // 32 of them
            return static_cast<P>(static_cast<double>(bits) / 2147483648. - 1);
        };
        if constexpr (kIsComplex<T>)
            return T(part(word >> 32), part(word & 0xffffffff));
        else
            return part(word >> 32);
    }

private:
    double joined_norm(W square) const {
        add_over<W>(parts_, {&square, 1});
        return std::sqrt(std::real(square));
    }
    /// The largest element; of those of parts that are as large but for rounding, that of the first.
    T largest_of(const Vector<T>& vector) const {
        const T own = largest_element(vector.data, static_cast<std::size_t>(n_), 1);
        if (parts_ == nullptr) return own;
        const double size = static_cast<double>(std::abs(own));
        const double most = parts_->largest(size); // all ask
        const bool is_largest = size > 0 && size * kMoreThan<T> >= most;
        const double place = -static_cast<double>(parts_->before());
        const double first =
            parts_->largest(is_largest ? place : -std::numeric_limits<double>::infinity());
        W sum = is_largest && place == first ? W(own) : W{};
        add_over<W>(parts_, {&sum, 1});
        return scalar<T>(sum);
    }
    template <typename F>
    static void each_lane(index_t n, const F& f) {
        using V = typename Lanes<T>::Vector;
        constexpr index_t kCount = Lanes<T>::kCount;
        index_t i = 0;
        for (; i + kUnrolled * kCount <= n; i += kUnrolled * kCount)
            for (index_t u = 0; u < kUnrolled; ++u)
                f.template operator()<V>(i + u * kCount, static_cast<std::size_t>(u));
        for (; i < n; ++i) f.template operator()<T>(i, std::size_t{0});
    }
    static void add_part(index_t n, T* y, T a, const T* x) {
        each_lane(n, [=]<typename V>(index_t i, std::size_t) {
            store(y + i, load<V>(y + i) + times(a, load<V>(x + i)));
        });
    }
    static W product_of_parts(index_t n, const T* x, const T* y) {
        using Lane = typename Lanes<T>::Vector;
        std::array<Lane, kUnrolled> lanes{};
        T rest{};
        each_lane(n, [&, x, y]<typename V>(index_t i, std::size_t u) {
            const V product = conjugate_times(load<V>(x + i), load<V>(y + i));
            if constexpr (std::is_same_v<V, Lane>)
                lanes[u] += product;
            else
                rest += product;
        });
        W sum(rest);
        T parts[kUnrolled * Lanes<T>::kCount];
        std::memcpy(static_cast<void*>(parts), lanes.data(), sizeof parts);
        for (const T& part : parts) sum += W(part);
        return sum;
    }

    Shape shape_;
    const JoinedParts* parts_;
    index_t n_ = 1;
    std::vector<Vector<T>> vectors_;
};

/// An operator times a power of 2.
template <typename T>
class ScaledOperator final : public LinearOperator {
public:
    ScaledOperator(OperatorPtr a, T factor)
        : LinearOperator(to_shape(a->from()), to_shape(a->to())),
          a_(std::move(a)),
          factor_(factor) {}
    void apply(const Operand& x, const Operand& y) const override {
        a_->apply(x, y);
        scale(y);
    }
    void apply_adjoint(const Operand& x, const Operand& y) const override {
        a_->apply_adjoint(x, y);
        scale(y);
    }

private:
    void scale(const Operand& y) const {
        const MutableTensor<T> own{Operand(y)};
        T* const data = as_span(own).data();
        scale_to(own.size(), data, factor_, data);
    }

    OperatorPtr a_;
    T factor_;
};
/// The operator, times 2 to the exponent that is returned: such that no square of what it makes overflows or vanishes. For nearly
/// all operators 0; a product says so.
template <typename T>
int make_moderate(OperatorPtr& a, const JoinedParts* parts = nullptr) {
    Basis<T> x(a->from(), parts), y(a->to(), parts);
    if (parts != nullptr ? parts->all() == 0 : x.length() == 0 || y.length() == 0) return 0;
    x.make_random(0, x.add().data, 0);
    a->apply(x[0].operand(), y.add().operand());
    const int exponent = scaling_of(
        largest_over(parts, largest_part<T>({y[0].data, static_cast<std::size_t>(y.length())})));
    constexpr int kMost = std::numeric_limits<typename PartOfComplex<T>::type>::max_exponent;
    if (std::abs(exponent) < kMost / 4) return 0;
    const int own = std::clamp(exponent, 2 - kMost, kMost - 2);
    a = std::make_shared<const ScaledOperator<T>>(a, scalar<T>(std::ldexp(1., own)));
    return own;
}
/// Values times 2 to an exponent.
template <typename P>
void scale_values(const Operand& values, int exponent) {
    for (P& each : as_span(MutableTensor<P>(Operand(values))))
        each = static_cast<P>(std::ldexp(static_cast<double>(each), exponent));
}

} // namespace purview::linalg
