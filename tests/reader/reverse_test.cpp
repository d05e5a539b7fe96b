#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/const_reader.hpp>
#include <purview/reader/reverse.hpp>
#include <purview/reader/sub_buffer.hpp>

namespace reverse_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("A reader is read and written backwards", "", READER_TYPES) {
    for (const index_t n : {0, 1, 2, 9, 300}) {
        Values<TestType> expected(n);
        for (index_t i = 0; i < n; ++i) expected[i] = sample<TestType>(n - 1 - i);

        const auto buffer = pv::allocate_buffer<TestType>(n);
        buffer->write_block(0, 1, Values<TestType>::samples(n).span());
        const auto reversed = pv::reverse(buffer);
        check_reads<TestType>(*reversed, expected);
        CHECK(reversed->memory().stride_bytes == -static_cast<index_t>(sizeof(TestType)));
        CHECK(reversed->storage() == buffer->storage());
        check_reads<TestType>(*pv::reverse(reversed), Values<TestType>::samples(n));
        check_writes(*pv::reverse(reversed));
        check_writes(*reversed);

        const auto plain = std::make_shared<Plain<TestType>>(n);
        check_reads<TestType>(*pv::reverse(plain), expected);
        check_writes(*pv::reverse(pv::reverse(plain)));
        check_writes(*pv::reverse(plain));
        CHECK_FALSE(pv::reverse(plain)->is_thread_safe());
    }
}

TEST_CASE("The reverse of a constant is constant") {
    CHECK(pv::reverse(pv::const_reader(3, 4))->kind() == pv::Kind::constant);
    CHECK_THROWS_AS(pv::reverse(pv::ReaderPtr<int>()), pv::Error);
}

TEST_CASE("A long chain of parts and reverses is read and destroyed without recursion") {
    std::shared_ptr<pv::WritableStrided<int>> chain =
        pv::reverse(std::make_shared<Plain<int>>(100));
    pv::ReaderPtr<int> reader = chain;
    for (int i = 0; i < 300000; ++i) {
        chain = pv::reverse(pv::sub_buffer(chain, 0, chain->size()));
        reader = pv::reverse(reader);
    }
    CHECK(chain->read(0) == sample<int>(99));
    CHECK(reader->read(0) == sample<int>(99));
    chain = pv::sub_buffer(pv::reverse(pv::sub_buffer(chain, 10, 20)), 3, 4);
    // Elements 10..29 of the reverse are 89..70; of those backwards, the fourth is 73.
    for (index_t i = 0; i < 4; ++i) CHECK(chain->read(i) == sample<int>(73 + i));
    check_writes(*chain);
}

} // namespace reverse_test
