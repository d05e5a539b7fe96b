#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/assembly/scatter.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/named/index.hpp>
#include <purview/named/scatter_dims.hpp>
#include <purview/tensor/views.hpp>

#include <chrono>
#include <cmath>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace scatter_test {

namespace {

using namespace oracle;
namespace pv = purview;

/// What can be written: memory of some layout, or a writer of the user's.
template <typename T>
class Elements : public pv::Reader<T>, public pv::Writer<T> {
public:
    explicit Elements(index_t count) : values_(static_cast<std::size_t>(count)) {}
    index_t size() const override { return std::ssize(values_); }
    T read(index_t i) const override { return values_[static_cast<std::size_t>(i)]; }
    void write(index_t i, const T& value) override { values_[static_cast<std::size_t>(i)] = value; }

private:
    std::vector<T> values_;
};

template <typename T>
pv::MutableTensor<T> random_target(Random& random, const Coordinates& shape) {
    switch (random.between(0, 4)) {
    case 0: return pv::empty<T>(shape, pv::Order::column_major);
    case 1: {
        Coordinates size = shape;
        for (index_t& extent : size) extent += 2;
        return pv::padded<T>(shape, size);
    }
    case 2: return pv::rotate(pv::empty<T>(shape), Coordinates(shape.size(), 1));
    case 3: return pv::tensor(std::make_shared<Elements<T>>(count_of(shape)), shape);
    default: return pv::empty<T>(shape);
    }
}

template <typename T>
void check_scatter(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape(static_cast<std::size_t>(random.between(1, 4)));
    for (index_t& extent : shape) extent = random.one_in(6) ? 30 : random.between(1, 6);
    const std::size_t axis = random.axis_of(shape);
    pv::MutableTensor<T> x = random_target<T>(random, shape);
    Oracle<T> naive{shape, random.elements<T>(count_of(shape))};
    std::copy(naive.values.begin(), naive.values.end(), x.begin());

    const index_t count = random.between(0, 9);
    Coordinates list;
    for (index_t i = 0; i < count; ++i)
        list.push_back(random.between(-shape[axis], shape[axis] - 1));
    Coordinates of_values = shape;
    of_values[axis] = count;
    const std::vector<T> values = random.elements<T>(count_of(of_values));
    const auto destination =
        pv::take(x, pv::tensor(std::vector<std::int64_t>(list)), static_cast<index_t>(axis));
    const pv::Tensor<T> source = pv::tensor(std::vector<T>(values), of_values);
    const bool adds = random.one_in(2);
    if (adds)
        pv::add_to(destination, random.one_in(2) ? source : source + T{0});
    else
        pv::assign(destination, source);
    std::size_t next = 0;
    for_each(of_values, [&](Coordinates g) {
        const index_t index = list[static_cast<std::size_t>(g[axis])];
        g[axis] = index < 0 ? index + shape[axis] : index;
        T& element = naive.values[position_of(shape, g)];
        element = static_cast<T>(adds ? element + values[next] : values[next]);
        ++next;
    });
    CHECK(pv::to_vector(x) == naive.values);
}

} // namespace

TEST_CASE("assign and add_to what take names agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(1500U); ++seed) {
        check_scatter<double>(seed);
        check_scatter<std::uint16_t>(100'000 + seed);
    }
}

TEST_CASE("Rows added to rows, and many to one") {
    const auto table = pv::zeros<float>({10, 70});
    const auto ids = pv::tensor({3, 3, -1, 0, 3});
    pv::add_to(pv::take(table, ids, 0), 1.5);
    for (index_t row = 0; row < 10; ++row)
        for (index_t f = 0; f < 70; ++f)
            CHECK(table(row, f) == (row == 3 ? 4.5F : row == 9 || row == 0 ? 1.5F : 0.0F));
    const auto counts = pv::zeros<std::int64_t>({4});
    pv::add_to(pv::take(counts, pv::const_tensor(2, {1000}), 0), 1);
    CHECK(pv::to_vector(counts) == std::vector<std::int64_t>{0, 0, 1000, 0});
}

TEST_CASE("assign: the last one stays; views of what is gathered are written through") {
    const auto x = pv::tensor({0, 0, 0, 0});
    pv::assign(pv::take(x, pv::tensor({1, 2, 1}), 0), pv::tensor({7, 8, 9}));
    CHECK(pv::to_vector(x) == std::vector<int>{0, 9, 8, 0});
    pv::assign(pv::take(x, pv::tensor({1, 2, 1}), 0) | pv::flip, pv::tensor({7, 8, 9}));
    CHECK(pv::to_vector(x) == std::vector<int>{0, 9, 8, 0});
    pv::assign(pv::take_along_axis(x, pv::tensor({3, 0}), 0), pv::tensor({5, 6}));
    CHECK(pv::to_vector(x) == std::vector<int>{6, 9, 8, 5});
    pv::assign(x(pv::range(0, 2)), 1);
    pv::add_to(x, pv::tensor({1, 1, 1, 1}));
    CHECK(pv::to_vector(x) == std::vector<int>{2, 2, 9, 6});
    const auto words = pv::tensor({"a", "b", "c"});
    pv::assign(pv::take(words, pv::tensor({2, 0}), 0), pv::tensor({"x", "y"}));
    CHECK(pv::to_vector(words) == std::vector<std::string>{"y", "b", "x"});
}

