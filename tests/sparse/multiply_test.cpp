#include "sparse_oracle.hpp"

#include <support/catch.hpp>
#include <support/rounds.hpp>

#include <purview/evaluation/threads.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/tensor/copy.hpp>

namespace multiply_test {

namespace {

namespace pv = purview;
using oracle::Entries;
using oracle::entries_of;
using oracle::index_t;
using oracle::Random;

template <typename T>
pv::MutableTensor<T> some_numbers(Random& random, pv::AxisValues shape) {
    const pv::MutableTensor<T> result = pv::empty<T>(shape);
    for (auto element : result) element = oracle::random_number<T>(random);
    return result;
}

/// The product of two maps; integers wrap in 64 bits as everywhere.
template <typename T>
Entries<pv::Accumulated<T>> product_of(const Entries<T>& x, const Entries<T>& y) {
    using R = pv::Accumulated<T>;
    Entries<R> result;
    for (const auto& [at, value] : x)
        for (const auto& [place, other] : y)
            if (at.second == place.first)
                result[{at.first, place.second}] += static_cast<R>(value) * static_cast<R>(other);
    return result;
}

template <typename X>
void check_dense(const X& tensor, const Entries<typename X::value_type>& expected) {
    const bool is_vector = tensor.rank() == 1;
    const index_t columns = is_vector ? 1 : tensor.extent(1);
    for (index_t r = 0; r < tensor.extent(0); ++r)
        for (index_t c = 0; c < columns; ++c) {
            const auto at = expected.find({r, c});
            using R = typename X::value_type;
            CHECK(tensor.read(r * columns + c) == (at == expected.end() ? R{} : at->second));
        }
}

/// A dense tensor of rank 1 or 2 as entries: a column, or a matrix.
template <typename T>
Entries<T> entries_of(const pv::Tensor<T>& tensor, bool as_row = false) {
    Entries<T> entries;
    const index_t columns = tensor.rank() == 1 ? (as_row ? tensor.size() : 1) : tensor.extent(1);
    for (index_t k = 0; k < tensor.size(); ++k)
        entries[{k / columns, k % columns}] = tensor.read(k);
    return entries;
}

template <typename T, typename I>
void check_products(Random& random, index_t m, index_t k, index_t n) {
    CAPTURE(m, k, n);
    const auto coo = oracle::random_coo<T, I>(random, m, k, random.between(0, 2 * (m + k)));
    const auto other = oracle::random_coo<T, I>(random, k, n, random.between(0, 2 * (k + n)));
    const auto csr = pv::to_csr(coo);
    const auto csc = pv::to_csc(coo);
    const Entries<T> a = entries_of(coo);
    const Entries<T> b = entries_of(other);

    const pv::Tensor<T> x = some_numbers<T>(random, {k});
    check_dense(pv::matmul(csr, x), product_of(a, entries_of(x)));
    check_dense(pv::matmul(csc, x), product_of(a, entries_of(x)));
    // Any layout, and a lazy operand.
    const pv::Tensor<T> turned = pv::transpose(some_numbers<T>(random, {n, k}));
    check_dense(pv::matmul(csr, turned), product_of(a, entries_of(turned)));
    check_dense(pv::matmul(csc, turned), product_of(a, entries_of(turned)));
    // From the left: the dense twin of the transposes.
    const pv::Tensor<T> y = some_numbers<T>(random, {m});
    const auto row = pv::matmul(y, csr);
    const auto expected = product_of(entries_of(y, true), a);
    REQUIRE(row.shape() == pv::Shape{k});
    for (index_t c = 0; c < k; ++c) {
        const auto at = expected.find({0, c});
        CHECK(row.read(c) == (at == expected.end() ? pv::Accumulated<T>{} : at->second));
    }
    const pv::Tensor<T> left = some_numbers<T>(random, {n, m});
    check_dense(pv::matmul(left, csr), product_of(entries_of(left), a));
    check_dense(pv::matmul(left, csc), product_of(entries_of(left), a));

    const auto expected_sparse = product_of(a, b);
    CHECK(entries_of(pv::matmul(csr, pv::to_csr(other))) == expected_sparse);
    CHECK(entries_of(pv::matmul(csr, pv::to_csc(other))) == expected_sparse);
    CHECK(entries_of(pv::matmul(csc, pv::to_csc(other))) == expected_sparse);
    CHECK(entries_of(pv::matmul(csc, pv::to_csr(other))) == expected_sparse);

    if constexpr (!std::is_same_v<T, bool>) {
        const auto second = oracle::random_coo<T, I>(random, m, k, random.between(0, 2 * (m + k)));
        Entries<T> sum = a;
        Entries<T> difference = a;
        for (const auto& [at, value] : entries_of(second)) {
            sum[at] = static_cast<T>(sum[at] + value);
            difference[at] = static_cast<T>(difference[at] - value);
        }
        CHECK(entries_of(csr + pv::to_csr(second)) == sum);
        CHECK(entries_of(csc + pv::to_csr(second)) == sum);
        CHECK(entries_of(csr - pv::to_csc(second)) == difference);
    }
}

} // namespace

TEMPLATE_TEST_CASE("products and sums agree with maps of places", "", bool, std::int8_t,
                   std::uint16_t, std::int32_t, std::int64_t, float, double) {
    Random random(21);
    for (unsigned round = 0; round < oracle::rounds(40U); ++round) {
        const index_t m = random.between(0, 9);
        const index_t k = random.between(0, 9);
        const index_t n = random.between(0, 9);
        check_products<TestType, index_t>(random, m, k, n);
        check_products<TestType, std::int32_t>(random, m, k, n);
    }
}

TEST_CASE("products of matrices wider than a place for each column is worth") {
    Random random(22);
    const index_t columns = index_t{1} << 40;
    const auto x = pv::to_csr(oracle::random_coo<double, index_t>(random, 30, 40, 300));
    std::vector<index_t> rows;
    std::vector<index_t> places;
    for (int k = 0; k < 500; ++k) {
        rows.push_back(random.between(0, 39));
        places.push_back(random.between(0, 50) * (columns / 64));
    }
    const index_t stored = std::ssize(rows);
    const pv::CooMatrix<double> coo(40, columns, pv::tensor(std::move(rows)),
                                    pv::tensor(std::move(places)), pv::ones({stored}));
    CHECK(entries_of(pv::matmul(x, pv::to_csr(coo))) == product_of(entries_of(x), entries_of(coo)));
}

TEST_CASE("products and sums do not depend on the number of threads", "[thread]") {
    Random random(23);
    const auto a =
        pv::to_csr(oracle::random_coo<double, std::int32_t>(random, 20'000, 20'000, 200'000));
    const auto b =
        pv::to_csr(oracle::random_coo<double, std::int32_t>(random, 20'000, 20'000, 200'000));
    const auto tenth = pv::tensor(
        pv::compute_tensor({20'000}, [](index_t i) { return static_cast<double>(i % 97) / 10; }));
    const auto wide = pv::tensor(pv::compute_tensor(
        {20'000, 20}, [](index_t i, index_t j) { return static_cast<double>((i + j) % 97) / 10; }));
    const int before = pv::threads();
    pv::set_threads(1);
    const auto vector = pv::matmul(a, tenth);
    const auto matrix = pv::matmul(a, wide);
    const auto columns = pv::matmul(pv::transposed(a), wide);
    const auto product = entries_of(pv::matmul(a, b));
    const auto sum = entries_of(a + b);
    const auto turned = entries_of(pv::to_csc(a));
    pv::set_threads(2);
    CHECK(pv::all_of(pv::matmul(a, tenth) == vector));
    CHECK(pv::all_of(pv::matmul(a, wide) == matrix));
    CHECK(pv::all_of(pv::matmul(pv::transposed(a), wide) == columns));
    CHECK(entries_of(pv::matmul(a, b)) == product);
    CHECK(entries_of(a + b) == sum);
    CHECK(entries_of(pv::to_csc(a)) == turned);
    pv::set_threads(before);
}

TEST_CASE("products and sums of shapes that do not fit name them") {
    using Catch::Matchers::Message;
    Random random(24);
    const auto a = pv::to_csr(oracle::random_coo<double, index_t>(random, 2, 3, 4));
    CHECK_THROWS_MATCHES(pv::matmul(a, pv::zeros({2})), pv::ShapeError,
                         Message("matmul: shapes [2 3] and [2] do not fit"));
    CHECK_THROWS_AS(pv::matmul(a, pv::zeros({3, 1, 1})), pv::ShapeError);
    CHECK_THROWS_AS(pv::matmul(a, pv::zeros({})), pv::ShapeError);
    CHECK_THROWS_MATCHES(pv::matmul(pv::zeros({3}), a), pv::ShapeError,
                         Message("matmul: shapes [3] and [2 3] do not fit"));
    CHECK_THROWS_MATCHES(pv::matmul(pv::to_csc(a), a), pv::ShapeError,
                         Message("matmul: shapes [2 3] and [2 3] do not fit"));
    CHECK_THROWS_MATCHES(pv::to_csc(a) - pv::transposed(a), pv::ShapeError,
                         Message("subtract: shapes [2 3] and [3 2] differ"));
    CHECK_THROWS_MATCHES(pv::matmul(a, a), pv::ShapeError,
                         Message("matmul: shapes [2 3] and [2 3] do not fit"));
    CHECK_THROWS_MATCHES(a + pv::to_csr(pv::transposed(a)), pv::ShapeError,
                         Message("add: shapes [2 3] and [3 2] differ"));
}

TEST_CASE("rows in which many products meet are counted before they are made") {
    constexpr index_t kBlock = 60;
    constexpr index_t kBlocks = 40;
    const auto place = pv::arange(kBlocks * kBlock * kBlock);
    const auto block = place / (kBlock * kBlock) * kBlock;
    const pv::CooMatrix<double> blocks(kBlocks * kBlock, kBlocks * kBlock,
                                       pv::clone(block + place / kBlock % kBlock),
                                       pv::clone(block + place % kBlock), pv::ones({place.size()}));
    const auto square = pv::matmul(pv::to_csr(blocks), pv::to_csr(blocks));
    CHECK(square.stored() == blocks.stored());
    CHECK(pv::all_of(square.values() == double{kBlock}));
    CHECK(pv::all_of(square.indices() == pv::to_csr(blocks).indices()));
}

TEST_CASE("a sum of zero stays stored, a stored zero counts as any value") {
    const auto one = pv::to_csr(pv::CooMatrix<int>(
        1, 2, pv::tensor<index_t>({0, 0}), pv::tensor<index_t>({0, 1}), pv::tensor({0, 3})));
    CHECK((one - one).stored() == 2);
    CHECK(pv::matmul(one, pv::tensor({5, 1}))(0) == 3);
}

} // namespace multiply_test
