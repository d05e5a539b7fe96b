#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <memory>

namespace sparse_buffer_test {

namespace {

using namespace oracle;
using pv::SparseBuffer;
using Indexes = std::vector<pv::index_t>;
using Catch::Matchers::ContainsSubstring;

template <typename T>
void expect_elements(const SparseBuffer<T>& buffer, const std::vector<T>& expected) {
    REQUIRE(buffer.size() == std::ssize(expected));
    pv::check_sparse_indexes("test", buffer.indexes(), buffer.size());
    const auto whole = std::make_unique<T[]>(expected.size() + 1); // never empty
    buffer.read_block(0, 1, {whole.get(), expected.size()});
    for (std::size_t i = 0; i < expected.size(); ++i) REQUIRE(same<T>(whole[i], expected[i]));
    for (std::size_t i = 0; i < expected.size(); ++i)
        REQUIRE(same<T>(buffer.read(static_cast<pv::index_t>(i)), expected[i]));
}

/// Random writes of all kinds, beside a vector that does the same.
template <typename T>
void random_writes(unsigned seed) {
    INFO("seed " << seed);
    Random random(seed);
    const T fill = random_fill<T>(random);
    const pv::index_t size = random.between(1, 40);
    SparseBuffer<T> buffer(size, fill);
    std::vector<T> naive(static_cast<std::size_t>(size), fill);
    for (int step = 0; step < 20; ++step) {
        const auto value = [&] { return random.one_in(3) ? fill : any_value<T>(random); };
        const pv::index_t begin = random.between(0, size - 1);
        const pv::index_t end = random.between(begin, size);
        switch (random.between(0, 5)) {
        case 0: {
            const T v = value();
            buffer.write(begin, v);
            naive[static_cast<std::size_t>(begin)] = v;
            break;
        }
        case 1: {
            const auto block = std::make_unique<T[]>(static_cast<std::size_t>(end - begin) + 1);
            for (pv::index_t i = begin; i < end; ++i)
                naive[static_cast<std::size_t>(i)] = block[static_cast<std::size_t>(i - begin)] =
                    value();
            buffer.write_block(begin, 1, {block.get(), static_cast<std::size_t>(end - begin)});
            break;
        }
        case 2: {
            const T v = value();
            buffer.set_constant(begin, end, v);
            for (pv::index_t i = begin; i < end; ++i) naive[static_cast<std::size_t>(i)] = v;
            break;
        }
        case 3: { // with duplicates: the last wins
            const auto count = static_cast<std::size_t>(random.between(0, 8));
            Indexes indexes;
            const auto values = std::make_unique<T[]>(count + 1);
            for (std::size_t i = 0; i < count; ++i) {
                indexes.push_back(random.between(0, size - 1));
                naive[static_cast<std::size_t>(indexes.back())] = values[i] = value();
            }
            buffer.write_indexes(indexes, {values.get(), count});
            break;
        }
        case 4: { // backwards
            const auto block = std::make_unique<T[]>(static_cast<std::size_t>(end - begin) + 1);
            for (pv::index_t i = 0; i < end - begin; ++i)
                naive[static_cast<std::size_t>(end - 1 - i)] = block[static_cast<std::size_t>(i)] =
                    value();
            buffer.write_block(end - 1, -1, {block.get(), static_cast<std::size_t>(end - begin)});
            break;
        }
        default: buffer.prune();
        }
        expect_elements(buffer, naive);
    }
}

} // namespace

TEST_CASE("random writes to a sparse buffer agree with a vector") {
    for (unsigned seed = 0; seed < oracle::rounds(400U); ++seed) {
        random_writes<double>(seed);
        random_writes<std::int16_t>(seed + 1000);
        random_writes<bool>(seed + 2000);
        random_writes<std::string>(seed + 3000);
    }
}

TEST_CASE("pairs in any order are sorted, duplicates as stated") {
    const SparseBuffer<int> sorted(10, {7, 2, 5}, {70, 20, 50});
    CHECK(Indexes(sorted.indexes().begin(), sorted.indexes().end()) == Indexes{2, 5, 7});
    CHECK(sorted.read(5) == 50);
    CHECK(sorted.read(0) == 0);
    CHECK(sorted.stored() == 3);
    const SparseBuffer<int> last(10, {7, 2, 7}, {70, 20, 71}, 0, pv::Duplicates::last);
    CHECK(last.read(7) == 71);
    const SparseBuffer<int> sum(10, {7, 2, 7}, {70, 20, 71}, 0, pv::Duplicates::sum);
    CHECK(sum.read(7) == 141);
    CHECK(sum.stored() == 2);
    Indexes many;
    std::vector<int> values;
    for (int i = 0; i < 5000; ++i) {
        many.push_back((i * 7919LL) % 100'003 * 1'000'003);
        values.push_back(i);
    }
    const SparseBuffer<int> large(pv::kLargestSparse, many, values);
    pv::check_sparse_indexes("test", large.indexes(), large.size());
    for (std::size_t i = 0; i < many.size(); i += 97) CHECK(large.read(many[i]) == values[i]);
}

TEST_CASE("hostile pairs are refused, naming the position") {
    CHECK_THROWS_WITH(SparseBuffer<int>(10, {1, 10}, {1, 2}),
                      ContainsSubstring("index 10 at position 1 is outside of [0, 10)"));
    CHECK_THROWS_WITH(SparseBuffer<int>(10, {1, -1}, {1, 2}),
                      ContainsSubstring("index -1 at position 1"));
    CHECK_THROWS_WITH(SparseBuffer<int>(10, {4, 1, 4}, {1, 2, 3}),
                      ContainsSubstring("index 4 at position 2 is a duplicate"));
    CHECK_THROWS_AS(SparseBuffer<int>(10, {1}, {1, 2}), pv::ShapeError);
    CHECK_THROWS_AS(SparseBuffer<int>(-1), pv::ShapeError);
    CHECK_THROWS_AS(SparseBuffer<int>(pv::kLargestSparse + 1), pv::ShapeError);
    const auto wrapped = [](Indexes indexes, std::vector<int> values) {
        return SparseBuffer<int>(10, pv::buffer_from_vector(std::move(indexes)),
                                 pv::buffer_from_vector(std::move(values)));
    };
    CHECK_THROWS_WITH(wrapped({3, 2}, {1, 2}),
                      ContainsSubstring("index 2 at position 1 comes after 3"));
    CHECK_THROWS_WITH(wrapped({3, 3}, {1, 2}),
                      ContainsSubstring("index 3 at position 1 is a duplicate"));
    CHECK_THROWS_WITH(wrapped({3, 11}, {1, 2}), ContainsSubstring("index 11 at position 1"));
    CHECK_THROWS_AS(wrapped({3}, {1, 2}), pv::ShapeError);
    CHECK_THROWS_AS(SparseBuffer<int>(10, nullptr, pv::buffer_from_vector(std::vector<int>{1})),
                    pv::ShapeError);
    SparseBuffer<int> buffer(10, {1}, {1});
    const std::vector<int> two{1, 2};
    CHECK_THROWS_AS(buffer.write_indexes(Indexes{1, 10}, two), pv::IndexError);
    CHECK_THROWS_AS(buffer.write_indexes(Indexes{1}, two), pv::ShapeError);
    CHECK_THROWS_AS(buffer.set_constant(3, 11, 4), pv::IndexError);
    CHECK(buffer.stored() == 1);
    CHECK_THROWS_WITH(
        pv::from_coo<int>({3, 4}, {{0, 2}, {1, 4}}, {1, 2}),
        ContainsSubstring("index 4 at position 1 is out of range for axis 1 of size 4"));
    CHECK_THROWS_AS(pv::from_coo<int>({3, 4}, {{0, 2}}, {1, 2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::from_coo<int>({3, 4}, {{0, 2}, {1}}, {1, 2}), pv::ShapeError);
    CHECK_THROWS_AS(pv::sparse_zeros<int>({pv::index_t{1} << 40, pv::index_t{1} << 40}),
                    pv::ShapeError);
}

TEST_CASE("memory of others is shared until it is written") {
    struct Row {
        pv::index_t index;
        double value;
        double other;
    };
    const auto rows =
        std::make_shared<std::vector<Row>>(std::vector<Row>{{2, 20, 0}, {5, 50, 0}, {9, 90, 0}});
    auto indexes = pv::buffer_from_vector(Indexes{2, 5, 9});
    const auto values = std::make_shared<pv::ConstBuffer<double>>(&(*rows)[0].value, 3,
                                                                  pv::index_t{sizeof(Row)}, rows);
    SparseBuffer<double> buffer(10, indexes, values);
    CHECK(buffer.indexes().data() == indexes->memory().data);
    CHECK(buffer.read(5) == 50);
    (*rows)[1].value = 51;
    CHECK(buffer.read(5) == 51);
    CHECK_THROWS_AS(buffer.values(), pv::ShapeError);
    buffer.write(5, 52);
    CHECK(buffer.read(5) == 52);
    CHECK((*rows)[1].value == 51);
    CHECK(buffer.values().size() == 3);
    // Strided indexes too.
    const auto strided = std::make_shared<pv::ConstBuffer<pv::index_t>>(
        &(*rows)[0].index, 3, pv::index_t{sizeof(Row)}, rows);
    const SparseBuffer<double> table(10, strided, values);
    CHECK(table.read(9) == 90);
}

TEST_CASE("parts of a sparse buffer read it") {
    auto buffer =
        std::make_shared<SparseBuffer<int>>(10, Indexes{1, 4, 7}, std::vector<int>{1, 4, 7});
    const auto part = pv::tensor(pv::sub_buffer(buffer, 3, 6));
    CHECK(pv::to_vector(part) == std::vector<int>{0, 4, 0, 0, 7, 0});
    CHECK(pv::is_sparse(part));
    CHECK(pv::sparse_pairs(pv::clone(part))->stored() == 2);
    part(0) = 33;
    CHECK(buffer->read(3) == 33);
    CHECK(pv::sum(part) == 44);
    CHECK(pv::to_vector(pv::tensor(pv::reverse(buffer))) ==
          std::vector<int>{0, 0, 7, 0, 0, 4, 33, 0, 1, 0});
}

} // namespace sparse_buffer_test
