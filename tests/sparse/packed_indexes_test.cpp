#include "sparse_support.hpp"

#include <support/rounds.hpp>

#include <memory>

namespace packed_indexes_test {

namespace {

using namespace oracle;
using pv::IndexSet;
using pv::PackedIndexes;
using pv::SparseBuffer;
using Indexes = std::vector<pv::index_t>;
using Catch::Matchers::ContainsSubstring;

/// One in so many places, and a run now and then.
Indexes random_indexes(Random& random, pv::index_t size, pv::index_t apart) {
    Indexes indexes;
    for (pv::index_t i = random.between(0, apart); i < size;) {
        const pv::index_t run = random.one_in(200) ? random.between(1, 300) : 1;
        for (pv::index_t k = 0; k < run && i < size; ++k) indexes.push_back(i++);
        i += random.between(0, 2 * (apart - 1));
    }
    return indexes;
}

} // namespace

TEST_CASE("packed indexes are read as the list they were made of") {
    for (unsigned seed = 0; seed < oracle::rounds(12U); ++seed) {
        INFO("seed " << seed);
        Random random(seed);
        const pv::index_t size = random.one_in(3) ? pv::index_t{1} << 40 : 400'000;
        const Indexes list = random_indexes(random, size, size / random.between(1'000, 100'000));
        const PackedIndexes packed{IndexSet(list)};
        REQUIRE(packed.size() == std::ssize(list));
        Indexes whole(list.size());
        packed.read_block(0, 1, whole);
        REQUIRE(whole == list);
        for (int k = 0; k < 200; ++k) {
            const pv::index_t position = random.between(0, std::ssize(list) - 1);
            REQUIRE(packed.read(position) == list[static_cast<std::size_t>(position)]);
            const pv::index_t index = random.between(0, size);
            REQUIRE(packed.rank(index) == pv::sparse_position(list, index));
        }
        const pv::index_t step = random.between(-3, 3);
        Indexes some(20);
        packed.read_block(std::ssize(list) / 2, step, some);
        for (std::size_t k = 0; k < some.size(); ++k)
            REQUIRE(some[k] == list[static_cast<std::size_t>(std::ssize(list) / 2 +
                                                             static_cast<pv::index_t>(k) * step)]);
    }
}

TEST_CASE("packed indexes take a quarter of a list where one in 16 places has one") {
    Random random(7);
    for (const pv::index_t apart : {2, 4, 8, 12, 15}) {
        Indexes list;
        for (pv::index_t i = 0; i < 3'000'000; i += apart)
            list.push_back(i + random.between(0, apart - 1));
        const PackedIndexes packed{IndexSet(list)};
        INFO("one in " << apart << ": " << packed.size_bytes() << " bytes for " << list.size());
        CHECK(packed.size_bytes() * 4 <= std::ssize(list) * pv::index_t{sizeof(pv::index_t)});
    }
}

TEST_CASE("a sparse buffer over packed indexes reads, and unpacks them to be written") {
    const Indexes list{2, 5, 9};
    const auto packed = [&] { return std::make_shared<PackedIndexes>(IndexSet(list)); };
    const auto values = pv::buffer_from_vector(std::vector<int>{20, 50, 90});
    const auto buffer = std::make_shared<SparseBuffer<int>>(10, packed(), values, -1);
    CHECK(buffer->is_packed());
    CHECK(buffer->stored() == 3);
    CHECK(buffer->read(5) == 50);
    CHECK(buffer->read(6) == -1);
    CHECK(buffer->index_memory()->read(2) == 9);
    CHECK_THROWS_WITH(buffer->indexes(), ContainsSubstring("packed"));
    CHECK(pv::to_vector(pv::tensor(buffer)) ==
          std::vector<int>{-1, -1, 20, -1, -1, 50, -1, -1, -1, 90});
    const auto part = pv::tensor(pv::sub_buffer(buffer, 3, 6));
    CHECK(pv::is_sparse(part));
    CHECK(pv::to_vector(pv::clone(part)) == std::vector<int>{-1, -1, 50, -1, -1, -1});
    CHECK(pv::sparse_pairs(pv::clone(part))->stored() == 1);
    buffer->write(5, 51);
    CHECK_FALSE(buffer->is_packed());
    CHECK(buffer->read(5) == 51);
    CHECK(values->read(1) == 50);
    SparseBuffer<int> other(10, packed(), values);
    other.write_indexes(Indexes{9, 0}, std::vector<int>{0, 7});
    CHECK(Indexes(other.indexes().begin(), other.indexes().end()) == Indexes{0, 2, 5});

    CHECK_THROWS_WITH(SparseBuffer<int>(9, packed(), values),
                      ContainsSubstring("index 9 at position 2 is outside of [0, 9)"));
    CHECK_THROWS_AS(SparseBuffer<int>(10, packed(), pv::buffer_from_vector(std::vector<int>{1})),
                    pv::ShapeError);
    SparseBuffer<int> none(10, std::make_shared<PackedIndexes>(IndexSet()),
                           pv::buffer_from_vector(std::vector<int>{}));
    CHECK(none.read(3) == 0);
    none.write(3, 4);
    CHECK(none.read(3) == 4);
}

TEST_CASE("strided indexes of others are read where they are") {
    struct Row {
        pv::index_t index;
        double value;
    };
    const auto rows = std::make_shared<std::vector<Row>>(std::vector<Row>{{2, 20}, {5, 50}});
    const auto column_of = [&]<typename T>(const T* first) {
        return std::make_shared<pv::ConstBuffer<T>>(first, 2, pv::index_t{sizeof(Row)}, rows);
    };
    const SparseBuffer<double> buffer(10, column_of(&(*rows)[0].index),
                                      column_of(&(*rows)[0].value));
    CHECK(buffer.read(5) == 50);
    (*rows)[1].index = 6;
    CHECK(buffer.read(6) == 50);
    (*rows)[1].index = 2;
    CHECK_THROWS_WITH(
        SparseBuffer<double>(10, column_of(&(*rows)[0].index), column_of(&(*rows)[0].value)),
        ContainsSubstring("index 2 at position 1 is a duplicate"));
}

TEST_CASE("pack_indexes keeps a tensor, and operations on it") {
    const pv::index_t side = pv::index_t{1} << 30;
    const auto x =
        pv::from_coo<double>({side, side}, {{3, 70'000, 999'999}, {5, 8, 1'000}}, {1., 2., 3.});
    const auto packed = x | pv::pack_indexes;
    CHECK(pv::is_sparse(packed));
    CHECK(packed(70'000, 8) == 2.);
    CHECK(pv::sum(packed) == 6.);
    CHECK(pv::sum(packed * packed) == 14.);
    const auto moved = pv::sparse_pairs(pv::transpose(packed));
    CHECK(moved->indexes()[1] == 8 * side + 70'000);
    CHECK(pv::sparse_pairs(packed)->indexes().size() == 3); // a list
    packed(0, 0) = 9.;
    CHECK(pv::sum(packed) == 15.);
    CHECK(pv::sum(x) == 6.);
    CHECK_THROWS_AS(pv::ones({3}) | pv::pack_indexes, pv::KindError);
}

} // namespace packed_indexes_test
