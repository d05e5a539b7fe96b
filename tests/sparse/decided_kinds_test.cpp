#include "sparse_support.hpp"

#include <atomic>
#include <memory>
#include <thread>

namespace decided_kinds_test {

// What is sparse because fills decide: what is read of what is dense, and what it costs.

namespace {

namespace pv = purview;
using oracle::index_t;

using Numbers = pv::Tensor<std::int64_t>;
using Bools = pv::Tensor<bool>;

/// Elements 0, 1, 2, … that count how often they are read.
class Counting final : public pv::Reader<std::int64_t> {
public:
    explicit Counting(index_t size) : size_(size) {}
    index_t size() const override { return size_; }
    std::int64_t read(index_t i) const override {
        ++reads;
        return i;
    }
    mutable std::atomic<long> reads{0};

private:
    index_t size_;
};

/// What a `KindError` says.
std::string message_of(const auto& f) {
    try {
        f();
    } catch (const pv::KindError& error) {
        return error.what();
    }
    return {};
}

constexpr index_t kExtent = 1'000'000'000;
constexpr long kStored = 1000;

template <typename T>
pv::MutableTensor<T> some_entries(T value) {
    std::vector<index_t> indexes;
    for (index_t i = 0; i < kStored; ++i) indexes.push_back(i / 2 * 1'000 * kExtent + i * 7919);
    return pv::sparse_tensor<T>({kExtent, kExtent}, std::move(indexes),
                                std::vector<T>(static_cast<std::size_t>(kStored), value));
}

} // namespace

TEST_CASE("float products with what is dense are dense, and where says otherwise") {
    const auto x = pv::sparse_tensor<double>({4}, {1}, {5.});
    const auto d = pv::tensor({1., 2., std::numeric_limits<double>::infinity(), NAN});
    CHECK_FALSE(pv::is_sparse(x * d));
    CHECK(std::isnan((x * d)(2)));
    const auto chosen = pv::where(x != 0., x * d, 0.);
    REQUIRE(pv::is_sparse(chosen));
    CHECK(pv::to_vector(pv::clone(chosen)) == std::vector<double>{0, 10, 0, 0});
    CHECK(pv::sum(chosen) == 10);
    const auto huge = some_entries(2.);
    CHECK(message_of([&] { pv::clone(huge * pv::random_like(huge, 1)); }).find("where(mask") !=
          std::string::npos);
    CHECK(message_of([&] { pv::sparse_pairs(x * d); }).find("where(mask") != std::string::npos);
    CHECK_FALSE(pv::is_sparse(pv::minimum(x, d)));
}

TEST_CASE("what is dense is read where something is stored, and nowhere else") {
    const auto counting = std::make_shared<const Counting>(kExtent * kExtent);
    const Numbers dense = pv::tensor(counting, {kExtent, kExtent});
    const auto x = some_entries<std::int64_t>(2);
    const auto mask = x != 0;
    const auto reads_of = [&](auto f) {
        counting->reads = 0;
        f();
        return counting->reads.load();
    };
    CHECK(reads_of([&] { CHECK(pv::is_sparse(x * dense)); }) == 0);
    CHECK(reads_of([&] { pv::clone(x * dense); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(pv::transpose(x * dense) | pv::rotate({3, -5})); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(x * (dense + dense * 3)); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(x * dense * dense); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(x * pv::flip(dense) + x); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(pv::where(mask, dense, 0)); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(pv::where(dense > 5, x, 0)); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(mask && dense > 5); }) <= kStored);
    CHECK(reads_of([&] { pv::sum(x * dense); }) <= kStored);
    CHECK(reads_of([&] { pv::sum(x * dense, 1); }) <= kStored);
    CHECK(reads_of([&] { pv::argfilter(mask && dense % 2 == 0); }) <= kStored);
    CHECK(reads_of([&] { pv::copy(x * dense, pv::clone(x)); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(pv::concat(x * dense, x, 0)); }) <= kStored);
    CHECK(reads_of([&] { pv::clone(pv::triu(x * dense)); }) <= kStored);
    CHECK(reads_of([&] { pv::to_sparse(x * dense); }) <= kStored);
}

TEST_CASE("a sparse mask of 10^18 elements times what is computed") {
    const auto mask = some_entries(true);
    const auto random = pv::random_like(mask, 42);
    const auto chosen = pv::clone(pv::where(mask, random, 0.));
    REQUIRE(pv::is_sparse(chosen));
    CHECK(pv::sparse_pairs(chosen)->stored() == kStored);
    CHECK(chosen(1'000, 2 * 7919) == random(1'000, 2 * 7919));
    const auto made =
        pv::compute_tensor({kExtent, kExtent}, [](index_t i, index_t j) { return i * 3 + j; });
    const auto product = pv::clone(some_entries<std::int64_t>(2) * made);
    REQUIRE(pv::is_sparse(product));
    CHECK(product(1'000, 2 * 7919) == 2 * (3'000 + 2 * 7919));
    CHECK(product(0, 0) == 0);
    const auto upper = pv::clone(pv::triu(product, 5));
    REQUIRE(pv::is_sparse(upper));
    CHECK(pv::sparse_pairs(upper)->stored() == pv::count_true(upper != 0));
    CHECK(pv::sum(pv::triu(product, 5)) + pv::sum(pv::tril(product, 4)) == pv::sum(product));
    const auto vector = pv::sparse_tensor<double>({kExtent}, {7, 999'999'000}, {2., 3.});
    for (const index_t offset : {0, 5, -5}) {
        const auto diagonal = pv::clone(pv::diag(vector, offset));
        REQUIRE(pv::is_sparse(diagonal));
        CHECK(pv::sparse_pairs(diagonal)->stored() == 2);
        CHECK(diagonal(7 + std::max<index_t>(0, -offset), 7 + std::max<index_t>(0, offset)) == 2);
        CHECK(pv::sum(pv::diag(diagonal, offset)) == 5);
    }
}

TEST_CASE("a fill that decides may itself be decided") {
    const auto x = pv::sparse_tensor<std::int64_t>({4}, {1, 2}, {5, 6});
    const auto d = pv::tensor<std::int64_t>({1, 2, 3, 4});
    CHECK(pv::is_sparse(x * d));
    CHECK_FALSE(pv::is_sparse((x + 1) * d));
    CHECK(pv::is_sparse(((x + 1) * d) * x));
    CHECK(pv::is_sparse((x * d + 1) + x));
    CHECK_FALSE(pv::is_sparse((x * d + 1) * d));
    CHECK(pv::is_sparse((x * d + 1 - 1) * d));
    CHECK_FALSE(pv::is_sparse((x * d) + d));
    CHECK(pv::to_vector(pv::clone((x * d + 1 - 1) * d)) == std::vector<std::int64_t>{0, 20, 54, 0});
    // All of it stored: the fill that nothing shows decides still.
    const auto full = pv::sparse_tensor<bool>({2}, {0, 1}, {false, true}, true);
    const Bools either = pv::concat(full, full) || pv::tensor({false, true, false, true});
    REQUIRE(pv::is_sparse(either));
    CHECK(pv::to_vector(either) == pv::to_vector(pv::clone(either)));
    // What a view repeats would be stored as often.
    const Bools rows = pv::broadcast(full && full, {3, 2}) || pv::zeros<bool>({3, 2});
    REQUIRE_FALSE(pv::is_sparse(rows));
    CHECK(pv::to_vector(rows) == pv::to_vector(pv::clone(rows)));
    // Of pieces with different fills only an evaluation tells.
    const auto pieces = pv::concat(x, x + 1);
    CHECK_FALSE(pv::is_sparse(pieces * pv::concat(d, d)));
    CHECK(pv::is_sparse(pv::where(pv::concat(x, x) != 0, pv::concat(d, d), pieces)));
    CHECK(pv::to_vector(pv::clone(pv::where(pv::concat(x, x) != 0, pv::concat(d, d), pieces))) ==
          std::vector<std::int64_t>{0, 2, 3, 0, 1, 2, 3, 1});
}

TEST_CASE("destinations that are read in what is copied to them") {
    const auto memory = pv::reshape(pv::arange(12), {3, 4}) | pv::clone;
    const auto mask = pv::sparse_tensor<bool>({3, 4}, {1, 5, 11}, {true, true, true});
    const auto expected = pv::to_vector(
        pv::where(pv::to_dense(mask), pv::flip(pv::clone(memory)) * 2, 0) | pv::clone);
    pv::copy(pv::where(mask, pv::flip(memory) * 2, 0), memory);
    CHECK(pv::to_vector(memory) == expected);

    const auto pairs = pv::sparse_tensor<std::int64_t>({3, 4}, {1, 5, 11}, {2, 3, 4});
    const auto d = pv::reshape(pv::arange(std::int64_t{12}), {3, 4});
    const auto twin = pv::to_vector(pv::flip(pv::to_dense(pairs)) * d | pv::clone);
    pv::copy(pv::flip(pairs) * d, pairs);
    CHECK(pv::to_vector(pairs) == twin);
    CHECK(pv::sparse_pairs(pairs)->stored() == 2);
}

TEST_CASE("errors of what is dense are those of what is read") {
    const auto x = pv::sparse_tensor<std::int64_t>({4}, {1, 2}, {5, 6});
    const auto d = pv::tensor<std::int64_t>({0, 2, 3, 0});
    CHECK(pv::to_vector(pv::clone(x * (12 / d))) == std::vector<std::int64_t>{0, 30, 24, 0});
    CHECK_THROWS_AS(pv::clone(pv::flip(x + 1) * x / d), pv::ArithmeticError);
    const auto wrong = pv::tensor<std::int64_t>({1, 0, 1, 1});
    CHECK_THROWS_AS(pv::clone(x * (12 / wrong)), pv::ArithmeticError);
    // A fill that throws decides nothing.
    CHECK_FALSE(pv::is_sparse((1 / x) * d));
}

TEST_CASE("explain says what fills decide") {
    const auto x = pv::sparse_tensor<std::int64_t>({4}, {1, 2}, {5, 6});
    const auto d = pv::tensor<std::int64_t>({1, 2, 3, 4});
    const std::string text = pv::explain(x * d);
    CHECK(text.find("multiply %1 %2 -> int64, sparse") != std::string::npos);
    CHECK(text.find("way: sparse") != std::string::npos);
    CHECK(text.find("dense is read there alone") != std::string::npos);
    CHECK(pv::explain((x + 1) * d).find("lazily dense") != std::string::npos);
    CHECK(pv::explain(x * 2).find("dense is read there alone") == std::string::npos);
    CHECK_THROWS_AS(pv::sort(x * d), pv::KindError);
    CHECK(message_of([&] { pv::sparse_pairs((x + 1) * d); }).find("no fill decides") !=
          std::string::npos);
}

TEST_CASE("chains that fills decide are linear") {
    const auto x = pv::sparse_tensor<std::int64_t>({1000}, {3, 5, 900}, {1, 2, 3});
    const auto d = pv::clone(pv::arange(std::int64_t{1000}) * 0 - 1);
    Numbers chain = x;
    for (int i = 0; i < 100'000; ++i) chain = chain * d;
    REQUIRE(pv::is_sparse(chain));
    CHECK(pv::sum(chain) == 6);
    CHECK(pv::sparse_pairs(chain)->stored() == 3);
    // Asked at each step.
    Numbers asked = x;
    for (int i = 0; i < 20'000; ++i) {
        asked = (asked + x) * d;
        REQUIRE(pv::is_sparse(asked));
    }
    CHECK(pv::sum(asked) == 6);
    // Each node is looked at once, whatever the number of ways to it.
    Numbers doubled = x * d;
    for (int i = 0; i < 50; ++i) doubled = doubled + doubled;
    REQUIRE(pv::is_sparse(doubled));
    CHECK(pv::sum(doubled) == std::int64_t{-6} * (std::int64_t{1} << 50));
    Numbers nested = x * d;
    for (int i = 0; i < 60; ++i) nested = (nested + nested) * d;
    CHECK(pv::is_sparse(nested));
}

TEST_CASE("several threads may ask for one kind first") {
    for (int round = 0; round < 20; ++round) {
        const auto x = pv::sparse_tensor<std::int64_t>({1000}, {3, 5, 900}, {1, 2, 3});
        const auto d = pv::ones<std::int64_t>({1000});
        Numbers chain = x;
        for (int i = 0; i < 100; ++i) chain = (chain + x) * d;
        std::atomic<int> sparse{0};
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] { sparse += pv::is_sparse(chain) ? 1 : 0; });
        for (std::thread& thread : threads) thread.join();
        CHECK(sparse == 4);
    }
}

} // namespace decided_kinds_test
