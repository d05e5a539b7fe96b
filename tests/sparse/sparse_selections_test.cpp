#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <algorithm>
#include <concepts>
#include <string>
#include <vector>

namespace sparse_selections_test {

// Rows, columns and elements of sparse tensors that a list, a mask or a set picks, in all words for
// it: as the dense twin has them.

namespace {

using namespace oracle;

/// Ascending or not, with and without repeats, empty, of negative ones too.
std::vector<index_t> random_list(Random& random, index_t extent) {
    std::vector<index_t> list;
    switch (random.between(0, 4)) {
    case 0: // few
        for (index_t i = random.between(0, 3); i > 0; --i)
            list.push_back(random.between(-extent, extent - 1));
        return list;
    case 1: // some, ascending
        for (index_t i = 0; i < extent; ++i)
            if (random.one_in(2)) list.push_back(i);
        return list;
    case 2: // all, in any order
        for (index_t i = 0; i < extent; ++i) list.push_back(i);
        random.shuffle(list);
        return list;
    case 3: // one again and again
        return std::vector<index_t>(static_cast<std::size_t>(random.between(1, 4)),
                                    random.between(0, extent - 1));
    default: // with repeats
        for (index_t i = random.between(0, 2 * extent); i > 0; --i)
            list.push_back(random.between(-extent, extent - 1));
        return list;
    }
}

template <typename T>
void expect_equal(const pv::Tensor<T>& sparse, const pv::Tensor<T>& dense) {
    REQUIRE(pv::is_sparse(sparse));
    REQUIRE(sparse.shape() == dense.shape());
    const std::vector<T> expected = pv::to_vector(dense);
    const pv::Tensor<T> realised = pv::clone(sparse);
    pv::check_sparse_indexes("test", pv::sparse_pairs(realised)->indexes(), sparse.size());
    REQUIRE(same_values(pv::to_vector(realised), expected));
    if constexpr (std::integral<T> && !std::same_as<T, bool>) // by positions of what is stored
        REQUIRE(same_values(pv::to_vector(pv::clone(sparse + T{1})),
                            pv::to_vector(pv::clone(dense + T{1}))));
}

/// `select(x)` along an axis, by moving it to the front and back.
template <typename T, typename Index>
pv::Tensor<T> along(const pv::Tensor<T>& x, index_t axis, const Index& index) {
    return pv::move_axis(pv::Tensor<T>(pv::move_axis(x, axis, 0)(index)), 0, axis);
}

template <typename T>
pv::Tensor<T> selected(const pv::Tensor<T>& x, index_t axis, const std::vector<index_t>& list,
                       index_t word) {
    const index_t extent = x.shape()[static_cast<std::size_t>(axis)];
    switch (word) {
    case 0: return along(x, axis, list);
    case 1: return along(x, axis, pv::tensor(std::vector<index_t>(list)));
    case 2: return pv::take(x, pv::tensor(std::vector<index_t>(list)), axis);
    case 3: {
        const auto mask = pv::zeros<bool>({extent});
        for (const index_t i : list) mask(i < 0 ? i + extent : i) = true;
        return along(x, axis, mask);
    }
    default: {
        std::vector<index_t> positive;
        for (const index_t i : list) positive.push_back(i < 0 ? i + extent : i);
        std::ranges::sort(positive);
        positive.erase(std::unique(positive.begin(), positive.end()), positive.end());
        return along(x, axis, pv::IndexSet(positive));
    }
    }
}

template <typename T>
void random_selections(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(1, 3)));
    for (index_t& extent : shape)
        extent = random.between(1, shape.size() == 1 ? 3000 : shape.size() == 2 ? 70 : 14);
    const SparseTwin<T> twin = random_sparse<T>(random, shape, random_fill<T>(random));
    pv::Tensor<T> sparse = twin.real;
    pv::Tensor<T> dense = pv::to_dense(twin.real);
    for (index_t steps = random.between(1, 3); steps > 0 && sparse.size() > 0; --steps) {
        const auto axis = random.between(0, sparse.rank() - 1);
        const std::vector<index_t> list =
            random_list(random, sparse.shape()[static_cast<std::size_t>(axis)]);
        const index_t word = random.between(0, 4);
        INFO("word " << word << " along axis " << axis << " of " << twin.name);
        const pv::Tensor<T> picked = selected(sparse, axis, list, word);
        const pv::Tensor<T> expected = pv::clone(selected(dense, axis, list, word));
        expect_equal(picked, expected);
        sparse = picked;
        dense = expected;
        if (sparse.size() == 0) return;
        switch (random.between(0, 4)) {
        case 0:
            sparse = pv::transpose(sparse);
            dense = pv::clone(pv::transpose(dense));
            break;
        case 1:
            sparse = pv::flip(sparse, Coordinates{0});
            dense = pv::clone(pv::flip(dense, Coordinates{0}));
            break;
        case 2: {
            const pv::Range part(random.between(0, 2), random.between(3, 40));
            sparse = sparse(pv::ellipsis, part);
            dense = pv::clone(dense(pv::ellipsis, part));
            break;
        }
        case 3:
            sparse = pv::reshape(sparse, {sparse.size()});
            dense = pv::clone(pv::reshape(dense, {dense.size()}));
            break;
        default: break;
        }
        expect_equal(sparse, dense);
    }
}

} // namespace

