// Ranks that agree, or do not: what is thrown, on which rank, and that work goes on.

#include "mpi/ranks.hpp"
#include "support/catch.hpp"

#include <purview/chrono.hpp>
#include <purview/purview.hpp>

#include <chrono>
#include <concepts>
#include <functional>
#include <stdexcept>
#include <thread>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Place {
    double x;
    double y;
    friend bool operator==(const Place&, const Place&) = default;
};
double twice(double v) { return 2 * v; }
double thrice(double v) { return 3 * v; }
double twice_of_point(const Place& p) { return 2 * p.x; }
double thrice_of_point(const Place& p) { return 3 * p.x; }

} // namespace

TEST_CASE("a communicator is a duplicate, and copies are the same one") {
    const pm::Communicator& world = oracle::world();
    int ranks = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    CHECK(world.size() == ranks);
    CHECK(world.native() != MPI_COMM_WORLD);
    const pm::Communicator copy = world;
    CHECK(copy == world);
    const pm::Communicator other(MPI_COMM_WORLD);
    CHECK_FALSE(other == world);
    CHECK(other.rank() == world.rank());
    CHECK_THROWS_AS(pm::Communicator(MPI_COMM_NULL), pm::DistributionError);
}

TEST_CASE("what one rank throws is thrown on all, with its text, and work goes on") {
    const pm::Communicator& world = oracle::world();
    const int last = world.size() - 1;
    const auto f = [&] {
        if (world.rank() == last) throw std::runtime_error("the disk is full");
        return world.rank();
    };
    if (world.size() > 1) {
        const std::string text = oracle::thrown<pv::Error>([&] { pm::collective(world, f); });
        CHECK_THAT(text, ContainsSubstring("the disk is full"));
        CHECK_THAT(text, ContainsSubstring("rank " + std::to_string(last)));
    }
    // Of the library's errors the type is the same on all ranks.
    const auto thrown_by_last = [&](const auto& error) {
        using E = std::decay_t<decltype(error)>;
        if (world.size() == 1) return;
        const std::string text = oracle::thrown<E>([&] {
            pm::collective(world, [&] {
                if (world.rank() == last) throw error;
            });
        });
        CHECK(text == "rank " + std::to_string(last) + ": of its own");
    };
    thrown_by_last(pv::ShapeError("of its own"));
    thrown_by_last(pv::CastError("of its own"));
    thrown_by_last(pv::MemoryLimitError("of its own"));
    thrown_by_last(pm::DistributionError("of its own"));
    thrown_by_last(pv::Error("of its own"));
    // The same on all ranks is what it was.
    CHECK_THROWS_AS(pm::collective(world, [] { throw pv::ShapeError("all of them"); }),
                    pv::ShapeError);
    CHECK_THROWS_AS(pm::collective(world, [] { throw 7; }), int);
    CHECK(pm::collective(world, [&] { return 2 * world.rank(); }) == 2 * world.rank());
}

