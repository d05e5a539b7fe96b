/// What NumPy's users write, and what that is here: every row of docs/coming_from_numpy.md is compiled and its result
/// compared. A comment is NumPy's line; the statement behind it has Purview's.

#include "same.hpp"

#include <purview/purview.hpp>

#include <cmath>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace pv = purview;

void creation() {
    // np.array([[1., 2.], [3., 4.]])
    auto a = pv::tensor({{1., 2.}, {3., 4.}});
    // a.ravel().tolist()
    same(std::vector<double>(a), pv::reshape(a, {-1}));
    // np.asarray(values)
    std::vector<double> values{1, 2, 3};
    same(pv::tensor(values), pv::arange(1., 4.));
    // np.frombuffer(values)
    same(pv::borrow(values), pv::arange(1., 4.));
    // np.zeros((2, 3))
    same(pv::zeros(2, 3), pv::tensor({{0., 0., 0.}, {0., 0., 0.}}));
    // np.ones(3, dtype=np.float32)
    same(pv::ones<float>({3}), pv::tensor({1.F, 1.F, 1.F}));
    // np.full((2, 2), 7)
    same(pv::full<int>({2, 2}, 7), pv::tensor({{7, 7}, {7, 7}}));
    // np.full(3, np.nan)
    same(pv::is_nan(pv::full<double>({3}, NAN)), pv::tensor({true, true, true}));
    // np.eye(2)
    same(pv::eye(2), pv::tensor({{1., 0.}, {0., 1.}}));
    // np.arange(0, 10, 2)
    same(pv::arange(0, 10, 2), pv::tensor({0, 2, 4, 6, 8}));
    // np.linspace(0, 1, 5)
    same(pv::linspace(0, 1, 5), pv::tensor({0., 0.25, 0.5, 0.75, 1.}));
    // np.fromfunction(lambda i, j: 10 * i + j, (2, 2))
    same(pv::compute_tensor({2, 2}, [](auto i, auto j) { return 10 * i + j; }),
         pv::tensor({{0, 1}, {10, 11}}));
    // np.zeros_like(a)
    same(pv::zeros_like(a), pv::zeros({2, 2}));
    // np.array(a)
    same(pv::clone(a), a);
    // a.astype(np.int32)
    same(a | pv::cast<std::int32_t>, pv::tensor({{1, 2}, {3, 4}}));
}

void shapes() {
    auto a = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    // a.shape[0], a.ndim, a.size
    same(a.extent(0), 2), same(a.rank(), 2), same(a.size(), 6);
    // a.T
    same(pv::transpose(a).shape(), pv::Shape{3, 2});
    // a.transpose(1, 0)
    same(pv::transpose(a, 1, 0), pv::tensor({{1., 4.}, {2., 5.}, {3., 6.}}));
    // a.reshape(3, -1)
    same(pv::reshape(a, 3, -1), pv::tensor({{1., 2.}, {3., 4.}, {5., 6.}}));
    // a.ravel()
    same(pv::reshape(a, -1), pv::arange(1., 7.));
    // np.swapaxes(a, 0, 1)
    same(pv::swap_axes(a, 0, 1), pv::transpose(a));
    // a[:, np.newaxis]
    same(a(pv::all, pv::new_axis).shape(), pv::Shape{2, 1, 3});
    // np.expand_dims(a, 0)
    same(pv::insert_axis(a, 0).shape(), pv::Shape{1, 2, 3});
    // np.squeeze(a[:1])
    same(pv::squeeze(a(pv::range(0, 1))), pv::tensor({1., 2., 3.}));
    // np.flip(a, 1)
    same(pv::flip(a, 1), pv::tensor({{3., 2., 1.}, {6., 5., 4.}}));
    // np.roll(a, 1, axis=1)
    same(pv::roll(a, 1, 1), pv::tensor({{3., 1., 2.}, {6., 4., 5.}}));
    // np.broadcast_to(a[0], (4, 3))
    same(pv::broadcast(a(0, pv::all), {4, 3}).shape(), pv::Shape{4, 3});
    // np.tile(a, (1, 2))
    same(pv::tile(a, {1, 2}).shape(), pv::Shape{2, 6});
    // np.repeat(a, 2, axis=0)
    same(pv::repeat(a, 2, 0).shape(), pv::Shape{4, 3});
    // np.concatenate([a, a], axis=1)
    same(pv::concat(a, a, 1).shape(), pv::Shape{2, 6});
    // np.stack([a, a])
    same(pv::stack({a, a}).shape(), pv::Shape{2, 2, 3});
    // np.pad(a, ((1, 1), (0, 0)))
    same(pv::pad(a, {{1, 1}, {0, 0}}).shape(), pv::Shape{4, 3});
    // np.rot90(a)
    same(pv::rot90(a).shape(), pv::Shape{3, 2});
    // np.diagonal(a)
    same(pv::diagonal(a), pv::tensor({1., 5.}));
    // np.diag(a[0])
    same(pv::diag(a(0, pv::all)).shape(), pv::Shape{3, 3});
    // np.triu(a)
    same(pv::triu(a), pv::tensor({{1., 2., 3.}, {0., 5., 6.}}));
    // np.lib.stride_tricks.sliding_window_view(a, 2, axis=1)
    same(pv::sliding_window(a, 1, 2).shape(), pv::Shape{2, 2, 2});
}

