#include "counted.hpp"
#include "sparse_support.hpp"

namespace sparse_copies_test {

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

namespace {

/// Dense and computed tensors, and sparse ones of other fills, to views of sparse tensors.
template <typename T>
void run_views(unsigned first, unsigned count) {
    for (unsigned seed = first; seed < first + count; ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const Coordinates shape{random.between(1, 6), random.between(1, 6), random.between(1, 4)};
        const SparseTwin<T> twin = random_sparse<T>(random, shape, random_fill<T>(random));
        const pv::MutableTensor<T> to = pv::clone(twin.real);
        const pv::MutableTensor<T> naive = pv::to_dense(twin.real);
        const index_t begin = random.between(0, shape[0]);
        const index_t step = random.between(1, 2);
        const index_t shift = random.between(-3, 3);
        const bool flips = random.one_in(2);
        const auto seen = [&](const pv::MutableTensor<T>& x) {
            const auto part = x(pv::range(begin, shape[0], step), pv::all, pv::all);
            const auto turned = pv::rotate(pv::transpose(part, {2, 0, 1}), {shift, 0, 1});
            return flips ? pv::flip(turned) : turned;
        };
        const auto view = seen(naive);
        const pv::Shape extents = view.shape();
        const Coordinates seen_shape(extents.begin(), extents.end());
        const SparseTwin<T> from = random_sparse<T>(random, seen_shape, random_fill<T>(random));
        const pv::Tensor<T> source = random.one_in(3) ? from.real : pv::to_dense(from.real);
        if (random.one_in(4)) { // computed, of what it is copied to
            const auto always = pv::full<bool>(seen_shape, true);
            pv::copy(pv::where(always, pv::flip(seen(to)), source), seen(to));
            pv::copy(pv::flip(pv::clone(view)), view);
        } else {
            pv::copy(source, seen(to));
            pv::copy(source, view);
        }
        REQUIRE(pv::is_sparse(to));
        REQUIRE(same_values(pv::to_vector(to), pv::to_vector(naive)));
        pv::check_sparse_indexes("test", pv::sparse_pairs(to)->indexes(), to.size());
        const T value = random.one_in(2) ? pv::sparse_pairs(to)->fill() : any_value<T>(random);
        pv::fill(seen(to), value);
        pv::fill(view, value);
        REQUIRE(same_values(pv::to_vector(to), pv::to_vector(naive)));
    }
}

} // namespace

TEST_CASE("assignments to views of sparse tensors agree: float64") { run_views<double>(0, 400); }
TEST_CASE("assignments to views of sparse tensors agree: int16") {
    run_views<std::int16_t>(1000, 200);
}
TEST_CASE("assignments to views of sparse tensors agree: string") {
    run_views<std::string>(2000, 200);
}

TEST_CASE("a dense tensor is copied to a view of a sparse one in time proportional to its size") {
    // Two blocks of elements would move what is stored behind them, n times over.
    constexpr index_t n = 300;
    const auto dense = pv::full<Counted>({n, n}, Counted(0));
    for (index_t i = 0; i < n; ++i)
        for (index_t j = i % 3; j < n; j += 3) dense(i, j) = Counted(1);
    const auto x = pv::sparse_zeros<Counted>({n + 5, n + 7});
    const auto inside = x(pv::range(5, n + 5), pv::range(3, n + 3));
    for (const auto& view : {inside, pv::transpose(inside), pv::flip(inside)}) {
        Counted::operations = 0;
        Counted::copies = 0;
        pv::copy(dense, view);
        CHECK(Counted::operations <= 4 * n * n);
        CHECK(Counted::copies <= 8 * n * n);
        CHECK(pv::sum(view).value == n * n / 3);
    }
    CHECK(pv::sparse_pairs(x)->stored() == n * n / 3);

    constexpr index_t many = 2000;
    const auto large = pv::sparse_zeros<double>({many, many});
    pv::copy(pv::reshape(pv::arange(double{many} * many), {many, many}), pv::transpose(large));
    CHECK(large(3, 5) == 5. * many + 3);
    CHECK(pv::sparse_pairs(large)->stored() == many * many - 1);
}

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
    explicit RevealedPairs(std::vector<pv::index_t> indexes, pv::index_t offset = 0)
        : indexes_(std::move(indexes)), values_(indexes_.size(), 1), offset_(offset) {}
    pv::index_t size() const override { return 10; }
    double read(pv::index_t i) const override {
        return std::ranges::find(indexes_, i + offset_) != indexes_.end() ? 1 : 0;
    }
    pv::Kind kind() const noexcept override { return pv::Kind::sparse; }
    pv::SparsePairs pairs() const noexcept override {
        return {indexes_, {values_.data(), sizeof(double)}, &fill_, offset_};
    }

private:
    std::vector<pv::index_t> indexes_;
    std::vector<double> values_;
    pv::index_t offset_;
    double fill_ = 0;
};

