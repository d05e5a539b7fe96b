#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>

#include <purview/evaluation/chunk_memory.hpp>
#include <purview/purview.hpp>

#include <memory>
#include <vector>

// What is put together of arrays of chunks: each chunk is read once, within a small limit.

namespace pieces_walk_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::StoredChunks;
using pv::index_t;

constexpr index_t kLimit = 8 * 16 * 16 * 16 * sizeof(double); // eight chunks

pv::MutableTensor<double> digits(const pv::Shape& shape, unsigned seed) {
    pv::MutableTensor<double> x = pv::empty<double>(shape);
    Random random(seed);
    for (auto&& value : x) value = static_cast<double>(random.between(0, 9));
    return x;
}

/// Compares `f` of arrays in chunks with that of memory, and what it reads.
template <typename F>
void same(const char* what, index_t chunks, const pv::Tensor<double>& of_chunks,
          const pv::Tensor<double>& of_memory, F f) {
    INFO(what);
    const MemoryLimit limit(kLimit);
    const auto found = f(of_chunks);
    CHECK(pv::chunk_statistics().chunks_read == chunks);
    CHECK(pv::chunk_statistics().peak_bytes <= kLimit);
    CHECK(pv::allclose(found, f(of_memory)));
}

/// `stacked`: an axis along which all results would be more than the limit.
void same(index_t chunks, const pv::Tensor<double>& x, const pv::Tensor<double>& y,
          index_t stacked = -1) {
    same("copy", chunks, x, y, [](const auto& t) { return pv::clone(t); });
    same("copy of an expression", chunks, x, y,
         [](const auto& t) { return pv::clone(t * 2. + 1.); });
    same("sum", chunks, x, y, [](const auto& t) { return pv::tensor({pv::sum(pv::sq(t - 1.))}); });
    same("argmax", chunks, x, y, [](const auto& t) { return pv::tensor({pv::argmax(t)}); });
    same("histogram", chunks, x, y, [](const auto& t) {
        return pv::histogram(t, {5, 0., 9.}).counts;
    });
    for (index_t axis = 0; axis < x.rank(); ++axis) {
        if (axis == stacked) {
            const MemoryLimit limit(kLimit);
            CHECK_THROWS_AS(pv::mean(x, axis), pv::MemoryLimitError);
            CHECK(pv::chunk_statistics().chunks_read == 0);
            continue;
        }
        same("mean", chunks, x, y, [&](const auto& t) { return pv::mean(t, axis); });
        same("max", chunks, x, y, [&](const auto& t) { return pv::max(t, axis); });
        same("argmin", chunks, x, y, [&](const auto& t) { return pv::argmin(t, axis); });
        same("deviation", chunks, x, y,
             [&](const auto& t) { return pv::standard_deviation(t, axis); });
    }
}

} // namespace

TEST_CASE("pieces of arrays of chunks read each chunk once") {
    const auto a = digits({40, 48, 32}, 1); // 3 · 3 · 2 chunks of 16³
    const auto b = digits({24, 48, 32}, 2); // 2 · 3 · 2
    const auto c = digits({40, 48, 32}, 3);
    const auto in_chunks = [](const auto& x) { return pv::chunked(x, {16, 16, 16}); };
    same(18 + 12, pv::concat({in_chunks(a), in_chunks(b)}, 0), pv::concat({a, b}, 0));
    same(18 + 18, pv::concat({in_chunks(a), in_chunks(c)}, 1), pv::concat({a, c}, 1));
    same(18 + 18, pv::stack({in_chunks(a), in_chunks(c)}, 0), pv::stack({a, c}, 0), 0);
    same(18 + 18, pv::stack({in_chunks(a), in_chunks(c)}, 3), pv::stack({a, c}, 3), 3);
    // Pieces of pieces, one of them in memory, seen through a view.
    const auto nested = [&](const auto& x, const auto& y) {
        return pv::concat({pv::concat({x, pv::Tensor<double>(b)}, 0), y}, 0) | pv::transpose;
    };
    same(18 + 18, nested(in_chunks(a), in_chunks(c)),
         nested(pv::Tensor<double>(a), pv::Tensor<double>(c)));
    // What is put around it has no chunks: it is one cell for each side.
    const auto padded = [](const auto& x) { return pv::pad(x, 3, pv::PadMode::constant, 1.); };
    same("pad", 18, padded(in_chunks(a)), padded(a), [](const auto& t) { return pv::clone(t); });
    same("sum of pad", 18, padded(in_chunks(a)), padded(a),
         [](const auto& t) { return pv::sum(t, 0); });
}

TEST_CASE("pieces are written to chunks") {
    const auto a = digits({40, 48, 32}, 1);
    const auto b = digits({24, 48, 32}, 2);
    const MemoryLimit limit(kLimit);
    const auto stored =
        std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{64, 48, 32}, {16, 16, 16}}, 1.);
    pv::MutableTensor<double> to = pv::tensor(stored, {64, 48, 32});
    const auto in_chunks = [](const auto& x) { return pv::chunked(x, {16, 16, 16}); };
    pv::copy(pv::concat({in_chunks(a), in_chunks(b)}, 0), to);
    pv::drop_cached_chunks();
    CHECK(pv::equals(to, pv::concat({a, b}, 0)));
}

} // namespace pieces_walk_test
