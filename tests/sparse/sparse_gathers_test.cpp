#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <purview/expression/gather.hpp>

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

namespace sparse_gathers_test {

// Gathers of sparse tensors by computed indexes, beside those of their dense twins.

namespace {

using namespace oracle;
using Catch::Matchers::ContainsSubstring;

using Indexes = pv::Tensor<std::int32_t>;

/// A gather of any form: an axis of the source is read along one of the result, or at an index; one of the result by
/// several of them, or by none.
struct GatherForm {
    Coordinates source; ///< axes of size 1 may have been made longer
    Coordinates shape;
    pv::GatherAxes axes;
    std::vector<Indexes> indexes;
    std::string name;

    template <typename T>
    pv::Tensor<T> of(const pv::Tensor<T>& x) const {
        std::vector<pv::Operand> operands;
        for (const Indexes& index : indexes) operands.push_back(index.operand());
        return pv::Tensor<T>(pv::gather_operand("gather", pv::broadcast(x, source).operand(), axes,
                                                operands, pv::to_shape(shape)));
    }
};

/// Indexes of `shape`, each in [-extent, extent), of which all but one in `wrong` are right: in memory, seen through a
/// view, sparse or computed.
Indexes random_indexes(Random& random, const Coordinates& shape, index_t extent, bool wrong) {
    const index_t size = count_of(shape);
    std::vector<std::int32_t> values;
    for (index_t i = 0; i < size; ++i)
        values.push_back(extent == 0 ? 0
                                     : static_cast<std::int32_t>(
                                           random.one_in(3) ? random.between(-extent, -1)
                                                            : random.between(0, extent - 1)));
    if (wrong && size > 0)
        values[static_cast<std::size_t>(random.between(0, size - 1))] =
            static_cast<std::int32_t>(random.one_in(2) ? extent : -extent - 1);
    const Indexes plain = pv::tensor(std::move(values), shape);
    switch (random.between(0, 5)) {
    case 0: return pv::clone(plain | pv::transpose) | pv::transpose;
    case 1: return plain + 1 - 1;
    case 2: return pv::flip(pv::clone(pv::flip(plain)));
    case 3: return pv::to_sparse(plain);
    case 4: {
        Coordinates amounts(shape.size(), 1);
        Coordinates back(shape.size(), -1);
        return pv::clone(plain | pv::rotate(amounts)) | pv::rotate(back);
    }
    default: return plain;
    }
}

GatherForm random_form(Random& random, const Coordinates& extents, bool wrong) {
    GatherForm form;
    form.source = extents;
    for (index_t more = random.between(0, 2); more > 0; --more)
        form.shape.push_back(random.between(1, 3));
    std::vector<index_t> least; // of the axes that are read at an index
    const index_t count = random.between(0, 3);
    for (std::size_t a = 0; a < extents.size(); ++a) {
        if (count > 0 && random.one_in(2)) {
            form.axes.push_back(pv::GatherAxis::at(random.between(0, count - 1)));
            continue;
        }
        std::vector<index_t> fitting;
        for (std::size_t r = 0; r < form.shape.size(); ++r)
            if (form.shape[r] == extents[a] || extents[a] == 1)
                fitting.push_back(static_cast<index_t>(r));
        if (fitting.empty() || !random.one_in(3)) {
            fitting = {std::ssize(form.shape)};
            form.shape.push_back(extents[a]);
        }
        const index_t r =
            fitting[static_cast<std::size_t>(random.between(0, std::ssize(fitting) - 1))];
        form.axes.push_back(pv::GatherAxis::along(r));
        form.source[a] = form.shape[static_cast<std::size_t>(r)];
    }
    // In any order.
    const Coordinates order = random.permutation(form.shape.size());
    Coordinates shape(order.size());
    for (std::size_t r = 0; r < order.size(); ++r)
        shape[static_cast<std::size_t>(order[r])] = form.shape[r];
    form.shape = shape;
    for (pv::GatherAxis& axis : form.axes)
        if (!axis.computed) axis.number = order[static_cast<std::size_t>(axis.number)];
    const index_t bad = wrong ? random.between(0, count) : -1;
    for (index_t i = 0; i < count; ++i) {
        index_t extent = 5;
        for (std::size_t a = 0; a < form.axes.size(); ++a)
            if (form.axes[a].computed && form.axes[a].number == i)
                extent = std::min(extent, form.source[a]);
        form.indexes.push_back(
            random_indexes(random, random.broadcastable(form.shape), extent, i == bad));
        const pv::Shape shape_of_index = form.indexes.back().shape();
        form.name += " by " + text(Coordinates(shape_of_index.begin(), shape_of_index.end()));
    }
    for (const pv::GatherAxis& axis : form.axes)
        form.name += (axis.computed ? " at " : " along ") + std::to_string(axis.number);
    form.name += " to " + text(form.shape);
    return form;
}

/// All elements, or the words of the error there was.
template <typename T>
std::pair<std::vector<T>, std::string> elements_of(const pv::Tensor<T>& x) {
    try {
        return {pv::to_vector(pv::clone(x)), ""};
    } catch (const pv::IndexError& error) {
        return {{}, error.what()};
    }
}

template <typename T>
void check_alike(const pv::Tensor<T>& sparse, const pv::Tensor<T>& dense) {
    REQUIRE(sparse.shape() == dense.shape());
    REQUIRE(pv::is_sparse(sparse));
    REQUIRE_FALSE(pv::is_sparse(dense));
    const auto [expected, error] = elements_of(dense);
    const auto [actual, sparse_error] = elements_of(sparse);
    REQUIRE(sparse_error == error);
    if (!same_values<T>(actual, expected)) REQUIRE(actual == expected);
    if (!error.empty()) return;
    const auto pairs = pv::sparse_pairs(sparse);
    pv::check_sparse_indexes("test", pairs->indexes(), sparse.size());
    // As it is read by the dense engine.
    for (index_t i = 0; i < std::min<index_t>(sparse.size(), 5); ++i)
        REQUIRE(same<T>(pv::reshape(sparse, {-1})(i), expected[static_cast<std::size_t>(i)]));
    REQUIRE(same_values<T>(pv::to_vector(sparse), expected));
    REQUIRE(same_values<T>(pv::to_vector(pv::to_dense(sparse)), expected));
}

template <typename T>
void check_gathers(unsigned seeds, bool wrong) {
    for (unsigned seed = 0; seed < oracle::rounds(seeds); ++seed) {
        Random random(seed);
        Coordinates shape = random.shape();
        while (shape.size() > 5 || count_of(shape) > 600) shape = random.shape();
        const T fill = random_fill<T>(random);
        SparseTwin<T> x = random_sparse<T>(random, shape, fill);
        for (index_t steps = random.between(0, 2); steps > 0 && x.naive.rank() < 5; --steps)
            random_view(random, x.real, x.naive, x.name);
        GatherForm form = random_form(random, x.naive.shape, wrong);
        if (count_of(form.shape) > 20'000) continue;
        INFO("seed " << seed << ": " << x.name << form.name);
        const pv::Tensor<T> dense = form.of<T>(pv::to_dense(x.real));
        const pv::Tensor<T> sparse = form.of<T>(x.real);
        check_alike(sparse, dense);
        // Below views, where what is wrong need not be read.
        const auto seen = [&](auto view) { check_alike<T>(view(sparse), view(dense)); };
        seen([](const auto& y) { return pv::flip(y); });
        if (sparse.rank() > 0)
            seen([n = random.between(-3, 3), step = random.between(1, 2)](const auto& y) {
                return y(pv::range(n, std::nullopt, step), pv::ellipsis);
            });
        if (sparse.rank() > 1)
            seen([n = random.between(0, 2)](const auto& y) {
                return y(pv::ellipsis, pv::range(n, n + 2));
            });
        if (wrong) continue;
        // Below operations, pieces and other gathers.
        seen([&](const auto& y) { return pv::where(y == fill, y, y); });
        seen([](const auto& y) { return pv::Tensor<T>(pv::stack({y, pv::flip(y)}, 0)); });
        const GatherForm outer = random_form(random, form.shape, false);
        if (count_of(outer.shape) > 20'000) continue;
        INFO("then" << outer.name);
        seen([&](const auto& y) { return outer.of<T>(y); });
        seen([&](const auto& y) { return outer.of<T>(pv::where(y != fill, y, pv::flip(y))); });
    }
}

/// The entries that are there, each by its coordinates.
pv::Tensor<double> rows_of(index_t rows, index_t count) {
    std::vector<index_t> places(static_cast<std::size_t>(count));
    std::vector<double> values;
    for (index_t i = 0; i < count; ++i) {
        places[static_cast<std::size_t>(i)] = i * (rows / count);
        values.push_back(static_cast<double>(i));
    }
    return pv::from_coo<double>({rows, rows}, {places, places}, std::move(values));
}

constexpr index_t kBillion = 1'000'000'000;

template <typename X>
index_t stored_of(const X& x) {
    return pv::sparse_pairs(x)->stored();
}

} // namespace

TEST_CASE("gathers of sparse tensors: float64") { check_gathers<double>(600, false); }
TEST_CASE("gathers of sparse tensors: string") { check_gathers<std::string>(200, false); }
TEST_CASE("gathers of sparse tensors: int32") { check_gathers<std::int32_t>(200, false); }
TEST_CASE("gathers of sparse tensors: bool") { check_gathers<bool>(150, false); }
TEST_CASE("indexes out of range in gathers of sparse tensors") {
    check_gathers<double>(400, true);
    check_gathers<std::string>(100, true);
}

TEST_CASE("a million rows of 10^18 elements") {
    constexpr index_t kRows = 1'000'000;
    const auto x = rows_of(kBillion, kRows);
    std::vector<index_t> list;
    for (index_t i = 0; i < kRows; ++i) list.push_back((i * 7919 % kRows) * 1000 - (i % 2) * 500);
    const auto ids = pv::tensor(list);

    const auto taken = pv::take(x, ids, 0);
    CHECK(taken.shape() == pv::Shape{kRows, kBillion});
    CHECK(pv::is_sparse(taken));
    CHECK(taken(0, 0) == 0.);
    CHECK(stored_of(taken) == kRows / 2);
    CHECK(pv::clone(taken)(2, 2 * 7919 * 1000) == 2. * 7919);
    const double expected = [&] {
        double sum = 0;
        for (const index_t id : list)
            sum += id >= 0 && id % 1000 == 0 ? static_cast<double>(id / 1000) : 0.;
        return sum;
    }();
    CHECK(pv::sum(taken) == expected);
    CHECK(pv::sum(pv::take(x, ids, 1)) == expected);
    CHECK(pv::sum(pv::take(x | pv::transpose, ids, 0)) == expected);
    CHECK(pv::sum(pv::take(x, {0, 1}, ids, ids)) == expected);
    CHECK(pv::sum(pv::take(x * 2. + x, ids, 0)) == 3 * expected);
    // Rows and columns, which no product of their numbers stands for.
    const auto corner = pv::take(pv::take(x, ids, 0), ids, 1);
    CHECK(corner.shape() == pv::Shape{kRows, kRows});
    CHECK(pv::sum(corner) == expected);
    const auto orthogonal = pv::take(x, {0, 1}, pv::reshape(ids, {-1, 1}), ids);
    CHECK(orthogonal.shape() == pv::Shape{kRows, kRows});
    CHECK(pv::sum(orthogonal) == expected);
    // By place.
    CHECK(pv::sum(pv::take(x, ids * (kBillion + 1) % (kBillion * kBillion))) == expected);
}

TEST_CASE("what is asked for of a gather is looked at, and no more") {
    const auto x = rows_of(kBillion, 1000);
    const auto ids = pv::tensor({2'000'000, 0, 5'000'000, 5'000'000});
    const auto y = pv::take(x, ids, 0);
    CHECK(pv::sum(y(pv::range(0, 2), pv::all)) == 2);
    CHECK(pv::sum(y(3, pv::all)) == 5);
    // An index for each of 10^18 elements, of which four are asked for.
    const auto all = pv::compute_tensor(
        {kBillion, kBillion}, [](pv::ShapeSpan g) -> index_t { return g[1] * 1'000'000; });
    const auto many = pv::take_along_axis(x, all, 1);
    CHECK(pv::is_sparse(many));
    CHECK(pv::to_vector(pv::clone(many(5'000'000, pv::range(4, 7)))) ==
          std::vector<double>{0, 5, 0});
    CHECK(many(7'000'000, 7) == 7.);
    CHECK_THROWS_AS(pv::clone(many), pv::KindError);
    // What is broadcast is not spelt out before it is looked up.
    const auto row = pv::sparse_tensor<double>({1, kBillion}, {3, 5}, {1., 2.});
    const auto picked = pv::take_along_axis(row, pv::tensor({{5, 4}, {3, 3}, {-1, 5}}), 1);
    CHECK(pv::to_vector(pv::clone(picked)) == std::vector<double>{2, 0, 1, 1, 0, 2});
    const index_t too_many =
        (index_t{1} << 30) + 1; // and no more, as the sanitizer notes all bytes
    CHECK_THROWS_AS(pv::clone(pv::take_along_axis(row, pv::zeros<int>({too_many, 1}) + 3, 1)),
                    pv::KindError);
}

TEST_CASE("an index out of range is an error where nothing is stored, if it is read") {
    const auto x = pv::sparse_zeros<double>({5, kBillion});
    const auto bad = pv::tensor({0, 7, -5});
    const auto y = pv::take(x, bad, 0);
    const auto words = [](const auto& tensor) { return elements_of<double>(tensor).second; };
    const std::string first = "take: index 7 is out of range for axis 0 of size 5";
    CHECK(words(y) == first);
    CHECK(words(pv::concat(y, x)) == first);
    CHECK_THROWS_AS(pv::sum(y), pv::IndexError);
    CHECK(words(pv::take(pv::sparse_zeros<double>({5, 5}), {1, 0}, bad, bad % 5)) ==
          "take: index 7 is out of range for axis 1 of size 5");
    CHECK(pv::sum(y(pv::range(0, std::nullopt, 2), pv::all)) == 0);
    CHECK(pv::clone(y(pv::range(0, 0), pv::all)).size() == 0);
    CHECK(words(pv::take(pv::sparse_zeros<double>({0, 3}), bad, 0)) ==
          "take: index 0 is out of range for axis 0 of size 0");
    CHECK(pv::clone(pv::take(pv::sparse_zeros<double>({0, 3}), pv::zeros<int>({0}), 0)).size() ==
          0);
}

TEST_CASE("gathers over dims are sparse") {
    const auto [i, j, k, l] = pv::dims("i", "j", "k", "l");
    const auto x = pv::sparse_tensor<double>({4, 3}, {0, 4, 5, 11}, {1., 2., 3., 4.}, 7.);
    const auto d = pv::to_dense(x);
    const auto ids = pv::tensor({{3, 1}, {-1, 0}, {1, 1}});
    const auto same_as = [](const pv::Tensor<double>& sparse, const pv::Tensor<double>& dense) {
        CHECK(pv::is_sparse(sparse));
        CHECK(pv::to_vector(pv::clone(sparse)) == pv::to_vector(pv::clone(dense)));
    };
    same_as(x(ids(i, k), j) | pv::order(i, j, k), d(ids(i, k), j) | pv::order(i, j, k));
    same_as(x(ids(i, k), ids(i, k) % 3) | pv::order(k, i),
            d(ids(i, k), ids(i, k) % 3) | pv::order(k, i));
    same_as(x(ids(i, k), i) | pv::order(k, i), d(ids(i, k), i) | pv::order(k, i));
    same_as(pv::take(x(l, pv::all), ids(i, k) % 3, 0) | pv::order(i, l, k),
            pv::take(d(l, pv::all), ids(i, k) % 3, 0) | pv::order(i, l, k));
    const auto rows = x(ids(i, k), j) | pv::sum(k) | pv::order(i, j);
    CHECK(pv::is_sparse(pv::Tensor<double>(rows)));
    CHECK(pv::equals(pv::Tensor<double>(rows),
                     pv::Tensor<double>(d(ids(i, k), j) | pv::sum(k) | pv::order(i, j))));
}

TEST_CASE("selections of what is stored") {
    const auto x = pv::sparse_tensor<double>(
        {1'000'000, 1'000'000}, {3, 70'000, 5'000'000, 999'999'999'999}, {1., -2., 3., 5.});
    const auto places = pv::argfilter(x > 2.);
    const auto selected = pv::take(x, places);
    CHECK(pv::is_sparse(selected));
    CHECK(pv::to_vector(pv::clone(selected)) == std::vector<double>{3, 5});
    CHECK(pv::to_vector(pv::clone(x(x > 2.))) == std::vector<double>{3, 5});
    CHECK(pv::is_sparse(x(x > 2.)));
    // A sparse index, whose fill is an index as well.
    const auto rows = pv::sparse_tensor<index_t>({1'000'000}, {4, 7}, {5, -1});
    const auto taken = pv::take(x, rows, 0);
    CHECK(pv::is_sparse(taken));
    CHECK(pv::sum(taken) == 999'998. * -1 + 3 + 5);
}

TEST_CASE("a gather is sparse where its source is") {
    const auto x = pv::sparse_tensor<double>({3}, {1}, {2.});
    const auto ids = pv::tensor({1, 1, 0});
    const auto sparse_ids = pv::to_sparse(ids);
    CHECK(pv::is_sparse(pv::take(x, sparse_ids, 0)));
    CHECK_FALSE(pv::is_sparse(pv::take(pv::ones({3}), sparse_ids, 0)));
    CHECK_FALSE(pv::is_sparse(pv::take(x + pv::ones({3}), ids, 0)));
    CHECK_FALSE(pv::is_sparse(pv::take(x, ids, 0) + pv::ones({3})));
    CHECK(pv::sum(pv::take(x, ids, 0) + pv::ones({3})) == 7);
    CHECK_THROWS_AS(pv::sort(pv::take(x, ids, 0)), pv::KindError);
    CHECK(pv::to_vector(pv::sort(pv::to_dense(pv::take(x, ids, 0)))) ==
          std::vector<double>{0, 2, 2});

    const std::string text = pv::explain(pv::take(x, ids, 0) * 2);
    CHECK_THAT(text, ContainsSubstring("gather [3] from sparse pairs"));
    CHECK_THAT(text, ContainsSubstring("by 1 index -> float64, sparse"));
    CHECK_THAT(text, ContainsSubstring(
                         "way: sparse, the operations run on what is stored (1 pairs below)"));
    CHECK_THAT(pv::explain(pv::take(x, ids, 0) + pv::ones({3})),
               ContainsSubstring("-> float64, lazily dense") &&
                   ContainsSubstring("by 1 index -> float64, sparse"));
    CHECK_THAT(pv::explain(pv::take(pv::ones({3}), sparse_ids, 0)),
               ContainsSubstring("lazily dense"));
}

TEST_CASE("copies of a gather") {
    const auto x = pv::sparse_tensor<double>({2, 3}, {1, 5}, {2., 3.}, 1.);
    const auto ids = pv::tensor({1, 0, -1});
    const std::vector<double> expected{1, 1, 3, 1, 2, 1, 1, 1, 3};
    const auto y = pv::take(x, ids, 0);
    CHECK(pv::to_vector(pv::copy(y, pv::zeros({3, 3}))) == expected);
    CHECK(pv::to_vector(pv::copy(y, pv::sparse_zeros<double>({3, 3}))) == expected);
    CHECK(pv::to_vector(pv::copy(y, pv::sparse_full<double>({3, 3}, 1.))) == expected);
    CHECK(pv::to_vector(pv::cast<float>(y)) ==
          std::vector<float>(expected.begin(), expected.end()));
    CHECK(pv::to_vector(pv::AnyTensor(y).as<double>()) == expected);
    // To itself.
    auto own = pv::sparse_tensor<double>({4}, {1, 3}, {2., 3.});
    pv::copy(pv::take(own, pv::tensor({3, 2, 1, 0}), 0), own);
    CHECK(pv::to_vector(own) == std::vector<double>{3, 0, 2, 0});
    // Later writes are seen.
    const auto later = pv::take(own, pv::tensor({1, 1}), 0);
    own(1) = 9;
    CHECK(pv::to_vector(pv::clone(later)) == std::vector<double>{9, 9});
}

TEST_CASE("compiled functions take of sparse tensors") {
    const auto f = pv::computation(
        [](const auto& x, const auto& at) {
            const auto taken = pv::take(x, at, 0) * 2.;
            return std::pair(pv::sum(taken), taken);
        },
        pv::spec<double>({3, 2}), pv::spec<std::int64_t>({4}));
    const auto x = pv::sparse_tensor<double>({3, 2}, {1, 4}, {2., 3.});
    const auto at = pv::tensor(std::vector<std::int64_t>{2, 2, 0, 1});
    const auto [sum, taken] = f(x, at);
    CHECK(sum == 16);
    CHECK(pv::to_vector(taken) == std::vector<double>{6, 0, 6, 0, 0, 4, 0, 0});
}

TEST_CASE("gathers of gathers nest as deep as they like") {
    pv::Tensor<double> x = pv::sparse_tensor<double>({4}, {1}, {3.});
    const auto turn = pv::tensor({1, 2, 3, 0});
    for (int level = 0; level < 2001; ++level) x = pv::take(x * 1., turn, 0);
    CHECK(pv::to_vector(pv::clone(x)) == std::vector<double>{3, 0, 0, 0});
    // Each is gathered once, however often it is seen.
    pv::Tensor<double> y = pv::sparse_tensor<double>({4}, {1}, {1.});
    for (int level = 0; level < 50; ++level) y = pv::take(y + pv::flip(y), turn, 0);
    CHECK(pv::sum(y) == std::pow(2., 50));
}

TEST_CASE("of what a gather's source repeats, what is asked for is looked at alone") {
    const pv::index_t n = 1'000'000'000'000;
    const auto row = pv::sparse_tensor<double>({1, 1000}, {3, 5}, {2., 4.});
    const auto taken = pv::take(pv::broadcast(row, {n, 1000}), pv::tensor<pv::index_t>({5, 3}), 1);
    const auto seen = pv::clone(taken(pv::range(7, 9), pv::all));
    CHECK(pv::sparse_pairs(seen)->stored() == 4);
    CHECK(pv::to_vector(seen) == std::vector<double>{4, 2, 4, 2});
}

} // namespace sparse_gathers_test
