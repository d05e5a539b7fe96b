/// What users of PyTorch and JAX write, and what that is here: every row of docs/coming_from_pytorch.md is compiled and
/// its result compared. A comment is their line; the statement behind it has Purview's.

#include "same.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <iostream>
#include <tuple>
#include <vector>

namespace pv = purview;

const auto kX = pv::tensor({0.5, -1., 2.});
const auto kMatrix = pv::tensor({{0.5, -1., 2.}, {1.5, 0., -0.5}});

/// What a traced function of float64 tensors gives for x.
template <typename F, typename... X>
auto at(const F& f, const X&... x) {
    return pv::computation(f, pv::spec<double>(x.shape())...)(x...);
}

void training() {
    // torch.nn.Parameter(torch.ones(3))
    auto w = pv::variable(pv::ones({3}), "w");
    auto b = pv::variable(0.0, "b");
    auto f = [=](auto x, auto t) {
        // F.mse_loss(x @ w + b, t)
        auto loss = pv::mean(pv::sq(pv::matmul(x, w) + b - t));
        // loss.backward(), w.grad, b.grad
        auto [dw, db] = pv::gradient(loss, w, b);
        // What the step gives.
        return std::tuple(loss, dw, db, w - 0.1 * dw);
    };
    // torch.compile(f)
    auto step = pv::computation(f, pv::spec<double>({2, 3}), pv::spec<double>({2}));
    // loss.item()
    auto [loss, dw, db, next] = step(kMatrix, pv::zeros({2}));
    same(loss, (1.5 * 1.5 + 1. * 1.) / 2);
    same(dw, pv::tensor({2.25, -1.5, 2.5}));
    same(db, 2.5);
    // model.parameters()
    same(pv::variables(step).size(), std::size_t{2});
    // optimizer.step()
    w.update(next);
    same(w.value(), pv::tensor({0.775, 1.15, 0.75}));
    // with torch.no_grad(): w -= 0.1 * w.grad
    w.update(w.value() - 0.1 * dw);
    same(w.value(), pv::tensor({0.55, 1.3, 0.5}));
}

void derivatives() {
    const auto v = pv::tensor({1., 0., -1.});
    const auto x = kX;
    auto f = [](auto x) { return pv::sum(x * x * x); };
    // torch.autograd.grad(y, x)
    same(at(
             [&](auto x) {
                 auto y = f(x);
                 return pv::gradient(y, x);
             },
             x),
         3 * x * x);
    auto c = pv::computation(f, pv::spec<double>({3}));
    // torch.func.grad(f)(x)
    same(pv::gradient(c)(x), 3 * x * x);
    // torch.func.grad_and_value(f)(x)
    auto [value, by_x] = pv::value_and_gradient(c)(x);
    same(value, pv::sum(x * x * x)), same(by_x, 3 * x * x);
    auto g = [](auto x) { return x * x; };
    // torch.func.vjp(g, x)[1](v)
    same(at(
             [&](auto x) {
                 auto y = g(x);
                 return pv::vector_jacobian_product(y, v, x);
             },
             x),
         2 * x * v);
    // torch.func.jvp(g, (x,), (v,))[1]
    same(at(
             [&](auto x) {
                 auto y = g(x);
                 return pv::jacobian_vector_product(y, x, v);
             },
             x),
         2 * x * v);
    // torch.func.jacrev(g)(x), torch.func.jacfwd(g)(x)
    same(at(
             [&](auto x) {
                 auto y = g(x);
                 return pv::jacobian(y, x);
             },
             x),
         2 * pv::diag(x));
    // torch.func.hessian(f)(x)
    same(at(
             [&](auto x) {
                 auto y = f(x);
                 return pv::hessian(y, x);
             },
             x),
         6 * pv::diag(x));
    // torch.autograd.functional.vhp(f, x, v)[1]
    same(at(
             [&](auto x) {
                 auto y = f(x);
                 return pv::hessian_vector_product(y, x, v);
             },
             x),
         6 * x * v);
    // x.detach()
    same(at([](auto x) { return pv::gradient(pv::sum(x * pv::stop_gradient(x)), x); }, x), x);
    auto sine = [](double s) { return std::sin(s); };
    auto cosine = [](double s) { return std::cos(s); };
    // torch.autograd.Function
    auto own = pv::with_derivative(sine, cosine);
    same(at([&](auto x) { return pv::gradient(pv::sum(pv::emap(own, x)), x); }, x), pv::cos(x));
    // torch.autograd.gradcheck(f, x)
    pv::check_gradient(c, x);
}