void indexing() {
    auto a = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    // a[1, 2]
    same(double(a(1, 2)), 6.);
    // a[-1, -1]
    same(double(a(-1, -1)), 6.);
    // s = a[1, 2]
    double s = a(1, 2);
    s += 1;
    same(s, 7.), same(double(a(1, 2)), 6.);
    // a[1]
    same(a.row(1), pv::tensor({4., 5., 6.}));
    // a[:, 1]
    same(a(pv::all, 1), pv::tensor({2., 5.}));
    // a[..., 0]
    same(a(pv::ellipsis, 0), pv::tensor({1., 4.}));
    // a[0:1, 1:]
    same(a(pv::range(0, 1), pv::range(1, {})), pv::tensor({{2., 3.}}));
    // a[:, ::-1]
    same(a(pv::all, pv::range({}, {}, -1)), pv::flip(a, 1));
    // a[[1, 0]]
    same(a({1, 0}), pv::tensor({{4., 5., 6.}, {1., 2., 3.}}));
    // a[a > 2]
    same(a(a > 2), pv::tensor({3., 4., 5., 6.}));
    // a[[0, 1], [2, 0]]
    same(pv::take(a, {0, 1}, pv::tensor({0, 1}), pv::tensor({2, 0})), pv::tensor({3., 4.}));
    // a[np.ix_([1, 0], [2, 0])]
    same(a({1, 0}, {2, 0}), pv::tensor({{6., 4.}, {3., 1.}}));
    // np.take(a, [2, 0], axis=1)
    same(pv::take(a, pv::tensor({2, 0}), 1), pv::tensor({{3., 1.}, {6., 4.}}));
    // np.where(a > 2, a, 0)
    same(pv::where(a > 2, a, 0), pv::tensor({{0., 0., 3.}, {4., 5., 6.}}));
    // np.flatnonzero(a > 4)
    same(pv::argfilter(a > 4), pv::tensor({4, 5}));
    // np.argwhere(a > 4)
    same(pv::argwhere(a > 4), pv::tensor({{1, 1}, {1, 2}}));
    // np.unravel_index(a.argmax(), a.shape)
    same(pv::unravel_index(pv::argmax(a), a.shape()), pv::Shape{1, 2});
    const auto image = pv::reshape(pv::arange(12), {2, 3, 2}) | pv::clone;
    const auto mask = pv::tensor({{true, false, false}, {false, false, true}});
    // image[mask]
    same(image(mask), pv::tensor({{0, 1}, {10, 11}}));
    // image[mask, 0] = 1
    image(mask, 0) = 1;
    same(image(mask), pv::tensor({{1, 1}, {1, 11}}));
    // a[0, 0] = 10
    a(0, 0) = 10;
    // a[:, 0] = 7
    a(pv::all, 0) = 7;
    // a[1] = a[0] * 2
    a(1, pv::all) = a(0, pv::all) * 2;
    same(a, pv::tensor({{7., 2., 3.}, {14., 4., 6.}}));
    // a[a > 6] = 0
    a(a > 6) = 0;
    // a += 1
    a += 1;
    // a = a * 2
    a = a * 2;
    same(a, pv::tensor({{2., 6., 8.}, {2., 10., 14.}}));
    // np.add.at(counts, [0, 2, 0], 1)
    auto counts = pv::zeros<int>({3});
    pv::add_to(pv::take(counts, pv::tensor({0, 2, 0}), 0), 1);
    same(counts, pv::tensor({2, 0, 1}));
    // np.minimum.at(v, [0, 2, 0], w)
    auto v = pv::tensor({5., 5., 5.});
    const auto w = pv::tensor({3., 7., 4.});
    pv::minimum_at(pv::take(v, pv::tensor({0, 2, 0}), 0), w);
    same(v, pv::tensor({3., 5., 5.}));
    // np.copyto(a, 0)
    pv::fill(a, 0);
    same(a, pv::zeros({2, 3}));
}

