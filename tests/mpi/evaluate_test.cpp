// Expressions over distributed tensors, against the same expression over the whole in memory.

#include "mpi/random_distribution.hpp"
#include "support/catch.hpp"

#include <functional>

namespace pm = purview::mpi;
namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using oracle::Random;
using pv::index_t;

namespace {

using Values = pv::Tensor<double>;

/// A view along one axis.
template <typename Index>
Values along(const Values& x, index_t axis, const Index& index) {
    switch (axis) {
    case 0: return x(index, pv::ellipsis);
    case 1: return x(pv::all, index, pv::ellipsis);
    default: return x(pv::all, pv::all, index, pv::ellipsis);
    }
}

/// Applies the same random operation to an expression over ranks and to its twin in memory.
class Twins {
public:
    Twins(Random& random, Values over_ranks, Values in_memory)
        : random_(random), a(over_ranks), b(in_memory) {}

    void step() {
        const auto rank = static_cast<index_t>(b.shape().size());
        const index_t axis = random_.between(0, rank - 1);
        const index_t n = b.shape()[static_cast<std::size_t>(axis)];
        switch (random_.between(0, 16)) {
        case 0: return both([](const Values& x) { return x * 2.0 - 1.0; });
        case 1: return both([](const Values& x) { return pv::sqrt(pv::abs(x)) + pv::sq(x); });
        case 2: {
            const pv::Shape axes = permutation(rank);
            return both([&](const Values& x) { return pv::transpose(x, axes); });
        }
        case 3: return both([&](const Values& x) { return pv::flip(x, {axis}); });
        case 4: {
            pv::Shape amounts;
            for (index_t a = 0; a < rank; ++a) amounts.push_back(random_.between(-3, 3));
            return both([&](const Values& x) { return pv::rotate(x, amounts); });
        }
        case 5: { // a stencil
            pv::Shape amounts(static_cast<std::size_t>(rank), 0);
            amounts[static_cast<std::size_t>(axis)] = random_.between(1, 2);
            pv::Shape back = amounts;
            for (index_t& each : back) each = -each;
            return both([&](const Values& x) {
                return pv::rotate(x, amounts) + pv::rotate(x, back) - 2.0 * x;
            });
        }
        case 6: {
            if (n < 2) return;
            const index_t first = random_.between(0, n - 1);
            const index_t last = random_.between(first + 1, n);
            const index_t step = random_.between(1, 2);
            return both(
                [&](const Values& x) { return along(x, axis, pv::range(first, last, step)); });
        }
        case 7: {
            if (n == 0) return;
            std::vector<index_t> list;
            for (index_t left = random_.between(1, 5); left > 0; --left)
                list.push_back(random_.between(-n, n - 1));
            return both([&](const Values& x) { return along(x, axis, list); });
        }
        case 8: return both([&](const Values& x) { return pv::reshape(x, {b.size()}); });
        case 9: return both([&](const Values& x) { return pv::concat(x, -x, axis); });
        case 10: return both([&](const Values& x) { return pv::pad(x, 1); });
        case 11: return both([&](const Values& x) { return pv::where(x > 0.0, x, -2.0 * x); });
        case 12: {
            if (n == 0) return;
            std::vector<index_t> list;
            for (index_t left = random_.between(1, 5); left > 0; --left)
                list.push_back(random_.between(-n, n - 1));
            const auto indexes = pv::tensor(list);
            return both([&](const Values& x) { return pv::take(x, indexes, axis); });
        }
        case 13: {
            if (rank > 2) return;
            pv::Shape extents(b.shape().begin(), b.shape().end());
            extents.insert(extents.begin(), 2);
            return both([&](const Values& x) { return pv::broadcast(x, extents) * 1.5; });
        }
        case 14: {
            if (n < 3 || rank > 2) return;
            return both([&](const Values& x) { return pv::sliding_window(x, axis, 3); });
        }
        case 15: { // beside what every rank has
            const auto known = oracle::random_values(random_, b.shape());
            return both([&](const Values& x) { return x + known; });
        }
        default:
            return both([](const Values& x) {
                return pv::emap([](double v) { return v < 0 ? v : 3 * v; }, x);
            });
        }
    }
    pv::Shape permutation(index_t rank) {
        pv::Shape axes;
        for (index_t a = 0; a < rank; ++a) axes.push_back(a);
        random_.shuffle(axes);
        return axes;
    }

private:
    template <typename F>
    void both(F f) {
        Values over_ranks = f(a);
        Values in_memory = pv::clone(f(b));
        if (in_memory.size() > 3000) return;
        a = over_ranks;
        b = in_memory;
    }

