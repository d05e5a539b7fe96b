#pragma once

#include <support/catch.hpp>
#include <support/random_choice.hpp>

#include <purview/evaluation/evaluate.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/tensor.hpp>
#include <purview/tensor/tensor_reader.hpp>

#include <algorithm>
#include <cstdint>
#include <functional>
#include <ranges>
#include <sstream>
#include <string>
#include <vector>

namespace oracle {

namespace pv = purview;

/// The element at coordinates whose number is known only at run time, by integer indexing.
template <typename X>
auto element_at(const X& x, const Coordinates& g) {
    using T = typename X::value_type;
    switch (g.size()) {
    case 0: return T(x());
    case 1: return T(x(g[0]));
    case 2: return T(x(g[0], g[1]));
    case 3: return T(x(g[0], g[1], g[2]));
    case 4: return T(x(g[0], g[1], g[2], g[3]));
    case 5: return T(x(g[0], g[1], g[2], g[3], g[4]));
    default: return T(x(g[0], g[1], g[2], g[3], g[4], g[5]));
    }
}

template <typename T>
bool same_values(const std::vector<T>& a, const std::vector<T>& b) {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i)
        if (!same<T>(a[i], b[i])) return false;
    return true;
}

/// Every way of reading agrees with the twin.
template <typename X, typename T>
void expect_same(Random& random, const X& real, const Oracle<T>& naive) {
    const pv::Shape shape = real.shape();
    REQUIRE(Coordinates(shape.begin(), shape.end()) == naive.shape);
    REQUIRE(real.rank() == static_cast<int>(naive.rank()));
    const index_t n = naive.size();
    REQUIRE(real.size() == n);

    const bool whole = same_values<T>(pv::to_vector(real), naive.values);
    if (!whole) CHECK(pv::to_vector(real) == naive.values);
    REQUIRE(whole);

    switch (random.between(0, 6)) {
    case 0: { // iteration, forwards and backwards
        std::vector<T> forwards;
        for (const T value : real) forwards.push_back(value);
        REQUIRE(same_values(forwards, naive.values));
        std::vector<T> backwards;
        auto it = real.end();
        while (it != real.begin()) backwards.push_back(T(*--it));
        std::ranges::reverse(backwards);
        REQUIRE(same_values(backwards, naive.values));
        REQUIRE(std::ranges::ssize(real) == n);
        break;
    }
    case 1: { // blocks
        const pv::Evaluation evaluation(real.operand());
        for (int i = 0; i < 4; ++i) {
            const index_t begin = random.between(0, n);
            const index_t count = random.between(0, n - begin);
            std::vector<T> block(static_cast<std::size_t>(count) + 1);
            const T behind = block.back();
            evaluation.read(begin, count, block.data());
            REQUIRE(same<T>(block.back(), behind));
            block.pop_back();
            REQUIRE(same_values(block, std::vector<T>(naive.values.begin() + begin,
                                                      naive.values.begin() + begin + count)));
        }
        break;
    }
    case 2: { // a copy in memory of its own
        const pv::MutableTensor<T> copy = pv::clone(real);
        REQUIRE((copy.is_contiguous() || pv::is_sparse(copy)));
        REQUIRE_FALSE(copy.is_read_only());
        REQUIRE_FALSE(pv::shares_storage(copy, real));
        REQUIRE(same_values(pv::to_vector(copy), naive.values));
        const auto packed = pv::contiguous(real);
        REQUIRE(packed.is_contiguous());
        REQUIRE(same_values(pv::to_vector(packed), naive.values));
        break;
    }
    case 3: { // as a reader
        const pv::ReaderPtr<T> reader = pv::as_reader(real);
        REQUIRE(reader->size() == n);
        if (n == 0) break;
        const index_t begin = random.between(0, n - 1);
        const index_t step = random.between(-3, 3);
        index_t count = 0;
        std::vector<T> expected;
        Coordinates indexes;
        for (index_t i = begin; i >= 0 && i < n && count < 40; i += step, ++count) {
            expected.push_back(naive.values[static_cast<std::size_t>(i)]);
            indexes.push_back(i);
            REQUIRE(same<T>(reader->read(i), expected.back()));
        }
        std::vector<T> block(expected.size());
        reader->read_into(begin, step, count, block.data());
        REQUIRE(same_values(block, expected));
        std::ranges::fill(block, T{});
        reader->gather_into(indexes, block.data());
        REQUIRE(same_values(block, expected));
        break;
    }
    case 4: { // assigned to memory laid out otherwise
        const pv::MutableTensor<T> copy =
            pv::copy(real, pv::empty<T>(real.shape(), pv::Order::column_major));
        REQUIRE(same_values(pv::to_vector(copy), naive.values));
        break;
    }
    default: break;
    }

    for (int i = 0; i < 3 && n > 0; ++i) { // one by one
        const index_t index = random.between(0, n - 1);
        Coordinates g(naive.rank());
        index_t rest = index;
        for (std::size_t a = g.size(); a-- > 0; rest /= naive.shape[a])
            g[a] = rest % naive.shape[a];
        const T expected = naive.at(g);
        if (random.one_in(2) && !g.empty()) { // counted from the end
            const std::size_t a = random.axis_of(g);
            g[a] -= naive.shape[a];
        }
        REQUIRE(same<T>(real.read(index), expected));
        REQUIRE(same<T>(real.begin()[index], expected));
        if (g.size() <= 6) REQUIRE(same<T>(element_at(real, g), expected));
    }
}

// Each is compiled once, in random_cases.cpp.
extern template void expect_same(Random&, const pv::Tensor<std::int16_t>&,
                                 const Oracle<std::int16_t>&);
extern template void expect_same(Random&, const pv::Tensor<std::int32_t>&,
                                 const Oracle<std::int32_t>&);
extern template void expect_same(Random&, const pv::Tensor<std::int64_t>&,
                                 const Oracle<std::int64_t>&);
extern template void expect_same(Random&, const pv::Tensor<std::uint8_t>&,
                                 const Oracle<std::uint8_t>&);
extern template void expect_same(Random&, const pv::Tensor<float>&, const Oracle<float>&);
extern template void expect_same(Random&, const pv::Tensor<double>&, const Oracle<double>&);
extern template void expect_same(Random&, const pv::Tensor<std::string>&,
                                 const Oracle<std::string>&);
extern template void expect_same(Random&, const pv::MutableTensor<std::int16_t>&,
                                 const Oracle<std::int16_t>&);
extern template void expect_same(Random&, const pv::MutableTensor<std::int32_t>&,
                                 const Oracle<std::int32_t>&);
extern template void expect_same(Random&, const pv::MutableTensor<std::int64_t>&,
                                 const Oracle<std::int64_t>&);
extern template void expect_same(Random&, const pv::MutableTensor<double>&, const Oracle<double>&);
extern template void expect_same(Random&, const pv::MutableTensor<std::string>&,
                                 const Oracle<std::string>&);

/// The elements in a printed tensor, in order, whatever the brackets.
inline std::vector<std::string> printed_elements(const pv::AnyTensor& tensor) {
    std::ostringstream out;
    out << tensor;
    std::string text = out.str();
    text.erase(0, text.find('\n') + 1);
    std::ranges::replace_if(
        text, [](char c) { return c == '[' || c == ']'; }, ' ');
    std::istringstream in(text);
    std::vector<std::string> elements;
    for (std::string element; in >> element;) elements.push_back(element);
    return elements;
}

} // namespace oracle