TEST_CASE("ranks that call different functions, or with other arguments, are told both") {
    const pm::Communicator& world = oracle::world();
    if (world.size() == 1) return;
    const pm::Grid grid(world);
    const pm::Distribution d = pm::blocks({10, 4}, grid);
    const bool is_last = world.rank() == world.size() - 1;
    SECTION("another shape") {
        const pv::Tensor<double> x = pv::zeros({is_last ? 12 : 10, 4});
        const std::string text = oracle::thrown<pm::DistributionError>(
            [&] { pm::distribute(x, pm::blocks(x.shape(), grid)); });
        CHECK_THAT(text, ContainsSubstring("[10 4]"));
        CHECK_THAT(text, ContainsSubstring("[12 4]"));
        CHECK_THAT(text, ContainsSubstring("rank " + std::to_string(world.size() - 1)));
    }
    SECTION("another type") {
        const std::string text = oracle::thrown<pm::DistributionError>([&] {
            if (is_last)
                pm::distribute(pv::zeros<float>({10, 4}), d);
            else
                pm::distribute(pv::zeros({10, 4}), d);
        });
        CHECK_THAT(text, ContainsSubstring("float32"));
        CHECK_THAT(text, ContainsSubstring("float64"));
    }
    SECTION("another function") {
        const auto x = pm::distribute(pv::zeros({10, 4}), d);
        const std::string text = oracle::thrown<pm::DistributionError>([&] {
            if (is_last)
                pm::all_gather(x);
            else
                pm::redistribute(x, d);
        });
        CHECK_THAT(text, ContainsSubstring("all_gather"));
        CHECK_THAT(text, ContainsSubstring("redistribute"));
    }
    SECTION("another expression") {
        const auto x = pm::distribute(pv::ones({10, 4}), d);
        CHECK_THROWS_AS(is_last ? pm::evaluate(x.global() * 2.0, d)
                                : pm::evaluate(x.global() + 2.0, d),
                        pm::DistributionError);
    }
    SECTION("another number") {
        const auto x = pm::distribute(pv::ones({10, 4}), d);
        CHECK_THROWS_AS(pm::evaluate(x.global() * (is_last ? 3.0 : 2.0), d), pm::DistributionError);
        CHECK_THROWS_AS(pm::sum(x.global() * (is_last ? 3.0 : 2.0)), pm::DistributionError);
        CHECK(pm::sum(x.global() * 2.0) == 80);
    }
    SECTION("another function of elements") {
        const auto x = pm::distribute(pv::ones({10, 4}), d);
        const auto twice = [](double v) { return 2 * v; };
        const auto thrice = [](double v) { return 3 * v; };
        CHECK_THROWS_AS(is_last ? pm::evaluate(pv::emap(twice, x.global()), d)
                                : pm::evaluate(pv::emap(thrice, x.global()), d),
                        pm::DistributionError);
        CHECK(pm::sum(pv::emap(twice, x.global())) == 80);
    }
    SECTION("another function of elements, of the same type") {
        const auto x = pm::distribute(pv::ones({10, 4}), d);
        const auto check = [&](auto one, auto other) {
            static_assert(std::same_as<decltype(one), decltype(other)>);
            CHECK_THROWS_AS(pm::evaluate(pv::emap(is_last ? one : other, x.global()), d),
                            pm::DistributionError);
            CHECK_THROWS_AS(pm::sum(pv::emap(is_last ? one : other, x.global()) + 1.0),
                            pm::DistributionError);
            CHECK(pm::sum(pv::emap(one, x.global())) == 80);
            CHECK(pm::sum(pv::emap(other, x.global())) == 120);
        };
        check(twice, thrice);
        check(pv::with_derivative(twice, thrice), pv::with_derivative(thrice, thrice));
        using Function = std::function<double(double)>;
        check(Function(twice), Function(thrice));
        check(Function([](double v) { return 2 * v; }), Function([](double v) { return 3 * v; }));
        const auto points = pm::distribute(pv::full({10, 4}, Place{1, 5}), d);
        const auto of_point = is_last ? twice_of_point : thrice_of_point;
        CHECK_THROWS_AS(pm::sum(pv::emap(of_point, points.global())), pm::DistributionError);
        CHECK(pm::sum(pv::emap(thrice_of_point, points.global())) == 120);
    }
    SECTION("a function of the library's with another parameter") {
        const auto points = pm::distribute(pv::full({10, 4}, Place{1, 5}), d);
        const auto of_x = pv::column(points.global(), &Place::x);
        const auto of_y = pv::column(points.global(), &Place::y);
        CHECK_THROWS_AS(pm::evaluate(is_last ? of_x : of_y, d), pm::DistributionError);
        CHECK(pm::sum(of_x) == 40);
        CHECK(pm::sum(of_y) == 200);
        using namespace std::chrono;
        const auto days = pm::distribute(pv::full({10, 4}, sys_days{2026y / 5 / 17}), d);
        const auto of_month = pv::floor_time<months>(days.global());
        const auto of_year = pv::floor_time<years>(days.global());
        CHECK_THROWS_AS(pm::evaluate(is_last ? of_month : of_year, d), pm::DistributionError);
        CHECK(pm::evaluate(of_month, d).distribution() == d);
    }
    SECTION("another tensor of the same type and distribution") {
        const auto x = pm::distribute(pv::ones({10, 4}), d);
        const auto y = pm::distribute(pv::zeros({10, 4}), d);
        const auto& one = is_last ? x : y;
        CHECK_THROWS_AS(pm::evaluate(one.global() + 1.0, d), pm::DistributionError);
        CHECK_THROWS_AS(pm::sum(one.global()), pm::DistributionError);
        CHECK_THROWS_AS(pm::redistribute(one, d), pm::DistributionError);
        CHECK_THROWS_AS(pm::sort(one, 0), pm::DistributionError);
        const auto copy = one; // a copy is the tensor itself
        CHECK(pm::sum(x.global() + y.global()) == 40);
        CHECK(copy.shape()[0] == 10);
    }
    SECTION("collective, or another function") {
        const auto x = pm::distribute(pv::ones({10, 4}), d);
        const std::string text = oracle::thrown<pm::DistributionError>([&] {
            if (is_last)
                pm::collective(world, [] {});
            else
                pm::redistribute(x, d);
        });
        CHECK_THAT(text, ContainsSubstring("collective"));
        CHECK_THAT(text, ContainsSubstring("redistribute"));
    }
    SECTION("an operand in blocks of other sizes, in the same words") {
        std::vector<std::vector<pv::index_t>> sizes{
            std::vector<pv::index_t>(static_cast<std::size_t>(world.size()), 4)};
        const pv::index_t n = 4 * world.size() + 1;
        ++sizes[0].front();
        const pm::Distribution longer_first = pm::blocks({n}, grid, sizes);
        std::swap(sizes[0].front(), sizes[0].back());
        const pm::Distribution longer_last = pm::blocks({n}, grid, sizes);
        const auto x = pm::distribute(pv::ones({n}), longer_first);
        const auto y = pm::distribute(pv::ones({n}), longer_last);
        CHECK_THROWS_AS(pm::evaluate(is_last ? x.global() : y.global(), longer_first),
                        pm::DistributionError);
    }
    SECTION("bad arguments on one rank") {
        const std::string text = oracle::thrown<pv::Error>([&] {
            pm::distribute(pv::zeros({is_last ? 3 : 10, 4}), d);
        });
        CHECK_THAT(text, ContainsSubstring("rank " + std::to_string(world.size() - 1)));
        CHECK_THAT(text, ContainsSubstring("[3 4]"));
    }
    // Nothing is left behind.
    CHECK(pv::equals(pm::all_gather(pm::distribute(pv::full({10, 4}, 3.0), d)),
                     pv::full({10, 4}, 3.0)));
}

