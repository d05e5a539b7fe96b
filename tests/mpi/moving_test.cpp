// What moves whole parts: distribute, scatter, gather, all_gather, redistribute, from_local.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <complex>
#include <numeric>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using pv::index_t;

namespace {

pv::Shape shape_to_move(Random& random) {
    pv::Shape shape;
    for (index_t left = random.between(1, 3); left > 0; --left)
        shape.push_back(random.one_in(8) ? 0 : random.between(1, 13));
    return shape;
}

struct Point {
    float x = 0;
    std::int16_t tag = 0;
    friend bool operator==(const Point&, const Point&) = default;
};

/// Elements that the program reads and writes itself.
class ElementsOfOwn : public pv::Reader<double>, public pv::Writer<double> {
public:
    explicit ElementsOfOwn(index_t count) : values_(static_cast<std::size_t>(count)) {}
    index_t size() const override { return std::ssize(values_); }
    double read(index_t i) const override { return values_[static_cast<std::size_t>(i)]; }
    void write(index_t i, const double& value) override {
        values_[static_cast<std::size_t>(i)] = value;
    }

private:
    std::vector<double> values_;
};

} // namespace

TEST_CASE("whatever is distributed comes back, by every way") {
    Random random(1);
    for (int round = 0; round < 60; ++round) {
        const pv::Shape shape = shape_to_move(random);
        const auto whole = oracle::random_values(random, shape);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const pm::Distribution other = oracle::random_distribution(random, shape);
        const int root = static_cast<int>(random.between(0, oracle::world().size() - 1));
        INFO(to_string(d) << " and " << to_string(other));

        const auto x = pm::distribute(whole, d);
        CHECK(pv::equals(pm::all_gather(x), whole));
        const bool is_root = oracle::world().rank() == root;
        const pv::MutableTensor<double> gathered = pm::gather(x, root);
        if (is_root)
            CHECK(pv::equals(gathered, whole));
        else
            CHECK(gathered.size() == 0);
        const auto scattered = pm::scatter(is_root ? whole : pv::zeros({0}), d, root);
        CHECK(pv::equals(scattered.local(), x.local()));
        const auto moved = pm::redistribute(x, other);
        CHECK(moved.distribution() == other);
        CHECK(pv::equals(pm::all_gather(moved), whole));
        CHECK(pv::equals(pm::redistribute(moved, d).local(), x.local()));
    }
}

TEST_CASE("a part is what its coordinates say") {
    Random random(2);
    for (int round = 0; round < 30; ++round) {
        const pv::Shape shape = shape_to_move(random);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto whole = oracle::random_values(random, shape);
        const auto x = pm::distribute(whole, d);
        pv::Tensor<double> part = whole;
        for (index_t a = 0; a < std::ssize(shape); ++a)
            part = pv::Tensor<double>(
                pv::take(part, pv::tensor(d.coordinates(oracle::world().rank(), a)), a));
        CHECK(pv::equals(x.local(), part));
    }
}

TEST_CASE("memory of one's own is not copied, whatever its layout") {
    Random random(3);
    const int rank = oracle::world().rank();
    const pm::Distribution d = pm::blocks({11, 6}, pm::Grid(oracle::world()));
    const pv::Shape own = d.local_shape();
    const auto columns = pv::zeros({own[1], own[0]});
    const pv::MutableTensor<double> part = pv::transpose(columns);
    pv::copy(pv::full(own, double(rank)), part);
    const auto x = pm::from_local(part, d);
    const auto whole = pm::all_gather(x);
    for (int other = 0; other < oracle::world().size(); ++other) {
        const pm::Box box = d.box(other);
        CHECK(pv::all_of(whole(pv::range(box.begin[0], box.end[0]), pv::all) == double(other)));
    }
    if (own[0] > 0) part(0, 0) = 77.; // shows on both sides
    if (own[0] > 0) CHECK(double(x.local()(0, 0)) == 77.);
    // Read backwards, and with gaps.
    const auto gaps = pv::zeros({2 * own[0], 3 * own[1]});
    const auto y = pm::from_local(
        pv::MutableTensor<double>(pv::flip(gaps(pv::range({}, {}, 2), pv::range({}, {}, 3)), {0})),
        d);
    pm::assign(x.global() + 1.0, y);
    CHECK(pv::equals(pm::all_gather(y), pm::all_gather(x) + 1.0));
    CHECK_THROWS_AS(pm::from_local(pv::zeros({own[0] + 1, own[1]}), d), pv::ShapeError);
    const auto computed = pv::tensor(std::make_shared<ElementsOfOwn>(own[0] * own[1]), own);
    CHECK_THROWS_AS(pm::from_local(computed, d), pm::DistributionError);
    CHECK(pm::sum(pm::from_local(pv::clone(computed), d)) == 0);
}

TEST_CASE("all types that are trivially copyable") {
    const pm::Distribution d = pm::cyclic({9, 2}, pm::Grid(oracle::world()), {2});
    const auto moves = [&]<typename T>(std::vector<T> values) {
        const auto whole = pv::tensor(values, {9, 2});
        const auto x = pm::scatter(whole, d);
        CHECK(pv::equals(pm::all_gather(x), whole));
        CHECK(pv::equals(
            pm::all_gather(pm::redistribute(x, pm::blocks({9, 2}, pm::Grid(oracle::world())))),
            whole));
    };
    const auto of = [](auto value) {
        using T = decltype(value);
        std::vector<T> values(18);
        for (int i = 0; i < 18; ++i) values[static_cast<std::size_t>(i)] = static_cast<T>(i % 5);
        return values;
    };
    moves(of(float{}));
    moves(of(std::int8_t{}));
    moves(of(std::uint64_t{}));
    moves(of(pv::Half{}));
    moves(of(std::complex<double>{}));
    std::vector<Point> points(18);
    for (int i = 0; i < 18; ++i)
        points[static_cast<std::size_t>(i)] = {static_cast<float>(i) / 2,
                                               static_cast<std::int16_t>(-i)};
    moves(points);
    const auto flags = pm::scatter((pv::tensor(of(1)) > 2) | pv::reshape({9, 2}), d);
    CHECK(pv::count_true(pm::all_gather(flags)) == pv::count_true(pv::tensor(of(1)) > 2));
}

