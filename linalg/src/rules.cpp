// Defines matrix_stage.hpp.
// Derivatives: rules for real matrices, in terms of products and of functions of matrices, which have derivatives
// themselves. Leading axes are further axes of a batch.
#include "matrix_symbols.hpp"

#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/comparison.hpp>
#include <purview/functional/elementwise/where.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>

namespace purview::inline v0_1::linalg {
namespace matrix_symbols {
namespace {

/// A call of a function, seen through leading axes.
template <typename T>
class Rules {
public:
    using X = Symbol<T>;
    using Maybe = std::optional<X>;

    Rules(MatrixFunction function, const MatrixOptions& options, std::span<const Operand> operands,
          std::span<const Operand> results, ShapeSpan leading)
        : function_(function),
          options_(options),
          operands_(operands),
          results_(results),
          leading_(leading) {}

    /// Of seeds, by operands.
    Derivatives reverse(const Derivatives& seeds) const {
        const auto seed = [&](std::size_t i) { return i < seeds.size() ? of(seeds[i]) : Maybe(); };
        switch (function_) {
        case MatrixFunction::solve: {
            const X by_b = solved_by_a(*seed(0), !options_.transposed);
            const X outer((-product(by_b, transposed(result(0)))).operand());
            return {given(options_.transposed ? transposed(outer) : outer), given(by_b)};
        }
        case MatrixFunction::solve_triangular: {
            const X by_b = solved_triangle(transposed(a()), *seed(0), !options_.upper);
            return {given(triangle(-product(by_b, transposed(result(0))))), given(by_b)};
        }
        case MatrixFunction::inv: {
            const X inverse = transposed(result(0));
            return {given(-product(product(inverse, *seed(0)), inverse))};
        }
        case MatrixFunction::det: return {given(cofactors() * as_matrices_of_one(*seed(0)))};
        case MatrixFunction::slogdet: {
            if (!seed(1)) return {std::nullopt}; // the sign is constant
            return {given(transposed(inverse_of_a()) * as_matrices_of_one(*seed(1)))};
        }
        case MatrixFunction::cholesky: return {given(by_cholesky(*seed(0)))};
        case MatrixFunction::qr: return {given(by_qr(seed(0), seed(1)))};
        case MatrixFunction::lu: return {given(by_lu(seed(1), seed(2)))};
        case MatrixFunction::cofactors: return {given(nan_if_singular())};
        case MatrixFunction::svd: return {given(by_svd(seed(0), seed(1), seed(2)))};
        case MatrixFunction::svdvals: return {given(by_values_of_svd(*seed(0)))};
        case MatrixFunction::eigh: return {given(by_eigh(seed(0), seed(1)))};
        case MatrixFunction::eigvalsh: return {given(by_values_of_eigh(*seed(0)))};
        case MatrixFunction::expm: return {given(exponential_along(transposed(a()), *seed(0)))};
        default: throw_none();
        }
    }

    /// Along tangents, of results.
    Derivatives forward(const Derivatives& tangents) const {
        const Maybe da = of(tangents[0]);
        switch (function_) {
        case MatrixFunction::solve: {
            const X rest =
                right_side(da && options_.transposed ? Maybe(transposed(*da)) : da, tangents);
            return {given(solved_by_a(rest, options_.transposed))};
        }
        case MatrixFunction::solve_triangular: {
            const X rest = right_side(da ? Maybe(triangle(*da)) : Maybe(), tangents);
            return {given(solved_triangle(a(), rest, options_.upper))};
        }
        case MatrixFunction::inv: {
            const X inverse = result(0);
            return {given(-product(product(inverse, *da), inverse))};
        }
        case MatrixFunction::det: return {given(traced(cofactors() * *da))};
        case MatrixFunction::slogdet:
            return {std::nullopt, given(traced(transposed(inverse_of_a()) * *da))};
        case MatrixFunction::cholesky: {
            const X l = as_made(result(0));
            const X inner =
                solved_triangle(l, transposed(solved_triangle(l, symmetric(*da), false)), false);
            return {given(as_made(product(l, halved_lower(transposed(inner)))))};
        }
        case MatrixFunction::qr: return forward_qr(*da);
        case MatrixFunction::lu: return forward_lu(*da);
        case MatrixFunction::cofactors: return {given(nan_if_singular())};
        case MatrixFunction::lu_factors: return {std::nullopt}; // rules go by the matrix
        case MatrixFunction::svd: return forward_svd(*da);
        case MatrixFunction::svdvals: {
            const auto [u, s, vh] = parts_of_svd();
            return {given(diagonal_of(product(transposed(u), product(*da, transposed(vh)))))};
        }
        case MatrixFunction::eigh: {
            const X v = result(1);
            const X inner = product(transposed(v), product(symmetric(*da), v));
            return {given(diagonal_of(inner)), given(product(v, gaps(result(0)) * inner))};
        }
        case MatrixFunction::eigvalsh: {
            const X v = parts_of_eigh();
            return {given(diagonal_of(product(transposed(v), product(symmetric(*da), v))))};
        }
        case MatrixFunction::expm: return {given(exponential_along(a(), *da))};
        default: throw_none();
        }
    }

private:
    [[noreturn]] void throw_none() const {
        throw SymbolError(
            fmt::format("gradient: 'linalg.{}' has no derivative: take stop_gradient of its result",
                        name_of(function_)));
    }