TEST_CASE("a rank that does not come ends the others' waiting", "[waits]") {
    if (oracle::world().size() == 1) return;
    const pm::Communicator own(MPI_COMM_WORLD);
    const pm::Distribution d = pm::blocks({8}, pm::Grid(own));
    const int absent = own.size() - 1;
    pm::set_timeout(0.3);
    if (own.rank() != absent) {
        const std::string text =
            oracle::thrown<pm::DistributionError>([&] { pm::distribute(pv::zeros({8}), d); });
        CHECK_THAT(text, ContainsSubstring("rank " + std::to_string(absent)));
        CHECK_THAT(text, ContainsSubstring("0.3 s"));
        CHECK_THAT(text, ContainsSubstring("waited in distribute"));
        // It cannot be used any more.
        CHECK_THROWS_AS(pm::distribute(pv::zeros({8}), d), pm::DistributionError);
        MPI_Barrier(MPI_COMM_WORLD);
    } else {
        // Once the others have stopped waiting, however long that takes.
        MPI_Barrier(MPI_COMM_WORLD);
        CHECK_THAT(
            oracle::thrown<pm::DistributionError>([&] { pm::distribute(pv::zeros({8}), d); }),
            ContainsSubstring("given up"));
    }
    pm::set_timeout(60);
    MPI_Barrier(MPI_COMM_WORLD);
    CHECK_THROWS_AS(pm::set_timeout(0), pv::Error);
    CHECK_THROWS_AS(pm::set_timeout(-3), pv::Error);
}

