/// Machine code that goes from row to row of views, beside threaded code.

#include "engine/compile/plan_cache.hpp"
#include "engine/machine_code/machine_code.hpp"
#include "engine/run/runner.hpp"

#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <algorithm>
#include <cfenv>
#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <type_traits>
#include <vector>

namespace rows_in_place_test {
namespace {

namespace pv = purview;
using pv::index_t;
using pv::engine::set_translation;
using pv::engine::Translation;

template <typename T>
T random_element(std::mt19937& random) {
    return static_cast<T>(static_cast<int>(random() % 2001) - 1000) / T{8};
}

/// A random box of `shape` inside of a larger array, some axes repeated.
template <typename T>
pv::Tensor<T> random_view(const pv::Shape& shape, std::mt19937& random) {
    pv::Shape outer;
    pv::Shape firsts;
    for (const index_t extent : shape) {
        const auto before = static_cast<index_t>(random() % 3);
        firsts.push_back(before);
        outer.push_back(random() % 5 == 0 ? 1
                                          : before + extent + static_cast<index_t>(random() % 3));
    }
    pv::MutableTensor<T> whole = pv::empty<T>(outer);
    for (auto&& x : whole) x = random_element<T>(random);
    std::vector<pv::TensorIndex> box;
    for (std::size_t a = 0; a < shape.size(); ++a)
        box.push_back(outer[a] == 1 ? pv::TensorIndex(pv::range(0, 1))
                                    : pv::TensorIndex(pv::range(firsts[a], firsts[a] + shape[a])));
    return pv::Tensor<T>(pv::select_operand(whole.operand(), box)) | pv::broadcast(shape);
}

/// Some operations on all operands.
template <typename T>
pv::Tensor<T> combined(const std::vector<pv::Tensor<T>>& x, unsigned seed) {
    std::mt19937 random(seed);
    pv::Tensor<T> sum = x[0] * T{3};
    for (std::size_t i = 1; i < x.size(); ++i) {
        switch (random() % 6) {
        case 0: sum = pv::maximum(sum, x[i]); break;
        case 1: sum = pv::minimum(x[i], sum); break;
        case 2: sum = x[i] - sum * (std::is_integral_v<T> ? T{5} : T(0.5)); break;
        case 3: sum = sum + pv::sq(x[i]); break;
        default: sum = sum + pv::abs(x[i]); break;
        }
    }
    return sum;
}

template <typename T>
void check_views(unsigned seed) {
    std::mt19937 random(seed);
    pv::Shape shape;
    const auto rank = 2 + random() % 3;
    for (std::size_t a = 0; a < rank; ++a) shape.push_back(1 + static_cast<index_t>(random() % 9));
    shape.back() = 1 + static_cast<index_t>(random() % 90);
    std::vector<pv::Tensor<T>> x;
    const auto count = 2 + random() % 14; // more than there are registers for addresses
    for (std::size_t i = 0; i < count; ++i) x.push_back(random_view<T>(shape, random));
    pv::Shape outer = shape;
    for (index_t& extent : outer) extent += static_cast<index_t>(random() % 2);
    const bool in_place = random() % 3 == 0;
    const unsigned operations = static_cast<unsigned>(random());
    const auto result_of = [&](Translation translation) {
        set_translation(translation);
        pv::MutableTensor<T> out = pv::full(outer, T{7});
        std::vector<pv::TensorIndex> box;
        for (const index_t extent : shape) box.emplace_back(pv::range(0, extent));
        const pv::MutableTensor<T> part(pv::select_operand(out.operand(), box));
        std::vector<pv::Tensor<T>> operands = x;
        if (in_place) operands.back() = part;
        const pv::Tensor<T> source = combined(operands, operations);
        for (int repeat = 0; repeat < 2; ++repeat) pv::copy(source, part);
        return pv::to_vector(out);
    };
    std::vector<T> expected; // by a plan of its own: threads do not share plans
    std::thread([&] { expected = result_of(Translation::never); }).join();
    const std::vector<T> actual = result_of(Translation::at_once);
    INFO("seed " << seed << ", shape " << pv::to_string(shape) << ", " << count << " operands");
    REQUIRE(std::memcmp(expected.data(), actual.data(), expected.size() * sizeof(T)) == 0);
}

/// More than is written through the caches, in rows that begin `first` elements behind a cache line.
template <typename T>
void check_long_rows(index_t first) {
    CAPTURE(first, sizeof(T));
    const index_t columns = 8192 / index_t{sizeof(T)};
    const index_t rows = (index_t{17} << 20) / 8192;
    const auto x = pv::empty<T>({rows, columns});
    index_t k = 0;
    for (auto&& each : x) each = static_cast<T>(++k * 7 % 101);
    const auto out = pv::full<T>({rows, columns}, T{1});
    const pv::Range inside(first, columns - 3), before(first - 1, columns - 4);
    const pv::Tensor<T> difference = x(pv::all, inside) - x(pv::all, before);
    pv::copy(difference, out(pv::all, inside));
    // Into columns, in place.
    const auto turned = pv::clone(x);
    const auto part = turned(pv::all, inside);
    pv::copy(pv::transpose(part) * T{2}, pv::transpose(part));
    const auto same = [&] {
        for (index_t i = 0; i < rows; ++i) {
            const T* const from = &x.data()[i * columns];
            const T* const to = &out.data()[i * columns];
            const T* const twice = &turned.data()[i * columns];
            for (index_t j = 0; j < columns; ++j) {
                const bool is_inside = j >= first && j < columns - 3;
                if (to[j] != (is_inside ? static_cast<T>(from[j] - from[j - 1]) : T{1}))
                    return false;
                if (twice[j] != static_cast<T>(is_inside ? from[j] * 2 : from[j])) return false;
            }
        }
        return true;
    };
    CHECK(same());
}

} // namespace

TEST_CASE("Machine code: rows of views") {
    for (unsigned seed = 0; seed < oracle::rounds(600u); ++seed) {
        check_views<float>(seed);
        check_views<double>(seed);
        check_views<std::int32_t>(seed);
        check_views<std::int64_t>(seed);
    }
    set_translation(Translation::when_worthwhile);
}

TEST_CASE("Machine code: rows of several planes, by parts that begin and end anywhere") {
    using namespace pv::engine;
    set_translation(Translation::at_once);
    std::mt19937 random(5);
    int parts = 0;
    for (const pv::Shape& shape : {pv::Shape{7, 9}, {5, 4, 9}, {3, 4, 5, 9}, {2, 3, 2, 4, 9}}) {
        CAPTURE(pv::to_string(shape));
        pv::Shape larger = shape;
        for (index_t& extent : larger) extent += 2;
        const auto whole = pv::empty<float>(larger);
        index_t k = 0;
        for (auto&& each : whole) each = static_cast<float>(++k * 7 % 101);
        const auto box_from = [&](const pv::MutableTensor<float>& x, index_t first) {
            std::vector<pv::TensorIndex> box;
            for (const index_t extent : shape) box.emplace_back(pv::range(first, first + extent));
            return pv::MutableTensor<float>(pv::select_operand(x.operand(), box));
        };
        const auto out = pv::full(larger, -1.f);
        const auto part = box_from(out, 1);
        const pv::Tensor<float> low = box_from(whole, 0), high = box_from(whole, 2);
        const pv::Tensor<float> source = low * 2 - high;
        const Values values(source.operand());
        const auto plan =
            plan_for(values, {Walk::any_order, &part.dimensions(), TileOp::none, nullptr});
        Runner runner(*plan, values);
        auto* const place = reinterpret_cast<std::byte*>(&out.data()[part.dimensions().base()]);
        for (index_t done = 0; done < plan->size; ++parts) {
            const auto rows = 1 + static_cast<index_t>(random() % 23);
            const index_t count = std::min(rows * plan->row, plan->size - done);
            if (!runner.run_rows(done, count, place, index_t{sizeof(float)}))
                break; // of other processors
            done += count;
            if (done == plan->size) {
                const auto a = pv::to_vector(low), b = pv::to_vector(high);
                std::vector<float> expected;
                for (std::size_t i = 0; i < a.size(); ++i) expected.push_back(a[i] * 2 - b[i]);
                CHECK(pv::to_vector(part) == expected);
                pv::fill(part, -1.f);
                CHECK(pv::all_of(out == -1.f));
            }
        }
    }
    set_translation(Translation::when_worthwhile);
    CAPTURE(parts);
}

TEST_CASE("Operations that differ in the order of their operands have plans of their own") {
    const index_t n = 12;
    const auto whole = pv::empty({3, n, n + 1});
    index_t k = 0;
    for (auto&& each : whole) each = static_cast<double>(++k * 7 % 101);
    const auto x = whole(0, pv::all, pv::range(1, n + 1));
    const auto y = whole(1, pv::all, pv::range(1, n + 1));
    const auto z = whole(2, pv::all, pv::range(1, n + 1));
    const auto check = [&](const pv::Tensor<double>& made, auto expected) {
        const auto out = pv::full({n, 2 * n}, -1.0);
        pv::copy(made, out(pv::all, pv::range(0, n)));
        bool same = true;
        for (index_t i = 0; i < n; ++i)
            for (index_t j = 0; j < n; ++j)
                same &= out(i, j) == expected(x(i, j), y(i, j), z(i, j));
        CHECK(same);
    };
    check(x - y, [](double a, double b, double) { return a - b; });
    check(y - x, [](double a, double b, double) { return b - a; });
    check((x - y) - x, [](double a, double b, double) { return (a - b) - a; });
    check(x - (x - y), [](double a, double b, double) { return a - (a - b); });
    check((x - y) - y, [](double a, double b, double) { return (a - b) - b; });
    check(pv::where(x < y, y, z), [](double a, double b, double c) { return a < b ? b : c; });
    check(pv::where(x < y, z, y), [](double a, double b, double c) { return a < b ? c : b; });
    check(pv::where(y < x, y, z), [](double a, double b, double c) { return b < a ? b : c; });
    // More operands than fit into one word.
    const auto five = [](double a, double b, double c, double d, double e) {
        return a + 2 * b + 3 * c + 4 * d + 5 * e;
    };
    check(pv::emap(five, x, y, z, y, x),
          [&](double a, double b, double c) { return five(a, b, c, b, a); });
    check(pv::emap(five, x, y, z, x, y),
          [&](double a, double b, double c) { return five(a, b, c, a, b); });
    check(pv::emap(five, y, x, z, x, y),
          [&](double a, double b, double c) { return five(b, a, c, a, b); });
}

TEST_CASE("Machine code: lanes beyond the end of a row raise nothing") {
    set_translation(Translation::at_once);
    const auto check = [](auto one, pv::index_t length) {
        using T = decltype(one);
        const pv::Tensor<T> x = pv::full({5, length + 3}, one);
        const pv::Tensor<T> inner(x(pv::all, pv::range(2, 2 + length)));
        pv::MutableTensor<T> out = pv::full({5, length + 1}, T{8});
        const pv::MutableTensor<T> part(out(pv::all, pv::range(0, length)));
        std::feclearexcept(FE_ALL_EXCEPT);
        pv::copy(T{2} / inner, part);
        pv::copy(inner / part, part);
        CHECK(pv::sum(one / part) == T(10 * length));
        CHECK(std::fetestexcept(FE_DIVBYZERO | FE_INVALID) == 0);
        CHECK(pv::sum(out(pv::all, length)) == T{40});
    };
    for (pv::index_t length = 1; length < 80; ++length) {
        check(1.f, length);
        check(1.0, length);
    }
    set_translation(Translation::when_worthwhile);
}

TEST_CASE("Long rows that begin between cache lines") {
    for (const index_t first : {1, 2, 5, 8, 16}) {
        check_long_rows<float>(first);
        check_long_rows<double>(first);
        check_long_rows<std::uint8_t>(first);
    }
}

} // namespace rows_in_place_test