    // --- operands and results behind the leading axes ---------------------------------------------

    X led(const Operand& x) const { return X(matrix_symbols::led(x, leading_)); }
    X a() const { return led(operands_[0]); }
    X result(std::size_t i) const { return led(results_[i]); }
    static Maybe of(const std::optional<Operand>& x) { return x ? Maybe(X(*x)) : Maybe(); }
    static std::optional<Operand> given(const Maybe& x) {
        return x ? std::optional(x->operand()) : std::nullopt;
    }

    // --- functions of matrices --------------------------------------------------------------------

    /// With a, or its transpose.
    X solved_by_a(const X& b, bool by_transpose) const {
        if (operands_.size() < 3) return solved(by_transpose ? transposed(a()) : a(), b);
        return called<T>(MatrixFunction::solve,
                         {.if_singular = options_.if_singular, .transposed = by_transpose},
                         {a().operand(), b.operand(), led(operands_[2]).operand()});
    }
    X inverse_of_a() const {
        return led(
            staged(MatrixFunction::inv, {.if_singular = IfSingular::nan}, {operands_[0]})[0]);
    }
    /// The derivative of the determinant by each element.
    X cofactors() const {
        const X d = as_matrices_of_one(result(0));
        return X(where(d == static_cast<T>(0),
                       led(staged(MatrixFunction::cofactors, {}, {operands_[0]})[0]),
                       transposed(inverse_of_a()) * d)
                     .operand());
    }
    /// 0 of other matrices: no rule has second derivatives of a determinant that is 0.
    X nan_if_singular() const { return X((inverse_of_a() * static_cast<T>(0)).operand()); }
    X triangle(const X& x) const { return options_.upper ? X(triu(x).operand()) : lower(x); }
    /// The lower triangle of an upper one, and back.
    X as_made(const X& l) const { return options_.upper ? transposed(l) : l; }

    X right_side(const Maybe& da, const Derivatives& tangents) const {
        const Maybe db = tangents.size() > 1 ? of(tangents[1]) : Maybe();
        if (!da) return *db;
        const X moved = product(*da, result(0));
        return db ? X((*db - moved).operand()) : X((-moved).operand());
    }

    // --- one rule each ----------------------------------------------------------------------------

    X by_cholesky(const X& seed) const { // Murray 2016
        const X l = as_made(result(0)), by_l = as_made(seed);
        const X inner = halved_lower(product(transposed(l), by_l));
        const X left = solved_triangle(transposed(l), inner, true);
        return symmetric(transposed(solved_triangle(transposed(l), transposed(left), true)));
    }
    void require_tall() const {
        const ShapeSpan shape = operands_[0].dims.max_shape();
        if (shape[shape.size() - 2] < shape.back() || options_.full)
            throw SymbolError(fmt::format(
                "gradient: 'linalg.qr' has a derivative of matrices with at least as many rows as columns, "
                "not full: not of {}",
                to_string(shape)));
    }
    X by_qr(const Maybe& by_q, const Maybe& by_r) const {
        require_tall();
        const X q = result(0), r = result(1);
        Maybe inner, all;
        if (by_r) inner = product(r, transposed(*by_r));
        if (by_q) {
            const X part = product(transposed(*by_q), q);
            inner = inner ? X((*inner - part).operand()) : X((-part).operand());
            all = by_q;
        }
        const X mirrored = X((lower(*inner) + transposed(lower(*inner, -1))).operand());
        const X beside = product(q, mirrored);
        const X sum = all ? X((*all + beside).operand()) : beside;
        return transposed(solved_triangle(r, transposed(sum), true));
    }
    Derivatives forward_qr(const X& da) const {
        require_tall();
        const X q = result(0), r = result(1);
        const X dx = transposed(solved_triangle(transposed(r), transposed(da), false));
        const X inner = product(transposed(q), dx);
        const X below = lower(inner, -1);
        const X turned = X((below - transposed(below)).operand());
        const X dq = X((product(q, X((turned - inner).operand())) + dx).operand());
        const X dr = product(X((inner - turned).operand()), r);
        return {given(dq), given(dr)};
    }