TEST_CASE("what lists, masks and sets pick of sparse tensors is what they pick of dense ones") {
    for (unsigned seed = 0; seed < oracle::rounds(150U); ++seed) {
        random_selections<double>(seed);
        random_selections<std::int16_t>(seed + 1000);
        random_selections<bool>(seed + 2000);
        random_selections<std::string>(seed + 3000);
    }
}

TEST_CASE("masks of several axes pick elements of sparse tensors") {
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Coordinates shape{random.between(1, 20), random.between(1, 20), random.between(1, 5)};
        const SparseTwin<double> twin = random_sparse<double>(random, shape, 0);
        const auto mask = pv::zeros<bool>({shape[0], shape[1]});
        for (index_t i = 0; i < shape[0]; ++i)
            for (index_t j = 0; j < shape[1]; ++j) mask(i, j) = random.one_in(3);
        expect_equal(pv::Tensor<double>(twin.real(mask)),
                     pv::Tensor<double>(pv::clone(pv::to_dense(twin.real)(mask))));
    }
}

TEST_CASE("a list of rows of a huge sparse tensor looks at these rows") {
    const index_t n = index_t{1} << 30;
    const pv::Tensor<double> x = pv::from_coo<double>(
        {n, n}, {{3, 3, 500, 7'000'000, n - 1}, {0, n - 1, 17, 5, 9}}, {1., 2., 3., 4., 5.});
    const pv::Tensor<double> rows = pv::clone(x({n - 1, 500, 3, 500}, pv::all));
    const auto pairs = pv::sparse_pairs(rows);
    REQUIRE(std::ranges::equal(pairs->indexes(),
                               std::vector<index_t>{9, n + 17, 2 * n, 3 * n - 1, 3 * n + 17}));
    REQUIRE(std::ranges::equal(pairs->values(), std::vector<double>{5, 3, 1, 2, 3}));
    const pv::Tensor<double> columns = pv::clone(x(pv::all, {9, 0, 5}));
    REQUIRE(pv::sparse_pairs(columns)->stored() == 3);
    REQUIRE(columns(3, 1) == 1);
    REQUIRE(columns(7'000'000, 2) == 4);
    REQUIRE(columns(n - 1, 0) == 5);
}

TEST_CASE("columns and diagonals of sparse matrices are searched for") {
    for (unsigned seed = 0; seed < oracle::rounds(60U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Coordinates shape{random.between(1, 90), random.between(1, 90)};
        const SparseTwin<double> twin = random_sparse<double>(random, shape, 1);
        const pv::Tensor<double> dense = pv::to_dense(twin.real);
        const auto check = [&](auto view) {
            expect_equal(pv::Tensor<double>(view(twin.real)),
                         pv::Tensor<double>(pv::clone(view(dense))));
        };
        const index_t j = random.between(0, shape[1] - 1);
        check([&](const auto& x) { return pv::Tensor<double>(x(pv::all, j)); });
        check([&](const auto& x) { return pv::Tensor<double>(x(pv::all, pv::range(j, j + 2))); });
        check([&](const auto& x) { return pv::Tensor<double>(pv::diagonal(x)); });
        check([&](const auto& x) {
            return pv::Tensor<double>(x(pv::range(0, shape[0], 30), pv::range(0, shape[1], 20)));
        });
        check([&](const auto& x) { return pv::Tensor<double>(pv::flip(x, {0})(pv::all, j)); });
    }
}

TEST_CASE("explain says how what is stored is moved") {
    std::vector<index_t> all;
    for (index_t i = 0; i < 40 * 40; ++i) all.push_back(i);
    const pv::Tensor<double> x =
        pv::sparse_tensor<double>({40, 40}, all, std::vector<double>(all.size(), 2.));
    const auto says = [](const auto& view, const char* words) {
        return pv::explain(view).find(words) != std::string::npos;
    };
    REQUIRE(says(x({3, 5, 3}, pv::all), "copied as a whole"));
    REQUIRE(says(x(pv::all, {3, 5, 3}), "looked up in the lists"));
    REQUIRE(says(pv::transpose(x), "computed by divisions"));
    REQUIRE(says(pv::diagonal(x), "is searched for"));
    REQUIRE(says(x(pv::range(3, 9)), "copied as they are"));
}

} // namespace sparse_selections_test
