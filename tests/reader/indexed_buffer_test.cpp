#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/const_reader.hpp>
#include <purview/reader/indexed_buffer.hpp>
#include <purview/reader/range_reader.hpp>

#include <list>
#include <set>

namespace indexed_buffer_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("Elements are read and written by a list of indexes", "", READER_TYPES) {
    const index_t n = 40;
    std::vector<index_t> distinct;
    for (index_t i = 0; i < n; i += 2) distinct.push_back((i * 7) % n - (i % 4 == 0 ? 0 : n));
    Values<TestType> expected(static_cast<index_t>(distinct.size()));
    for (index_t i = 0; i < expected.size(); ++i) {
        const index_t index = distinct[static_cast<std::size_t>(i)];
        expected[i] = sample<TestType>(index < 0 ? index + n : index);
    }
    const auto buffer = pv::allocate_buffer<TestType>(n);
    buffer->write_block(0, 1, Values<TestType>::samples(n).span());
    const auto indexed = pv::indexed_buffer(distinct, buffer);
    check_reads<TestType>(*indexed, expected);
    check_writes(*indexed);
    CHECK(indexed->storage() == buffer->storage());

    const auto plain = std::make_shared<Plain<TestType>>(n);
    check_reads<TestType>(*pv::indexed_buffer(distinct, plain), expected);
    check_writes(*pv::indexed_buffer(distinct, plain));
    CHECK_FALSE(pv::indexed_buffer(distinct, plain)->is_thread_safe());
    check_reads<TestType>(*pv::indexed_buffer({}, plain), Values<TestType>());
}

TEST_CASE("Longer lists than a block are read in blocks") {
    std::vector<index_t> indexes;
    for (index_t i = 0; i < 1000; ++i) indexes.push_back((i * 17) % 300);
    Values<int> expected(1000);
    for (index_t i = 0; i < 1000; ++i) expected[i] = sample<int>((i * 17) % 300);
    check_reads<int>(*pv::indexed_buffer(indexes, std::make_shared<Plain<int>>(300)), expected);
}

TEST_CASE("Indexes are a snapshot of any range of integers") {
    const auto source = pv::buffer_from_vector(std::vector{10, 11, 12, 13});
    std::vector<index_t> indexes{3, 0};
    const auto indexed = pv::indexed_buffer(indexes, source);
    indexes = {100, 100};
    CHECK(indexed->read(0) == 13);
    source->write(3, 5);
    CHECK(indexed->read(0) == 5);
    CHECK(pv::indexed_buffer(std::list<short>{-1}, source)->read(0) == 5);
    CHECK(pv::indexed_buffer(std::set<std::uint64_t>{1, 2}, source)->read(1) == 12);
    CHECK(pv::indexed_buffer(*pv::range_reader(2, 4), source)->read(1) == 5);
    CHECK(pv::indexed_buffer({1, -1, 1}, source)->size() == 3);
    const auto twice = pv::indexed_buffer({0, 0}, source);
    twice->write_block(0, 1, std::vector{1, 2});
    CHECK(source->read(0) == 2);
}

TEST_CASE("Indexes out of range are refused") {
    const auto source = pv::allocate_buffer<int>(10);
    CHECK_THROWS_AS(pv::indexed_buffer({1, 2, 10}, source), pv::IndexError);
    CHECK_THROWS_WITH(
        pv::indexed_buffer({1, 2, 10}, source),
        "indexed_buffer: index 10 at position 2 is out of range for a buffer of size 10");
    CHECK_THROWS_AS(pv::indexed_buffer({-11}, source), pv::IndexError);
    CHECK_THROWS_AS(pv::indexed_buffer({std::numeric_limits<index_t>::lowest()}, source),
                    pv::IndexError);
    CHECK_THROWS_AS(pv::indexed_buffer(std::vector<std::uint64_t>{std::uint64_t(-1)}, source),
                    pv::IndexError);
    CHECK_THROWS_AS(pv::indexed_buffer({0}, pv::allocate_buffer<int>(0)), pv::IndexError);
    CHECK_THROWS_AS(pv::indexed_buffer({0}, pv::BufferPtr<int>()), pv::Error);
    CHECK(pv::indexed_buffer({1}, pv::const_reader(3, 4))->kind() == pv::Kind::constant);
}

} // namespace indexed_buffer_test