void arithmetic() {
    auto a = pv::tensor({1., 4., 9.});
    auto n = pv::tensor({7, -7});
    // a * 2 + 1
    same(a * 2 + 1, pv::tensor({3., 9., 19.}));
    // np.sqrt(a)
    same(pv::sqrt(a), pv::tensor({1., 2., 3.}));
    // a ** 2
    same(pv::sq(a), pv::tensor({1., 16., 81.}));
    // a ** 0.5
    same(pv::pow(a, 0.5), pv::tensor({1., 2., 3.}));
    // np.maximum(a, 5)
    same(pv::maximum(a, 5), pv::tensor({5., 5., 9.}));
    // np.clip(a, 2, 5)
    same(pv::clamp(a, 2, 5), pv::tensor({2., 4., 5.}));
    // np.trunc(n / 2).astype(int)
    same(n / 2, pv::tensor({3, -3}));
    // np.fmod(n, 2)
    same(n % 2, pv::tensor({1, -1}));
    // (a > 2) & (a < 9)
    same(a > 2 && a < 9, pv::tensor({false, true, false}));
    // np.isnan(a)
    same(pv::is_nan(a), pv::tensor({false, false, false}));
    // np.isclose(a, a + 1e-9)
    same(pv::close_to(a, a + 1e-9), pv::tensor({true, true, true}));
    // np.array_equal(a, a)
    same(pv::equals(a, a), true);
    // np.vectorize(f)(a)
    auto f = [](double value) { return value < 2 ? -value : value; };
    same(pv::emap(f, a), pv::tensor({-1., 4., 9.}));
}

void reductions() {
    auto a = pv::tensor({{1., 2., 3.}, {4., 5., 6.}});
    auto v = pv::tensor({3., 1., 2.});
    // a.sum()
    same(pv::sum(a), 21.);
    // a.sum(axis=0)
    same(pv::sum(a, 0), pv::tensor({5., 7., 9.}));
    // a.sum(axis=(0, 1))
    same(pv::sum(a, {0, 1})(), 21.);
    // a.mean(axis=1, keepdims=True)
    same(pv::mean(a, 1, pv::keep_dims), pv::tensor({{2.}, {5.}}));
    // a.var(), a.std()
    same(pv::variance(v), 2. / 3), same(pv::standard_deviation(v), std::sqrt(2. / 3));
    // a.std(ddof=1)
    same(pv::sample_standard_deviation(v), 1.);
    // a.max(), a.argmax()
    same(pv::max(a), 6.), same(pv::argmax(a), 5);
    // (a > 2).all(), (a > 2).any()
    same(pv::all_of(a > 2), false), same(pv::any_of(a > 2), true);
    // np.count_nonzero(a > 2)
    same(pv::count_true(a > 2), 4);
    // np.nansum(a)
    same(pv::sum(a, pv::skip_nan), 21.);
    // np.median(v)
    same(pv::median(v), 2.);
    // np.percentile(v, 50)
    same(pv::percentile(v, 50), 2.);
    // np.cumsum(v)
    same(pv::cumsum(v), pv::tensor({3., 4., 6.}));
    // np.diff(v)
    same(pv::diff1d(v), pv::tensor({-2., 1.}));
    // np.sort(v), np.argsort(v)
    same(pv::sort(v), pv::tensor({1., 2., 3.})), same(pv::argsort(v), pv::tensor({1, 2, 0}));
    // np.lexsort((v, v > 1))
    same(pv::lexsort({v > 1, v}), pv::tensor({1, 2, 0}));
    // np.histogram(v, bins=2)
    same(pv::histogram(v, 2).counts, pv::tensor({1, 2}));
    // np.corrcoef(v, 2 * v)[0, 1]
    same(pv::pearson(v, v * 2), 1.);
    // np.unique(v)
    same(pv::unique(v), pv::tensor({1., 2., 3.}));
    // np.searchsorted(v, 2.5)
    same(pv::searchsorted(pv::sort(v), pv::tensor({2.5})), pv::tensor({2}));
    // np.isin(v, [1, 5])
    same(pv::isin(v, pv::tensor({1., 5.})), pv::tensor({false, true, false}));
    // np.bincount([0, 2, 0])
    same(pv::bincount(pv::tensor({0, 2, 0})), pv::tensor({2, 0, 1}));
    // np.nan_to_num(v)
    same(pv::nan_to_num(v), v);
    // np.allclose(v, v + 1e-9)
    same(pv::allclose(v, v + 1e-9), true);
    // np.convolve(v, [1, 1])
    same(pv::convolve1d(v, pv::tensor({1., 1.})), pv::tensor({3., 4., 3., 2.}));
}

void products() {
    auto a = pv::tensor({{1., 2.}, {3., 4.}});
    auto v = pv::tensor({1., 2.});
    // a @ a
    same(pv::matmul(a, a), pv::tensor({{7., 10.}, {15., 22.}}));
    // v @ v
    same(pv::dot(v, v), 5.);
    // np.einsum("ij,j->i", a, v)
    same(pv::einsum("ij,j->i", a, v), pv::tensor({5., 11.}));
    // np.outer(v, v)
    same(pv::outer(v, v), pv::tensor({{1., 2.}, {2., 4.}}));
    // np.kron(a, a)
    same(pv::kron(a, a).shape(), pv::Shape{4, 4});
    // np.linalg.norm(v)
    same(pv::norm(v), std::sqrt(5.));
    // np.linalg.norm(a, axis=1)
    same(pv::norm(a, 2, 1), pv::tensor({std::sqrt(5.), 5.}));
}

int main() {
    creation();
    shapes();
    indexing();
    arithmetic();
    reductions();
    products();
    return exit_status();
}
