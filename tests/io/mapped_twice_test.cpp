#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/io/save_npy.hpp>
#include <purview/reader/mapped_file.hpp>
#include <purview/tensor/as_span.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/create.hpp>
#include <purview/tensor/views.hpp>
#include <purview/tensor/wrap.hpp>

#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <numeric>
#include <span>
#include <string>
#include <vector>

#include <unistd.h>

namespace mapped_twice_test {

namespace pv = purview;
using pv::index_t;

namespace {

std::string bytes_of(const std::vector<double>& values) {
    return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(double)};
}

std::vector<double> counted(std::size_t n) {
    std::vector<double> values(n);
    std::iota(values.begin(), values.end(), 0.);
    return values;
}

pv::MutableTensor<double> mapped(const std::string& path, pv::MapMode mode) {
    return pv::tensor(pv::mapped_buffer<double>(path, mode));
}

} // namespace

TEST_CASE("what is copied between two mappings of one file is what one mapping would give") {
    // A few elements are moved at once; many are copied in pieces and by several threads.
    for (const std::size_t n : {std::size_t{10}, std::size_t{300'000}}) {
        const temporary::File file(bytes_of(counted(n)));
        const std::string link = file.path() + ".link";
        REQUIRE(::link(file.path().c_str(), link.c_str()) == 0);
        const auto last = static_cast<index_t>(n) - 1;
        const auto a = mapped(file.path(), pv::MapMode::read_write);
        const auto b = mapped(link, pv::MapMode::read_write);
        REQUIRE(pv::as_span(a).data() != pv::as_span(b).data());
        CHECK(pv::shares_storage(a, b));
        CHECK(pv::may_overlap(a, b));
        CHECK(pv::may_overlap(a(pv::range(0, 6)), b(pv::range(5, 10))));
        CHECK_FALSE(pv::may_overlap(a(pv::range(0, 5)), b(pv::range(5, 10))));
        CHECK_FALSE(pv::may_overlap(a(pv::range(0, 10, 2)), b(pv::range(1, 10, 2))));

        pv::copy(pv::flip(a), b);
        bool reversed = true;
        for (index_t i = 0; i <= last; ++i)
            reversed = reversed && b.read(i) == static_cast<double>(last - i);
        CHECK(reversed);
        pv::copy(a(pv::range(0, last)), b(pv::range(1, last + 1)));
        CHECK(a.read(0) == static_cast<double>(last));
        bool moved = true;
        for (index_t i = 1; i <= last; ++i)
            moved = moved && a.read(i) == static_cast<double>(last - i + 1);
        CHECK(moved);
        pv::copy(b(pv::range(1, last + 1)) + 1., a(pv::range(0, last)));
        bool computed = true;
        for (index_t i = 0; i < last; ++i)
            computed = computed && a.read(i) == static_cast<double>(last - i + 1);
        CHECK(computed);
        ::unlink(link.c_str());
    }
}

TEST_CASE("mappings of other files, and private ones, do not overlap; one alone is as before") {
    const temporary::File file(bytes_of(counted(10)));
    const temporary::File other(bytes_of(counted(10)));
    {
        const auto a = mapped(file.path(), pv::MapMode::copy_on_write);
        const auto b = mapped(file.path(), pv::MapMode::copy_on_write);
        const auto c = mapped(other.path(), pv::MapMode::read_write);
        CHECK_FALSE(pv::may_overlap(a, b));
        CHECK_FALSE(pv::may_overlap(a, c));
        CHECK_FALSE(pv::shares_storage(a, b));
        pv::copy(pv::flip(a), b);
        CHECK(b.read(0) == 9.);
        CHECK(a.read(0) == 0.);
        const auto shared = mapped(file.path(), pv::MapMode::read_write);
        CHECK(pv::may_overlap(a, shared));
        pv::copy(pv::flip(a), shared); // an untouched page of `a` is the file's
        for (index_t i = 0; i < 10; ++i) CHECK(shared.read(i) == static_cast<double>(9 - i));
    }
    const auto alone = mapped(other.path(), pv::MapMode::read_write);
    pv::copy(pv::flip(alone), alone);
    CHECK(alone.read(0) == 9.);
}

TEST_CASE("readers and wrapped memory of a file that is mapped twice are known as well") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npy";
    pv::save_npy(path, pv::tensor(counted(12)));
    const auto loaded = pv::load_npy<double, pv::Access::read_write>(path);
    const pv::MappedFile file(path, pv::MapMode::read_write);
    auto* const first = reinterpret_cast<double*>(file.writable_bytes().data() + 128);
    const auto wrapped = pv::wrap(first, {12}, file.owner());
    CHECK(pv::may_overlap(loaded, wrapped));
    pv::copy(pv::flip(loaded), wrapped);
    for (index_t i = 0; i < 12; ++i) CHECK(loaded.read(i) == static_cast<double>(11 - i));
}

} // namespace mapped_twice_test