    Random& random_;

public:
    Values a;
    Values b;
};

pv::Shape shape_to_evaluate(Random& random) {
    pv::Shape shape;
    for (index_t left = random.between(1, 3); left > 0; --left)
        shape.push_back(random.one_in(12) ? 0 : random.between(1, 11));
    return shape;
}

} // namespace

TEST_CASE("random expressions are what they are in memory, bit by bit") {
    for (unsigned seed = 0; seed < 250; ++seed) {
        Random random(seed);
        const pv::Shape shape = shape_to_evaluate(random);
        const auto first = oracle::random_values(random, shape);
        const auto second = oracle::random_values(random, shape);
        const auto x = pm::distribute(first, oracle::random_distribution(random, shape));
        const auto y = pm::distribute(second, oracle::random_distribution(random, shape));
        Twins twins(random, x.global() + 0.5 * y.global(), pv::clone(first + 0.5 * second));
        for (index_t steps = random.between(0, 5); steps > 0; --steps) twins.step();
        const pm::Distribution d = oracle::random_distribution(random, twins.b.shape());
        INFO("seed " << seed << ": " << to_string(x.distribution()) << ", "
                     << to_string(y.distribution()) << ", to " << to_string(d));
        const auto result = pm::evaluate(twins.a, d);
        const auto whole = pm::all_gather(result);
        CHECK(pv::equals(whole, twins.b));
    }
}

TEST_CASE("indexes that are computed, of several axes, or distributed themselves") {
    Random random(5);
    for (int round = 0; round < 40; ++round) {
        const index_t n = random.between(1, 12);
        const index_t m = random.between(1, 7);
        const auto whole = oracle::random_values(random, pv::Shape{n, m});
        const auto x = pm::distribute(whole, oracle::random_distribution(random, pv::Shape{n, m}));
        const pv::Shape shape{random.between(0, 9), random.between(1, 4)};
        auto rows = pv::zeros<index_t>(shape);
        auto columns = pv::zeros<index_t>(shape);
        for (auto&& row : rows) row = random.between(-n, n - 1);
        for (auto&& column : columns) column = random.between(0, m - 1);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto far_rows = pm::distribute(rows, oracle::random_distribution(random, shape));
        const auto at = [](const auto& source, const auto& first, const auto& second) {
            pv::Dim i, k;
            return Values(pv::order(source(first(i, k), second(i, k)), {i, k}));
        };
        const Values near = pv::clone(at(whole, rows, columns));
        CHECK(pv::equals(pm::all_gather(pm::evaluate(at(x.global(), rows, columns), d)), near));
        CHECK(pv::equals(
            pm::all_gather(pm::evaluate(at(x.global(), far_rows.global(), columns) + 1.0, d)),
            near + 1.0));
        // What all have, at indexes that they have not.
        CHECK(pv::equals(pm::all_gather(pm::evaluate(at(whole, far_rows.global(), columns), d)),
                         near));
        // Rows by distributed indexes, computed from others.
        const pv::Shape line{shape[0]};
        const auto list =
            pm::distribute(rows(pv::all, 0), oracle::random_distribution(random, line));
        const pm::Distribution e = oracle::random_distribution(random, pv::Shape{shape[0], m});
        CHECK(pv::equals(
            pm::all_gather(pm::evaluate(pv::take(2.0 * x.global(), list.global(), 0), e)),
            2.0 * pv::take(whole, rows(pv::all, 0), 0)));
    }
    const auto x = pm::distribute(pv::ones({5, 3}), pm::blocks({5, 3}, pm::Grid(oracle::world())));
    CHECK_THROWS_AS(pm::evaluate(pv::take(x.global(), pv::tensor({0, 5}), 0),
                                 pm::blocks({2, 3}, pm::Grid(oracle::world()))),
                    pv::Error);
}

