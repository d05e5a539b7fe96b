#include <support/reader_laws.hpp>

#include <support/temporary.hpp>

#include <purview/reader/mapped_file.hpp>

namespace mapped_file_test {

namespace pv = purview;
using namespace reader_laws;

namespace {

template <typename T>
std::string bytes_of(const Values<T>& values) {
    std::string bytes(static_cast<std::size_t>(values.size()) * sizeof(T), '\0');
    for (index_t i = 0; i < values.size(); ++i)
        std::memcpy(bytes.data() + static_cast<std::size_t>(i) * sizeof(T), &values[i], sizeof(T));
    return bytes;
}

} // namespace

TEMPLATE_TEST_CASE("A file is read as memory", "", bool, std::int8_t, std::uint16_t, std::int64_t,
                   float, double) {
    const Values<TestType> values = Values<TestType>::samples(100);
    const temporary::File file("head" + bytes_of(values));
    for (const index_t n : {0, 1, 99, 100}) {
        const auto buffer = pv::mapped_const_buffer<TestType>(file.path(), 4, n);
        check_reads<TestType>(*buffer, Values<TestType>::samples(n));
    }
    check_reads<TestType>(*pv::mapped_const_buffer<TestType>(file.path(), 4), values);

    const auto copy = pv::mapped_buffer<TestType>(file.path(), pv::MapMode::copy_on_write, 4);
    check_reads<TestType>(*copy, values);
    check_writes(*copy);
    CHECK(file.content() == "head" + bytes_of(values));

    const auto shared = pv::mapped_buffer<TestType>(file.path(), pv::MapMode::read_write, 4);
    check_writes(*shared);
    Values<TestType> now(100);
    shared->read_block(0, 1, now.span());
    CHECK(file.content() == "head" + bytes_of(now));
}

TEST_CASE("Two buffers of a mapped file share storage, and outlive it") {
    const temporary::File file(std::string(64, 'x'));
    pv::ConstBufferPtr<char> first;
    pv::BufferPtr<char> second;
    {
        const pv::MappedFile mapped(file.path(), pv::MapMode::copy_on_write);
        CHECK(mapped.path() == file.path());
        CHECK(mapped.mode() == pv::MapMode::copy_on_write);
        CHECK(mapped.bytes().size() == 64);
        first = pv::mapped_const_buffer<char>(mapped, 8);
        second = pv::mapped_buffer<char>(mapped, 16, 4);
        CHECK(first->storage() == mapped.storage());
    }
    CHECK(first->storage() == second->storage());
    second->write(0, 'y');
    CHECK(first->read(8) == 'y');
    CHECK(first->read(9) == 'x');
}

TEST_CASE("An empty file is mapped") {
    const temporary::File file("");
    for (const pv::MapMode mode :
         {pv::MapMode::read_only, pv::MapMode::read_write, pv::MapMode::copy_on_write}) {
        const pv::MappedFile mapped(file.path(), mode);
        CHECK(mapped.size_bytes() == 0);
        CHECK(mapped.bytes().empty());
        CHECK(pv::mapped_const_buffer<double>(mapped)->empty());
    }
}

TEST_CASE("What cannot be mapped is refused by name and reason") {
    const std::string missing = "/nonexistent/purview.bin";
    CHECK_THROWS_AS(pv::MappedFile(missing), pv::FormatError);
    CHECK_THROWS_WITH(
        pv::MappedFile(missing),
        "MappedFile: cannot open '/nonexistent/purview.bin': No such file or directory");
    CHECK_THROWS_WITH(pv::MappedFile("/tmp"), "MappedFile: '/tmp' is not a regular file");
    CHECK_THROWS_AS(pv::MappedFile("/tmp", pv::MapMode::read_write), pv::FormatError);
    CHECK_THROWS_AS(pv::MappedFile("/dev/null"), pv::FormatError);
    CHECK_THROWS_AS(pv::MappedFile(std::string("/etc/passwd\0.npy", 16)), pv::FormatError);

    const temporary::File file("0123456789");
    const pv::MappedFile mapped(file.path());
    CHECK_THROWS_AS(mapped.writable_bytes(), pv::ReadOnlyError);
    CHECK_THROWS_AS(pv::mapped_buffer<char>(mapped), pv::ReadOnlyError);
    CHECK_THROWS_WITH(pv::mapped_const_buffer<double>(mapped, 1, 2),
                      "mapped_buffer: 2 elements of float64 from offset 1 on leave '" +
                          file.path() + "' of 10 bytes");
    constexpr index_t kMax = std::numeric_limits<index_t>::max();
    CHECK_THROWS_AS(pv::mapped_const_buffer<double>(mapped), pv::FormatError);
    CHECK_THROWS_AS(pv::mapped_const_buffer<char>(mapped, 11), pv::FormatError);
    CHECK_THROWS_AS(pv::mapped_const_buffer<char>(mapped, -1), pv::FormatError);
    CHECK_THROWS_AS(pv::mapped_const_buffer<char>(mapped, 0, -1), pv::FormatError);
    CHECK_THROWS_AS(pv::mapped_const_buffer<char>(mapped, kMax, kMax), pv::FormatError);
    CHECK_THROWS_AS(pv::mapped_const_buffer<double>(mapped, 0, kMax), pv::FormatError);
    CHECK(pv::mapped_const_buffer<char>(mapped, 10)->empty());
}

} // namespace mapped_file_test
