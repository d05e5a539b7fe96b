#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/tensors.hpp>

#include <purview/functional/assembly/tile.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/explain.hpp>

#include <cstdint>
#include <vector>

namespace rotated_boxes_test {

namespace {

using namespace oracle;
namespace pv = purview;

index_t around(index_t i, index_t shift, index_t extent) {
    return ((i - shift) % extent + extent) % extent;
}

/// Elements enough for boxes, in 1 to 3 axes, some of them short.
Coordinates large_shape(Random& random) {
    switch (random.between(0, 4)) {
    case 0: return {random.between(30'000, 70'000)};
    case 1: return {random.between(150, 300), random.between(200, 300)};
    case 2: return {random.between(1, 4), random.between(9000, 20'000)};
    case 3: return {random.between(9000, 20'000), random.between(1, 5)};
    default: return {random.between(20, 50), random.between(2, 40), random.between(20, 60)};
    }
}

Coordinates shifts(Random& random, const Coordinates& shape) {
    Coordinates by;
    for (const index_t extent : shape)
        by.push_back(random.one_in(3)   ? 0
                     : random.one_in(9) ? random.between(-extent, extent)
                                        : random.between(-2, 2));
    return by;
}

template <typename T>
pv::MutableTensor<T> filled(Random& random, const Coordinates& shape) {
    pv::MutableTensor<T> x =
        random.one_in(3) ? pv::empty<T>(shape, pv::Order::column_major) : pv::empty<T>(shape);
    for (auto&& element : x) element = static_cast<T>(random.between(0, 100));
    return x;
}

/// The row-major index of an element, and the coordinates that follow.
std::size_t index_of(const Coordinates& at, const Coordinates& shape) {
    index_t index = 0;
    for (std::size_t a = 0; a < at.size(); ++a) index = index * shape[a] + at[a];
    return static_cast<std::size_t>(index);
}
void go_on(Coordinates& at, const Coordinates& shape) {
    for (std::size_t a = at.size(); a-- > 0;) {
        if (++at[a] < shape[a]) return;
        at[a] = 0;
    }
}
Coordinates rotated(Coordinates at, const Coordinates& by, const Coordinates& shape) {
    for (std::size_t a = 0; a < at.size(); ++a) at[a] = around(at[a], by[a], shape[a]);
    return at;
}

template <typename T>
void check(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const Coordinates shape = large_shape(random);
    const pv::Tensor<T> x = filled<T>(random, shape);
    const pv::Tensor<T> y = filled<T>(random, shape);
    const std::vector<T> xs(x.begin(), x.end());
    const std::vector<T> ys(y.begin(), y.end());
    const Coordinates first = shifts(random, shape);
    const Coordinates second = shifts(random, shape);
    const Coordinates third = shifts(random, shape);
    // Rotated leaves, what is rotated once more, and plain leaves.
    const pv::Tensor<T> inner = pv::rotate(x, first) + y;
    const pv::Tensor<T> sum = pv::rotate(inner, second) - x * pv::rotate(y, third);
    const bool reversed = random.one_in(3);
    const pv::Tensor<T> source = reversed ? pv::Tensor<T>(pv::flip(sum, {0})) : sum;
    const pv::MutableTensor<T> out = filled<T>(random, shape);
    if (random.one_in(4))
        pv::copy(pv::transpose(source), pv::transpose(out));
    else
        pv::copy(source, out);

    Coordinates at(shape.size(), 0);
    for (const T element : std::vector<T>(out.begin(), out.end())) {
        Coordinates in = at;
        if (reversed) in[0] = shape[0] - 1 - in[0];
        const Coordinates turned = rotated(in, second, shape);
        const T expected = static_cast<T>(
            xs[index_of(rotated(turned, first, shape), shape)] + ys[index_of(turned, shape)] -
            xs[index_of(in, shape)] * ys[index_of(rotated(in, third, shape), shape)]);
        if (element != expected) {
            INFO("element " << index_of(at, shape));
            REQUIRE(element == expected);
        }
        go_on(at, shape);
    }
}

} // namespace

TEST_CASE("rotated leaves are computed in boxes as by loops") {
    for (unsigned seed = 0; seed < rounds(40u); ++seed) {
        check<double>(seed);
        check<float>(seed);
        check<std::int64_t>(seed);
        check<std::uint8_t>(seed);
    }
}

TEST_CASE("a generation of cells on a torus") {
    for (const auto& [height, width] :
         {std::pair<index_t, index_t>{200, 230}, {1, 70'000}, {70'000, 1}, {3, 20'000}}) {
        const auto board = pv::empty<bool>({height, width});
        Random random(7);
        for (auto&& cell : board) cell = random.one_in(3);
        const auto cells = board | pv::cast<std::uint8_t>;
        const auto columns = (cells | pv::rotate({-1, 0})) + cells + (cells | pv::rotate({1, 0}));
        const auto squares =
            (columns | pv::rotate({0, -1})) + columns + (columns | pv::rotate({0, 1}));
        const auto next = (squares == 3 || (squares == 4 && board)) | pv::clone;
        bool all = true;
        for (index_t i = 0; i < height; ++i)
            for (index_t j = 0; j < width; ++j) {
                int alive = 0;
                for (index_t di = -1; di <= 1; ++di)
                    for (index_t dj = -1; dj <= 1; ++dj)
                        alive += board(around(i, di, height), around(j, dj, width)) ? 1 : 0;
                all = all && next(i, j) == (alive == 3 || (alive == 4 && board(i, j)));
            }
        CHECK(all);
    }
}

TEST_CASE("what is tiled, and what cannot be cut, is computed as before") {
    const auto x = pv::clone(pv::arange(60'000) % 1000);
    const auto row = x(pv::range(3));
    const auto tiled = pv::rotate(pv::tile(row, 20'000), {1}) + x;
    const auto out = tiled | pv::clone;
    bool all = true;
    for (index_t i = 0; i < 60'000; ++i) all = all && out(i) == x(i) + row(around(i, 1, 3));
    CHECK(all);

    // A conversion names the first element that does not fit, in row-major order.
    const auto wide = pv::zeros<std::int32_t>({300, 300});
    wide(299, 5) = 1000;
    wide(3, 7) = 2000;
    const auto narrow = (pv::rotate(wide, {1, 0}) + wide) | pv::cast<std::uint8_t>;
    CHECK_THROWS_WITH(pv::clone(narrow), Catch::Matchers::Contains("1000"));

    const auto plan = pv::explain(pv::rotate(wide, {1, 0}) + wide);
    CHECK(plan.find("in 2 boxes, in which no axis wraps round; the largest:\nway: computed") !=
          std::string::npos);

    // Boxes of halves would read their rows twice, and many boxes are little work for each.
    const auto has_boxes = [](const auto& values) {
        return pv::explain(values).find(" boxes") != std::string::npos;
    };
    CHECK(has_boxes(pv::rotate(wide, {0, 60}) + wide));
    CHECK_FALSE(has_boxes(pv::rotate(wide, {0, 90}) + wide));
    CHECK_FALSE(has_boxes(pv::rotate(pv::tile(pv::clone(pv::arange(5000)), 60), {1}) + 1));
}

} // namespace rotated_boxes_test