TEST_CASE("assign writes into x's own memory, also what it reads") {
    Random random(7);
    for (int round = 0; round < 60; ++round) {
        const pv::Shape shape{random.between(1, 12), random.between(1, 12)};
        const auto whole = oracle::random_values(random, shape);
        const pm::Distribution d = oracle::random_distribution(random, shape);
        const auto x = pm::distribute(whole, d);
        const double* const place = x.local().size() > 0 ? x.local().data() : nullptr;
        const pv::Shape amounts{random.between(-2, 2), random.between(-2, 2)};
        pm::assign(x.global() - pv::rotate(x.global(), amounts), x);
        CHECK(pv::equals(pm::all_gather(x), whole - pv::rotate(whole, amounts)));
        if (place != nullptr) CHECK(x.local().data() == place);
        pm::assign(x.global() * 2.0, x);
        CHECK(pv::equals(pm::all_gather(x), 2.0 * (whole - pv::rotate(whole, amounts))));
        // Cast, and broadcast.
        const auto numbers = pm::distribute(pv::zeros<int>(shape), d);
        pm::assign(pv::tensor({7.0}), numbers);
        CHECK(pv::equals(pm::all_gather(numbers), pv::full(shape, 7)));
    }
}

TEST_CASE("assign into memory that the rank also reads as its own") {
    const pm::Communicator& world = oracle::world();
    const index_t n = 12 * world.size();
    auto memory = pv::clone(pv::arange(static_cast<double>(n)));
    const auto before = pv::clone(memory);
    const pm::Distribution d = pm::blocks({n}, pm::Grid(world));
    const pm::Box own = d.box();
    const auto x = pm::from_local(memory(pv::range(own.begin[0], own.end[0])), d);
    const auto y = pm::distribute(before, d); // of which an edge comes from the neighbour
    pm::assign(pv::rotate(y.global(), {1}) + pv::rotate(memory, {1}), x);
    CHECK(pv::equals(pm::all_gather(x), 2.0 * pv::rotate(before, {1})));
}

TEST_CASE("a loop asks once, and sends its halo alone") {
    const pm::Communicator& world = oracle::world();
    const index_t ranks = world.size();
    const index_t n = 8 * ranks;
    const auto start =
        pv::clone(pv::sin(pv::reshape(pv::arange(6.0 * static_cast<double>(n)), {n, 6})));
    const pm::Distribution d = pm::blocks({n, 6}, pm::Grid(world));
    const auto heat = [](const Values& u) {
        return Values(u + 0.1 * (pv::rotate(u, {1, 0}) + pv::rotate(u, {-1, 0}) +
                                 pv::rotate(u, {0, 1}) + pv::rotate(u, {0, -1}) - 4.0 * u));
    };
    auto u = pm::distribute(start, d);
    auto v = pm::distribute(start, d);
    pm::assign(heat(u.global()), v); // asks
    pv::Tensor<double> expected = pv::clone(heat(start));
    const auto sent_in_a_step = [&] {
        pm::collective(world, [] {}); // no rank is ahead
        pm::reset_messages();
        std::swap(u, v);
        pm::assign(heat(u.global()), v);
        expected = pv::clone(heat(expected));
        return pm::messages();
    };
    for (int step = 0; step < 5; ++step) {
        const pm::Messages sent = sent_in_a_step();
        CHECK(sent.with_elements == (ranks == 1 ? 0 : ranks == 2 ? 1 : 2));
        CHECK(sent.elements_bytes == (ranks == 1 ? 0 : 2 * 6 * 8));
        CHECK(sent.count - sent.with_elements <= 3); // agreements
    }
    CHECK(pv::equals(pm::all_gather(v), expected));
    // Parts that lie alike send nothing.
    pm::reset_messages();
    pm::evaluate(u.global() * v.global() + 1.0, d);
    CHECK(pm::messages().with_elements == 0);
}

TEST_CASE("a halo may be wider than a neighbour's part") {
    const pm::Communicator& world = oracle::world();
    const index_t n = 2 * world.size() + 1;
    const auto whole = pv::clone(pv::arange(static_cast<double>(n)));
    const pm::Distribution d = pm::blocks({n}, pm::Grid(world));
    const auto x = pm::distribute(whole, d);
    const auto wide = [n](const Values& u) {
        Values sum = u * 0.0;
        for (index_t step = -5; step <= 5; ++step)
            sum = Values(sum + pv::rotate(u, {step % n}) * static_cast<double>(step + 10));
        return sum;
    };
    CHECK(pv::equals(pm::all_gather(pm::evaluate(wide(x.global()), d)), pv::clone(wide(whole))));
}

