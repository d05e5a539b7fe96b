#include <support/catch.hpp>
#include <support/random_layout.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/evaluation/threads.hpp>
#include <purview/functional/assembly/index_sets.hpp>

#include <cstdint>
#include <random>
#include <vector>

namespace index_sets_test {

namespace {

namespace pv = purview;
using oracle::index_t;
using oracle::Random;

} // namespace

TEST_CASE("index_set: of masks, functions and lists, and back") {
    const auto x = pv::tensor({0.25, 0.75, 0.5, 1.0});
    CHECK(pv::index_set(x > 0.4) == pv::IndexSet{1, 2, 3});
    CHECK(((x > 0.4) | pv::index_set) == pv::IndexSet{1, 2, 3});
    const auto small = [](double value) { return value < 0.6; };
    CHECK(pv::index_set(small, x) == pv::IndexSet{0, 2});
    CHECK((x | pv::index_set(small)) == pv::IndexSet{0, 2});
    CHECK(pv::index_set(pv::tensor({5, 2, 5})) == pv::IndexSet{2, 5});
    CHECK(pv::index_set(pv::zeros<bool>({0})).empty());
    CHECK_THROWS_AS(pv::index_set(x), pv::DtypeError);
    CHECK_THROWS_AS(pv::index_set(pv::tensor({1, -1})), pv::IndexError);
    const pv::IndexSet set{1, 5};
    CHECK(pv::to_vector(pv::indexes_of(set)) == std::vector<index_t>{1, 5});
    const pv::Tensor<bool> mask = pv::mask_of(set, {2, 3});
    CHECK(pv::to_vector(mask) == std::vector<bool>{false, true, false, false, false, true});
    CHECK(pv::index_set(mask) == set);
    CHECK(pv::to_vector(pv::where(mask, 1, pv::tensor({{9, 9, 9}, {9, 9, 9}}))) ==
          std::vector<int>{9, 1, 9, 9, 9, 1});
    CHECK_THROWS_AS(pv::mask_of(set, {5}), pv::IndexError);
    CHECK(pv::to_vector(pv::tensor(set.reader()) * 2) == std::vector<index_t>{2, 10});
}

TEST_CASE("index_set of any mask is what argfilter gives") {
    Random random(11);
    for (int round = 0; round < oracle::rounds(60); ++round) {
        const auto x = oracle::random_layout<float>(random);
        const auto mask = x.real < static_cast<float>(random.between(-8, 8));
        const pv::IndexSet set = pv::index_set(mask);
        INFO(x.name);
        CHECK(pv::to_vector(pv::indexes_of(set)) == pv::to_vector(pv::argfilter(mask)));
        CHECK(pv::to_vector(pv::mask_of(set, mask.shape())) == pv::to_vector(mask));
    }
    std::mt19937_64 engine(12);
    std::vector<double> values(400'000);
    for (double& value : values) value = static_cast<double>(engine() % 1000);
    const auto x = pv::tensor(std::move(values));
    for (const double limit : {-1.0, 3.5, 500.0, 1000.0})
        for (const int threads : {1, 3}) {
            pv::set_threads(threads);
            CHECK(pv::to_vector(pv::indexes_of(pv::index_set(x < limit))) ==
                  pv::to_vector(pv::argfilter(x < limit)));
        }
    pv::set_threads(0);
}

TEST_CASE("selecting by an index set is a view") {
    auto x = pv::zeros<int>({3, 200});
    for (index_t i = 0; i < 3; ++i)
        for (index_t j = 0; j < 200; ++j) x(i, j) = static_cast<int>(1000 * i + j);
    const pv::IndexSet set{0, 3, 64, 65, 66, 150, 199};
    const std::vector<index_t> list = pv::to_vector(pv::indexes_of(set));
    const auto view = x(pv::all, set);
    const auto same = x(pv::all, pv::tensor(std::vector<index_t>(list)));
    CHECK(view.shape() == pv::Shape{3, 7});
    CHECK(pv::to_vector(view) == pv::to_vector(same));
    CHECK(pv::to_vector(view * 2 + 1) == pv::to_vector(same * 2 + 1));
    CHECK(pv::to_vector(pv::flip(view)) == pv::to_vector(pv::flip(same)));
    CHECK(pv::to_vector(pv::rotate(view, {0, 2})) == pv::to_vector(pv::rotate(same, {0, 2})));
    CHECK(pv::to_vector(view(1, pv::range(2, 6))) == pv::to_vector(same(1, pv::range(2, 6))));
    CHECK(pv::sum(view) == pv::sum(same));
    CHECK(view(2, 3) == 2065);
    pv::fill(view(pv::all, pv::range(1, 3)), -1);
    CHECK(x(0, 3) == -1);
    CHECK(x(2, 64) == -1);
    CHECK(x(1, 2) == 1002);
    CHECK(pv::to_vector(pv::transpose(x)(set, 0)) == pv::to_vector(x(0, set)));
    // Every address back to where it is seen.
    const pv::Dimensions& dims = view.dimensions();
    for (index_t g = 0; g < dims.size(); ++g) CHECK(dims.is_unique());
    CHECK(view.is_read_only() == false);
    CHECK(x(0, pv::IndexSet()).shape() == pv::Shape{0});
    CHECK(pv::to_vector(x(1, pv::IndexSet::interval(5, 8))) == std::vector<int>{1005, 1006, 1007});
    CHECK_THROWS_AS(x(0, pv::IndexSet{200}), pv::IndexError);
    CHECK_THROWS_AS(x(0, pv::IndexSet::interval(150, 201)), pv::IndexError);
}

TEST_CASE("set operations on tensors of indexes") {
    const auto a = pv::tensor({5, 1, 9, 1});
    const auto b = pv::tensor<std::int64_t>({9, 2});
    CHECK(pv::to_vector(pv::index_union(a, b)) == std::vector<index_t>{1, 2, 5, 9});
    CHECK(pv::to_vector(pv::index_intersection(a, b)) == std::vector<index_t>{9});
    CHECK(pv::to_vector(pv::index_difference(a, b)) == std::vector<index_t>{1, 5});
    CHECK(pv::index_intersection(a, pv::zeros<int>({0})).empty());
}

} // namespace index_sets_test
