#include "sparse_support.hpp"

// Copies between kinds: through any views, and onto themselves.

namespace {

using namespace oracle;

template <typename T>
pv::MutableTensor<T> random_destination(Random& random, const Coordinates& shape,
                                        Oracle<T>& naive) {
    const SparseTwin<T> twin = random_sparse<T>(random, shape, random_fill<T>(random));
    naive = twin.naive;
    return pv::clone(twin.real);
}

template <typename T>
void run(unsigned first, unsigned count) {
    for (unsigned seed = first; seed < first + count; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Coordinates shape{random.between(1, 6), random.between(1, 6)};
        Oracle<T> naive;
        pv::MutableTensor<T> to = random_destination<T>(random, shape, naive);
        SparseTwin<T> from = random_sparse<T>(random, shape, random_fill<T>(random));
        // To sparse from sparse, dense and computed.
        const pv::Tensor<T> source = random.one_in(2) ? from.real : pv::to_dense(from.real);
        pv::copy(source, to);
        REQUIRE(same_values(pv::to_vector(to), from.naive.values));

        // To a view.
        const index_t rows = random.between(0, shape[0]);
        const auto part = to(pv::range(0, rows), pv::all);
        const SparseTwin<T> piece =
            random_sparse<T>(random, {shape[1], rows}, random_fill<T>(random));
        pv::copy(pv::transpose(piece.real), part);
        Oracle<T> expected = from.naive;
        for (index_t i = 0; i < rows; ++i)
            for (index_t j = 0; j < shape[1]; ++j)
                expected.values[static_cast<std::size_t>(i * shape[1] + j)] =
                    piece.naive.at({j, i});
        REQUIRE(same_values(pv::to_vector(to), expected.values));

        // Onto itself.
        pv::copy(to | pv::rotate({1, 2}), to);
        REQUIRE(same_values(pv::to_vector(to), expected.rotate({1, 2}).values));

        // To dense, strided too.
        const auto dense = pv::full<T>({shape[1], shape[0]}, small_value<T>(random));
        pv::copy(to, pv::transpose(dense));
        REQUIRE(same_values(pv::to_vector(pv::transpose(dense)), expected.rotate({1, 2}).values));

        // And back.
        const T fill = random_fill<T>(random);
        const auto back = pv::to_sparse(pv::transpose(dense), fill);
        REQUIRE(pv::is_sparse(back));
        REQUIRE(same_values(pv::to_vector(back), expected.rotate({1, 2}).values));
        pv::fill(back, fill);
        REQUIRE(pv::sparse_pairs(back)->stored() == 0);
    }
}

} // namespace

TEST_CASE("copies between sparse and dense agree: float64") { run<double>(0, 600); }
TEST_CASE("copies between sparse and dense agree: uint8") { run<std::uint8_t>(1000, 300); }
TEST_CASE("copies between sparse and dense agree: bool") { run<bool>(2000, 300); }
TEST_CASE("copies between sparse and dense agree: string") { run<std::string>(3000, 300); }

TEST_CASE("an element of a sparse tensor can be written") {
    const auto x = pv::sparse_zeros<double>({3, 4});
    x(1, 2) = 5;
    x(2, 3) = 7;
    x(1, 2) = 0;
    CHECK(pv::sparse_pairs(x)->stored() == 1);
    CHECK(pv::sum(x) == 7);
}

namespace {

/// Pairs of anybody's.
class RevealedPairs final : public pv::Reader<double> {
public:
    explicit RevealedPairs(std::vector<pv::index_t> indexes)
        : indexes_(std::move(indexes)), values_(indexes_.size(), 1) {}
    pv::index_t size() const override { return 10; }
    double read(pv::index_t i) const override {
        return std::ranges::find(indexes_, i) != indexes_.end() ? 1 : 0;
    }
    pv::Kind kind() const noexcept override { return pv::Kind::sparse; }
    pv::SparsePairs pairs() const noexcept override {
        return {indexes_, {values_.data(), sizeof(double)}, &fill_};
    }

private:
    std::vector<pv::index_t> indexes_;
    std::vector<double> values_;
    double fill_ = 0;
};

} // namespace

TEST_CASE("pairs of a reader of others are checked") {
    const auto over = [](std::vector<pv::index_t> indexes) {
        return pv::tensor(std::make_shared<const RevealedPairs>(std::move(indexes)));
    };
    CHECK(pv::sum(over({1, 5, 9}) * 2) == 6);
    for (const auto& wrong : std::vector<std::vector<pv::index_t>>{
             {1, 2, 1'000'000, 3}, {-1, 2}, {3, 3}, {4, 2}, {10}}) {
        const auto x = over(wrong);
        CHECK_THROWS_AS(pv::sum(x), pv::IndexError);
        CHECK_THROWS_AS(pv::clone(x), pv::IndexError);
        const auto dense = pv::zeros({10});
        CHECK_THROWS_AS(pv::copy(x, dense), pv::IndexError);
    }
}

TEST_CASE("explain says what is sparse") {
    const auto x = pv::sparse_tensor<double>({3, 4}, {1, 7}, {2., 3.});
    CHECK(pv::explain(x * 2).find("way: sparse") != std::string::npos);
    CHECK(pv::explain(x * 2).find("(2 pairs below)") != std::string::npos);
    CHECK(pv::explain(x * pv::ones({3, 4})).find("sparse pairs") != std::string::npos);
    CHECK(pv::explain(x * pv::ones({3, 4})).find("way: sparse") == std::string::npos);
    CHECK(pv::explain(pv::sum, x).find("way: sparse") != std::string::npos);
    const std::string mixed = pv::explain(x * 2 + pv::ones({3, 4}));
    CHECK(mixed.find("= add %1 %2 -> float64, lazily dense") != std::string::npos);
    CHECK(mixed.find("= multiply %3 %4 -> float64, sparse") != std::string::npos);
    CHECK(pv::contiguous(x).is_contiguous());
    CHECK(pv::contiguous(pv::AnyTensor(x)).is_contiguous());
}

TEST_CASE("what has no sparse form says so") {
    const auto x = pv::sparse_zeros<double>({3, 4});
    const auto dense = pv::ones({3, 4});
    CHECK_FALSE(pv::is_sparse(x + dense));
    CHECK(pv::sum(x + dense) == 12);
    CHECK_THROWS_AS(pv::sparse_pairs(x + dense), pv::KindError);
    CHECK_THROWS_AS(pv::prune(dense), pv::KindError);
    const auto huge = pv::sparse_zeros<double>({1 << 20, 1 << 20});
    CHECK_THROWS_AS(pv::clone(huge + pv::ones({1 << 20})), pv::KindError);
    CHECK_THROWS_AS(pv::copy(pv::const_tensor(1., {1 << 20, 1 << 20}), huge), pv::KindError);
    CHECK_THROWS_AS(pv::argfilter(huge == 0.), pv::KindError);
    CHECK_THROWS_AS(pv::index_set(huge == 0.), pv::KindError);
    CHECK(pv::count_true(huge == 0.) == pv::index_t{1} << 40);
}
