#include <support/catch.hpp>
#include <support/stored_chunks.hpp>
#include <support/tensors.hpp>

#include <purview/purview.hpp>

#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace sparse_by_slabs_test {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Twins;
using pv::index_t;
using X = pv::Tensor<double>;

Twins<double> twins_of(const pv::Shape& shape, const pv::Shape& chunk, unsigned seed) {
    return {shape, chunk, [random = std::mt19937(seed)](index_t) mutable {
                return static_cast<double>(random() % 200) - 100;
            }};
}

/// A matrix with one element in twenty stored, as a sparse and as a dense one.
std::pair<X, X> random_matrix(index_t rows, index_t columns, unsigned seed) {
    const pv::MutableTensor<double> dense = pv::zeros<double>({rows, columns});
    std::mt19937 random(seed);
    for (double& element : pv::as_span(dense))
        if (random() % 40 == 0) element = static_cast<double>(random() % 20);
    return {pv::to_sparse(dense), dense};
}

TEST_CASE("a sparse matrix times one in chunks, and the other way round, reads each chunk once") {
    const auto x = twins_of({2000, 500}, {90, 130}, 1);
    const auto [sparse, dense] = random_matrix(70, 500, 2);
    const auto [turned, turned_dense] = random_matrix(40, 2000, 3);
    const int chunks = 23 * 4;
    for (const int threads : {1, 3})
        for (const index_t limit : {index_t{2} << 20, index_t{1} << 27}) {
            const oracle::Threads some(threads);
            const MemoryLimit limited(limit);
            const auto check = [&](const X& found, const X& expected, int reads = 1) {
                CHECK(x.stored->reads <= reads * chunks);
                CHECK(pv::chunk_statistics().peak_bytes <= limit);
                CHECK(pv::to_vector(found) == pv::to_vector(expected));
                x.forget();
            };
            x.forget();
            check(pv::matmul(sparse, pv::transpose(x.chunks)),
                  pv::matmul(dense, pv::transpose(x.memory)));
            check(pv::matmul(x.chunks, pv::transpose(sparse)),
                  pv::matmul(x.memory, pv::transpose(dense)));
            // Slabs of whole columns have half of a chunk's width.
            check(pv::matmul(turned, x.chunks), pv::matmul(turned_dense, x.memory), 2);
            check(pv::matmul(sparse, pv::transpose(x.chunks + 1.)),
                  pv::matmul(dense, pv::transpose(x.memory + 1.)));
        }
}

TEST_CASE("a reshaped array in chunks times a sparse matrix is read chunk by chunk") {
    const auto t = twins_of({300, 30, 40}, {20, 10, 15}, 1);
    const auto [sparse, dense] = random_matrix(25, 1200, 2);
    const MemoryLimit limited(1 << 20);
    t.stored->reads = 0;
    const X found = pv::matmul(pv::reshape(t.chunks, {300, -1}), pv::transpose(sparse));
    CHECK(t.stored->reads == 15 * 3 * 3);
    CHECK(pv::chunk_statistics().peak_bytes <= pv::memory_limit());
    CHECK(pv::to_vector(found) ==
          pv::to_vector(pv::matmul(pv::reshape(t.memory, {300, -1}), pv::transpose(dense))));
}

TEST_CASE("what is not finite in chunks meets what is not stored") {
    const auto x = twins_of({600, 300}, {50, 300}, 1);
    const double infinite = std::numeric_limits<double>::infinity();
    x.chunks(333, 7) = infinite;
    x.memory(333, 7) = infinite;
    const auto [sparse, dense] = random_matrix(10, 300, 2);
    const MemoryLimit limited(1 << 20);
    const X found = pv::matmul(x.chunks, pv::transpose(sparse));
    const X expected = pv::matmul(x.memory, pv::transpose(dense));
    const std::vector<double> one = pv::to_vector(found);
    const std::vector<double> other = pv::to_vector(expected);
    for (std::size_t i = 0; i < one.size(); ++i)
        CHECK((one[i] == other[i] || (std::isnan(one[i]) && std::isnan(other[i]))));
}

} // namespace sparse_by_slabs_test
