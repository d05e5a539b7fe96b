#include "both_kinds.hpp"

namespace views_of_both_kinds_test {

// Every view, and whatever joins and chooses, of sparse tensors and of their dense twins: a line each.

namespace {

using namespace oracle;

template <typename T>
std::vector<Row<T>> views() {
    using enum Form;
    using X = pv::Tensor<T>;
    const auto value = [](Random& random) { return small_value<T>(random); };
    return {
        row<T>("transpose", sparse,
               [](const X& x, Random& r) {
                   return pv::transpose(x, r.permutation(static_cast<std::size_t>(x.rank())));
               }),
        row<T>(
            "swap_axes", sparse,
            [](const X& x, Random& r) { return pv::swap_axes(x, any_axis(x, r), any_axis(x, r)); }),
        row<T>(
            "move_axis", sparse,
            [](const X& x, Random& r) { return pv::move_axis(x, any_axis(x, r), any_axis(x, r)); }),
        row<T>("reshape", sparse, [](const X& x) { return pv::reshape(x, {-1}); }),
        row<T>("squeeze", sparse, [](const X& x) { return x | pv::squeeze; }),
        row<T>("insert_axis", sparse,
               [](const X& x, Random& r) { return pv::insert_axis(x, any_axis(x, r)); }),
        row<T>("flip", sparse, [](const X& x, Random& r) { return pv::flip(x, any_axes(x, r)); }),
        row<T>("rotate", sparse,
               [](const X& x, Random& r) {
                   Coordinates amounts(static_cast<std::size_t>(x.rank()));
                   for (index_t& amount : amounts) amount = r.between(-5, 5);
                   return x | pv::rotate(amounts);
               }),
        row<T>("roll", sparse,
               [](const X& x, Random& r) { return pv::roll(x, r.between(-5, 5), any_axis(x, r)); }),
        row<T>("diagonal", sparse,
               [](const X& x, Random& r) { return pv::diagonal(x, r.between(-2, 2)); }),
        row<T>("broadcast", sparse,
               [](const X& x, Random& r) {
                   pv::Shape to{r.between(1, 2)};
                   for (const index_t extent : x.shape()) to.push_back(extent * r.between(1, 2));
                   return pv::broadcast(x, to);
               }),
        row<T>("sliding_window", sparse,
               [](const X& x, Random& r) { return pv::sliding_window(x, any_axis(x, r), 2, 1); }),
        row<T>("tile", sparse,
               [](const X& x, Random& r) {
                   Coordinates counts(static_cast<std::size_t>(x.rank()));
                   for (index_t& count : counts) count = r.between(1, 2);
                   return pv::tile(x, counts);
               }),
        row<T>(
            "repeat", sparse,
            [](const X& x, Random& r) { return pv::repeat(x, r.between(1, 3), any_axis(x, r)); }),
        row<T>("sample", sparse, [](const X& x) { return pv::sample(x, 1, 3); }),
        row<T>("select an index", sparse, [](const X& x) { return x(pv::ellipsis, 0); }),
        row<T>("select a range", sparse,
               [](const X& x, Random& r) {
                   return x(pv::ellipsis, pv::range(r.between(-4, 4), r.between(-4, 9), 2));
               }),
        row<T>("select backwards", sparse,
               [](const X& x) { return x(pv::range(9, -9, -1), pv::ellipsis); }),
        row<T>("select a list", sparse,
               [](const X& x, Random& r) {
                   return x(pv::ellipsis, r.list(x.rank() == 0 ? 0 : x.extent(-1)));
               }),
        row<T>("select by a mask of an axis", sparse,
               [](const X& x, Random& r) {
                   return x(r.mask(x.rank() == 0 ? 0 : x.extent(0)), pv::ellipsis);
               }),
        row<T>("select by a mask", sparse,
               [value](const X& x, Random& r) { return x(x != value(r)); }),
        row<T>("select by an index set", sparse,
               [value](const X& x, Random& r) {
                   const X flat = pv::reshape(x, {-1});
                   return flat(pv::index_set(flat == value(r)));
               }),
        row<T>("concat", sparse,
               [](const X& x, const X& y, Random& r) {
                   return pv::concat({x, y}, any_axis(x, r));
               }),
        row<T>("concat with itself", sparse,
               [](const X& x, Random& r) {
                   return pv::concat({x, pv::flip(x), x}, any_axis(x, r));
               }),
        row<T>("stack", sparse,
               [](const X& x, Random& r) {
                   return pv::stack({x, pv::flip(x)}, any_axis(x, r));
               }),
        row<T>("where", sparse, [](const X& x, const X& y) { return pv::where(x == y, x, y); }),
        row<T>("where with a constant", sparse,
               [value](const X& x, Random& r) {
                   const T v = value(r);
                   return pv::where(x == v, v, x);
               }),
        row<T>("equal", sparse, [](const X& x, const X& y) { return x == y; }),
        row<T>("not equal to a constant", sparse,
               [value](const X& x, Random& r) { return x != value(r); }),
        row<T>("emap", sparse,
               [](const X& x) { return pv::emap([](const T& v) { return v == T{}; }, x); }),
        row<T>("emap of two", sparse,
               [](const X& x, const X& y) {
                   return pv::emap([](const T& a, const T& b) { return a == b; }, x, y);
               }),
        row<T>("take", sparse,
               [](const X& x, Random& r) {
                   const index_t axis = any_axis(x, r);
                   return pv::take(x, pv::tensor(r.list(x.rank() == 0 ? 0 : x.extent(axis))), axis);
               }),
        row<T>("take of all", sparse,
               [](const X& x, Random& r) { return pv::take(x, pv::tensor(r.list(x.size()))); }),
        row<T>("take of two axes", sparse,
               [](const X& x, Random& r) {
                   const X y = pv::insert_axis(x, 0);
                   const index_t axis = y.rank() - 1;
                   const auto list = pv::tensor(r.list(y.extent(axis)));
                   return pv::take(y, {axis, 0}, list, list * 0);
               }),
        row<T>("take_along_axis", sparse,
               [](const X& x, Random& r) {
                   const index_t axis = any_axis(x, r);
                   const index_t extent = x.rank() == 0 ? 1 : x.extent(axis);
                   const auto turned = pv::reshape(pv::arange(x.size()), x.shape()) * 7 + 3;
                   return pv::take_along_axis(x, turned % std::max<index_t>(extent, 1), axis);
               }),
        row<T>("take by a sparse index", sparse,
               [](const X& x, Random& r) {
                   const auto list = pv::tensor(r.list(x.rank() == 0 ? 0 : x.extent(0)));
                   return pv::take(x, pv::to_sparse(list), 0);
               }),
        row<T>("take of an operation", sparse,
               [](const X& x, const X& y, Random& r) {
                   const auto equal = x == y;
                   const auto list = pv::tensor(r.list(equal.rank() == 0 ? 0 : equal.extent(0)));
                   return pv::concat({pv::take(equal, list, 0), equal}, 0);
               }),
        row<T>("take where something is stored", sparse,
               [value](const X& x, Random& r) {
                   const X flat = pv::reshape(x, {-1});
                   return pv::take(flat, pv::argfilter(flat == value(r)));
               }),
        row<T>("clone", sparse, pv::clone),
        row<T>("prune", number, [](const X& x) { return pv::is_sparse(x) ? pv::prune(x) : x; }),
        row<T>("to_dense", dense, pv::to_dense),
        row<T>("contiguous", dense, [](const X& x) { return pv::contiguous(pv::transpose(x)); }),
        row<T>("to_sparse", number,
               [value](const X& x, Random& r) { return pv::to_sparse(x, value(r)); }),
        row<T>("copy to dense", dense,
               [](const X& x) { return pv::copy(x, pv::empty<T>(x.shape())); }),
        row<T>("copy to sparse", number,
               [value](const X& x, Random& r) {
                   return pv::copy(x, pv::sparse_full<T>(x.shape(), value(r)));
               }),
        row<T>("equals", number, [](const X& x, const X& y) { return pv::equals(x, y); }),
        row<T>("equals itself turned round", number,
               [](const X& x) { return pv::equals(x, pv::flip(x)); }),
        row<T>("index_of", number,
               [value](const X& x, Random& r) { return pv::index_of(x, value(r)); }),
        row<T>("last_index_of", number,
               [value](const X& x, Random& r) { return pv::last_index_of(x, value(r)); }),
    };
}

/// What needs a zero, or a number to count with.
template <typename T>
std::vector<Row<T>> padded_views() {
    using enum Form;
    using X = pv::Tensor<T>;
    const auto padded = [](const char* name, pv::PadMode mode) {
        return row<T>(name, sparse, [mode](const X& x, Random& r) {
            pv::PadWidths widths;
            for (int a = 0; a < x.rank(); ++a) widths.push_back({r.between(0, 2), r.between(0, 2)});
            return pv::pad(x, widths, mode);
        });
    };
    return {
        padded("pad by a constant", pv::PadMode::constant),
        padded("pad by the edge", pv::PadMode::edge),
        padded("pad by reflection", pv::PadMode::reflect),
        padded("pad symmetrically", pv::PadMode::symmetric),
        padded("pad by the other end", pv::PadMode::wrap),
        row<T>("triu", either, [](const X& x, Random& r) { return pv::triu(x, r.between(-2, 2)); }),
        row<T>("tril", either, [](const X& x, Random& r) { return pv::tril(x, r.between(-2, 2)); }),
        row<T>("diag", sparse,
               [](const X& x) { return pv::diag(pv::reshape(x, {-1})(pv::range(0, 9))); }),
        row<T>("downsample", sparse,
               [](const X& x, Random& r) { return pv::downsample(x, 2, any_axis(x, r)); })};
}

} // namespace

TEST_CASE("views of sparse and dense tensors: float64") { expect_all_alike(views<double>(), 60); }
TEST_CASE("views of sparse and dense tensors: bool") { expect_all_alike(views<bool>(), 30); }
TEST_CASE("views of sparse and dense tensors: string") {
    expect_all_alike(views<std::string>(), 40);
}
TEST_CASE("padded views of sparse and dense tensors: float64") {
    expect_all_alike(padded_views<double>(), 60);
}
TEST_CASE("padded views of sparse and dense tensors: int32") {
    expect_all_alike(padded_views<std::int32_t>(), 60);
}

} // namespace views_of_both_kinds_test
