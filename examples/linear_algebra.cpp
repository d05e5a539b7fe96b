/// Linear algebra, as docs/linear_algebra.md tells it.

#include "check.hpp"

#include <purview/linalg.hpp>
#include <purview/purview.hpp>

#include <cmath>
#include <iostream>

namespace pv = purview;
namespace la = purview::linalg;

void equations() {
    // [solve]
    auto a = pv::tensor({{4., 1.}, {1., 3.}}), b = pv::tensor({1., 2.});
    auto x = la::solve(a, b);                                                   // a x = b
    auto many = la::solve(pv::random_normal({100, 5, 5}, 1), pv::ones({5, 2})); // [100, 5, 2]
    auto [sign, logarithm] = la::slogdet(a); // of det(a), which neither overflows nor underflows
    // [/solve]
    check(pv::allclose(pv::matmul(a, x(pv::all, pv::new_axis)), b(pv::all, pv::new_axis)),
          "solved");
    check(many.shape()[0] == 100, "a batch");
    check(std::abs(sign.item() * std::exp(logarithm.item()) - 11) < 1e-12, "the determinant");

    // [dims]
    pv::Dim day("day"), i("i"), k("k");
    auto mixing = pv::clone(pv::random_normal({7, 3, 3}, 2));        // [day, sensor, source]
    auto seen = pv::clone(pv::random_normal({7, 3}, 3));             // [day, sensor]
    auto sources = la::solve(mixing(day, i, k), seen(day, i), i, k); // over day and k
    auto [u, s, vh] = la::svd(mixing(day, i, k), i, k);              // over i; neither; k
    auto whole = pv::sum(u * s * vh, -1);                            // over day, i and k
    // [/dims]
    check(pv::allclose(
              pv::Tensor<double>(pv::sum(mixing(day, i, k) * sources, {k}) | pv::order(day, i)),
              seen),
          "over dims");
    check(pv::allclose(pv::Tensor<double>(whole | pv::order(day, i, k)), mixing), "factors");

    // [singular]
    auto some = pv::clone(pv::eye(2) * pv::tensor({1., 0.})(pv::all, pv::new_axis,
                                                            pv::new_axis)); // the second one is 0
    auto inverses = la::inv(some, {.if_singular = la::IfSingular::nan});
    try {
        la::inv(some);
    } catch (const pv::LinearAlgebraError& error) {
        std::cout << error.what() << '\n'; // inv: matrix [1] of the batch is singular: pivot 0 is 0
    }
    // [/singular]
    check(pv::all_of(pv::is_nan(inverses(1, pv::ellipsis))), "NaN");
}

void least_squares() {
    // [least-squares]
    auto t = pv::linspace(0., 1., 50);
    auto y = pv::clone(2. - 3. * t + 0.5 * pv::sq(t)); // what was measured
    auto powers = pv::clone(pv::stack(pv::ones({50}), t, pv::sq(t), 1));
    auto [coefficients, residuals, rank, values] = la::lstsq(powers, y);
    // [/least-squares]
    check(pv::allclose(coefficients, pv::tensor({2., -3., 0.5})), "the coefficients");
    check(residuals.item() < 1e-20 && rank.item() == 3 && values.size() == 3,
          "what is said of them");
}

void principal_components() {
    // [pca]
    auto points = pv::clone(
        pv::matmul(pv::random_normal({500, 2}, 4), pv::tensor({{3., 1., 0.}, {0., 0.5, 0.2}})));
    auto centred = pv::clone(points - pv::mean(points, 0));
    auto [u, s, vh] = la::svd(centred);
    auto reduced = pv::clone(u(pv::all, pv::range(0, 2)) * s(pv::range(0, 2))); // [500, 2]
    auto variances = pv::sq(s) / 499.;
    // [/pca]
    check(pv::allclose(pv::matmul(reduced, vh(pv::range(0, 2), pv::all)), centred),
          "two components are all");
    check(pv::clone(variances)(2) < 1e-20, "and no third one");
}

void gaussian_process() {
    // [gaussian-process]
    auto x = pv::linspace(0., 6., 30);
    auto y = pv::clone(pv::sin(x) + 0.1 * pv::random_normal({30}, 5));
    auto covariance = [&](auto length, auto noise) {
        auto apart = (x(pv::all, pv::new_axis) - x) / length;
        return pv::exp(-0.5 * pv::sq(apart)) + noise * noise * pv::eye(30);
    };
    auto misfit = pv::computation( // the negative logarithm of the likelihood, up to a constant
        [&](auto log_length, auto log_noise) {
            auto k = covariance(pv::exp(log_length), pv::exp(log_noise));
            return 0.5 * pv::sum(y * la::solve(k, y)) + 0.5 * pv::sum(la::slogdet(k).logabsdet);
        },
        pv::spec<double>(), pv::spec<double>());
    auto slope = pv::gradient(misfit);
    double log_length = -1, log_noise = -1;
    for (int step = 0; step < 300; ++step) {
        auto [by_length, by_noise] = slope(log_length, log_noise);
        log_length -= 0.01 * double(by_length), log_noise -= 0.01 * double(by_noise);
    }
    double length = std::exp(log_length), noise = std::exp(log_noise);
    // [/gaussian-process]
    check(length > 0.8 && length < 4 && std::abs(noise) > 0.05 && std::abs(noise) < 0.2,
          "what was put in: " + std::to_string(length) + ", " + std::to_string(noise));
}

