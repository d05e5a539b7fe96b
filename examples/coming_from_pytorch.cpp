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
const auto kCubes = [](auto x) { return pv::sum(x * x * x); };

/// What a traced function of float64 tensors gives for x.
template <typename F, typename... X>
auto at(const F& f, const X&... x) {
    return pv::computation(f, pv::spec<double>(x.shape())...)(x...);
}

void training() {
    // torch.nn.Parameter(torch.ones(3))
    auto w = pv::variable(pv::ones({3}), "w");
    auto b = pv::variable(0.0, "b");
    auto train = [=](auto x, auto t) {
        // F.mse_loss(x @ w + b, t)
        auto loss = pv::mean(pv::sq(pv::matmul(x, w) + b - t));
        // loss.backward(), w.grad, b.grad
        auto [dw, db] = pv::gradient(loss, w, b);
        // What the step gives.
        return std::tuple(loss, dw, db, w - 0.1 * dw);
    };
    // torch.compile(train)
    auto step = pv::computation(train, pv::spec<double>({2, 3}), pv::spec<double>({2}));
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
    auto traced = [](auto x, auto v) {
        auto y = kCubes(x);
        // torch.autograd.grad(y, x)
        auto by = pv::gradient(y, x);
        // torch.autograd.functional.vhp(f, x, v)[1]
        auto product = pv::hessian_vector_product(y, x, v);
        // torch.func.hessian(f)(x)
        auto second = pv::hessian(y, x);
        // x.detach()
        auto stopped = pv::gradient(pv::sum(x * pv::stop_gradient(x)), x);
        // Returned together.
        return std::tuple(by, product, second, stopped);
    };
    const auto weights = pv::tensor({1., 0., -1.});
    auto [by, product, second, stopped] = at(traced, kX, weights);
    same(by, 3 * kX * kX), same(product, 6 * kX * weights), same(second, 6 * pv::diag(kX));
    same(stopped, kX);

    auto of_vectors = [](auto x, auto v) {
        auto y = x * x;
        // torch.func.vjp(f, x)[1](v)
        auto back = pv::vector_jacobian_product(y, v, x);
        // torch.func.jvp(f, (x,), (v,))[1]
        auto forth = pv::jacobian_vector_product(y, x, v);
        // torch.func.jacrev(f)(x), torch.func.jacfwd(f)(x)
        auto all = pv::jacobian(y, x);
        // Returned together.
        return std::tuple(back, forth, all);
    };
    auto [back, forth, all] = at(of_vectors, kX, weights);
    same(back, 2 * kX * weights), same(forth, 2 * kX * weights), same(all, 2 * pv::diag(kX));
}

void computations() {
    const auto x = kX;
    auto c = pv::computation(kCubes, pv::spec<double>({3}));
    // torch.func.grad(f)(x)
    same(pv::gradient(c)(x), 3 * x * x);
    // torch.func.grad_and_value(f)(x)
    auto [value, by_x] = pv::value_and_gradient(c)(x);
    same(value, pv::sum(x * x * x)), same(by_x, 3 * x * x);
    auto sine = [](double v) { return std::sin(v); };
    auto cosine = [](double v) { return std::cos(v); };
    // torch.autograd.Function
    auto own = pv::with_derivative(sine, cosine);
    auto sum =
        pv::computation([=](auto s) { return pv::sum(pv::emap(own, s)); }, pv::spec<double>({3}));
    same(pv::gradient(sum)(x), pv::cos(x));
    // torch.autograd.gradcheck(f, x)
    pv::check_gradient(c, x);
}