    /// Ones where row i of `L U` is row j of `a`.
    X permutation() const {
        const Symbol<std::int64_t> p(matrix_symbols::led(results_[0], leading_));
        const auto places = constant(arange(p.shape().back()));
        return X(where(p(ellipsis, all, new_axis) == places, static_cast<T>(1), static_cast<T>(0))
                     .operand());
    }
    /// L and U with the columns and rows of an identity behind theirs, that they are square.
    std::array<X, 2> squares_of_lu() const {
        const X l = result(1), u = result(2);
        const index_t m = l.shape()[l.shape().size() - 2], n = u.shape().back();
        const auto squared = [](const X& x, index_t size, index_t k) {
            return X((x + where(constant(arange(size)) < k, static_cast<T>(0), static_cast<T>(1)) *
                              eye_of<T>(size))
                         .operand());
        };
        return {m > n ? squared(with_columns(l, m), m, n) : l,
                n > m ? squared(with_rows(u, n), n, m) : u};
    }
    X by_lu(const Maybe& by_l, const Maybe& by_u) const { // de Hoog, Anderssen and Lukas 2011
        const auto [l, u] = squares_of_lu();
        const index_t m = l.shape().back(), n = u.shape().back();
        Maybe inner;
        if (by_l) inner = lower(product(transposed(l), with_columns(*by_l, n)), -1);
        if (by_u) {
            const X own = X(triu(with_rows(product(*by_u, transposed(u)), m)).operand());
            inner = inner ? X((*inner + own).operand()) : own;
        }
        const X left = solved_triangle(transposed(l), *inner, true);
        const X both = transposed(solved_triangle(u, transposed(left), true));
        return product(transposed(permutation()), both);
    }
    Derivatives forward_lu(const X& da) const {
        const auto [l, u] = squares_of_lu();
        const index_t k = std::min(l.shape().back(), u.shape().back());
        const X left = solved_triangle(l, product(permutation(), da), false);
        const X both = transposed(solved_triangle(transposed(u), transposed(left), false));
        const X dl = product(l, lower(both, -1)), du = product(X(triu(both).operand()), u);
        return {std::nullopt, given(X(dl(ellipsis, range(0, k)).operand())),
                given(X(du(ellipsis, range(0, k), all).operand()))};
    }

