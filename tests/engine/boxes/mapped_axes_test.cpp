#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

// Arrays of chunks through lists and rotations: cells cut these axes, so that a small limit is enough.

namespace mapped_axes_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using pv::index_t;

/// Each element is its row-major index, modulo 251. Counts what is read.
template <typename T>
class Numbered final : public pv::ChunkedReader<T> {
public:
    using pv::ChunkedReader<T>::ChunkedReader;

    bool read_chunk(pv::ShapeSpan at, std::span<T> out) const override {
        const pv::Shape& chunk = this->grid().chunk;
        const pv::Shape& shape = this->grid().shape;
        pv::Shape place(chunk.size(), 0);
        for (T& element : out) {
            index_t index = 0;
            for (std::size_t k = 0; k < chunk.size(); ++k)
                index = index * shape[k] + at[k] * chunk[k] + place[k];
            element = static_cast<T>(index % 251);
            for (std::size_t k = chunk.size(); k-- > 0;) {
                if (++place[k] < chunk[k]) break;
                place[k] = 0;
            }
        }
        return true;
    }
};

template <typename T>
pv::Tensor<T> numbered(const pv::Shape& shape, const pv::Shape& chunk) {
    return pv::tensor(std::make_shared<Numbered<T>>(pv::ChunkGrid{shape, chunk}), shape);
}
/// The same in memory.
template <typename T>
pv::MutableTensor<T> in_memory(const pv::Shape& shape) {
    pv::MutableTensor<T> x = pv::empty<T>(shape);
    index_t i = 0;
    for (auto&& element : x) element = static_cast<T>(i++ % 251);
    return x;
}

index_t reads() { return pv::chunk_statistics().chunks_read; }

} // namespace