TEST_CASE("scatters where destination, indexes and values overlap") {
    const auto x = pv::tensor({3, 2, 1, 0});
    pv::assign(pv::take(x, x, 0), x); // x[x] = x
    CHECK(pv::to_vector(x) == std::vector<int>{0, 1, 2, 3});
    const auto y = pv::tensor({1, 2, 3, 4});
    pv::assign(pv::take(y, pv::tensor({1, 2, 3, 0}), 0), y);
    CHECK(pv::to_vector(y) == std::vector<int>{4, 1, 2, 3});
    pv::add_to(pv::take(y, pv::tensor({0, 0, 0, 0}), 0), y);
    CHECK(pv::to_vector(y) == std::vector<int>{14, 1, 2, 3});
}

TEST_CASE("scatters that fail write nothing") {
    const auto x = pv::tensor({1., 2., 3.});
    const auto before = pv::to_vector(x);
    CHECK_THROWS_AS(pv::assign(pv::take(x, pv::tensor({0, 1, 3}), 0), 9.0), pv::IndexError);
    CHECK_THROWS_AS(pv::add_to(pv::take(x, pv::tensor({0, -4}), 0), 9.0), pv::IndexError);
    CHECK_THROWS_AS(pv::assign(pv::take(x, pv::tensor({0, 1}), 0), pv::tensor({1., 2., 3.})),
                    pv::ShapeError);
    const auto bytes = pv::tensor(std::vector<std::uint8_t>{1, 2, 3});
    CHECK_THROWS_AS(pv::assign(pv::take(bytes, pv::tensor({0, 1}), 0), pv::tensor({5, 300})),
                    pv::CastError);
    CHECK(pv::to_vector(bytes) == std::vector<std::uint8_t>{1, 2, 3});
    const pv::AnyTensor computed = x * 2.0;
    CHECK_THROWS_AS(pv::assign(pv::take(computed, pv::tensor({0}), 0), 1.0), pv::ReadOnlyError);
    const pv::AnyTensor constant = pv::const_tensor(1.0, {3});
    CHECK_THROWS_AS(pv::assign(pv::take(constant, pv::tensor({0}), 0), 1.0), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::add_to(pv::AnyTensor(pv::broadcast(x, {2, 3})), 1.0), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::add_to(pv::take(pv::tensor({true}), pv::tensor({0}), 0), true),
                    pv::DtypeError);
    CHECK(pv::to_vector(x) == before);
}

TEST_CASE("minimum_at and maximum_at: numpy.minimum.at and numpy.maximum.at") {
    constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
    const auto ids = pv::tensor({2, 0, 2, 2});
    const auto least = pv::tensor({5., 5., 5.});
    pv::minimum_at(pv::take(least, ids, 0), pv::tensor({3., 9., 1., 2.}));
    CHECK(pv::to_vector(least) == std::vector<double>{5, 5, 1});
    const auto most = pv::tensor({5, 5, 5});
    pv::maximum_at(pv::take(most, ids, 0), std::vector<int>{3, 9, 1, 7});
    CHECK(pv::to_vector(most) == std::vector<int>{9, 5, 7});
    pv::maximum_at(most, 8);
    CHECK(pv::to_vector(most) == std::vector<int>{9, 8, 8});
    pv::minimum_at(most(pv::range(1, 3)), pv::tensor({3, 4}));
    CHECK(pv::to_vector(most) == std::vector<int>{9, 3, 4});

    // Rows, more than one axis, and views.
    const auto rows = pv::zeros<std::int8_t>({3, 2});
    pv::maximum_at(pv::take(rows, pv::tensor({1, 1, -1}), 0),
                   pv::tensor<std::int8_t>({{1, -1}, {-3, 4}, {5, 6}}));
    CHECK(pv::to_vector(rows) == std::vector<std::int8_t>{0, 0, 1, 4, 5, 6});
    pv::minimum_at(pv::take(pv::transpose(rows), pv::tensor({2, 2}), 1), -7);
    CHECK(pv::to_vector(rows) == std::vector<std::int8_t>{0, 0, 1, 4, -7, -7});
    const auto everywhere = pv::tensor({4., 4.});
    pv::minimum_at(pv::take(everywhere, pv::tensor({{0, 1}, {0, 1}}), 0),
                   pv::tensor({{3., kNaN}, {2., 1.}}));
    CHECK(everywhere(0) == 2);
    CHECK(std::isnan(everywhere(1)));
    pv::maximum_at(pv::take(everywhere, pv::tensor({1}), 0), 7.);
    CHECK(std::isnan(everywhere(1)));

    // Bools, unsigned integers, a writer of the user's, run-time types.
    const auto flags = pv::tensor({true, false, true});
    pv::minimum_at(pv::take(flags, pv::tensor({0, 0}), 0), pv::tensor({true, false}));
    pv::maximum_at(pv::take(flags, pv::tensor({1, 1}), 0), pv::tensor({true, false}));
    pv::minimum_at(flags, pv::tensor({true, true, false}));
    CHECK(pv::to_vector(flags) == std::vector<bool>{false, true, false});
    const auto large = pv::tensor<std::uint64_t>({1, ~std::uint64_t{0}});
    pv::maximum_at(pv::take(large, pv::tensor({0, 0}), 0),
                   pv::tensor<std::uint64_t>({std::uint64_t{1} << 63, 3}));
    CHECK(large(0) == std::uint64_t{1} << 63);
    const auto written = pv::tensor(std::make_shared<Elements<double>>(3), {3});
    pv::minimum_at(pv::take(written, ids, 0), pv::tensor({-1., -2., -5., -3.}));
    CHECK(pv::to_vector(written) == std::vector<double>{-2, 0, -5});
    const auto strings = pv::tensor({"a"});
    CHECK_THROWS_AS(pv::minimum_at(pv::take(strings, pv::tensor({0}), 0), strings), pv::DtypeError);
    CHECK_THROWS_AS(pv::minimum_at(pv::take(least, pv::tensor({3}), 0), 1.), pv::IndexError);

    // Over dims, in loops: for i, f: E[ids[i], f] = min(E[ids[i], f], v[i]).
    const pv::Dim i("i");
    const pv::Dim f("f");
    const auto table = pv::full({3, 2}, 9);
    pv::minimum_at(table(ids(i), f), pv::tensor({4, 3, 2, 5})(i));
    CHECK(pv::to_vector(table) == std::vector<int>{3, 3, 9, 9, 2, 2});
}