void operations() {
    const auto x = kMatrix;
    const auto w = pv::tensor({{1., 2., 3.}, {0., 1., 0.}}), b = pv::tensor({10., 20.});
    // F.linear(x, w, b)
    same(at([=](auto x) { return pv::matmul(x, pv::transpose(w)) + b; }, x),
         pv::tensor({{14.5, 19.}, {10., 20.}}));
    // F.relu(x), torch.sigmoid(x), F.softplus(x)
    same(at([](auto x) { return pv::relu(x) + pv::logistic(x) + pv::logaddexp(0.0, x); }, x),
         pv::maximum(x, 0) + 1 / (1 + pv::exp(-x)) + pv::log1p(pv::exp(x)));
    const auto exponentials = pv::clone(pv::exp(x));
    const auto totals = pv::sum(exponentials, 1, pv::keep_dims);
    // F.softmax(x, dim=1)
    same(at([](auto x) { return pv::softmax(x, 1); }, x), exponentials / totals);
    // torch.logsumexp(x, dim=1)
    same(at([](auto x) { return pv::logsumexp(x, 1); }, x), pv::log(pv::reshape(totals, {2})));
    const auto digit = pv::tensor({2, 0});
    auto right = [=](auto x) { return pv::take_along_axis(x, digit(pv::all, pv::new_axis), 1); };
    // F.cross_entropy(x, digit)
    same(at([=](auto x) { return pv::mean(pv::logsumexp(x, 1, pv::keep_dims) - right(x)); }, x),
         pv::mean(pv::log(pv::reshape(totals, {2})) - pv::tensor({2., 1.5})));
    const auto table = pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}});
    const auto ids = pv::tensor({2, 0, 2});
    // F.embedding(ids, table)
    same(at([=](auto table) { return pv::gradient(pv::sum(pv::take(table, ids, 0)), table); },
            table),
         pv::tensor({{1., 1.}, {0., 0.}, {2., 2.}}));
    // torch.vmap(torch.dot, in_dims=(0, None))(x, v)
    same(at(
             [](auto x, auto v) {
                 auto [n, k] = pv::dims<2>();
                 return pv::sum(x(n, k) * v(k), k) | pv::order(n);
             },
             x, kX),
         pv::matmul(x, kX));
    // torch.einsum("ik,jk->ij", x, w)
    same(at([=](auto x) { return pv::einsum("ik,jk->ij", x, w); }, x),
         pv::matmul(x, pv::transpose(w)));
    // torch.cat([x, x]), torch.stack([x, x])
    same(at(
             [](auto x) {
                 return pv::sum(pv::concat({x, x}, 0)) + pv::sum(pv::stack({x, x}));
             },
             x),
         10.);
    // x.unfold(0, 2, 1).mean(-1)
    same(at([](auto x) { return pv::mean(pv::sliding_window(x, 0, 2), {-1}); }, kX),
         pv::tensor({-0.25, 0.5}));
    const auto order = pv::argsort(kX);
    // torch.sort(x).values
    same(at([=](auto x) { return pv::take(x, order, 0); }, kX), pv::sort(kX));
}

void jax() {
    const auto x = kX;
    auto f = [](auto x) { return pv::sum(x * x * x); };
    // jax.jit(f)
    auto c = pv::computation(f, pv::spec<double>({3}));
    // jax.grad(f)(x)
    same(pv::gradient(c)(x), 3 * x * x);
    // jax.value_and_grad(f)(x)
    same(std::get<0>(pv::value_and_gradient(c)(x)), pv::sum(x * x * x));
    auto cube = pv::computation([](auto x) { return x * x * x; }, pv::spec<double>());
    // jax.grad(jax.grad(cube))(2.)
    same(pv::gradient(pv::gradient(cube))(2.), 12.);
    // jax.grad(cross, argnums=(0, 1))(x, v)
    same(at(
             [](auto x, auto v) {
                 return pv::gradient(pv::sum(x * v), std::vector{x, v});
             },
             x, x)[1],
         x);
    // jax.lax.stop_gradient(x)
    same(at([](auto x) { return pv::gradient(pv::sum(pv::stop_gradient(x)), x); }, x),
         pv::zeros({3}));
    auto sine = [](double s) { return std::sin(s); };
    auto cosine = [](double s) { return std::cos(s); };
    // jax.custom_jvp(sine), jax.custom_vjp(sine)
    auto own = pv::with_derivative(sine, cosine);
    same(own(1.), std::sin(1.));
    // jax.test_util.check_grads(f, (x,), order=1)
    pv::check_gradient(c, x);
    // jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0)
    auto safe = [](auto x) { return pv::where(x > 0, pv::sqrt(x), 0); };
    same(at([=](auto x) { return pv::gradient(pv::sum(safe(x)), x); }, pv::tensor({0., 4.})),
         pv::tensor({0., 0.25}));
    // jax.lax.fori_loop(0, 3, lambda i, x: jnp.sin(x), x)
    auto loop = [](auto x) {
        for (int i = 0; i < 3; ++i) x = pv::sin(x);
        return x;
    };
    same(at(loop, x), pv::sin(pv::sin(pv::sin(x))));
    // jax.make_jaxpr(f)(x)
    std::cout << c;
}

int main() {
    training();
    derivatives();
    operations();
    jax();
    return exit_status();
}
