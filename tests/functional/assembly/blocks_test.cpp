#include <purview/functional/assembly/blocks.hpp>

#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <complex>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

namespace blocks_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using pv::index_t;

static_assert(std::input_iterator<pv::Blocks<pv::MutableTensor<float>>::Iterator>);

/// Chunks that note which of them were announced.
class Announced final : public pv::ChunkedReader<double> {
public:
    using pv::ChunkedReader<double>::ChunkedReader;
    bool read_chunk(pv::ShapeSpan at, std::span<double> out) const override {
        reads.push_back(pv::to_shape(at));
        std::ranges::fill(out, static_cast<double>(at[0]));
        return true;
    }
    bool is_thread_safe() const noexcept override { return false; }
    void will_read(pv::ShapeSpan at) const override { announced.push_back(pv::to_shape(at)); }

    mutable std::vector<pv::Shape> reads;
    mutable std::vector<pv::Shape> announced;
};

TEST_CASE("Blocks are the boxes of the tensor, in row-major order") {
    Random random(7);
    const MemoryLimit limit(1 << 20);
    for (int round = 0; round < oracle::rounds(40); ++round) {
        const pv::Shape shape{random.between(0, 7), random.between(1, 7), random.between(1, 7)};
        const pv::Shape block{random.between(1, 8), random.between(1, 8), random.between(1, 8)};
        CAPTURE(shape, block);
        const auto x = pv::reshape(pv::arange<index_t>(shape[0] * shape[1] * shape[2]), shape);
        const auto y = pv::chunked(x, {2, 3, 4}) * 2 | pv::flip({1});
        const auto expected = pv::clone(x * 2 | pv::flip({1}));
        const auto copy = pv::zeros<index_t>(shape);
        pv::Shape last;
        index_t count = 0;
        const auto all = pv::blocks(y, block);
        for (const auto& each : all) {
            const pv::Shape& at = each.begin;
            const auto box = [&](const auto& t) {
                const auto along = [&](std::size_t axis) {
                    return pv::Range(at[axis], std::min(at[axis] + block[axis], shape[axis]));
                };
                return t(along(0), along(1), along(2));
            };
            REQUIRE(pv::equals(each.values, box(expected)));
            REQUIRE((count == 0 || std::ranges::lexicographical_compare(last, at)));
            pv::copy(each.values, box(copy));
            pv::fill(each.values, -1); // memory of its own
            last = at;
            ++count;
        }
        REQUIRE(count == all.size());
        REQUIRE(pv::equals(copy, expected));
    }
}

TEST_CASE("Blocks and chunks of a tensor that repeats itself are of all of it") {
    const auto x = pv::tile(pv::arange<index_t>(3), {4});
    const auto expected = pv::clone(x);
    index_t size = 0;
    for (const auto& each : pv::blocks(x, {5})) {
        const index_t begin = each.begin[0];
        CHECK(pv::equals(each.values, expected(pv::Range(begin, begin + each.values.size()))));
        size += each.values.size();
    }
    CHECK(size == 12);
    CHECK(pv::equals(pv::chunked(x, {5}), expected));
}

TEST_CASE("Blocks of any kind of array") {
    std::vector<pv::Shape> begins;
    for (const auto& each : pv::blocks(pv::full({}, 7.), {})) {
        begins.push_back(each.begin);
        CHECK(each.values() == 7.);
    }
    CHECK(begins == std::vector<pv::Shape>{{}});
    CHECK(pv::blocks(pv::zeros({0, 4}), {2, 2}).size() == 0);
    CHECK(pv::blocks(pv::zeros({4}), {index_t{1} << 40}).size() == 1);

    const auto words = pv::tensor<std::string>({"a", "bb", "a string that takes memory"});
    std::string joined;
    for (const auto& each : pv::blocks(words, {2}))
        for (const std::string& word : each.values) joined += word;
    CHECK(joined == "abba string that takes memory");

    const pv::AnyTensor any = pv::arange<index_t>(5) * 1.5f;
    index_t size = 0;
    for (const auto& each : pv::blocks(any, {3})) {
        CHECK(each.values.dtype() == pv::float32);
        CHECK(pv::equals(each.values,
                         any(pv::Range(each.begin[0], each.begin[0] + each.values.size()))));
        size += each.values.size();
    }
    CHECK(size == 5);

    double sum = 0;
    for (const auto& each : pv::blocks(std::vector<double>{1, 2, 3, 4}, {3}))
        sum += pv::sum(each.values);
    CHECK(sum == 10);
    std::complex<double> product = 1;
    const std::vector<std::complex<double>> z{{0, 1}, {0, 1}, {2, 0}};
    for (const auto& each : pv::blocks(z, {1})) product *= std::complex<double>(each.values(0));
    CHECK(product == std::complex<double>(-2));
}

TEST_CASE("The chunks of the next block are announced, and each is read when its block comes") {
    const MemoryLimit limit(1 << 16);
    const auto chunks = std::make_shared<const Announced>(pv::ChunkGrid{{6, 4}, {2, 2}});
    const auto x = pv::tensor(chunks, {6, 4}) + 1;
    const auto all = pv::blocks(x, {2, 4});
    CHECK(chunks->reads.empty());
    CHECK(chunks->announced.empty());
    index_t count = 0;
    for (const auto& each : all) {
        CHECK(pv::equals(each.values, pv::full({2, 4}, static_cast<double>(count + 1))));
        ++count;
        CHECK(std::ssize(chunks->reads) == 2 * count);
        const pv::Shape next{std::min<index_t>(count, 2), 1};
        CHECK(std::ranges::count(chunks->announced, next) >= 1);
    }
    CHECK(count == 3);
    CHECK(pv::chunk_statistics().chunks_read == 6);
}

TEST_CASE("Blocks of another rank and without elements are refused") {
    CHECK_THROWS_AS(pv::blocks(pv::zeros({3, 3}), {2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::blocks(pv::zeros({3}), {2, 2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::blocks(pv::zeros({3, 3}), {2, 0}), pv::ShapeError);
    CHECK_THROWS_AS(pv::blocks(pv::zeros({0}), {-1}), pv::ShapeError);
}

} // namespace blocks_test
