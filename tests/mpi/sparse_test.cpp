// Sparse matrices whose rows lie on the ranks, against the same in one memory.

#include "mpi/random_distribution.hpp"
#include "mpi/shared_folder.hpp"
#include "support/catch.hpp"

#include <purview/mpi/sparse.hpp>

#include <purview/mpi/linalg.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using oracle::thrown;
using oracle::world;
using pv::index_t;

namespace {

/// The same on all ranks.
template <typename T, typename I = index_t>
pv::CsrMatrix<T, I> random_csr(Random& random, index_t rows, index_t columns, index_t entries) {
    std::map<std::pair<index_t, index_t>, T> chosen;
    for (index_t i = 0; i < entries && rows * columns > 0; ++i)
        chosen[{random.between(0, rows - 1), random.between(0, columns - 1)}] =
            static_cast<T>(random.between(-9, 9));
    std::vector<I> pointers{0}, indices;
    std::vector<T> values;
    for (auto entry = chosen.begin(); entry != chosen.end() || std::ssize(pointers) <= rows;) {
        if (entry != chosen.end() && entry->first.first == std::ssize(pointers) - 1) {
            indices.push_back(static_cast<I>(entry->first.second));
            values.push_back((entry++)->second);
        } else {
            pointers.push_back(static_cast<I>(indices.size()));
        }
    }
    return {rows, columns, pv::tensor(pointers), pv::tensor(indices), pv::tensor(values)};
}

} // namespace

TEST_CASE("sparse products over ranks: random matrices, vectors, distributions") {
    Random random(11);
    for (int round = 0; round < 30; ++round) {
        const index_t m = random.between(1, 20), n = random.between(1, 20),
                      k = random.between(1, 4);
        const auto whole = random_csr<double, std::int32_t>(random, m, n, random.between(0, 60));
        const auto a = pm::distribute(whole, world());
        CAPTURE(m, n, k, round);
        CHECK(a.shape() == pv::Shape{m, n});
        CHECK(pm::all_sum(a.local().stored(), world()) == whole.stored());

        const auto v = oracle::random_values(random, pv::Shape{n});
        const auto x = pm::distribute(v, oracle::random_distribution(random, pv::Shape{n}));
        CHECK(pv::equals(pm::all_gather(pm::matmul(a, x)), pv::matmul(whole, v)));
        CHECK(pv::equals(pm::all_gather(pm::matmul(a, x.global() * 2 + 1)),
                         pv::matmul(whole, pv::clone(v * 2 + 1))));
        CHECK(pv::equals(pm::all_gather(pm::matmul(a, v)), pv::matmul(whole, v)));
        const auto many = oracle::random_values(random, pv::Shape{n, k});
        const auto xs = pm::distribute(many, oracle::random_distribution(random, pv::Shape{n, k}));
        CHECK(pv::equals(pm::all_gather(pm::matmul(a, xs)), pv::matmul(whole, many)));

        const auto u = oracle::random_values(random, pv::Shape{m});
        const auto y = pm::distribute(u, oracle::random_distribution(random, pv::Shape{m}));
        CHECK(pv::equals(pm::all_gather(pm::matmul(y, a)),
                         pv::matmul(u, whole))); // of small integers
    }
}

TEST_CASE("sparse products over ranks: other elements, and none") {
    Random random(12);
    const auto whole = random_csr<std::int32_t>(random, 9, 7, 30);
    const auto a = pm::distribute(whole, world());
    const auto v = pv::tensor<std::int32_t>({1, 2, 3, 4, 5, 6, 7});
    const auto product = pm::matmul(a, v);
    CHECK(product.dtype() == pv::int64);
    CHECK(pv::equals(pm::all_gather(product), pv::matmul(whole, v)));

    const auto nothing = pm::distribute(pv::CsrMatrix<float>(), world());
    CHECK(pm::matmul(nothing, pv::zeros<float>({0})).shape()[0] == 0);
    const auto without = pm::distribute(random_csr<double>(random, 5, 5, 0), world());
    CHECK(pm::sum(pm::matmul(without, pv::ones({5}))) == 0);
}