TEST_CASE("minimum_at and maximum_at of times: numpy.minimum.at of datetime64, NaT as NaN") {
    using Span = std::chrono::nanoseconds;
    const Span nat = Span::min();
    const auto ids = pv::tensor({0, 2, 0, 1, 1});
    const auto values = pv::tensor({Span(4), Span(9), Span(2), nat, Span(8)});
    const auto least = pv::full({4}, Span(5));
    pv::minimum_at(pv::take(least, ids, 0), values);
    CHECK(pv::to_vector(least) == std::vector<Span>{Span(2), nat, Span(5), Span(5)});
    const auto most = pv::full({4}, Span(5));
    pv::maximum_at(pv::take(most, ids, 0), values);
    CHECK(pv::to_vector(most) == std::vector<Span>{Span(5), nat, Span(9), Span(5)});
    pv::maximum_at(pv::take(most, pv::tensor({1}), 0), pv::tensor({Span(7)})); // NaT stays
    CHECK(most(1) == nat);
    pv::maximum_at(most, pv::tensor({Span(6), Span(6), Span(6), Span(6)}));
    CHECK(pv::to_vector(most) == std::vector<Span>{Span(6), nat, Span(9), Span(6)});
    pv::minimum_at(most(pv::range(2, 4)), pv::tensor({Span(-1), nat}));
    CHECK(pv::to_vector(most) == std::vector<Span>{Span(6), nat, Span(-1), nat});

    // Time points, rows, run-time types, durations in floats, dims.
    using Point = std::chrono::sys_time<Span>;
    const auto points = pv::full({2, 2}, Point(Span(5)));
    pv::maximum_at(pv::take(points, pv::tensor({1, 1}), 0),
                   pv::tensor({{Point(Span(4)), Point(Span(9))}, {Point(Span(8)), Point(nat)}}));
    CHECK(pv::to_vector(points) ==
          std::vector<Point>{Point(Span(5)), Point(Span(5)), Point(Span(8)), Point(nat)});
    using Seconds = std::chrono::duration<double>;
    const auto floats = pv::full({2}, Seconds(1.5));
    pv::minimum_at(pv::take(floats, pv::tensor({1, 1}), 0),
                   pv::tensor({Seconds(1.25), Seconds(0.5)}));
    CHECK(pv::to_vector(floats) == std::vector<Seconds>{Seconds(1.5), Seconds(0.5)});
    pv::maximum_at(pv::take(floats, pv::tensor({1}), 0),
                   pv::tensor({Seconds(std::numeric_limits<double>::quiet_NaN())}));
    CHECK(std::isnan(pv::to_vector(floats)[1].count()));
    const auto named = pv::full({3}, Span(5));
    const pv::Dim i("i");
    pv::minimum_at(named(ids(i)), values(i));
    CHECK(pv::to_vector(named) == std::vector<Span>{Span(2), nat, Span(5)});
    CHECK_THROWS_AS(pv::add_to(pv::take(named, ids, 0), values), pv::DtypeError);
}

} // namespace scatter_test
