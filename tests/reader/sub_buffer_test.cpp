#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/const_reader.hpp>
#include <purview/reader/sub_buffer.hpp>

namespace sub_buffer_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("A part of a reader is read and written through", "", READER_TYPES) {
    const index_t n = 12;
    for (index_t offset = 0; offset <= n; offset += 3) {
        for (index_t length = 0; length <= n - offset; length += 4) {
            INFO("offset " << offset << " length " << length);
            const auto buffer = pv::allocate_buffer<TestType>(n);
            buffer->write_block(0, 1, Values<TestType>::samples(n).span());
            const auto part = pv::sub_buffer(buffer, offset, length);
            check_reads<TestType>(*part, Values<TestType>::samples(length, offset));
            CHECK(part->memory());
            CHECK(part->storage() == buffer->storage());
            check_writes(*part);
            for (index_t i = 0; i < n; ++i)
                if (i < offset || i >= offset + length)
                    CHECK(buffer->read(i) == sample<TestType>(i));

            const auto plain = std::make_shared<Plain<TestType>>(n);
            const auto computed = pv::sub_buffer(plain, offset, length);
            check_reads<TestType>(*computed, Values<TestType>::samples(length, offset));
            check_writes(*computed);
            CHECK_FALSE(computed->is_thread_safe());
            CHECK_FALSE(computed->memory());
        }
    }
}

TEST_CASE("A part of what cannot be written cannot be written") {
    const pv::ReaderPtr<double> source = pv::allocate_buffer<double>(4);
    const auto part = pv::sub_buffer(source, 1, 2);
    static_assert(!pv::WritableSource<std::remove_cvref_t<decltype(*part)>>);
    check_reads<double>(*part, Values<double>(2));
    CHECK(pv::sub_buffer(pv::const_reader(2.0, 4), 1, 2)->kind() == pv::Kind::constant);
}

TEST_CASE("A part keeps the whole alive") {
    const auto part = pv::sub_buffer(pv::buffer_from_vector(std::vector{1, 2, 3}), 1, 1);
    CHECK(part->read(0) == 2);
}

TEST_CASE("Parts that leave the buffer are refused") {
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    const auto buffer = pv::allocate_buffer<int>(10);
    CHECK_THROWS_AS(pv::sub_buffer(buffer, 3, 9), pv::ShapeError);
    CHECK_THROWS_WITH(pv::sub_buffer(buffer, 3, 9),
                      "sub_buffer: offset 3 and length 9 leave a buffer of size 10");
    CHECK_THROWS_AS(pv::sub_buffer(buffer, -1, 2), pv::ShapeError);
    CHECK_THROWS_AS(pv::sub_buffer(buffer, 2, -1), pv::ShapeError);
    CHECK_THROWS_AS(pv::sub_buffer(buffer, 11, 0), pv::ShapeError);
    CHECK_THROWS_AS(pv::sub_buffer(buffer, 1, kMax), pv::ShapeError);
    CHECK_THROWS_AS(pv::sub_buffer(buffer, kMax, kMax), pv::ShapeError);
    CHECK_THROWS_AS(pv::sub_buffer(buffer, -kMax - 1, -kMax - 1), pv::ShapeError);
    CHECK(pv::sub_buffer(buffer, 10, 0)->size() == 0);
    CHECK_THROWS_WITH(pv::sub_buffer(pv::BufferPtr<int>(), 0, 0),
                      "sub_buffer: the source is a null pointer");
}

} // namespace sub_buffer_test
