// A number that does not fit an element is refused wherever it is written; equal types wrap, as arithmetic does.
#include <purview/reader/buffer.hpp>
#include <purview/reader/elements.hpp>
#include <purview/reader/list.hpp>
#include <purview/reader/reverse.hpp>
#include <purview/reader/sparse_buffer.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/sparse_tensor.hpp>
#include <purview/tensor/views.hpp>

#include <support/catch.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <random>
#include <vector>

namespace narrowing_writes_test {

namespace {

namespace pv = purview;
using pv::index_t;

using Limits = std::numeric_limits<std::int64_t>;

TEST_CASE("writing an element checks numbers of other types") {
    const auto t = pv::full<std::uint8_t>({3}, 7);
    for (const int n : {300, 256, -1}) {
        CHECK_THROWS_AS(t(0) = n, pv::CastError);
        CHECK_THROWS_AS(*t.begin() = n, pv::CastError);
        CHECK_THROWS_AS(t(0) = static_cast<double>(n), pv::CastError);
        CHECK_THROWS_AS(t(0) = pv::tensor({n})(0), pv::CastError);
        CHECK(t(0) == 7);
    }
    CHECK_THROWS_WITH(t(0) = 300, "value 300 does not fit uint8");
    t(0) = 255;
    CHECK(t(0) == 255);
    t(0) = 3.9;
    CHECK(t(0) == 3); // fractions are cut off
    t(0) = -0.5;
    CHECK(t(0) == 0);
    CHECK_THROWS_AS(t(0) = std::numeric_limits<double>::quiet_NaN(), pv::CastError);
    CHECK_THROWS_AS(t(0) = 1e300L, pv::CastError);
    enum Code { fine = 3, large = 1000 };
    t(1) = fine;
    CHECK(t(1) == 3);
    CHECK_THROWS_AS(t(1) = large, pv::CastError);
    const auto narrow = pv::zeros<float>({1});
    CHECK_THROWS_AS(narrow(0) = 1e300, pv::CastError);
    narrow(0) = 0.1;
    CHECK(narrow(0) == 0.1F);
    const auto flags = pv::zeros<bool>({1});
    flags(0) = 2;
    CHECK(flags(0));
}

TEST_CASE("compound assignments of equal types wrap, of others must fit") {
    const auto t = pv::full<std::uint8_t>({1}, 250);
    t(0) += std::uint8_t{10};
    CHECK(t(0) == 4);
    CHECK_THROWS_WITH(t(0) += 300, "value 304 does not fit uint8");
    CHECK_THROWS_WITH(t(0) -= 5, "value -1 does not fit uint8");
    CHECK_THROWS_WITH(t(0) *= 100, "value 400 does not fit uint8");
    CHECK(t(0) == 4);
    t(0) += 251;
    CHECK(t(0) == 255);
    ++t(0);
    CHECK(t(0) == 0);
    --t(0);
    CHECK(t(0) == 255);
    t(0) += -250;
    t(0) *= 2.6;
    CHECK(t(0) == 13);
    CHECK_THROWS_AS(t(0) |= 256, pv::CastError);
    t(0) &= ~1;
    CHECK(t(0) == 12);
    CHECK_THROWS_AS(t(0) /= 0, pv::ArithmeticError);
    CHECK_THROWS_AS(t(0) %= std::uint8_t{0}, pv::ArithmeticError);
    CHECK_THROWS_AS(t(0) /= 300, pv::CastError);

    const auto wide = pv::full<std::int64_t>({1}, Limits::max());
    wide(0) += 1; // all that an int holds, int64 holds: this is its arithmetic
    CHECK(wide(0) == Limits::min());
    wide(0) -= std::int64_t{1};
    CHECK(wide(0) == Limits::max());
    ++wide(0);
    wide(0) /= -1;
    CHECK(wide(0) == Limits::min());
    wide(0) %= -1;
    CHECK(wide(0) == 0);
    wide(0) = Limits::max();
    CHECK_THROWS_AS(wide(0) *= std::uint64_t{2}, pv::CastError);
    CHECK_THROWS_AS(wide(0) += 1e300, pv::CastError);
    const auto unsigned_wide = pv::full<std::uint64_t>({1}, 3);
    CHECK_THROWS_AS(unsigned_wide(0) -= 4, pv::CastError);
    CHECK_THROWS_AS(unsigned_wide(0) += Limits::min(), pv::CastError);
    CHECK(unsigned_wide(0) == 3);
}

/// Every sum, difference and product of two narrow integers against exact ones.
template <typename T, typename U>
void check_all_results() {
    const auto place = pv::zeros<T>({1});
    int wrong = 0;
    for (int a = std::numeric_limits<T>::min(); a <= std::numeric_limits<T>::max(); a += 3)
        for (int b = std::numeric_limits<U>::min(); b <= std::numeric_limits<U>::max(); b += 5)
            for (const int operation : {0, 1, 2}) {
                const int exact = operation == 0 ? a + b : operation == 1 ? a - b : a * b;
                const bool fits = exact >= std::numeric_limits<T>::min() &&
                                  exact <= std::numeric_limits<T>::max();
                place(0) = static_cast<T>(a);
                const U operand = static_cast<U>(b);
                bool thrown = false;
                try {
                    if (operation == 0) place(0) += operand;
                    if (operation == 1) place(0) -= operand;
                    if (operation == 2) place(0) *= operand;
                } catch (const pv::CastError&) {
                    thrown = true;
                }
                const bool wraps = pv::HoldsAll<T, U>;
                const T expected = thrown ? static_cast<T>(a) : static_cast<T>(exact);
                wrong += thrown != (!fits && !wraps) || static_cast<T>(place(0)) != expected;
            }
    CHECK(wrong == 0);
}

TEST_CASE("results of narrow integers") {
    check_all_results<std::int8_t, std::int8_t>();
    check_all_results<std::uint8_t, std::int8_t>();
    check_all_results<std::int8_t, std::uint8_t>();
}

TEST_CASE("factories, fills and algorithms check") {
    CHECK_THROWS_AS(pv::full<std::uint8_t>({3}, 300), pv::CastError);
    CHECK_THROWS_AS(pv::full<int>({3}, 3e9), pv::CastError);
    CHECK(pv::full<std::uint8_t>({3}, 255)(1) == 255);
    CHECK_THROWS_AS(pv::sparse_full<std::int8_t>({3}, 128), pv::CastError);

    const auto t = pv::zeros<std::uint8_t>({3});
    const std::vector<int> numbers{1, 300, 2};
    CHECK_THROWS_AS(std::ranges::copy(numbers, t.begin()), pv::CastError);
    CHECK(t(0) == 1); // those before have been written
    CHECK_THROWS_AS(std::ranges::fill(t, -1), pv::CastError);
    CHECK_THROWS_AS(pv::fill(t, 256), pv::CastError);
    std::ranges::copy(std::vector<int>{4, 5, 6}, t.begin());
    std::ranges::fill(t(pv::range(1, 3)), 8);
    CHECK((t(0) == 4 && t(1) == 8 && t(2) == 8));
}

TEST_CASE("readers that are written check") {
    const auto check = [](auto& writer) {
        CHECK_THROWS_AS(writer.write(0, 300), pv::CastError);
        CHECK_THROWS_AS(writer[0] = 300, pv::CastError);
        writer.write(0, 200);
        CHECK(writer.read(0) == 200);
        writer[0] = 201;
        CHECK(writer.read(0) == 201);
        pv::Writer<std::uint8_t>& base = writer;
        CHECK_THROWS_AS(base.write(0, -1), pv::CastError);
    };
    const auto buffer = pv::allocate_buffer<std::uint8_t>(3);
    check(*buffer);
    check(*pv::reverse(buffer));
    pv::SparseBuffer<std::uint8_t> sparse(5);
    check(sparse);
    CHECK_THROWS_AS(sparse.set_constant(0, 3, 256), pv::CastError);
    CHECK_THROWS_AS(pv::SparseBuffer<std::int8_t>(5, 128), pv::CastError);
    CHECK_THROWS_AS(std::ranges::fill(*buffer, 256), pv::CastError);
}

TEST_CASE("lists check, and stay as they were") {
    pv::List<std::uint8_t> list{1, 2};
    const std::vector<int> numbers{3, 300};
    CHECK_THROWS_AS(list.append(300), pv::CastError);
    CHECK_THROWS_AS(list.append(numbers), pv::CastError);
    CHECK_THROWS_AS(list.insert(0, -1), pv::CastError);
    CHECK_THROWS_AS(list.insert(1, numbers), pv::CastError);
    CHECK_THROWS_AS(list.write(0, 1e9), pv::CastError);
    CHECK_THROWS_AS(list.append(pv::tensor({1, 400})), pv::CastError);
    CHECK(list.size() == 2);
    list.append(255);
    list.insert(0, 9);
    list.append(pv::tensor({10, 11}));
    list.write(1, 12.7);
    CHECK(std::ranges::equal(list, std::vector<int>{9, 12, 2, 255, 10, 11}));
}

} // namespace

} // namespace narrowing_writes_test