    std::array<X, 3> parts_of_svd() const {
        if (function_ == MatrixFunction::svd) return {result(0), result(1), result(2)};
        const std::vector<Operand> all = staged(MatrixFunction::svd, {}, {operands_[0]});
        return {led(all[0]), led(all[1]), led(all[2])};
    }
    X by_values_of_svd(const X& seed) const {
        const auto [u, s, vh] = parts_of_svd();
        return product(u * as_row(seed), vh);
    }
    void require_reduced() const {
        if (options_.full)
            throw SymbolError("gradient: 'linalg.svd' has no derivative of full factors");
    }
    /// Whether U, or V, spans all of its space, so that it only turns within itself: where singular values are 0, too.
    bool has_all_left() const {
        const ShapeSpan shape = operands_[0].dims.max_shape();
        return shape[shape.size() - 2] <= shape.back();
    }
    bool has_all_right() const {
        const ShapeSpan shape = operands_[0].dims.max_shape();
        return shape[shape.size() - 2] >= shape.back();
    }
    // 1 / (s_j² - s_i²) times s_j is 1 / (s_j - s_i) times a share, of which nothing overflows or cancels.
    X by_svd(const Maybe& by_u, const Maybe& by_s, const Maybe& by_vh) const { // Townsend 2016
        require_reduced();
        const X u = result(0), s = result(1), vh = result(2), v = transposed(vh);
        const X between = gaps(s), share = shares(s);
        Maybe inner, outer;
        const auto add = [](Maybe& to, const X& x) { to = to ? X((*to + x).operand()) : x; };
        if (by_s) add(inner, as_row(*by_s) * eye_of<T>(s.shape().back()));
        if (by_u) {
            const X own = product(transposed(u), *by_u);
            add(inner, between * share * X((own - transposed(own)).operand()));
            if (!has_all_left()) {
                const X beside = X((*by_u - product(u, own)).operand());
                add(outer, product(beside / as_row(s), vh));
            }
        }
        if (by_vh) {
            const X by_v = transposed(*by_vh);
            const X own = product(vh, by_v);
            add(inner, between * transposed(share) * X((own - transposed(own)).operand()));
            if (!has_all_right()) {
                const X beside = X((by_v - product(v, own)).operand());
                add(outer, product(u / as_row(s), transposed(beside)));
            }
        }
        const X all = product(u, product(*inner, vh));
        return outer ? X((all + *outer).operand()) : all;
    }
    Derivatives forward_svd(const X& da) const {
        require_reduced();
        const X u = result(0), s = result(1), vh = result(2), v = transposed(vh);
        const X right = product(da, v), left = product(transposed(da), u);
        const X inner = product(transposed(u), right), other = transposed(inner);
        const X between = gaps(s), of_column = shares(s), of_row = transposed(of_column);
        X du = product(u, between * X((inner * of_column + other * of_row).operand()));
        X dv = product(v, between * X((inner * of_row + other * of_column).operand()));
        const auto add_beside = [&](X& to, const X& basis, const X& moved) {
            const X beside((moved - product(basis, product(transposed(basis), moved))).operand());
            to = X((to + beside / as_row(s)).operand());
        };
        if (!has_all_left()) add_beside(du, u, right);
        if (!has_all_right()) add_beside(dv, v, left);
        return {given(du), given(diagonal_of(inner)), given(transposed(dv))};
    }

    X parts_of_eigh() const {
        return led(staged(MatrixFunction::eigh, {.upper = options_.upper}, {operands_[0]})[1]);
    }
    X by_values_of_eigh(const X& seed) const {
        const X v = parts_of_eigh();
        return product(v * as_row(seed), transposed(v));
    }
    X by_eigh(const Maybe& by_values, const Maybe& by_vectors) const {
        const X v = result(1);
        Maybe inner;
        if (by_values) inner = as_row(*by_values) * eye_of<T>(by_values->shape().back());
        if (by_vectors) {
            const X own = gaps(result(0)) * product(transposed(v), *by_vectors);
            inner = inner ? X((*inner + own).operand()) : own;
        }
        return symmetric(product(v, product(*inner, transposed(v))));
    }

    MatrixFunction function_;
    const MatrixOptions& options_;
    std::span<const Operand> operands_;
    std::span<const Operand> results_;
    ShapeSpan leading_;
};

template <typename F>
Derivatives with_rules(DType dtype, F f) {
    return dtype == float32 ? f(std::type_identity<float>{}) : f(std::type_identity<double>{});
}

} // namespace
} // namespace matrix_symbols

Derivatives MatrixStage::reverse(std::span<const Operand> operands,
                                 std::span<const Operand> results, const Derivatives& seeds,
                                 std::size_t lead) const {
    const auto seed = std::ranges::find_if(seeds, [](const auto& x) { return x.has_value(); });
    const ShapeSpan leading = (*seed)->dims.max_shape().first(lead);
    return matrix_symbols::with_rules(dtype_, [&]<typename T>(std::type_identity<T>) {
        Derivatives all = matrix_symbols::Rules<T>(function_, options_, operands, results, leading)
                              .reverse(seeds);
        all.resize(operands.size());
        return all;
    });
}
Derivatives MatrixStage::forward(std::span<const Operand> operands,
                                 std::span<const Operand> results, const Derivatives& tangents,
                                 ShapeSpan leading) const {
    Derivatives all = matrix_symbols::with_rules(dtype_, [&]<typename T>(std::type_identity<T>) {
        return matrix_symbols::Rules<T>(function_, options_, operands, results, leading)
            .forward(tangents);
    });
    all.resize(results.size());
    return all;
}

} // namespace purview::linalg