void matrix_free() {
    // [poisson]
    const pv::index_t n = 64;
    const auto i = pv::arange(n)(pv::all, pv::new_axis), k = pv::arange(n);
    auto laplace = [&](auto u) { // less the Laplacian of u, which is 0 beyond the edges
        return 4. * u - pv::where(i > 0, pv::roll(u, 1, 0), 0.) -
               pv::where(i < n - 1, pv::roll(u, -1, 0), 0.) -
               pv::where(k > 0, pv::roll(u, 1, 1), 0.) -
               pv::where(k < n - 1, pv::roll(u, -1, 1), 0.);
    };
    auto charges = pv::zeros({n, n});
    charges(20, 20) = 1, charges(40, 44) = -1;
    auto [potential, iterations, residual] = la::cg(laplace, charges); // [64, 64]
    // [/poisson]
    check(pv::max(pv::abs(laplace(potential) - charges)) < 1e-7, "Poisson");
    check(iterations < 200 && residual <= 1e-8, "in some iterations");
    check(potential(20, 20) > 0.5 && potential(40, 44) < -0.5, "of both charges");

    // [operators]
    auto chain = pv::from_coo<double>({3, 3}, {{0, 0, 1, 1, 1, 2, 2}, {0, 1, 0, 1, 2, 1, 2}},
                                      {4., -1., -1., 4., -1., -1., 5.});
    auto right = pv::tensor({1., 2., 3.});
    auto x = la::gmres(chain, right, {.tolerance = 1e-12, .preconditioner = la::jacobi(chain)}).x;
    auto shifted = [&](const pv::Tensor<double>& u) { // called for each product
        return pv::clone(laplace(u) - 0.5 * u);
    };
    auto wave = la::minres(shifted, charges,
                           {.max_iterations = 2000,
                            .preconditioner = [](auto r) { return 0.25 * r; },
                            .on_iteration =
                                [](pv::index_t step, double rest) {
                                    if (step % 100 == 0) std::cout << step << ": " << rest << '\n';
                                },
                            .throws = false});
    // [/operators]
    check(pv::allclose(x, la::solve(chain, right)), "of a sparse matrix");
    check(wave.residual <= 1e-8, "indefinite");

    // [implicit]
    auto spread = pv::computation( // one implicit step of diffusion
        [&](auto rate) {
            auto step = [&](auto u) { return u + rate * laplace(u); };
            return pv::sum(pv::sq(la::cg(step, pv::constant(charges)).x));
        },
        pv::spec<double>());
    double by_rate = double(pv::gradient(spread)(0.1));
    // [/implicit]
    const double apart = double(spread(0.1001)) - double(spread(0.0999));
    check(std::abs(by_rate - apart / 0.0002) < 1e-4 * std::abs(by_rate), "a derivative");
}

void eigenvalues() {
    // [eigenvalues]
    const pv::index_t n = 32;
    auto apart = pv::arange(n)(pv::all, pv::new_axis) - pv::arange(n);
    auto chain = pv::where(apart == 0, 2., pv::where(pv::sq(apart) == 1, -1., 0.));
    auto sparse = pv::to_sparse(chain, 0.);
    auto lowest = la::eigsh(sparse, 3); // {eigenvalues, eigenvectors [32, 3]}
    auto inner = la::eigsh(sparse, 2, {.which = la::near(1.5)}); // on both sides of 1.5
    auto drum = [](auto u) { return 3. * u - pv::roll(u, 1, 0) - pv::roll(u, -1, 0); };
    auto tones = la::eigsh(drum, pv::spec<double>({n}), 3); // of a function
    auto few = la::lobpcg(sparse, pv::clone(pv::random_normal({n, 3}, 6)),
                          {.preconditioner = la::ic0(sparse)});
    // [/eigenvalues]
    check(std::abs(double(lowest.eigenvalues(0)) - double(few.eigenvalues(0))) < 1e-9,
          "the lowest");
    check(std::abs(double(tones.eigenvalues(0)) - 1) < 1e-9, "of a function");
    check(inner.residual < 1e-8, "inner ones");

    // [singular-values]
    auto table =
        pv::clone(pv::matmul(pv::random_normal({400, 5}, 7), pv::random_normal({5, 60}, 8)));
    auto [u, s, vh, iterations, residual] = la::svds(table, 3);
    auto stored = pv::chunked(table, {100, 60});            // or by open_zarr
    auto quick = la::svds(stored, 3, {.randomised = true}); // reads each chunk three times
    auto [directions, variances, mean, steps, rest] = la::pca(table, 2);
    // [/singular-values]
    check(pv::allclose(s, quick.S), "of chunks");
    check(directions.shape()[1] == 60 && variances.size() == 2, "principal components");
}

int main() {
    equations();
    least_squares();
    principal_components();
    gaussian_process();
    matrix_free();
    eigenvalues();
    return exit_status();
}
