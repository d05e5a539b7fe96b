#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>

#include "engine/copy/copy.hpp"

#include <purview/functional/reductions/reduce.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace copy_test {

// Copies between random views of every kind agree with a loop over the elements.

namespace {

using namespace oracle;
namespace pv = purview;

/// A view of a tensor, and the index in that tensor of each of its elements.
template <typename T>
struct View {
    pv::MutableTensor<T> root;
    pv::Tensor<T> real;
    Oracle<index_t> indexes;
    std::string name;
};

/// Grows a random view of a given shape backwards: what it could be a view of, and of what that.
template <typename T>
class ViewOf {
public:
    /// `unique`: no element twice, so that it can be written to.
    ViewOf(Random& random, bool unique) : random_(random), unique_(unique) {}

    View<T> make(const Coordinates& shape, int depth) {
        if (depth == 0) return root(shape);
        const std::size_t rank = shape.size();
        switch (random_.between(0, 8)) {
        case 0: {
            const Coordinates axes = random_.permutation(rank);
            Coordinates below(rank);
            for (std::size_t a = 0; a < rank; ++a)
                below[static_cast<std::size_t>(axes[a])] = shape[a];
            return over(make(below, depth - 1), "transpose" + text(axes), [&](auto& v) {
                v.real = pv::transpose(v.real, axes);
                v.indexes = v.indexes.transpose(axes);
            });
        }
        case 1:
        case 2: {
            Coordinates amounts(rank);
            for (index_t& amount : amounts)
                amount = random_.one_in(3) ? 0 : random_.between(-40, 40);
            return over(make(shape, depth - 1), "rotate" + text(amounts), [&](auto& v) {
                v.real = pv::rotate(v.real, amounts);
                v.indexes = v.indexes.rotate(amounts);
            });
        }
        case 3: {
            Coordinates axes;
            for (std::size_t a = 0; a < rank; ++a)
                if (random_.one_in(2)) axes.push_back(static_cast<index_t>(a));
            return over(make(shape, depth - 1), "flip" + text(axes), [&](auto& v) {
                v.real = pv::flip(v.real, axes);
                v.indexes = v.indexes.flip(axes);
            });
        }
        case 4: return rank == 0 ? make(shape, depth) : crop(shape, depth);
        case 5: return rank == 0 ? make(shape, depth) : pick(shape, depth);
        case 6: return rank == 0 || unique_ ? make(shape, depth) : tile(shape, depth);
        case 7: return reshape(shape, depth);
        default: {
            if (rank >= 6 || count_of(shape) > 3000) return root(shape);
            const auto axis = static_cast<std::size_t>(random_.between(0, std::ssize(shape)));
            Coordinates below = shape;
            below.insert(below.begin() + static_cast<std::ptrdiff_t>(axis), random_.between(1, 3));
            const index_t at = random_.between(0, below[axis] - 1);
            return over(make(below, depth - 1), "drop " + std::to_string(axis), [&](auto& v) {
                std::vector<pv::TensorIndex> arguments(axis, pv::TensorIndex(pv::all));
                arguments.emplace_back(at);
                v.real = select(v.real, arguments);
                v.indexes = v.indexes.drop(axis, at);
            });
        }
        }
    }

private:
    template <typename F>
    static View<T> over(View<T> view, const std::string& name, F apply) {
        apply(view);
        view.name += " | " + name;
        return view;
    }

    static pv::Tensor<T> select(const pv::Tensor<T>& x,
                                std::span<const pv::TensorIndex> arguments) {
        return pv::Tensor<T>(pv::select_operand(x.operand(), arguments));
    }

    View<T> root(const Coordinates& shape) {
        const index_t n = count_of(shape);
        pv::MutableTensor<T> real;
        std::string name;
        switch (random_.between(0, 3)) {
        case 0:
            name = "column major";
            real = pv::empty<T>(shape, pv::Order::column_major);
            break;
        case 1: {
            name = "padded";
            Coordinates size = shape;
            for (index_t& extent : size) extent += random_.between(0, 2);
            real = pv::padded<T>(shape, size);
            break;
        }
        case 2: {
            name = "misaligned";
            auto memory = std::make_shared<std::vector<std::byte>>(1 + static_cast<std::size_t>(n) *
                                                                           sizeof(T));
            real = pv::wrap(reinterpret_cast<T*>(memory->data() + 1), shape, memory);
            break;
        }
        default: name = "row major"; real = pv::empty<T>(shape);
        }
        const std::vector<T> values = random_.elements<T>(n);
        std::copy(values.begin(), values.end(), real.begin());
        index_t next = 0;
        return {real, real, Oracle<index_t>::make(shape, [&](const auto&) { return next++; }),
                name + text(shape)};
    }