void operations() {
    const auto w = pv::tensor({{1., 2., 3.}, {0., 1., 0.}}), b = pv::tensor({10., 20.});
    // F.linear(x, w, b)
    auto linear = [=](auto x) { return pv::matmul(x, pv::transpose(w)) + b; };
    same(at(linear, kMatrix), pv::tensor({{14.5, 19.}, {10., 20.}}));
    // F.relu(x), torch.sigmoid(x), F.softplus(x)
    auto smooth = [](auto x) { return pv::relu(x) + pv::logistic(x) + pv::logaddexp(0.0, x); };
    same(at(smooth, kMatrix),
         pv::maximum(kMatrix, 0) + 1 / (1 + pv::exp(-kMatrix)) + pv::log1p(pv::exp(kMatrix)));
    const auto exponentials = pv::clone(pv::exp(kMatrix));
    const auto totals = pv::sum(exponentials, 1, pv::keep_dims);
    // F.softmax(x, dim=1)
    auto shares = [](auto x) { return pv::softmax(x, 1); };
    same(at(shares, kMatrix), exponentials / totals);
    // torch.logsumexp(x, dim=1)
    auto logarithms = [](auto x) { return pv::logsumexp(x, 1); };
    same(at(logarithms, kMatrix), pv::log(pv::reshape(totals, {2})));
    const auto digit = pv::tensor({2, 0});
    auto right = [=](auto x) { return pv::take_along_axis(x, digit(pv::all, pv::new_axis), 1); };
    // F.cross_entropy(x, digit)
    auto loss = [=](auto x) { return pv::mean(pv::logsumexp(x, 1, pv::keep_dims) - right(x)); };
    same(at(loss, kMatrix), pv::mean(pv::log(totals) - pv::tensor({{2.}, {1.5}})));
    const auto ids = pv::tensor({2, 0, 2});
    // F.embedding(ids, table)
    auto embedded = [=](auto table) { return pv::sum(pv::take(table, ids, 0)); };
    auto by_table = [=](auto table) { return pv::gradient(embedded(table), table); };
    same(at(by_table, pv::ones({3, 2})), pv::tensor({{1., 1.}, {0., 0.}, {2., 2.}}));
    // torch.vmap(torch.dot, in_dims=(0, None))(x, v)
    auto batched = [](auto x, auto v) {
        auto [n, k] = pv::dims<2>();
        return pv::sum(x(n, k) * v(k), k) | pv::order(n);
    };
    same(at(batched, kMatrix, kX), pv::matmul(kMatrix, kX));
    // torch.einsum("ik,jk->ij", x, w)
    auto products = [=](auto x) { return pv::einsum("ik,jk->ij", x, w); };
    same(at(products, kMatrix), pv::matmul(kMatrix, pv::transpose(w)));
    // torch.cat([x, x]), torch.stack([x, x])
    auto joined = [](auto x) {
        return pv::sum(pv::concat({x, x}, 0)) + pv::sum(pv::stack({x, x}));
    };
    same(at(joined, kMatrix), 10.);
    // x.unfold(0, 2, 1).mean(-1)
    auto means = [](auto x) { return pv::mean(pv::sliding_window(x, 0, 2), {-1}); };
    same(at(means, kX), pv::tensor({-0.25, 0.5}));
    const auto order = pv::argsort(kX);
    // torch.sort(x).values
    auto sorted = [=](auto x) { return pv::take(x, order, 0); };
    same(at(sorted, kX), pv::sort(kX));
}

void jax_computations() {
    const auto x = kX;
    auto f = kCubes;
    // jax.jit(f)
    auto c = pv::computation(f, pv::spec<double>({3}));
    // jax.grad(f)(x)
    same(pv::gradient(c)(x), 3 * x * x);
    // jax.value_and_grad(f)(x)
    same(std::get<0>(pv::value_and_gradient(c)(x)), pv::sum(x * x * x));
    auto cube = pv::computation([](auto s) { return s * s * s; }, pv::spec<double>());
    // jax.grad(jax.grad(cube))(2.)
    same(pv::gradient(pv::gradient(cube))(2.), 12.);
    // jax.test_util.check_grads(f, (x,), order=1)
    pv::check_gradient(c, x);
    // jax.make_jaxpr(f)(x)
    std::cout << c;
}

void jax() {
    // jax.grad(dot, argnums=(0, 1))(x, v)
    auto both = [](auto x, auto v) { return pv::gradient(pv::sum(x * v), std::vector{x, v}); };
    same(at(both, kX, 2 * kX)[0], 2 * kX);
    // jax.lax.stop_gradient(x)
    auto stopped = [](auto x) { return pv::gradient(pv::sum(pv::stop_gradient(x)), x); };
    same(at(stopped, kX), pv::zeros({3}));
    auto sine = [](double v) { return std::sin(v); };
    auto cosine = [](double v) { return std::cos(v); };
    // jax.custom_jvp(sine), jax.custom_vjp(sine)
    auto own = pv::with_derivative(sine, cosine);
    same(own(1.), std::sin(1.));
    // jnp.where(x > 0, jnp.sqrt(jnp.where(x > 0, x, 1)), 0)
    auto root = [](auto x) { return pv::where(x > 0, pv::sqrt(x), 0); };
    auto by_x = [=](auto x) { return pv::gradient(pv::sum(root(x)), x); };
    same(at(by_x, pv::tensor({0., 4.})), pv::tensor({0., 0.25}));
    // jax.lax.fori_loop(0, 3, lambda i, x: jnp.sin(x), x)
    auto loop = [](auto x) { return pv::iterate([](auto y) { return pv::sin(y); }, x, 3); };
    same(at(loop, kX), pv::sin(pv::sin(pv::sin(kX))));
    auto half = [](auto x) { return x / 2; };
    auto large = [](auto x) { return pv::max(x) > 1; };
    // jax.lax.while_loop(lambda x: x.max() > 1, half, x)
    auto halved = [=](auto x) { return pv::iterate_while(half, x, large).first; };
    same(at(halved, pv::tensor({1., 3.})), pv::tensor({0.25, 0.75}));
    // jax.lax.scan(lambda s, x: (s + x, s), 0., x)
    auto sums = [](auto x) {
        auto cell = [](auto s, auto row) { return std::pair(s + row, s); };
        return pv::scan_over(cell, 0., x).second;
    };
    same(at(sums, pv::tensor({1., 2.})), pv::tensor({0., 1.}));
    // jax.lax.cond(x.sum() > 0, f, g, x)
    auto f = [](auto x) { return x + 1; };
    auto g = [](auto x) { return x * 2; };
    auto one = [=](auto x) { return pv::choose(pv::sum(x) > 0, f, g, x); };
    same(at(one, pv::tensor({1., 2.})), pv::tensor({2., 3.}));
}

int main() {
    training();
    derivatives();
    computations();
    operations();
    jax_computations();
    jax();
    return exit_status();
}
