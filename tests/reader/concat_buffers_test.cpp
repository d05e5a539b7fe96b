#include <support/reader_laws.hpp>

#include <purview/reader/buffer.hpp>
#include <purview/reader/concat_buffers.hpp>
#include <purview/reader/const_reader.hpp>
#include <purview/reader/sub_buffer.hpp>

#include <algorithm>

namespace concat_buffers_test {

namespace pv = purview;
using namespace reader_laws;

TEMPLATE_TEST_CASE("Buffers are read and written one after the other", "", READER_TYPES) {
    using Sizes = std::vector<index_t>;
    for (const Sizes& sizes : {Sizes{}, Sizes{0}, Sizes{5}, Sizes{0, 3, 0, 0, 4, 1, 0},
                               Sizes{1, 1, 1}, Sizes{290, 7, 300}}) {
        std::vector<pv::BufferPtr<TestType>> parts;
        index_t n = 0;
        for (const index_t size : sizes) {
            parts.push_back(pv::allocate_buffer<TestType>(size));
            parts.back()->write_block(0, 1, Values<TestType>::samples(size, n).span());
            n += size;
        }
        const auto all = pv::concat_buffers(parts);
        check_reads<TestType>(*all, Values<TestType>::samples(n));
        check_writes(*all);
        CHECK(all->is_thread_safe());
    }
}

TEMPLATE_TEST_CASE("The parts of a buffer are the buffer", "", READER_TYPES) {
    const auto whole = std::make_shared<Plain<TestType>>(20);
    for (index_t cut = 0; cut <= 20; cut += 4) {
        const auto joined =
            pv::concat_buffers(pv::sub_buffer(whole, 0, cut), pv::sub_buffer(whole, cut, 20 - cut));
        check_reads<TestType>(*joined, Values<TestType>::samples(20));
    }
    check_writes(*pv::concat_buffers(pv::sub_buffer(whole, 0, 7), pv::sub_buffer(whole, 7, 13)));
}

TEST_CASE("Different kinds of readers are joined") {
    const auto buffer = pv::buffer_from_vector(std::vector{1.0, 2.0});
    const auto joined =
        pv::concat_buffers(buffer, pv::const_reader(3.0, 2), std::make_shared<Plain<double>>(1));
    static_assert(!pv::WritableSource<std::remove_reference_t<decltype(*joined)>>);
    CHECK(std::ranges::equal(*joined, std::vector{1.0, 2.0, 3.0, 3.0, sample<double>(0)}));
    CHECK_FALSE(joined->is_thread_safe());
    const auto both = pv::concat_buffers(buffer, std::make_shared<Plain<double>>(1));
    both->write(2, 9);
    CHECK(both->read(2) == 9);
    const std::vector<pv::ReaderPtr<double>> readers{buffer, both};
    CHECK(pv::concat_buffers(readers)->size() == 5);
}

TEST_CASE("What cannot be joined is refused") {
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    const auto huge = pv::const_reader(1, kMax);
    CHECK_THROWS_AS(pv::concat_buffers(huge, pv::const_reader(1, 1)), pv::ShapeError);
    CHECK_THROWS_AS(pv::concat_buffers(huge, pv::BufferPtr<int>()), pv::Error);
    CHECK(pv::concat_buffers(huge)->read(kMax - 1) == 1);
}

} // namespace concat_buffers_test
