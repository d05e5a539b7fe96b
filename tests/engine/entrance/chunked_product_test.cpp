#include <support/catch.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <cmath>
#include <complex>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace chunked_product_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Threads;
using oracle::Twins;
using pv::index_t;

/// Random small integers, so that sums are exact in any order, or others.
template <typename T>
Twins<T> twins_of(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed,
                  bool integers = false) {
    return {shape, chunk, [random = std::mt19937(seed), integers](index_t) mutable {
                const auto number = static_cast<double>(random() % 200) - 100;
                return static_cast<T>(integers ? number : number / 7);
            }};
}

/// `[m, k] × [k, n] → [m, n]`, by loops.
template <typename T>
auto by_loops(const pv::Tensor<T>& x, const pv::Tensor<T>& y) {
    using R = pv::Accumulated<T>;
    const index_t m = x.extent(0);
    const index_t k = x.extent(1);
    const index_t n = y.extent(1);
    const std::vector<T> a = pv::to_vector(x);
    const std::vector<T> b = pv::to_vector(y);
    std::vector<R> sums(static_cast<std::size_t>(m * n));
    for (index_t i = 0; i < m; ++i)
        for (index_t l = 0; l < k; ++l)
            for (index_t j = 0; j < n; ++j)
                sums[static_cast<std::size_t>(i * n + j)] +=
                    static_cast<R>(a[static_cast<std::size_t>(i * k + l)]) *
                    static_cast<R>(b[static_cast<std::size_t>(l * n + j)]);
    return sums;
}

index_t some(std::mt19937& random, index_t least, index_t most) {
    return least + static_cast<index_t>(random()) % (most - least + 1);
}

/// Random shapes and chunks: exactly the sums of nested loops, as elements are integers.
template <typename T>
void check_random_products(int seeds) {
    std::mt19937 random(static_cast<unsigned>(seeds));
    for (unsigned seed = 0; seed < static_cast<unsigned>(oracle::rounds(seeds)); ++seed) {
        const index_t m = some(random, 2, 100);
        const index_t k = some(random, 2, 900);
        const index_t n = some(random, 2, 100);
        const auto x =
            twins_of<T>({m, k}, {some(random, 20, 70), some(random, 20, 200)}, seed, true);
        const auto y =
            twins_of<T>({k, n}, {some(random, 20, 200), some(random, 20, 70)}, seed + 50, true);
        const auto turned =
            twins_of<T>({n, k}, {some(random, 20, 70), some(random, 20, 200)}, seed, true);
        CAPTURE(seed, m, k, n);
        const auto expected = by_loops<T>(x.memory, y.memory);
        const auto of_turned = by_loops<T>(x.memory, pv::transpose(turned.memory));
        for (const int threads : {1, 3})
            for (const index_t limit : {index_t{5} << 18, index_t{1} << 27}) {
                const Threads some_threads(threads);
                const MemoryLimit limited(limit);
                CHECK(pv::to_vector(pv::matmul(x.chunks, y.chunks)) == expected);
                CHECK(pv::to_vector(pv::matmul(x.chunks, y.memory)) == expected);
                CHECK(pv::to_vector(pv::matmul(x.memory, y.chunks)) == expected);
                CHECK(pv::to_vector(pv::matmul(x.chunks, pv::transpose(turned.chunks))) ==
                      of_turned);
                CHECK(pv::to_vector(pv::matmul(-x.chunks, -y.chunks)) == expected);
                CHECK(pv::chunk_statistics().peak_bytes <= limit);
            }
    }
}

TEST_CASE("products of matrices in chunks are those of nested loops") {
    check_random_products<double>(12);
    check_random_products<float>(6);
    check_random_products<std::int32_t>(4);
    check_random_products<std::complex<double>>(4);
}

TEST_CASE("products of an array in chunks with itself, turned or not") {
    const auto x = twins_of<double>({150, 150}, {35, 41}, 1, true);
    const MemoryLimit limited(3 << 18);
    const auto turned = [](const pv::Tensor<double>& a) { return pv::transpose(a); };
    using X = pv::Tensor<double>;
    const auto check = [&](const X& a, const X& b, const X& stored_a, const X& stored_b) {
        CHECK(pv::to_vector(pv::matmul(stored_a, stored_b)) == by_loops<double>(a, b));
    };
    check(x.memory, x.memory, x.chunks, x.chunks);
    check(turned(x.memory), x.memory, turned(x.chunks), x.chunks);
    check(x.memory, turned(x.memory), x.chunks, turned(x.chunks));
    check(turned(x.memory), turned(x.memory), turned(x.chunks), turned(x.chunks));
}

