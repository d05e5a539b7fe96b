// Pieces that alternate in short runs, and elements that a view repeats: they are moved by kernels,
// many rows at a time.

#include <support/catch.hpp>
#include <support/expect_same.hpp>
#include <support/random_choice.hpp>
#include <support/random_view.hpp>
#include <support/rounds.hpp>

#include <purview/functional/applied/explain.hpp>
#include <purview/functional/assembly/concat.hpp>
#include <purview/functional/assembly/take.hpp>
#include <purview/functional/assembly/tile.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/elementwise/cast.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>

#include <complex>
#include <concepts>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace short_pieces_test {

namespace {

using namespace oracle;
using Catch::Matchers::ContainsSubstring;

template <typename T>
T value_of(index_t i) {
    if constexpr (std::same_as<T, std::string>)
        return std::to_string(i % 1009);
    else if constexpr (std::same_as<T, bool>)
        return i % 3 == 0 || i % 7 == 2;
    else if constexpr (std::same_as<T, std::complex<float>> ||
                       std::same_as<T, std::complex<double>>)
        return T(static_cast<typename T::value_type>(i % 509),
                 static_cast<typename T::value_type>(i % 7));
    else
        return static_cast<T>(i % 127);
}

template <typename T>
struct Piece {
    pv::Tensor<T> real;
    Oracle<T> naive;
};

/// A tensor of a shape: contiguous, transposed, every other element of a row, or computed.
template <typename T>
Piece<T> piece_of(Random& random, const Coordinates& shape) {
    const index_t first = random.between(0, 1000);
    const Oracle<T> naive = Oracle<T>::make(shape, [&](const Coordinates& g) {
        index_t place = 0;
        for (std::size_t a = 0; a < g.size(); ++a) place = place * shape[a] + g[a];
        return value_of<T>(first + place);
    });
    const auto fill = [&](pv::MutableTensor<T> to) {
        std::vector<T> values;
        for (index_t i = 0; i < naive.size(); ++i) values.push_back(value_of<T>(first + i));
        if (!values.empty()) pv::copy(pv::reshape(pv::tensor(values), shape), to);
    };
    Coordinates memory = shape;
    const index_t way = random.between(0, 3);
    if (way == 1) {
        std::vector<index_t> axes(shape.size());
        for (std::size_t a = 0; a < axes.size(); ++a) {
            axes[a] = static_cast<index_t>(axes.size() - 1 - a);
            memory[a] = shape[shape.size() - 1 - a];
        }
        const pv::MutableTensor<T> turned(pv::transpose(pv::full<T>(memory, T{}), axes));
        fill(turned);
        return {turned, naive};
    }
    if (way == 2) {
        memory.back() *= 2;
        const pv::MutableTensor<T> every(
            pv::full<T>(memory, T{})(pv::ellipsis, pv::range(0, memory.back(), 2)));
        fill(every);
        return {every, naive};
    }
    const pv::MutableTensor<T> plain = pv::full<T>(shape, T{});
    fill(plain);
    if constexpr (!std::same_as<T, std::string> && !std::same_as<T, bool>)
        if (way == 3) return {pv::Tensor<T>(plain + T(0)), naive};
    return {plain, naive};
}

template <typename T>
Oracle<T> joined(const std::vector<Piece<T>>& pieces, std::size_t axis) {
    Coordinates shape = pieces[0].naive.shape;
    shape[axis] = 0;
    for (const Piece<T>& piece : pieces) shape[axis] += piece.naive.shape[axis];
    return Oracle<T>::make(shape, [&](Coordinates g) {
        for (const Piece<T>& piece : pieces) {
            if (g[axis] < piece.naive.shape[axis]) return T(piece.naive.at(g));
            g[axis] -= piece.naive.shape[axis];
        }
        return T{};
    });
}

template <typename T>
void agrees(Random& random, const pv::Tensor<T>& real, const Oracle<T>& naive) {
    if constexpr (std::same_as<T, bool>) {
        Oracle<std::uint8_t> bytes{naive.shape, {}};
        for (const bool value : naive.values) bytes.values.push_back(value ? 1 : 0);
        expect_same(random, pv::Tensor<std::uint8_t>(pv::cast<std::uint8_t>(real)), bytes);
    } else {
        expect_same(random, real, naive);
    }
}

/// Views of a result, and copies of it to memory of other strides, and to where a piece lies.
template <typename T>
void check_everywhere(Random& random, const pv::Tensor<T>& real, const Oracle<T>& naive) {
    agrees<T>(random, real, naive);
    agrees<T>(random, pv::Tensor<T>(pv::clone(real)), naive);
    Coordinates wide = naive.shape;
    wide.back() *= 2;
    const pv::MutableTensor<T> target(
        pv::full<T>(wide, T{})(pv::ellipsis, pv::range(1, wide.back(), 2)));
    pv::copy(real, target);
    agrees<T>(random, pv::Tensor<T>(target), naive);
    pv::Tensor<T> seen = real;
    Oracle<T> twin = naive;
    std::string name;
    for (index_t steps = random.between(1, 3); steps > 0; --steps)
        random_view(random, seen, twin, name);
    INFO(name);
    agrees<T>(random, seen, twin);
    agrees<T>(random, pv::Tensor<T>(pv::clone(seen)), twin);
}

template <typename T>
void check_pieces(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape{random.between(1, 3), random.between(1, random.one_in(12) ? 9000 : 90), 1};
    if (random.one_in(3)) shape.push_back(random.between(1, 3));
    if (random.one_in(2)) shape.erase(shape.begin());
    const std::size_t axis = shape.size() - (shape.back() == 1 || random.one_in(2) ? 1 : 2);
    const bool singles = random.one_in(2);
    std::vector<Piece<T>> pieces;
    std::vector<pv::Tensor<T>> reals;
    for (index_t count = random.between(2, 9); count > 0; --count) {
        shape[axis] = singles ? 1 : random.between(0, 5);
        pieces.push_back(pieces.empty() || random.one_in(2) || !singles ? piece_of<T>(random, shape)
                                                                        : pieces.back());
        reals.push_back(pieces.back().real);
    }
    check_everywhere<T>(random, pv::concat(reals, static_cast<index_t>(axis)),
                        joined(pieces, axis));
}

template <typename T>
void check_repeats(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    Coordinates shape{random.between(1, random.one_in(4) ? 300 : 40), random.between(1, 40)};
    if (random.one_in(6)) shape = {random.between(1, 4), random.between(200, 2000)};
    if (random.one_in(2)) shape.push_back(random.between(1, 4));
    Piece<T> x = piece_of<T>(random, shape);
    if (random.one_in(3)) {
        const std::size_t axis = random.axis_of(shape);
        x.real = pv::flip(x.real, static_cast<index_t>(axis));
        x.naive = x.naive.flip({static_cast<index_t>(axis)});
    }
    for (index_t times = random.between(1, 2); times > 0; --times) {
        const std::size_t axis = random.axis_of(x.naive.shape);
        const index_t count = random.between(2, 4);
        const bool tiled = random.one_in(4);
        const index_t extent = x.naive.shape[axis];
        Coordinates all = x.naive.shape;
        all[axis] *= count;
        std::vector<index_t> repetitions(all.size(), 1);
        repetitions[axis] = count;
        x.real = tiled ? pv::Tensor<T>(pv::tile(x.real, repetitions))
                       : pv::Tensor<T>(pv::repeat(x.real, count, static_cast<index_t>(axis)));
        x.naive = x.naive.view(all, [&](Coordinates g) {
            g[axis] = tiled ? g[axis] % extent : g[axis] / count;
            return g;
        });
    }
    check_everywhere<T>(random, x.real, x.naive);
    if constexpr (!std::same_as<T, std::string> && !std::same_as<T, bool>) {
        const Piece<T> other = piece_of<T>(random, x.naive.shape);
        const Oracle<T> sums = Oracle<T>::make(x.naive.shape, [&](const Coordinates& g) {
            return static_cast<T>(x.naive.at(g) + other.naive.at(g));
        });
        agrees<T>(random, pv::Tensor<T>(pv::clone(x.real + other.real)), sums);
    }
}

/// An array enlarged by lists of rows and columns in which entries are repeated, into a part of another.
template <typename T>
void check_enlarged(index_t rows, index_t columns, index_t times) {
    CAPTURE(rows, columns, times, sizeof(T));
    const auto x = pv::empty<T>({rows, columns});
    index_t k = 0;
    for (auto&& each : x) each = static_cast<T>(++k * 7 % 101 % 3);
    const auto repeated = [&](index_t count) {
        std::vector<index_t> list;
        for (index_t i = 0; i < times * count; ++i) list.push_back(i / times);
        return list;
    };
    const auto out = pv::zeros<T>({times * rows, times * columns + 1});
    pv::copy(x(repeated(rows), repeated(columns)), out(pv::all, pv::range(1, times * columns + 1)));
    bool same = true;
    for (index_t i = 0; i < times * rows; ++i)
        for (index_t j = 0; j <= times * columns; ++j)
            same &= out(i, j) == (j == 0 ? T{} : x(i / times, (j - 1) / times));
    CHECK(same);
}

/// A few elements along the last axis, and along the one before it, taken by an index and by a list, beside loops.
template <typename T>
void check_takes(std::mt19937& random) {
    const auto between = [&](index_t low, index_t high) {
        return low + static_cast<index_t>(random() % static_cast<unsigned>(high - low + 1));
    };
    const index_t rows = between(1, 40), columns = between(1, 90), few = between(1, 20);
    CAPTURE(rows, columns, few, sizeof(T));
    pv::MutableTensor<T> memory = pv::empty<T>({rows + 1, columns + 2, few});
    index_t k = 0;
    for (auto&& each : memory) each = static_cast<T>(++k * 7 % 101);
    pv::Tensor<T> x = memory(pv::range(1, rows + 1), pv::range(0, columns), pv::all);
    if (random() % 3 == 0) x = pv::clone(x | pv::transpose) | pv::transpose;
    if (random() % 3 == 0) x = pv::flip(x, 1);
    const auto list_for = [&](index_t extent) {
        std::vector<index_t> list(static_cast<std::size_t>(between(1, 18)));
        for (index_t& each : list) each = between(-extent, extent - 1);
        return list;
    };
    const std::vector<index_t> last = list_for(few), middle = list_for(columns);
    const auto at = [](const std::vector<index_t>& list, index_t i, index_t extent) {
        const index_t index = list[static_cast<std::size_t>(i)];
        return index < 0 ? index + extent : index;
    };
    const pv::Tensor<T> taken = pv::clone(pv::take(x, last, 2)),
                        sums = pv::take(x, last, 2) + x(pv::all, pv::all, pv::range(0, 1));
    const pv::Tensor<T> listed = pv::clone(x(pv::all, pv::all, last)),
                        rows_listed = pv::clone(x(pv::all, middle, pv::all));
    const pv::Tensor<T> rows_taken = pv::clone(pv::take(x, middle, 1)), sums_made = pv::clone(sums);
    bool same = true;
    for (index_t i = 0; i < rows; ++i) {
        for (index_t j = 0; j < columns; ++j)
            for (index_t c = 0; c < std::ssize(last); ++c) {
                const T expected = x(i, j, at(last, c, few));
                same &= taken(i, j, c) == expected && listed(i, j, c) == expected &&
                        sums_made(i, j, c) == static_cast<T>(expected + x(i, j, 0));
            }
        for (index_t j = 0; j < std::ssize(middle); ++j)
            for (index_t c = 0; c < few; ++c) {
                const T expected = x(i, at(middle, j, columns), c);
                same &= rows_taken(i, j, c) == expected && rows_listed(i, j, c) == expected;
            }
    }
    CHECK(same);
    std::vector<index_t> outside = last;
    outside.back() = few;
    CHECK_THROWS_AS(pv::clone(pv::take(x, outside, 2)), pv::IndexError);
}

} // namespace