/// Indexes of anybody's that are no list, and how many of them it says there are.
class RevealedPacked final : public pv::Reader<double> {
public:
    RevealedPacked(pv::index_t first, pv::index_t count) : first_(first), count_(count) {}
    pv::index_t size() const override { return 10; }
    double read(pv::index_t) const override { return 1; }
    pv::Kind kind() const noexcept override { return pv::Kind::sparse; }
    pv::SparsePairs pairs() const noexcept override {
        pv::SparsePairs pairs{{}, {values_.data(), sizeof(double)}, &fill_};
        pairs.packed = &packed_;
        pairs.first = first_;
        pairs.packed_count = count_;
        return pairs;
    }

private:
    pv::index_t first_;
    pv::index_t count_;
    pv::PackedIndexes packed_{pv::IndexSet{1, 4, 9}};
    std::vector<double> values_{1, 1, 1};
    double fill_ = 0;
};

} // namespace

TEST_CASE("pairs of a reader of others are checked") {
    const auto over = [](std::vector<pv::index_t> indexes) {
        return pv::tensor(std::make_shared<const RevealedPairs>(std::move(indexes)));
    };
    CHECK(pv::sum(over({1, 5, 9}) * 2) == 6);
    const auto from = [](pv::index_t offset, std::vector<pv::index_t> indexes) {
        return pv::tensor(std::make_shared<const RevealedPairs>(std::move(indexes), offset));
    };
    constexpr auto most = std::numeric_limits<pv::index_t>::max();
    constexpr auto least = std::numeric_limits<pv::index_t>::min();
    CHECK(pv::sum(pv::flip(from(100, {101, 109}))) == 2);
    CHECK(pv::sum(from(most - 10, {most - 10, most - 1})) == 2);
    for (const auto& x : {from(100, {99}), from(100, {110}), from(most - 9, {most - 5}),
                          from(least, {0, most}), from(most, {most})})
        CHECK_THROWS_AS(pv::sum(x), pv::IndexError);
    const auto packed = [](pv::index_t first, pv::index_t count) {
        return pv::tensor(std::make_shared<const RevealedPacked>(first, count));
    };
    CHECK(pv::sum(packed(1, 2)) == 2);
    for (const auto& x : {packed(0, 4), packed(-1, 2), packed(2, 2), packed(0, -1), packed(most, 1),
                          packed(1, most), packed(least, most)})
        CHECK_THROWS_AS(pv::sum(x), pv::IndexError);
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
    CHECK_THROWS_AS(pv::copy(huge + pv::ones({1 << 20}), huge), pv::KindError);
    // More entries than can be stored are refused before they are made.
    const auto few = pv::sparse_tensor<double>({4}, {0, 3}, {1., 2.});
    const auto many = pv::broadcast(few, {pv::index_t{1} << 59, 4});
    CHECK_THROWS_AS(pv::clone(many), pv::KindError);
    CHECK(pv::clone(many * pv::sparse_tensor<double>(many.shape(), {7}, {2.}))(1, 3) == 4);
    CHECK(pv::sparse_pairs(pv::broadcast(pv::sparse_zeros({4}), many.shape()))->stored() == 0);
    CHECK_THROWS_AS(pv::argfilter(huge == 0.), pv::KindError);
    CHECK_THROWS_AS(pv::index_set(huge == 0.), pv::KindError);
    CHECK(pv::count_true(huge == 0.) == pv::index_t{1} << 40);
}

} // namespace sparse_copies_test
