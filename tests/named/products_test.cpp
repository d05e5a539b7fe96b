#include "named_support.hpp"

#include <cstdint>

namespace products_test {

namespace {

using pv::index_t;

/// Small whole numbers, so that sums are exact in any order.
template <typename T>
pv::Tensor<T> numbers(pv::Shape shape, index_t step) {
    const pv::Tensor<index_t> counting = counted<index_t>(shape) * step;
    return pv::clone(pv::cast<T>(counting % 7 - 3));
}

template <typename T>
void check_chain() {
    const auto A = numbers<T>({30, 40}, 3);
    const auto B = numbers<T>({40, 20}, 5);
    const auto C = numbers<T>({20, 10}, 11);
    const auto v = numbers<T>({10}, 2);
    const auto [i, j, k, l] = pv::dims("i", "j", "k", "l");
    const auto product = A(i, j) * B(j, k) * C(k, l) * v(l);
    const std::string text = pv::explain(pv::sum, product, j, k, l);
    CAPTURE(text);
    CHECK(text.find("4 factors pair by pair") != std::string::npos);
    const pv::Tensor<pv::Accumulated<T>> result = product | pv::sum(j, k, l) | pv::order(i);
    for (index_t a = 0; a < 30; ++a) {
        pv::Accumulated<T> loops = 0;
        for (index_t b = 0; b < 40; ++b)
            for (index_t c = 0; c < 20; ++c)
                for (index_t d = 0; d < 10; ++d) loops += A(a, b) * B(b, c) * C(c, d) * v(d);
        CHECK(result(a) == loops);
    }
}

} // namespace

TEST_CASE("products of many named factors are summed pair by pair") {
    check_chain<double>();
    check_chain<float>();
    check_chain<std::int64_t>();
}

TEST_CASE("a product of narrow integers is summed over dims as einsum and matmul sum it") {
    const auto check = []<typename T>(std::type_identity<T>) {
        const auto A = pv::full<T>({2, 3}, T{100});
        const auto [i, j, k] = pv::dims("i", "j", "k");
        const auto product = A(i, k) * pv::transpose(A)(k, j);
        const auto summed = product | pv::sum(k) | pv::order(i, j);
        CHECK(equal<pv::Accumulated<T>>(summed, pv::einsum("ik,kj->ij", A, pv::transpose(A))));
        CHECK(equal<pv::Accumulated<T>>(summed, pv::matmul(A, pv::transpose(A))));
        CHECK(equal<double>(product | pv::mean(k) | pv::order(i, j), pv::full({2, 2}, 1e4)));
        const auto square = product * product; // shared, and a product of products
        CHECK((square | pv::sum({i, j, k})).item() == 12 * pv::Accumulated<T>{100'000'000});
    };
    check(std::type_identity<std::int8_t>{});
    check(std::type_identity<std::uint8_t>{});
    check(std::type_identity<std::int16_t>{});
    check(std::type_identity<std::uint16_t>{});
    check(std::type_identity<std::int32_t>{});
}

TEST_CASE("squares, sums of products and other sums over dims do not wrap: einsum in 64 bits") {
    const auto [i, j, k] = pv::dims("i", "j", "k");
    const auto u = pv::full<std::uint8_t>({2, 3}, std::uint8_t{200});
    const auto a = u(i, k);
    const auto b = pv::transpose(u)(k, j);
    using Wide = std::vector<std::uint64_t>;
    CHECK(pv::to_vector(pv::sum(a * b, k) | pv::order(i, j)) == Wide(4, 120'000));
    CHECK(pv::to_vector(pv::sum(pv::sq(a), k) | pv::order(i)) == Wide(2, 120'000));
    CHECK(pv::to_vector(pv::sum(pv::sq(a) * a, k) | pv::order(i)) == Wide(2, 24'000'000));
    CHECK(pv::to_vector(pv::sum(a * b + a * b, k) | pv::order(i, j)) == Wide(4, 240'000));
    CHECK(pv::to_vector(pv::sum((a * b - a) * b, k) | pv::order(i, j)) == Wide(4, 23'880'000));
    CHECK(pv::to_vector(pv::compensated_sum(a * b, k) | pv::order(i, j)) == Wide(4, 120'000));
    CHECK(pv::to_vector(pv::mean(pv::sq(a), k) | pv::order(i)) == std::vector<double>(2, 40'000));
    CHECK(pv::to_vector(pv::cumsum(a * b, k) | pv::order(i, j, k)) ==
          Wide{40'000, 80'000, 120'000, 40'000, 80'000, 120'000, 40'000, 80'000, 120'000, 40'000,
               80'000, 120'000});
    CHECK(pv::to_vector(pv::cumsum(pv::sq(a), i) | pv::order(i, k)) ==
          Wide{40'000, 40'000, 40'000, 80'000, 80'000, 80'000});
    const auto s = pv::full<std::int16_t>({2}, std::int16_t{-30'000});
    CHECK(pv::compensated_sum(s(i) * s(i), i).item() == 1'800'000'000);
    CHECK(pv::sum(-(s(i) * s(i)), i).item() == -1'800'000'000);
    // Positional elements, and sums without a product, keep the type of their arithmetic.
    CHECK(pv::sum(u * u) == 6 * 64);
    CHECK(pv::to_vector(pv::cumsum(u * u, 1)) == Wide{64, 128, 192, 64, 128, 192});
    CHECK(pv::to_vector(pv::sum(a + a, k) | pv::order(i)) == Wide(2, 3 * 144));
    CHECK(pv::to_vector(pv::cummax(a * b, k) | pv::order(i, j, k)) ==
          std::vector<std::uint8_t>(12, 64));
}

TEST_CASE("numbers, signs and batches do not hide a product") {
    const auto q = numbers<double>({3, 20, 32}, 3);
    const auto k = numbers<double>({3, 24, 32}, 5);
    const auto w = numbers<double>({32, 16}, 2);
    const auto [b, m, n, f, g] = pv::dims("b", "m", "n", "f", "g");
    const auto product = -(q(b, m, f) * 0.5) * k(b, n, f);
    const std::string text = pv::explain(pv::sum, product, f);
    CAPTURE(text);
    CHECK(text.find("fused loop:") == std::string::npos);
    const pv::Tensor<double> scores = product | pv::sum(f) | pv::order(b, m, n);
    const pv::Tensor<double> three =
        q(b, m, f) * w(f, g) * k(b, n, f) | pv::sum(f) | pv::order(b, m, n, g);
    for (index_t x = 0; x < 3; ++x)
        for (index_t y = 0; y < 20; ++y)
            for (index_t z = 0; z < 24; ++z) {
                double loops = 0;
                for (index_t s = 0; s < 32; ++s) loops += -0.5 * q(x, y, s) * k(x, z, s);
                CHECK(scores(x, y, z) == loops);
                for (index_t h = 0; h < 16; h += 5) {
                    double all = 0;
                    for (index_t s = 0; s < 32; ++s) all += q(x, y, s) * w(s, h) * k(x, z, s);
                    CHECK(three(x, y, z, h) == all);
                }
            }
}

TEST_CASE("gathered factors") {
    const auto table = numbers<float>({50, 8}, 3);
    const auto weights = numbers<float>({6, 9}, 5);
    const auto ids = pv::cast<std::int32_t>(counted<index_t>({6, 9}) * 17 % 50) | pv::clone;
    const auto projection = numbers<float>({8, 4}, 2);
    const auto [b, s, f, o] = pv::dims("b", "s", "f", "o");
    const auto rows = table(ids(b, s), f);
    const pv::Tensor<float> weighted = weights(b, s) * rows | pv::sum(s) | pv::order(b, f);
    const pv::Tensor<float> projected =
        weights(b, s) * rows * projection(f, o) | pv::sum(s, f) | pv::order(b, o);
    const pv::Tensor<float> greatest = rows | pv::max(s) | pv::order(f, b);
    for (index_t x = 0; x < 6; ++x) {
        for (index_t y = 0; y < 8; ++y) {
            float loops = 0;
            float most = table(index_t(ids(x, 0)), y);
            for (index_t z = 0; z < 9; ++z) {
                loops += weights(x, z) * table(index_t(ids(x, z)), y);
                most = std::max<float>(most, table(index_t(ids(x, z)), y));
            }
            CHECK(weighted(x, y) == loops);
            CHECK(greatest(y, x) == most);
        }
        for (index_t y = 0; y < 4; ++y) {
            float loops = 0;
            for (index_t z = 0; z < 9; ++z)
                for (index_t g = 0; g < 8; ++g)
                    loops += weights(x, z) * table(index_t(ids(x, z)), g) * projection(g, y);
            CHECK(projected(x, y) == loops);
        }
    }
}

} // namespace products_test