TEST_CASE("random rows read each chunk once where the limit has room for them") {
    const pv::Shape shape{200'000, 8};
    const pv::Tensor<float> x = numbered<float>(shape, {2000, 8});
    const pv::MutableTensor<float> memory = in_memory<float>(shape);
    Random random(1);
    std::vector<index_t> rows;
    for (int i = 0; i < 100'000; ++i) rows.push_back(random.between(0, shape[0] - 1));
    {
        const MemoryLimit limit(16 << 20); // the rows have 3.2 MB, their list as much
        CHECK(pv::equals(pv::clone(x(rows)), memory(rows)));
        CHECK(reads() == 100);
        pv::drop_cached_chunks();
        pv::reset_chunk_statistics();
        CHECK(pv::sum(pv::cast<double>(x(rows))) == pv::sum(pv::cast<double>(memory(rows))));
        CHECK(reads() == 100);
        CHECK(pv::chunk_statistics().peak_bytes <= 16 << 20);
    }
    const MemoryLimit limit(2 << 20);
    CHECK(pv::equals(pv::clone(x(rows)), memory(rows)));
    CHECK(reads() > 100);
    CHECK(pv::equals(pv::sum(x(rows), 1), pv::sum(memory(rows), 1)));
    CHECK(pv::chunk_statistics().peak_bytes <= 2 << 20);
}

TEST_CASE("chunks of short lists that lie far apart are counted, and read once") {
    const MemoryLimit limit(1 << 20);
    const auto x = numbered<double>({1'000'000}, {10});
    const auto chosen = x(pv::indexes({999'999, 0, 500'005, 999'998, 3}));
    CHECK(pv::explain(pv::sum, chosen).find("chunks read: 3") != std::string::npos);
    CHECK(reads() == 0);
    CHECK(pv::to_vector(pv::clone(chosen)) ==
          std::vector<double>{999'999 % 251, 0, 500'005 % 251, 999'998 % 251, 3});
    CHECK(reads() == 3);
}

TEST_CASE("rotated axes are cut at their wraps and at chunks") {
    const pv::Shape shape{1000, 900};
    const pv::Tensor<double> x = numbered<double>(shape, {250, 300});
    const pv::MutableTensor<double> memory = in_memory<double>(shape);
    const MemoryLimit limit(3 << 20); // of 7.2 MB; chunks have 600 KB
    const auto rolled = [](const auto& y) { return y | pv::roll(130, 0) | pv::roll(-7, 1); };
    CHECK(pv::sum(rolled(x)) == pv::sum(memory));
    CHECK(reads() <= 5 * 4); // those in which it wraps are read on both sides
    CHECK(pv::equals(pv::sum(rolled(x), 0), pv::sum(rolled(memory), 0)));
    CHECK(pv::equals(pv::clone(rolled(x)), rolled(memory)));
    CHECK(pv::equals(pv::clone(pv::flip(rolled(x), 0)), pv::flip(rolled(memory), 0)));
    CHECK(pv::equals(pv::clone(x - rolled(x)), memory - rolled(memory)));
    CHECK(pv::equals(pv::clone(x | pv::pad(300, pv::PadMode::wrap)),
                     memory | pv::pad(300, pv::PadMode::wrap)));
    // Turns of a few elements.
    const auto turned = [](const auto& y) {
        return pv::pad(y(pv::range(10, 13)), pv::PadWidths{{5000, 5000}, {0, 0}},
                       pv::PadMode::wrap);
    };
    CHECK(pv::equals(pv::sum(turned(x), 0), pv::sum(turned(memory), 0)));
    CHECK(pv::chunk_statistics().peak_bytes <= 3 << 20);
}

TEST_CASE("a long rotation is not listed") {
    const index_t size = index_t{1} << 30;
    const pv::Tensor<double> x = numbered<double>({size}, {1 << 16});
    const MemoryLimit limit(8 << 20);
    const auto rolled = x | pv::roll(5, 0);
    CHECK(pv::explain(rolled).find("way: in cells of up to [65536]") != std::string::npos);
    const index_t middle = size / 2;
    CHECK(rolled(middle) == static_cast<double>((middle - 5) % 251));
    CHECK(reads() == 1);
}

TEST_CASE("nothing in a cell is cut into cells again") {
    const MemoryLimit limit(1 << 19);
    const pv::Tensor<double> x = numbered<double>({60, 80}, {20, 20});
    const pv::MutableTensor<double> memory = in_memory<double>({60, 80});
    // Beside what is loaded, the same elements by a view that is read through the cache.
    const auto both = [](const auto& y) {
        return (y | pv::reshape({60, 8, 10})) *
                   (pv::flip(y | pv::reshape({4800}), 0) | pv::reshape({60, 8, 10})) +
               (y | pv::reshape({-1, 40}) | pv::transpose | pv::reshape({60, 8, 10}));
    };
    CHECK(pv::sum(both(x)) == pv::sum(both(memory)));
    for (const index_t axis : {0, 1, 2}) {
        CHECK(pv::equals(pv::argmax(both(x), axis), pv::argmax(both(memory), axis)));
        CHECK(pv::allclose(pv::variance(both(x), axis), pv::variance(both(memory), axis)));
        CHECK(pv::equals(pv::sum(both(x), axis), pv::sum(both(memory), axis)));
    }
    CHECK(pv::argmax(both(x)) == pv::argmax(both(memory)));
    CHECK(pv::equals(pv::histogram(both(x), 7).counts, pv::histogram(both(memory), 7).counts));
    CHECK(pv::chunk_statistics().peak_bytes <= 1 << 19);
}

TEST_CASE("sizes that no memory has are errors") {
    const MemoryLimit limit(1 << 20);
    const pv::Tensor<double> x = numbered<double>({2, 3}, {1, 2});
    const auto wide =
        pv::broadcast(x | pv::reshape({2, 3, 1}), {2, 3, index_t{1} << 58}); // 2^63.6 bytes
    CHECK_THROWS_AS(pv::clone(wide + 1.), pv::ShapeError);
    CHECK_THROWS_AS(pv::sort(wide + 1., 2), pv::ShapeError);
    CHECK(pv::explain(pv::sum, wide + 1.).find("way: in cells") != std::string::npos);
    const pv::Tensor<double> huge = numbered<double>({index_t{1} << 61}, {1 << 20});
    CHECK(pv::explain(pv::sum, huge + 1.).find("chunks read: ") != std::string::npos);
    CHECK(reads() == 0);
}

} // namespace mapped_axes_test