TEST_CASE("bad input on all ranks is what it is everywhere") {
    const pm::Communicator& world = oracle::world();
    const pm::Distribution d = pm::blocks({10, 4}, pm::Grid(world));
    const auto x = pm::distribute(pv::ones({10, 4}), d);
    CHECK_THROWS_AS(pm::distribute(pv::ones({10, 5}), d), pv::ShapeError);
    CHECK_THROWS_AS(pm::redistribute(x, pm::blocks({4, 10}, pm::Grid(world))), pv::ShapeError);
    CHECK_THROWS_AS(pm::gather(x, world.size()), pv::IndexError);
    CHECK_THROWS_AS(pm::scatter(pv::ones({10, 4}), d, -1), pv::IndexError);
    const pm::Communicator other(MPI_COMM_WORLD);
    CHECK_THROWS_AS(pm::redistribute(x, pm::blocks({10, 4}, pm::Grid(other))),
                    pm::DistributionError);
    CHECK_THROWS_AS(pm::Distributed<float>(pm::AnyDistributed(x)), pv::DtypeError);
    pm::set_gather_limit(10 * 4 * 8 - 1);
    const std::string text = oracle::thrown<pm::DistributionError>([&] { pm::all_gather(x); });
    CHECK_THAT(text, ContainsSubstring("320"));
    CHECK_THAT(text, ContainsSubstring("319"));
    if (world.size() > 0) CHECK_THROWS_AS(pm::gather(x), pv::Error);
    pm::set_gather_limit(10 * 4 * 8);
    CHECK(pv::equals(pm::all_gather(x), pv::ones({10, 4})));
    pm::set_gather_limit(index_t{1} << 40);
    CHECK_THROWS_AS(pm::set_gather_limit(-1), pv::Error);
}

TEST_CASE("sparse tensors are not made dense without a word") {
    const pm::Communicator& world = oracle::world();
    const pm::Grid grid(world);
    // Of 2^40 elements no rank has the room.
    const pv::Tensor<double> vast =
        pv::sparse_tensor<double>({index_t{1} << 20, index_t{1} << 20}, {3, 5}, {1., 2.});
    const pm::Distribution d = pm::blocks(vast.shape(), grid);
    const auto refused = [](const auto& f) {
        CHECK_THAT(oracle::thrown<pm::DistributionError>(f),
                   ContainsSubstring("to_dense(x)") && ContainsSubstring("[1048576 1048576]"));
    };
    refused([&] { pm::distribute(vast, d); });
    refused([&] { pm::distribute(vast * 2.0, d); });
    refused([&] { pm::scatter(vast, d, 0); });
    refused([&] { pm::evaluate(vast, d); });
    const pv::Tensor<double> small = pv::sparse_tensor<double>({6, 2}, {3, 5}, {1., 2.});
    const auto parts = pm::distribute(pv::to_dense(small), pm::blocks({6, 2}, grid));
    CHECK(pm::sum(parts.global()) == 3);
    CHECK(pm::sum(parts.global() * small) == 5); // each rank has the whole of it
}

TEST_CASE("what moves is counted, and is no more than has to") {
    const pm::Communicator& world = oracle::world();
    const index_t ranks = world.size();
    const pm::Distribution d = pm::blocks({12 * ranks, 5}, pm::Grid(world));
    const auto x = pm::distribute(pv::ones({12 * ranks, 5}), d);
    pm::reset_messages();
    pm::redistribute(x, d);
    CHECK(pm::messages().with_elements == 0);
    pm::reset_messages();
    const auto y = pm::redistribute(x, pm::blocks({12 * ranks, 5}, pm::Grid(world, {1, -1})));
    const index_t sent =
        pm::all_gather(pm::distribute(pv::zeros({1, 1}), pm::blocks({1, 1}, pm::Grid(world))))
            .size(); // no rank is ahead
    CHECK(sent == 1);
    index_t expected = 0;
    for (int other = 0; other < world.size(); ++other)
        if (other != world.rank())
            expected += 12 * y.distribution().local_shape(other)[1] * index_t{sizeof(double)};
    CHECK(pm::messages().elements_bytes -
              (world.rank() == 0 ? (ranks - 1) * index_t{sizeof(double)} : 0) ==
          expected);
}

TEST_CASE("what reading throws while others wait is thrown on all, and work goes on") {
    const pm::Communicator& world = oracle::world();
    const pm::Distribution d = pm::blocks({6 * index_t{world.size()}, 3}, pm::Grid(world));
    const auto fails = pv::emap(
        [](double v) {
            if (v > 2) throw pv::Error("a bad number");
            return v;
        },
        pv::reshape(pv::arange(18.0 * world.size()), d.shape()));
    CHECK_THAT(oracle::thrown<pv::Error>([&] { pm::scatter(fails, d, world.size() - 1); }),
               ContainsSubstring("a bad number"));
    CHECK(pm::sum(pm::scatter(pv::ones(d.shape()), d)) == 18. * world.size());
}
