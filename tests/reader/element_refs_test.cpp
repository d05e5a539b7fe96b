// Elements of buffers outlive them; those of tensors are in tests/tensor/element_lifetime_test.cpp.
#include <purview/reader/buffer.hpp>
#include <purview/reader/element_refs.hpp>
#include <purview/reader/elements.hpp>
#include <purview/reader/reverse.hpp>
#include <purview/reader/sub_buffer.hpp>

#include <support/catch.hpp>

#include <memory>
#include <vector>

namespace element_refs_test {

namespace {

namespace pv = purview;
using pv::index_t;

TEST_CASE("elements of buffers outlive them") {
    const auto check = [](auto make) {
        auto element = make();
        CHECK(element == 2);
        element = 6;
        CHECK(element == 6);
        auto again = element;
        again = 7;
        CHECK(element == 7);
    };
    const auto small = [] { return pv::buffer_from_vector(std::vector<double>{1, 2, 3}); };
    check([&] {
        auto buffer = pv::allocate_buffer<double>(3);
        (*buffer)[1] = 2;
        return (*buffer)[1];
    });
    check([&] {
        auto buffer = pv::allocate_buffer<double>(3);
        (*buffer)[1] = 2;
        return *(buffer->begin() + 1);
    });
    check([&] {
        const index_t n = pv::kLargeBytes / 8;
        auto buffer = pv::allocate_buffer<double>(n);
        buffer->write(n - 1, 2);
        return (*buffer)[n - 1];
    });
    check([&] {
        auto buffer = small();
        return (*buffer)[1];
    });
    check([&] { return pv::elements(small())[1]; });
    check([&] { return pv::elements(small()).begin()[1]; });
    check([&] { return (*pv::reverse(small()))[1]; });
    check([&] { return *pv::elements(pv::sub_buffer(small(), 1, 2)).begin(); });
    check([&] {
        const std::shared_ptr<double[]> memory(new double[3]{1, 2, 3});
        return pv::Buffer<double>(memory.get(), 3, 8, memory)[1];
    });
    CHECK_FALSE(pv::has_element_refs());
}

TEST_CASE("a buffer that is freed after a weak pointer to it is gone") {
    std::weak_ptr<pv::Buffer<double>> weak;
    {
        auto element = [&] {
            auto buffer = pv::allocate_buffer<double>(3);
            weak = buffer;
            return (*buffer)[1];
        }();
        CHECK(weak.expired());
        element = 3;
        weak.reset();
        CHECK(element == 3);
    }
    auto buffer = pv::allocate_buffer<double>(3);
    weak = buffer;
    {
        auto element = (*buffer)[1];
        buffer.reset();
        element = 4;
        CHECK(element == 4);
    }
    weak.reset();
    CHECK_FALSE(pv::has_element_refs());
}

} // namespace

} // namespace element_refs_test