TEST_CASE("the bits of a product of chunks depend neither on the limit nor on threads") {
    const auto x = twins_of<double>({300, 450}, {90, 110}, 1);
    const auto y = twins_of<double>({450, 250}, {110, 70}, 2);
    const auto expected = by_loops<double>(x.memory, y.memory);
    const auto found = pv::to_vector(pv::matmul(x.chunks, y.chunks));
    double most = 0;
    for (std::size_t i = 0; i < found.size(); ++i)
        most = std::max(most, std::abs(found[i] - expected[i]));
    CHECK(most < 450 * 250 * 1e-15);
    for (const int threads : {1, 2, 5})
        for (const index_t limit : {4, 6, 8, 16, 32}) {
            const Threads some_threads(threads);
            const MemoryLimit limited(limit << 18);
            CHECK(pv::to_vector(pv::matmul(x.chunks, y.chunks)) == found);
            CHECK(pv::chunk_statistics().peak_bytes <= limit << 18);
        }
}

TEST_CASE("batches and products over several axes of chunks") {
    const auto x = twins_of<double>({5, 40, 30, 20}, {2, 13, 30, 11}, 1, true);
    const auto y = twins_of<double>({5, 20, 9}, {1, 11, 9}, 2, true);
    const auto w = twins_of<double>({30, 20, 7}, {8, 9, 7}, 3, true);
    using X = pv::Tensor<double>;
    const auto batch = [](const X& a, const X& b) {
        return pv::to_vector(pv::matmul(a(pv::all, pv::all, 3), b));
    };
    const auto many_rows = [](const X& a, const X& b) {
        return pv::to_vector(pv::matmul(a, b(0, pv::all, pv::all)));
    };
    const auto two_summed = [](const X& a, const X& b) {
        const X turned = pv::transpose(b, {2, 0, 1});
        return pv::to_vector(pv::sum(a(0, pv::all, pv::new_axis) * turned(pv::new_axis), {2, 3}));
    };
    const MemoryLimit limited(2 << 20);
    CHECK(batch(x.chunks, y.chunks) == batch(x.memory, y.memory));
    CHECK(many_rows(x.chunks, y.chunks) == many_rows(x.memory, y.memory));
    CHECK(two_summed(x.chunks, w.chunks) == two_summed(x.memory, w.memory));
    CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
}

TEST_CASE(
    "chunks of factors are read once where a panel of each fits, else as few times as parts are held") {
    const auto x = twins_of<float>({1024, 1024}, {128, 128}, 1, true);
    const auto y = twins_of<float>({1024, 1024}, {128, 128}, 2, true);
    const auto reads = [&](index_t limit, const auto& of) {
        const MemoryLimit limited(limit);
        x.stored->reads = y.stored->reads = 0;
        of();
        CHECK(pv::chunk_statistics().peak_bytes <= limit);
        return std::pair(x.stored->reads.load(), y.stored->reads.load());
    };
    const auto product = [&] { return pv::matmul(x.chunks, y.chunks); };
    // A panel of each, 256 of 1024 coordinates of the sum, has 1 MiB.
    CHECK(reads(5 << 20, product) == std::pair(64, 64));
    CHECK(reads(3 << 20, product) == std::pair(64, 64));
    const auto [of_x, of_y] = reads(1 << 20, product);
    CHECK(std::min(of_x, of_y) == 64);
    CHECK(std::max(of_x, of_y) <= 4 * 64);
    CHECK(reads(4 << 20, [&] { return pv::matmul(x.chunks, y.memory); }) == std::pair(64, 0));
    CHECK(reads(3 << 20, [&] { return pv::matmul(pv::transpose(x.chunks), x.chunks); }) ==
          std::pair(64, 0));
    const pv::MutableTensor<float> vector = pv::ones<float>({1024});
    CHECK(reads(1 << 20, [&] { return pv::matmul(x.chunks, vector); }) == std::pair(64, 0));
    CHECK(reads(1 << 20, [&] { return pv::matmul(vector, x.chunks); }) == std::pair(64, 0));
}

TEST_CASE("a product of chunks says its parts, and what has no room is refused by name") {
    const auto x = twins_of<double>({1024, 1024}, {256, 256}, 1);
    const MemoryLimit limited(4 << 20);
    const std::string text = pv::explain(
        pv::sum, x.chunks(pv::all, pv::new_axis) * pv::transpose(x.chunks)(pv::new_axis), 2);
    INFO(text);
    CHECK(text.find("product of panels in 4 steps") != std::string::npos);
    pv::set_memory_limit(5 << 18);
    CHECK_THROWS_WITH(pv::matmul(x.chunks, x.chunks), Catch::ContainsSubstring("matmul"));
}

} // namespace chunked_product_test