    View<T> crop(const Coordinates& shape, int depth) {
        const std::size_t axis = random_.axis_of(shape);
        const index_t step = random_.between(1, 3);
        const index_t begin = random_.between(0, 3);
        Coordinates below = shape;
        below[axis] = begin + shape[axis] * step + random_.between(0, 3);
        if (count_of(below) > 30'000) return root(shape);
        return over(make(below, depth - 1),
                    "crop " + std::to_string(axis) + " from " + std::to_string(begin) + " by " +
                        std::to_string(step),
                    [&](auto& v) {
                        const index_t end = begin + shape[axis] * step;
                        std::vector<pv::TensorIndex> arguments(axis, pv::TensorIndex(pv::all));
                        arguments.emplace_back(pv::range(begin, end, step));
                        v.real = select(v.real, arguments);
                        v.indexes =
                            v.indexes.pick(axis, slice_indexes(below[axis], begin, end, step));
                    });
    }

    View<T> pick(const Coordinates& shape, int depth) {
        const std::size_t axis = random_.axis_of(shape);
        Coordinates below = shape;
        below[axis] += unique_ ? random_.between(0, 5) : random_.between(-5, 5);
        below[axis] = std::max<index_t>(below[axis], 1);
        Coordinates list = random_.permutation(static_cast<std::size_t>(below[axis]));
        if (unique_)
            list.resize(static_cast<std::size_t>(shape[axis]));
        else {
            list.resize(static_cast<std::size_t>(shape[axis]));
            for (index_t& index : list) index = random_.between(0, below[axis] - 1);
        }
        if (random_.one_in(3)) std::sort(list.begin(), list.end());
        return over(make(below, depth - 1), "pick " + std::to_string(axis), [&](auto& v) {
            std::vector<pv::TensorIndex> arguments(axis, pv::TensorIndex(pv::all));
            arguments.emplace_back(pv::make_index_sequence(list));
            v.real = select(v.real, arguments);
            v.indexes = v.indexes.pick(axis, list);
        });
    }

    View<T> tile(const Coordinates& shape, int depth) {
        Coordinates below = shape;
        for (index_t& extent : below) {
            if (extent == 0 || random_.one_in(2)) continue;
            index_t factor = random_.between(1, extent);
            while (extent % factor != 0) --factor;
            extent = random_.one_in(4) ? 1 : factor;
        }
        return over(make(below, depth - 1), "tile" + text(shape), [&](auto& v) {
            v.real = pv::broadcast(v.real, shape);
            v.indexes = v.indexes.tile(shape);
        });
    }

    View<T> reshape(const Coordinates& shape, int depth) {
        if (count_of(shape) == 0) return root(shape);
        Coordinates below;
        for (const index_t extent : shape) {
            if (!below.empty() && random_.one_in(2)) {
                below.back() *= extent;
                continue;
            }
            index_t factor = random_.between(1, extent);
            while (extent % factor != 0) --factor;
            below.push_back(extent / factor);
            if (factor > 1) below.push_back(factor);
        }
        if (below.size() > 6) return root(shape);
        return over(make(below, depth - 1), "reshape" + text(shape), [&](auto& v) {
            v.real = pv::reshape(v.real, shape);
            v.indexes = v.indexes.reshape(shape);
        });
    }

    Random& random_;
    bool unique_;
};

/// Mostly small, now and then more than one tile or block.
Coordinates random_shape(Random& random) {
    static const std::vector<Coordinates> large = {
        {70, 67},        {64, 32},  {33, 130}, {5000},       {40, 3, 31},
        {3, 40, 35},     {3, 1500}, {1500, 3}, {17, 16, 15}, {8, 8, 8, 8},
        {2, 3, 4, 5, 6}, {300, 13}, {13, 300}, {600, 7},     {4, 900}};
    return random.one_in(4)
               ? large[static_cast<std::size_t>(random.between(0, std::ssize(large) - 1))]
               : random.shape();
}

const pv::Leaf& leaf(const pv::AnyTensor& x) { return *pv::leaf_of(x.operand()); }

template <typename T>
void check_copies(unsigned first_seed, unsigned count) {
    for (unsigned seed = first_seed; seed < first_seed + oracle::rounds(count); ++seed) {
        Random random(seed);
        const Coordinates shape = random_shape(random);
        const int from_depth = static_cast<int>(random.between(0, 5));
        const int to_depth = static_cast<int>(random.between(0, 3));
        const View<T> from = ViewOf<T>(random, false).make(shape, from_depth);
        const View<T> to = ViewOf<T>(random, true).make(shape, to_depth);
        INFO("seed " << seed << ": from " << from.name << " to " << to.name);

        const std::vector<T> values = pv::to_vector(from.root);
        std::vector<T> expected = pv::to_vector(to.root);
        const std::vector<T> before = expected;
        for (std::size_t i = 0; i < to.indexes.values.size(); ++i)
            expected[static_cast<std::size_t>(to.indexes.values[i])] =
                values[static_cast<std::size_t>(from.indexes.values[i])];

        const pv::engine::CopyPlan plan(leaf(from.real), from.real.operand().dims, leaf(to.root),
                                        to.real.operand().dims);
        plan.run();
        REQUIRE(pv::to_vector(to.root) == expected);

        // The same in parts, from the last to the first.
        std::copy(before.begin(), before.end(), to.root.begin());
        for (index_t end = plan.size(); end > 0;) {
            const index_t begin = random.one_in(5) ? 0 : random.between(0, end - 1);
            plan.run(begin, end);
            end = begin;
        }
        REQUIRE(pv::to_vector(to.root) == expected);
    }
}

} // namespace

TEST_CASE("copies between random views: 8 bytes") {
    check_copies<double>(0, 2500);
    check_copies<std::int64_t>(10'000, 300);
}
TEST_CASE("copies between random views: 4 bytes") {
    check_copies<float>(20'000, 1500);
    check_copies<std::uint32_t>(30'000, 300);
}
TEST_CASE("copies between random views: 2 bytes") { check_copies<std::int16_t>(40'000, 1500); }
TEST_CASE("copies between random views: bytes") { check_copies<std::uint8_t>(50'000, 2000); }
TEST_CASE("copies between random views: bools") { check_copies<bool>(60'000, 1000); }

TEST_CASE("large copies go past the caches") {
    constexpr index_t n = 2112;
    const auto x = pv::empty<double>({n, n});
    index_t next = 0;
    for (auto element : x) element = static_cast<double>(next++);
    const auto y = pv::zeros({n, n});
    const auto check = [&](const pv::Tensor<double>& view, auto where) {
        pv::copy(view, y);
        const double* const out = pv::as_span(y).data();
        bool right = true;
        for (index_t i = 0; i < n; ++i)
            for (index_t j = 0; j < n; ++j)
                right = right && out[i * n + j] == static_cast<double>(where(i, j));
        CHECK(right);
    };
    check(x, [](index_t i, index_t j) { return i * n + j; });
    check(pv::transpose(x), [](index_t i, index_t j) { return j * n + i; });
    check(pv::rotate(x, {1000, 37}),
          [](index_t i, index_t j) { return (i + n - 1000) % n * n + (j + n - 37) % n; });
    check(pv::transpose(pv::rotate(x, {7, 300})),
          [](index_t i, index_t j) { return (j + n - 7) % n * n + (i + n - 300) % n; });
    check(pv::flip(x), [](index_t i, index_t j) { return (n - 1 - i) * n + n - 1 - j; });
    std::vector<index_t> list(n);
    for (index_t i = 0; i < n; ++i) list[static_cast<std::size_t>(i)] = i * 1001 % n;
    const auto indexes = pv::make_index_sequence(list);
    check(x(indexes), [](index_t i, index_t j) { return i * 1001 % n * n + j; });
    check(x(pv::all, indexes), [](index_t i, index_t j) { return i * n + j * 1001 % n; });
    check(x(indexes, indexes),
          [](index_t i, index_t j) { return i * 1001 % n * n + j * 1001 % n; });
    check(pv::transpose(x)(indexes), [](index_t i, index_t j) { return j * n + i * 1001 % n; });
    check(pv::broadcast(x(pv::range(0, 1)), {n, n}), [](index_t, index_t j) { return j; });
    check(pv::broadcast(x(pv::all, pv::range(0, 1)), {n, n}),
          [](index_t i, index_t) { return i * n; });
    check(pv::broadcast(x(pv::range(0, 3), pv::range(0, 33)), {n, n}),
          [](index_t i, index_t j) { return i % 3 * n + j % 33; });
}

TEST_CASE("threads copy parts of one plan") {
    constexpr index_t n = 700;
    const auto x = pv::empty<float>({n, n});
    index_t next = 0;
    for (auto element : x) element = static_cast<float>(next++);
    const auto y = pv::zeros<float>({n, n});
    const auto view = pv::rotate(pv::transpose(x), {13, 77});
    const pv::engine::CopyPlan plan(leaf(view), view.operand().dims, leaf(y), y.operand().dims);
    std::vector<std::thread> threads;
    constexpr index_t kThreads = 4;
    for (index_t i = 0; i < kThreads; ++i)
        threads.emplace_back(
            [&plan, i] { plan.run(plan.size() * i / kThreads, plan.size() * (i + 1) / kThreads); });
    for (std::thread& thread : threads) thread.join();
    CHECK(pv::to_vector(y) == pv::to_vector(view));
}

TEST_CASE("bools that are any byte are copied as 0 and 1") {
    std::vector<unsigned char> bytes(3000);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<unsigned char>(i % 5);
    const auto x = pv::borrow(reinterpret_cast<const bool*>(bytes.data()), {30, 100});
    const auto check = [&](const pv::Tensor<bool>& view) {
        std::vector<unsigned char> out(3000, 7);
        const auto y = pv::borrow(reinterpret_cast<bool*>(out.data()), view.shape());
        pv::copy(view, y);
        for (const unsigned char byte : out) REQUIRE(byte <= 1);
        CHECK(pv::sum(y) == 2400);
    };
    check(x);
    check(pv::transpose(x));
    check(pv::rotate(x, {3, 5}));
    check(pv::reshape(pv::rotate(pv::reshape(x, {10, 300}), {1, 1}), {30, 100}));
}

} // namespace copy_test
