/// Machine code that goes from row to row of views, beside threaded code.

#include "engine/machine_code/machine_code.hpp"

#include <purview/purview.hpp>

#include <support/catch.hpp>
#include <support/rounds.hpp>

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