TEST_CASE("pieces that alternate in short runs agree with nested loops") {
    for (unsigned seed = 0; seed < oracle::rounds(12U); ++seed) {
        check_pieces<std::uint8_t>(seed);
        check_pieces<std::uint16_t>(1'000 + seed);
        check_pieces<std::int32_t>(2'000 + seed);
        check_pieces<float>(3'000 + seed);
        check_pieces<double>(4'000 + seed);
        check_pieces<bool>(5'000 + seed);
        check_pieces<std::string>(6'000 + seed);
        check_pieces<std::complex<float>>(7'000 + seed);
        check_pieces<std::complex<double>>(8'000 + seed);
    }
}

TEST_CASE("repeated and tiled elements agree with nested loops, in sums too") {
    for (unsigned seed = 0; seed < oracle::rounds(8U); ++seed) {
        check_repeats<std::uint8_t>(seed);
        check_repeats<std::uint16_t>(1'000 + seed);
        check_repeats<std::int32_t>(2'000 + seed);
        check_repeats<float>(3'000 + seed);
        check_repeats<double>(4'000 + seed);
        check_repeats<bool>(5'000 + seed);
        check_repeats<std::string>(6'000 + seed);
        check_repeats<std::complex<float>>(7'000 + seed);
        check_repeats<std::complex<double>>(8'000 + seed);
    }
}

TEST_CASE("arrays that are enlarged by lists agree with nested loops") {
    for (const index_t times : {1, 2, 3}) {
        check_enlarged<std::uint8_t>(5, 400, times);
        check_enlarged<bool>(4, 700, times);
        check_enlarged<float>(3, 300, times);
        check_enlarged<double>(7, 3, times);
    }
    check_enlarged<double>(600, 900, 2); // past the caches
}

TEST_CASE("a few elements that are taken along short axes agree with nested loops") {
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        check_takes<std::uint8_t>(random);
        check_takes<std::int16_t>(random);
        check_takes<float>(random);
        check_takes<double>(random);
    }
}

TEST_CASE("pieces of a destination are stacked into it") {
    const auto image =
        pv::clone(pv::cast<std::uint8_t>(pv::reshape(pv::arange(0, 6000) % 251, {1000, 2, 3})));
    const auto before = pv::clone(image);
    const pv::Tensor<std::uint8_t> red = image(pv::all, pv::all, 0);
    const pv::Tensor<std::uint8_t> blue = image(pv::all, pv::all, 2);
    const pv::Tensor<std::uint8_t> green = image(pv::all, pv::all, 1);
    pv::copy(pv::stack({blue, green, red}, 2), image);
    CHECK(pv::to_vector(image) == pv::to_vector(pv::flip(before, 2)));
}

TEST_CASE("explain tells repeated elements that are read by rows") {
    const auto x = pv::ones({500, 400});
    CHECK_THAT(pv::explain(x + pv::repeat(pv::ones({500, 200}), 2, 1)),
               ContainsSubstring("several short rows at a time"));
}

} // namespace short_pieces_test
