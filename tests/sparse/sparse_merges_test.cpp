#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <cmath>
#include <map>

namespace sparse_merges_test {

// Sums, differences and products of lists that are long enough for the merges, and their ends.

namespace {

using namespace oracle;
using Indexes = std::vector<pv::index_t>;

template <typename T>
using Stored = std::map<pv::index_t, T>;

/// Indexes in one part of the whole, so that two lists overlap anyhow or not at all.
template <typename T>
Stored<T> random_stored(Random& random, pv::index_t size, T fill) {
    const pv::index_t begin = random.one_in(2) ? 0 : random.between(0, size - 1);
    const pv::index_t end = random.one_in(2) ? size : random.between(begin, size);
    const pv::index_t apart = random.between(1, random.one_in(2) ? 3 : 60);
    Stored<T> stored;
    for (pv::index_t i = begin; i < end; i += random.between(1, apart))
        stored[i] = random.one_in(9) ? fill : any_value<T>(random);
    return stored;
}

template <typename T>
pv::Tensor<T> tensor_of(const Stored<T>& stored, pv::index_t size, T fill) {
    Indexes indexes;
    std::vector<T> values;
    for (const auto& [index, value] : stored) {
        indexes.push_back(index);
        values.push_back(value);
    }
    return pv::sparse_tensor<T>({size}, std::move(indexes), std::move(values), fill);
}

/// Whether zeros of both signs are told apart: not in products, where a fill of 0 annihilates.
enum class Zeros { told_apart, alike };

template <typename T>
void expect_merged(const pv::Tensor<T>& result, const Stored<T>& x, T fill_x, const Stored<T>& y,
                   T fill_y, auto f, Zeros zeros = Zeros::told_apart) {
    const auto pairs = pv::sparse_pairs(pv::clone(result));
    Stored<T> all = x;
    all.insert(y.begin(), y.end());
    // Nothing shows the fill where everything is stored.
    const bool shows = std::ssize(all) < result.size();
    const T fill = shows ? f(fill_x, fill_y) : pairs->fill();
    const auto differs = [&](T value, T other) {
        if (!pv::same_element(value, other)) return true;
        if constexpr (std::floating_point<T>)
            return zeros == Zeros::told_apart && value == 0 &&
                   std::signbit(value) != std::signbit(other);
        return false;
    };
    Stored<T> expected;
    for (const auto& [i, ignored] : all) {
        const T value = f(x.contains(i) ? x.at(i) : fill_x, y.contains(i) ? y.at(i) : fill_y);
        if (differs(value, fill)) expected[i] = value;
    }
    REQUIRE(same<T>(pairs->fill(), fill));
    Stored<T> found;
    for (std::size_t p = 0; p < pairs->indexes().size(); ++p)
        if (zeros == Zeros::told_apart || differs(pairs->values()[p], fill))
            found[pairs->indexes()[p]] = pairs->values()[p];
    REQUIRE(found.size() == expected.size());
    auto p = found.begin();
    for (const auto& [index, value] : expected) {
        REQUIRE(p->first == index);
        REQUIRE(same<T>((p++)->second, value));
    }
}

template <typename T>
void random_merges(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const pv::index_t size = random.between(1, 6000);
    const T fill_x = random.one_in(2) ? T{} : small_value<T>(random);
    const T fill_y = random.one_in(2) ? T{} : small_value<T>(random);
    const Stored<T> x = random_stored<T>(random, size, fill_x);
    const Stored<T> y = random.one_in(8) ? x : random_stored<T>(random, size, fill_y);
    const pv::Tensor<T> a = tensor_of(x, size, fill_x);
    const pv::Tensor<T> b = tensor_of(y, size, fill_y);
    const auto minus = [](T p, T q) { return static_cast<T>(p - q); };
    expect_merged<T>(a + b, x, fill_x, y, fill_y, [](T p, T q) { return static_cast<T>(p + q); });
    expect_merged<T>(a - b, x, fill_x, y, fill_y, minus);
    expect_merged<T>(
        a * b, x, fill_x, y, fill_y, [](T p, T q) { return static_cast<T>(p * q); }, Zeros::alike);
    // By the lists alone.
    expect_merged<T>((a + b) - b, x, fill_x, y, fill_y,
                     [](T p, T q) { return static_cast<T>(static_cast<T>(p + q) - q); });
}

} // namespace

TEST_CASE("merges of sparse lists agree with maps") {
    for (unsigned seed = 0; seed < oracle::rounds(250U); ++seed) {
        random_merges<double>(seed);
        random_merges<float>(seed + 1000);
        random_merges<std::int32_t>(seed + 2000);
    }
}

TEST_CASE("merges of whole leaves, of their beginnings and of other parts") {
    Random random(7);
    constexpr pv::index_t size = 3000;
    const Stored<double> x = random_stored<double>(random, size, 0);
    Stored<double> y;
    for (pv::index_t i = 0; i < size; i += 3) y[i] = any_value<double>(random);
    const pv::Tensor<double> a = tensor_of<double>(x, size, 0);
    const pv::Tensor<double> b = tensor_of<double>(y, size, 2);
    const pv::Tensor<double> sum = a + b;
    const auto part = [](const Stored<double>& of, pv::index_t begin, pv::index_t end) {
        Stored<double> result;
        for (const auto& [i, value] : of)
            if (i >= begin && i < end) result[i - begin] = value;
        return result;
    };
    const auto plus = [](double p, double q) { return p + q; };
    expect_merged<double>(sum, x, 0, y, 2, plus);
    expect_merged<double>(b + b, y, 2, y, 2, plus);
    for (const auto& [begin, end] : {std::pair<pv::index_t, pv::index_t>{0, 1000}, {1000, 2500}}) {
        const auto p = part(x, begin, end);
        const auto q = part(y, begin, end);
        const pv::Range range(begin, end);
        expect_merged<double>(sum(range), p, 0, q, 2, plus);
        expect_merged<double>(a(range) + b(range), p, 0, q, 2, plus);
        expect_merged<double>(a(range) + b(pv::Range(0, end - begin)), p, 0,
                              part(y, 0, end - begin), 2, plus);
    }
    expect_merged<double>(pv::Tensor<double>(a | pv::reshape(30, 100)) + (b | pv::reshape(30, 100)),
                          x, 0, y, 2, plus);
}

TEST_CASE("results that equal the fill stay until few entries are pruned") {
    // Folds of them round as those of other operations, which do not look for such results.
    const auto x = pv::sparse_tensor<double>({50}, Indexes{3, 8}, {0.5, 2.0}, 1.0);
    const auto y = pv::sparse_tensor<double>({50}, Indexes{3, 20}, {0.5, 4.0}, 0.0);
    const auto sum = x + y; // 1 at index 3
    CHECK(pv::SparseEvaluation(sum.operand()).stored() == 3);
    CHECK(pv::sparse_pairs(pv::clone(sum))->stored() == 2);
    CHECK(pv::SparseEvaluation((x * x).operand()).stored() == 2);
    CHECK(pv::SparseEvaluation((x * y).operand()).stored() == 2);
    CHECK(pv::SparseEvaluation((y * y).operand()).stored() == 2);
}

} // namespace sparse_merges_test