TEST_CASE("elements of other ranks are read by these functions alone") {
    const pm::Communicator& world = oracle::world();
    const auto x = pm::distribute(pv::ones({8, 2}), pm::blocks({8, 2}, pm::Grid(world)));
    const auto refused = [](auto f) { return oracle::thrown<pm::DistributionError>(f); };
    CHECK_THAT(refused([&] { pv::clone(x.global() + 1.0); }), ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] { pv::sort(x.global()); }), ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] { (void)double(x.global()(0, 0)); }), ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] { pv::sum(x.global()); }), ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] {
                   const Values whole = x.global();
                   for (const double v : whole) (void)v;
               }),
               ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] { pv::matmul(x.global(), pv::transpose(x.global())); }),
               ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] { (void)pv::median(x.global()); }), ContainsSubstring("all_gather"));
    CHECK_THAT(refused([&] { (void)x.global().data(); }), ContainsSubstring("all_gather"));
    // Each names itself, and what all ranks call instead.
    const auto is_named = [&](const char* name, const char* instead, auto f) {
        const std::string text = refused(f);
        CHECK_THAT(text, Catch::Matchers::StartsWith(std::string(name) + ": elements of a"));
        CHECK_THAT(text, ContainsSubstring(std::string("purview::mpi::") + instead + " does so"));
        CHECK_THAT(text, ContainsSubstring("purview::mpi::all_gather(x) is the whole"));
    };
    is_named("sum", "sum", [&] { pv::sum(x.global()); });
    is_named("sum", "sum", [&] { pv::sum(x.global(), 0); });
    is_named("mean", "mean", [&] { pv::mean(x.global()); });
    is_named("max", "max", [&] { pv::max(x.global()); });
    is_named("argmin", "argmin", [&] { pv::argmin(x.global()); });
    is_named("magnitude", "norm", [&] { (void)pv::norm(x.global()); });
    is_named("sort", "sort", [&] { pv::sort(x.global()); });
    is_named("argsort", "argsort", [&] { pv::argsort(x.global()); });
    is_named("median", "median", [&] { (void)pv::median(x.global()); });
    is_named("cumsum", "cumsum", [&] { pv::cumsum(x.global(), 0); });
    is_named("clone", "evaluate(expression, distribution)", [&] { pv::clone(x.global() + 1.0); });
    is_named("softmax", "evaluate(expression, distribution)", [&] { pv::softmax(x.global(), 0); });
    CHECK_THROWS_AS(pm::evaluate(x.global(), pm::blocks({2, 8}, pm::Grid(world))), pv::ShapeError);
    const pm::Communicator other(MPI_COMM_WORLD);
    CHECK_THROWS_AS(pm::evaluate(x.global(), pm::blocks({8, 2}, pm::Grid(other))),
                    pm::DistributionError);
    // What computing throws is thrown on all, and work goes on.
    const auto zeros = pm::distribute(pv::clone(pv::cast<int>(pv::arange(0, 8))),
                                      pm::blocks({8}, pm::Grid(world)));
    CHECK_THROWS_AS(pm::evaluate(5 / zeros.global(), zeros.distribution()), pv::Error);
    CHECK(pv::equals(pm::all_gather(pm::evaluate(zeros.global() + 1, zeros.distribution())),
                     pv::arange(1, 9)));
}

TEST_CASE("deep expressions, and those that use one node again and again") {
    const pm::Distribution d = pm::blocks({12, 3}, pm::Grid(oracle::world()));
    const auto x = pm::distribute(pv::ones({12, 3}), d);
    Values sum = x.global();
    for (int i = 0; i < 30000; ++i) sum = sum + 1.0;
    CHECK(pv::equals(pm::all_gather(pm::evaluate(sum, d)), pv::full({12, 3}, 30001.0)));
    Values power = x.global();
    for (int i = 0; i < 40; ++i) power = power + pv::rotate(power, {1, 0});
    CHECK(pv::equals(pm::all_gather(pm::evaluate(power, d)), pv::full({12, 3}, 1099511627776.0)));
}

TEST_CASE("a distributed tensor of a type that is known at run time") {
    const pm::Distribution d = pm::blocks({6, 2}, pm::Grid(oracle::world()));
    const pv::AnyTensor any = pv::ones<float>({6, 2});
    const pm::AnyDistributed x = pm::distribute(any, d);
    CHECK(x.dtype() == pv::float32);
    const pm::AnyDistributed y = pm::evaluate(x.global() + x.global(), d);
    CHECK(pv::equals(pm::all_gather(pm::Distributed<float>(y)), pv::full({6, 2}, 2.f)));
}
