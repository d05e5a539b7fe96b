#include "counted.hpp"
#include "sparse_support.hpp"

#include <support/rounds.hpp>

namespace sparse_reductions_test {

// Reductions of sparse tensors agree with those of their dense twins, and give sparse tensors over axes.

namespace {

using namespace oracle;

template <typename A, typename B>
void expect_close(const A& a, const B& b) {
    REQUIRE(a.size() == b.size());
    for (std::size_t i = 0; i < a.size(); ++i) {
        const auto x = a[i];
        const auto y = b[i];
        if constexpr (std::floating_point<std::remove_cvref_t<decltype(x)>>) {
            if (same(x, y)) continue;
            INFO(x << " and " << y << " at " << i);
            REQUIRE(std::isfinite(x));
            REQUIRE(std::abs(x - y) <= 1e-12 * (1 + std::abs(y)));
        } else {
            REQUIRE(static_cast<index_t>(x) == static_cast<index_t>(y));
        }
    }
}

template <typename T>
struct BothKinds {
    pv::Tensor<T> sparse;
    pv::Tensor<T> dense;
    Random& random;

    template <typename F>
    void expect(const char* name, const F& reduce, bool needs_elements = false) const {
        INFO(name);
        if (needs_elements && sparse.empty()) return;
        const auto all = [&](const auto& x) { return std::vector{reduce(x)}; };
        expect_close(all(sparse), all(dense));
        if (sparse.rank() == 0) return;
        pv::Shape axes;
        for (index_t a = 0; a < sparse.rank(); ++a)
            if (random.one_in(2)) axes.push_back(a);
        const auto by_axes = reduce(sparse, pv::Axes(axes));
        if (!sparse.empty()) CHECK(pv::is_sparse(by_axes));
        expect_close(pv::to_vector(by_axes), pv::to_vector(reduce(dense, pv::Axes(axes))));
        const pv::AnyTensor any = reduce(pv::AnyTensor(sparse));
        CHECK(any.size() == 1);
    }
};

template <typename T>
void run(unsigned first, unsigned count) {
    for (unsigned seed = first; seed < first + oracle::rounds(count); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        SparseTwin<T> x = random_sparse<T>(random, random.shape(), random_fill<T>(random));
        while (random.one_in(2))
            ViewStep<pv::Tensor<T>, T>(random, x.real, x.naive, x.name).apply();
        INFO(x.name);
        const BothKinds<T> both{x.real, pv::to_dense(x.real), random};
        both.expect("sum", pv::sum);
        both.expect("product", pv::product);
        both.expect("mean", pv::mean);
        both.expect("min", pv::min, true);
        both.expect("max", pv::max, true);
        both.expect("any_of", pv::any_of);
        both.expect("all_of", pv::all_of);
        both.expect("count_true", pv::count_true);
        both.expect("argmin", pv::argmin, true);
        both.expect("argmax", pv::argmax, true);
        both.expect("argmin_last", pv::argmin_last, true);
        both.expect("argmax_last", pv::argmax_last, true);
        both.expect("variance", pv::variance);
        both.expect("sample_variance", pv::sample_variance);
        both.expect("standard_deviation", pv::standard_deviation);

        if constexpr (!std::same_as<T, bool>) {
            // All of what is computed and seen in another order.
            const pv::Tensor<T> sums = pv::transpose(x.real + T{1});
            const pv::Tensor<T> dense = pv::to_dense(sums);
            INFO("transposed sums");
            const auto all_alike = [&](const auto& reduce) {
                expect_close(std::vector{reduce(sums)}, std::vector{reduce(dense)});
            };
            all_alike(pv::sum);
            all_alike(pv::product);
            all_alike(pv::mean);
            all_alike(pv::count_true);
            all_alike(pv::variance);
            if (!sums.empty()) all_alike(pv::min);
            if (!sums.empty()) all_alike(pv::max);
        }

        const auto mask = x.real != T{};
        REQUIRE(pv::to_vector(pv::argfilter(mask)) ==
                pv::to_vector(pv::argfilter(both.dense != T{})));
        REQUIRE(pv::index_set(mask) == pv::index_set(both.dense != T{}));
    }
}

} // namespace

TEST_CASE("reductions of sparse tensors agree with dense ones: float64") { run<double>(0, 500); }
TEST_CASE("reductions of sparse tensors agree with dense ones: int32") {
    run<std::int32_t>(1000, 300);
}
TEST_CASE("reductions of sparse tensors agree with dense ones: bool") { run<bool>(2000, 200); }

TEST_CASE("folds of all elements of views of several layers") {
    const pv::Tensor<double> dense = pv::clone(pv::arange(1., 13.));
    const pv::Tensor<double> sparse = pv::to_sparse(dense);
    const auto check = [&](const auto& view) {
        const pv::Tensor<double> x = view(sparse);
        const pv::Tensor<double> y = view(dense);
        CHECK(pv::sum(x) == pv::sum(y));
        CHECK(pv::product(x) == pv::product(y));
        CHECK(pv::max(x) == pv::max(y));
        CHECK(pv::min(x) == pv::min(y));
        CHECK(pv::variance(x) == Catch::Approx(pv::variance(y)));
        CHECK(pv::count_true(x > 4.) == pv::count_true(y > 4.));
        CHECK(pv::to_vector(pv::sum(pv::reshape(x, {1, -1}), 1)) ==
              std::vector<double>{pv::sum(y)});
    };
    using Tensor = pv::Tensor<double>;
    check([](const Tensor& x) -> Tensor { return pv::repeat(x, 2, 0)(pv::range(6, 10, 2)); });
    check([](const Tensor& x) -> Tensor { return pv::repeat(x, 2, 0)(pv::range(6, 8)); });
    check([](const Tensor& x) -> Tensor {
        return pv::reshape(pv::roll(pv::reshape(x, {2, 6}), 1, 1), {-1})(pv::range(1, 4));
    });
    check([](const Tensor& x) -> Tensor {
        return pv::reshape(pv::transpose(pv::reshape(x, {3, 4})), {-1})(pv::range(2, 7));
    });
    check([](const Tensor& x) -> Tensor {
        return pv::flip(pv::repeat(x, 3, 0), 0)(pv::range(4, 9));
    });
    check([](const Tensor& x) -> Tensor {
        return pv::transpose(pv::flip(pv::reshape(x, {2, 3, 2}), 1));
    });
}

TEST_CASE("folds of all elements of expressions of one view") {
    Random random(11);
    for (int round = 0; round < oracle::rounds(100); ++round) {
        const pv::Shape shape{random.between(1, 6), random.between(1, 7), random.between(1, 5)};
        const auto x =
            random_sparse<double>(random, Coordinates(shape.begin(), shape.end()), 0.).real;
        const auto y =
            random_sparse<double>(random, Coordinates(shape.begin(), shape.end()), 2.).real;
        const pv::Tensor<double> d = pv::to_dense(y);
        const auto turned = [](const auto& t) { return pv::flip(t, 1) | pv::transpose({2, 0, 1}); };
        const auto check = [&](const auto& make) {
            const pv::Tensor<double> real = make(x, y);
            const pv::Tensor<double> dense = make(pv::Tensor<double>(pv::to_dense(x)), d);
            expect_close(std::vector{pv::sum(real)}, std::vector{pv::sum(dense)});
            CHECK(same(pv::max(real), pv::max(dense)));
            CHECK(same(pv::min(real), pv::min(dense)));
            CHECK(pv::count_true(real != 0.) == pv::count_true(dense != 0.));
            expect_close(std::vector{pv::variance(real)}, std::vector{pv::variance(dense)});
        };
        check([&](const auto& a, const auto&) { return pv::abs(turned(a)); });
        check([&](const auto& a, const auto& b) { return turned(a) * 2. + pv::sq(turned(b)); });
        check([&](const auto& a, const auto& b) {
            return turned(a) + (pv::flip(b, 0) | pv::transpose({2, 0, 1}));
        });
        check([&](const auto& a, const auto& b) { return turned(a + b) - 1.; });
        check([&](const auto& a, const auto&) { return turned(a) * turned(d); });
    }
}

TEST_CASE("the place of an extreme among fills is the first without an entry") {
    const auto x = pv::sparse_tensor<double>({8}, {0, 1, 3}, {5., 4., -1.}, 0.);
    CHECK(pv::argmin(x) == 3);
    CHECK(pv::argmax(x) == 0);
    CHECK(pv::argmax(-x) == 3);
    CHECK(pv::argmin(pv::abs(x)) == 2);
    CHECK(pv::argmin_last(pv::abs(x)) == 7);
    const auto zeros = pv::sparse_tensor<double>({8}, {1}, {0.}, 0.);
    CHECK(pv::argmin(zeros) == 0);
}

TEST_CASE("operations cost what is stored, not what there is") {
    const pv::index_t n = 1'000'000;
    std::vector<pv::index_t> indexes;
    std::vector<Counted> values;
    for (pv::index_t i = 0; i < 1000; ++i) {
        indexes.push_back(i * 999);
        values.push_back(static_cast<double>(i));
    }
    const auto x = pv::sparse_tensor<Counted>({1000, 1000}, indexes, values);
    const auto y = pv::sparse_tensor<Counted>({1000, 1000}, indexes, values);
    const auto counted = [](auto f) {
        Counted::operations = 0;
        f();
        return Counted::operations;
    };
    const auto together = pv::emap([](Counted a, Counted b) { return a + b; }, x, y);
    CHECK(counted([&] { pv::Tensor<Counted> view = pv::transpose(together); }) == 0);
    CHECK(counted([&] {
              const Counted c = pv::clone(together)(0, 999);
              CHECK(c.value == 2);
          }) <= 5 * 1000 + 2);
    CHECK(counted([&] { CHECK(pv::sum(x).value == 499'500); }) <= 1000 + 4 * 20);
    CHECK(counted([&] { pv::sum(x, 0); }) <= 1000 + 1000 * 20);
    CHECK(counted([&] { CHECK(pv::clone(pv::transpose(x)).size() == n); }) == 0);
    // An explicit fill changes no result.
    CHECK(pv::sum(pv::prune(x)).value == 499'500);
    CHECK(pv::sparse_pairs(pv::prune(x))->stored() == 999);
}

// Blocks end with the rows of a plan that no other order of axes is possible for: in the middle of a
// group, if groups are short.
TEST_CASE("short groups of sparse and permuted dense operands") {
    for (const pv::index_t rows : {2, 3, 5, 12})
        for (const pv::index_t width : {1, 7, 10, 40}) {
            std::vector<float> numbers(static_cast<std::size_t>(4 * width));
            for (std::size_t i = 0; i < numbers.size(); ++i)
                numbers[i] = i % 3 == 0 ? 0.f : 0.25f * static_cast<float>(i % 29);
            const auto few = pv::reshape(pv::tensor(numbers), {4, width});
            const auto d =
                pv::clone(pv::reshape(pv::arange(static_cast<float>(8 * (rows + 2) * width)),
                                      {2, 4, rows + 2, width}) -
                          50.f);
            const auto y =
                pv::transpose(d, {1, 0, 2, 3})(pv::all, pv::all, pv::range(1, rows + 1), pv::all);
            const auto x = pv::reshape(pv::to_sparse(few), {4, 1, 1, width});
            const auto sums = pv::clone(pv::sum(x * y, {1, 2, 3}));
            const auto greatest = pv::clone(pv::max(x * y, {1, 2, 3}));
            const auto added = pv::clone(pv::sum(x + y, {1, 2, 3}));
            for (pv::index_t i = 0; i < 4; ++i) {
                double product = 0, sum = 0, most = -1e30;
                for (pv::index_t j = 0; j < 2; ++j)
                    for (pv::index_t r = 0; r < rows; ++r)
                        for (pv::index_t k = 0; k < width; ++k) {
                            const double a = few(i, k), b = d(j, i, r + 1, k);
                            product += a * b;
                            sum += a + b;
                            most = std::max(most, a * b);
                        }
                CHECK(sums(i) == Approx(product).epsilon(1e-4));
                CHECK(added(i) == Approx(sum).epsilon(1e-4));
                CHECK(greatest(i) == Approx(most));
            }
        }
}

} // namespace sparse_reductions_test