TEST_CASE("a function that one rank has forgotten is named, and work that is slow goes on",
          "[waits]") {
    if (oracle::world().size() == 1) return;
    const pm::Communicator own(MPI_COMM_WORLD);
    const pm::Distribution d = pm::blocks({8}, pm::Grid(own));
    const auto x = pm::distribute(pv::ones({8}), d);
    const int absent = own.size() - 1;
    pm::set_timeout(4);
    // The others have said that they wait, after 2 s, and the one that they wait for comes.
    if (own.rank() == absent) std::this_thread::sleep_for(std::chrono::milliseconds(2300));
    CHECK(pm::sum(x) == 8);
    pm::set_timeout(1);
    if (own.rank() != absent) {
        const std::string text = oracle::thrown<pm::DistributionError>([&] { pm::sum(x); });
        CHECK_THAT(text, ContainsSubstring("did not come within 1 s, while rank"));
        CHECK_THAT(text, ContainsSubstring("waited in sum"));
    } else { // what this rank calls instead, later
        std::this_thread::sleep_for(std::chrono::milliseconds(3000));
        const std::string text = oracle::thrown<pm::DistributionError>([&] { pm::sort(x); });
        CHECK_THAT(text, ContainsSubstring("sort: others have given up: rank"));
        CHECK_THAT(text, ContainsSubstring("waited in sum for more than 1 s"));
    }
    pm::set_timeout(60);
    MPI_Barrier(MPI_COMM_WORLD);
}

TEST_CASE("a communicator is freed with the last handle of it, also one that has plans") {
    static int freed = 0;
    int key = MPI_KEYVAL_INVALID;
    MPI_Comm_create_keyval(
        MPI_COMM_NULL_COPY_FN,
        [](MPI_Comm, int, void*, void*) {
            ++freed;
            return MPI_SUCCESS;
        },
        &key, nullptr);
    {
        const pm::Communicator own(MPI_COMM_WORLD);
        MPI_Comm_set_attr(own.native(), key, nullptr);
        const pm::Distribution d = pm::blocks({8}, pm::Grid(own));
        const auto x = pm::distribute(pv::ones({8}), d);
        CHECK(pm::sum(pv::rotate(x.global(), {1}) + x.global()) == 16);
        CHECK(freed == 0);
    }
    CHECK(freed == 1);
    MPI_Comm_free_keyval(&key);
}

TEST_CASE("grids") {
    const pm::Communicator& world = oracle::world();
    const auto ranks = static_cast<pv::index_t>(world.size());
    const pm::Grid line(world);
    CHECK(pv::to_shape(line.extents()) == pv::Shape{ranks});
    const pm::Grid square(world, {-1, -1});
    CHECK(square.extents()[0] * square.extents()[1] == ranks);
    const pm::Grid column(world, {-1, 1});
    CHECK(column.extents()[0] == ranks);
    CHECK(column.place_of(world.rank()) == pv::Shape{world.rank(), 0});
    CHECK(column == pm::Grid(world, {ranks, 1}));
    CHECK_FALSE(column == pm::Grid(world));
    CHECK_THROWS_AS(pm::Grid(world, {ranks + 1}), pm::DistributionError);
    CHECK_THROWS_AS(pm::Grid(world, {ranks, 2}), pm::DistributionError);
    CHECK_THROWS_AS(pm::Grid(world, {0, -1}), pm::DistributionError);
    CHECK_THROWS_AS(pm::Grid(world, {-2}), pm::DistributionError);
    CHECK_THROWS_AS(pm::Grid(world, {}), pm::DistributionError);
    CHECK_THROWS_AS(column.place_of(world.size()), pv::IndexError);
    CHECK_THROWS_AS(column.place_of(-1), pv::IndexError);
    if (ranks > 1) {
        CHECK_THROWS_AS(pm::Grid(world, {ranks - 1}), pm::DistributionError);
        CHECK_THAT(oracle::thrown<pm::DistributionError>([&] {
                       pm::Grid(world, {1, 1});
                   }),
                   ContainsSubstring("[1 1]"));
    }
}
