#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/stored_chunks.hpp>

#include <purview/purview.hpp>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

// Walks over chunks on several threads: the same bits, and nothing that ThreadSanitizer sees.

namespace chunk_walk_threads_test {

namespace {

namespace pv = purview;
using oracle::MemoryLimit;
using oracle::Random;
using oracle::StoredChunks;
using pv::index_t;

template <typename T>
std::vector<std::uint64_t> bits_of(const T& x) {
    std::vector<std::uint64_t> bits;
    for (const auto value : pv::to_vector(pv::cast<double>(x)))
        bits.push_back(std::bit_cast<std::uint64_t>(value));
    return bits;
}

} // namespace

TEST_CASE("the same bits for any limit, number of threads and cache") {
    pv::MutableTensor<float> memory = pv::empty<float>({40, 50, 12});
    Random random(463);
    for (auto&& value : memory) value = static_cast<float>(random.between(-1000, 1000)) / 7.f;
    const auto source = pv::chunked(memory, {7, 13, 12});
    const auto other = pv::chunked(memory + 0.5f, {1, 50, 12});
    std::vector<index_t> rows;
    for (int i = 0; i < 100; ++i) rows.push_back(random.between(0, 39));

    using Bits = std::vector<std::vector<std::uint64_t>>;
    const auto evaluate = [&] {
        Bits results;
        const auto add = [&](const auto& x) { results.push_back(bits_of(x)); };
        const auto listed = source(rows);
        const auto rolled = source | pv::roll(17, 0) | pv::roll(-5, 1);
        add(pv::tensor({pv::sum(pv::sq(source - 1.f)), pv::product(source * 0.01f)}));
        add(pv::tensor({pv::variance(source), pv::skewness(source), pv::kurtosis(source)}));
        add(pv::tensor({pv::argmax(source), pv::argmin(listed)}));
        add(pv::tensor({pv::sum(source + other), pv::sum(listed * 3.f), pv::sum(rolled)}));
        for (const index_t axis : {0, 1, 2}) {
            add(pv::sum(source, axis));
            add(pv::mean(source + other, axis));
            add(pv::standard_deviation(source, axis));
            add(pv::argmax(source, axis));
            add(pv::max(rolled, axis));
            add(pv::mean(listed, axis));
        }
        add(pv::histogram(source, {5, -100., 100.}).counts);
        add(pv::clone(rolled));
        return results;
    };
    Bits first;
    for (const int threads : {1, 2, 3})
        for (const index_t bytes : {index_t{1} << 16, index_t{1} << 17, index_t{1} << 22})
            for (const bool warm : {false, true}) {
                INFO(threads << " threads, " << bytes << " bytes, warm: " << warm);
                pv::set_threads(threads);
                const MemoryLimit limit(bytes);
                if (warm) static_cast<void>(pv::sum(source + other));
                const Bits results = evaluate();
                if (first.empty()) first = results;
                for (std::size_t i = 0; i < results.size(); ++i) {
                    INFO("result " << i);
                    CHECK(results[i] == first[i]);
                }
                CHECK(pv::chunk_statistics().peak_bytes <= bytes);
            }
    pv::set_threads(0);
}

TEST_CASE("cells on three threads are written to chunks") {
    pv::set_threads(3);
    const MemoryLimit limit(1 << 19);
    pv::MutableTensor<double> memory = pv::empty<double>({60, 70, 40});
    Random random(464);
    for (auto&& value : memory) value = static_cast<double>(random.between(0, 99));
    const auto source = pv::chunked(memory, {16, 16, 16});
    const auto stored =
        std::make_shared<StoredChunks<double>>(pv::ChunkGrid{{40, 70, 60}, {7, 70, 9}});
    pv::MutableTensor<double> to = pv::tensor(stored, {40, 70, 60});
    pv::copy((source * 2.) | pv::transpose, to);
    CHECK(pv::equals(to, (memory * 2.) | pv::transpose));
    pv::copy(to + 1., to);
    CHECK(pv::equals(to, (memory * 2. + 1.) | pv::transpose));
    pv::set_threads(0);
}

} // namespace chunk_walk_threads_test
