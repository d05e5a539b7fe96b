#pragma once

#include <purview/dtype/half.hpp>
#include <purview/purview.hpp>

#include <bit>
#include <complex>
#include <concepts>
#include <cstdint>
#include <iomanip>
#include <iostream>
#include <limits>
#include <string_view>
#include <tuple>
#include <vector>

namespace pv = purview;

/// FNV-1a of the bits of numbers. All NaNs count as one: x86 makes negative ones, aarch64 positive ones.
class Hash {
public:
    void add(bool x) { add_word(x ? 1 : 0); }
    template <std::integral T>
    void add(T x) {
        add_word(static_cast<std::uint64_t>(x));
    }
    void add(double x) { add_word(x != x ? ~std::uint64_t{0} : std::bit_cast<std::uint64_t>(x)); }
    void add(float x) { add(static_cast<double>(x)); }
    void add(pv::Half x) { add(static_cast<float>(x)); }
    void add(pv::BFloat16 x) { add(static_cast<float>(x)); }
    template <typename T>
    void add(const std::complex<T>& z) {
        add(z.real());
        add(z.imag());
    }
    template <typename... T>
    void add(const std::tuple<T...>& parts) {
        std::apply([&](const T&... part) { (add(part), ...); }, parts);
    }
    template <pv::array_like X>
    void add(const X& x) {
        for (const auto extent : pv::as_tensor(x).shape()) add(extent);
        for (const auto& element : pv::to_vector(pv::as_tensor(x))) add(element);
    }
    std::uint64_t value() const { return value_; }

private:
    void add_word(std::uint64_t word) {
        for (int byte = 0; byte < 8; ++byte, word >>= 8)
            value_ = (value_ ^ (word & 0xff)) * 0x100000001b3;
    }
    std::uint64_t value_ = 0xcbf29ce484222325;
};

/// Prints the operation, the type and the hash of the results.
template <typename T>
void print_line(std::string_view operation, const Hash& hash) {
    std::cout << operation << ' ' << pv::kDType<T>.name() << ' ' << std::hex << std::setw(16)
              << std::setfill('0') << hash.value() << std::dec << '\n';
}

template <typename T, typename... R>
void line(std::string_view operation, const R&... results) {
    Hash hash;
    (hash.add(results), ...);
    print_line<T>(operation, hash);
}

/// Two matrices of one shape, of which y has no zero, no infinity and no NaN.
template <typename T>
struct Pair {
    pv::Tensor<T> x, y;
};

/// The line of `f(x, y)` for all pairs together.
template <typename T, typename F>
void line_of_pairs(std::string_view operation, const std::vector<Pair<T>>& pairs, const F& f) {
    Hash hash;
    for (const auto& [x, y] : pairs) hash.add(f(x, y));
    print_line<T>(operation, hash);
}

/// Numbers from `low` to `high`, of a whole-numbered seed.
template <typename T>
pv::Tensor<T> numbers(const pv::Shape& shape, std::uint64_t seed, double low, double high) {
    return pv::clone(
        pv::unchecked_cast<T>(pv::random_uniform<double>(shape, seed) * (high - low) + low));
}

/// The pair as it lies in memory, and through views: transposed, turned, every second column, a crop.
template <typename T>
std::vector<Pair<T>> seen(const Pair<T>& pair) {
    const auto both = [&](const auto& view) { return Pair<T>{view(pair.x), view(pair.y)}; };
    return {pair, both([](const pv::Tensor<T>& t) -> pv::Tensor<T> { return pv::transpose(t); }),
            both([](const pv::Tensor<T>& t) -> pv::Tensor<T> { return pv::flip(t, {1}); }),
            both([](const pv::Tensor<T>& t) -> pv::Tensor<T> {
                return t(pv::all, pv::range(0, t.extent(1), 2));
            }),
            both([](const pv::Tensor<T>& t) -> pv::Tensor<T> {
                return t(pv::range(1, -1), pv::range(3, -2));
            })};
}

void lines_of_elements();
void lines_of_folds();
void lines_of_orders();