TEST_CASE("sparse products over ranks send what the pattern needs") {
    const index_t n = 60;
    std::vector<index_t> pointers{0}, indices;
    std::vector<double> values; // -1 2 -1
    for (index_t i = 0; i < n; ++i) {
        for (index_t j = std::max<index_t>(i - 1, 0); j <= std::min(i + 1, n - 1); ++j) {
            indices.push_back(j);
            values.push_back(i == j ? 2 : -1);
        }
        pointers.push_back(std::ssize(indices));
    }
    const pv::CsrMatrix<double> whole(n, n, pv::tensor(pointers), pv::tensor(indices),
                                      pv::tensor(values));
    const auto a = pm::distribute(whole, world());
    const auto b = pm::distribute(pv::linspace(0, 1, n), a.columns());
    pm::matmul(a, b); // plans
    const pm::Messages before = pm::messages();
    const auto product = pm::matmul(a, b);
    const pm::Messages after = pm::messages();
    const index_t neighbours =
        (world().rank() > 0 ? 1 : 0) + (world().rank() + 1 < world().size() ? 1 : 0);
    CHECK(after.with_elements - before.with_elements == neighbours);
    CHECK(after.elements_bytes - before.elements_bytes ==
          neighbours * static_cast<index_t>(sizeof(double)));

    const auto solved = pm::cg(a, b, {.tolerance = 1e-12});
    CHECK(solved.residual <= 1e-12);
    CHECK(pv::allclose(pv::matmul(whole, pm::all_gather(solved.x)),
                       pv::clone(pv::linspace(0, 1, n)), {.absolute = 1e-9}));
}

TEST_CASE("sparse matrices over ranks: rows of each, files, errors") {
    Random random(13);
    const auto whole = random_csr<double>(random, 12, 12, 40);
    const auto rows = pm::blocks({12}, pm::Grid(world()));
    const pm::Box box = rows.box();
    const auto pointers = pv::as_span(whole.pointers());
    const auto first = pointers[static_cast<std::size_t>(box.begin[0])];
    const auto last = pointers[static_cast<std::size_t>(box.end[0])];
    const pv::CsrMatrix<double> own(
        box.end[0] - box.begin[0], 12,
        pv::clone(whole.pointers()(pv::range(box.begin[0], box.end[0] + 1)) - first),
        pv::clone(whole.indices()(pv::range(first, last))),
        pv::clone(whole.values()(pv::range(first, last))));
    const pm::DistributedCsr<double> a(own, rows, rows);
    const auto v = oracle::random_values(random, pv::Shape{12});
    CHECK(pv::equals(pm::all_gather(pm::matmul(a, v)), pv::matmul(whole, v)));

    CHECK_THAT(thrown<pv::ShapeError>([&] { pm::matmul(a, pv::zeros({11})); }),
               ContainsSubstring("[12 12]") && ContainsSubstring("[11]"));
    CHECK_THAT(thrown<pv::ShapeError>([&] {
                   pm::matmul(pv::zeros({2, 12}), a);
               }),
               ContainsSubstring("[2 12]"));
    CHECK_THAT(thrown<pv::ShapeError>([&] {
                   pm::DistributedCsr<double>(own, rows, pm::blocks({13}, pm::Grid(world())));
               }),
               ContainsSubstring("13]"));
    CHECK_THAT(thrown<pv::DtypeError>([&] { pm::matmul(a, pv::zeros<int>({12})); }),
               ContainsSubstring("int32") && ContainsSubstring("float64"));
    // Rows that are dealt out in turn, also where each rank has as many as of blocks.
    const auto cyclic = pm::cyclic({12}, pm::Grid(world()), {1});
    const auto blocks_too = world().size() == 1;
    for (const bool of_rows : {true, false}) {
        const auto make = [&] {
            pm::DistributedCsr<double>(own, of_rows ? cyclic : rows, of_rows ? rows : cyclic);
        };
        if (!blocks_too)
            CHECK_THAT(thrown<pm::DistributionError>(make),
                       ContainsSubstring("where blocks of a vector are wanted"));
    }
    CHECK_THROWS_AS(pm::DistributedCsr<double>(own, pm::blocks({12, 1}, pm::Grid(world())), rows),
                    pm::DistributionError);
    if (world().size() > 1) { // another matrix of the same shape on one rank
        const pm::DistributedCsr<double> b(own, rows, rows);
        CHECK_THROWS_AS(pm::matmul(world().rank() == 1 ? b : a, v), pm::DistributionError);
    }
    CHECK_THAT(thrown<pv::Error>([&] { pm::load_mtx<double>("/nowhere.mtx", world()); }),
               ContainsSubstring("/nowhere.mtx"));

    const oracle::SharedFolder folder;
    const std::string path = folder / "a.mtx";
    if (world().rank() == 0) pv::save_mtx(path, whole);
    pm::barrier(world());
    const auto loaded = pm::load_mtx<double>(path, world());
    CHECK(pv::equals(pm::all_gather(pm::matmul(loaded, v)), pv::matmul(whole, v)));
}
