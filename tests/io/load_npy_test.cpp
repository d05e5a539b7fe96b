#include "io/npy_files.hpp"

#include <support/sanitizers.hpp>

#include <purview/base/errors.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/io/load_npy.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/description.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <bit>
#include <cstring>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace load_npy_test {

namespace pv = purview;
using namespace npy_files;
using pv::Access;
using pv::load_npy;

namespace {

constexpr Access kAccesses[] = {Access::read_only, Access::copy_on_write, Access::read_write,
                                Access::in_memory};

template <typename T>
void check_values(const pv::AnyTensor& loaded, const pv::Shape& shape) {
    REQUIRE(loaded.shape() == shape);
    REQUIRE(loaded.dtype() == pv::kDType<T>);
    const pv::Tensor<T> typed = loaded.as<T>();
    CHECK(pv::to_vector(typed) == golden_values<T>(typed.size()));
    for (pv::index_t i = 0; i < typed.size(); ++i) CHECK(typed.read(i) == golden_value<T>(i));
}

/// Elements as they lie in a file of the other byte order.
template <typename T>
std::string swapped_bytes(const std::vector<T>& values) {
    std::string bytes;
    for (const T value : values) {
        char element[sizeof(T)];
        std::memcpy(element, &value, sizeof(T));
        bytes.append(std::make_reverse_iterator(element + sizeof(T)),
                     std::make_reverse_iterator(element));
    }
    return bytes;
}

} // namespace

static_assert(std::same_as<decltype(load_npy<double>("")), pv::Tensor<double>>);
static_assert(
    std::same_as<decltype(load_npy<float, Access::in_memory>("")), pv::MutableTensor<float>>);

TEMPLATE_LIST_TEST_CASE("What NumPy has saved is loaded", "", Types) {
    const Folder folder;
    const std::string name{pv::kDType<TestType>.name()};
    for (const std::string order : {"", "_big_endian"}) {
        if (!order.empty() && sizeof(TestType) == 1) continue;
        // A copy, because read_write opens for writing.
        const std::string file = write_file(folder / "a.npy", content(golden(name + order)));
        for (const Access access : kAccesses) {
            const pv::AnyTensor loaded = load_npy(file, access);
            check_values<TestType>(loaded, {2, 3});
            CHECK(loaded.is_read_only() == (access == Access::read_only));
        }
        check_values<TestType>(load_npy<TestType>(file), {2, 3});
        check_values<TestType>(load_npy<TestType, Access::copy_on_write>(file), {2, 3});
        CHECK(content(file) == content(golden(name + order)));
    }
}

TEST_CASE("What NumPy has saved in other shapes, layouts and versions is loaded") {
    for (const Access access : {Access::read_only, Access::copy_on_write, Access::in_memory}) {
        check_values<double>(load_npy(golden("rank_0"), access), {});
        check_values<std::int32_t>(load_npy(golden("rank_1"), access), {5});
        check_values<std::uint8_t>(load_npy(golden("rank_8"), access), {1, 2, 1, 3, 1, 2, 2, 1});
        check_values<std::int64_t>(load_npy(golden("no_elements"), access), {3, 0, 2});
        check_values<double>(load_npy(golden("version_2"), access), {2, 2});
        check_values<double>(load_npy(golden("version_3"), access), {2, 2});
        check_values<std::int16_t>(load_npy(golden("column_major_big_endian"), access), {3, 2});
        const pv::AnyTensor columns = load_npy(golden("column_major"), access);
        check_values<float>(columns, {2, 3, 4});
        CHECK(columns.strides() == pv::Shape{1, 2, 6});
    }
    CHECK(load_npy<double>(golden("rank_0"))() == -8.75);
}

TEST_CASE("A mapped file is memory, and in_memory is not the file") {
    const Folder folder;
    const std::string file = write_file(folder / "a.npy", content(golden("float64")));
    const pv::Tensor<double> mapped = load_npy<double>(file);
    CHECK(mapped.is_contiguous());
    CHECK(mapped.description().storage.bytes == static_cast<pv::index_t>(content(file).size()));
    CHECK(message_of<pv::ReadOnlyError>([&] {
              load_npy(file).as_mutable<double>();
          }).find("can only be read") != std::string::npos);

    const pv::MutableTensor<double> own = load_npy<double, Access::copy_on_write>(file);
    const pv::MutableTensor<double> memory = load_npy<double, Access::in_memory>(file);
    own(0, 1) = 100.0;
    memory(0, 1) = 200.0;
    CHECK(content(file) == content(golden("float64")));
    CHECK(mapped(0, 1) == -1.75);

    {
        const pv::MutableTensor<double> shared = load_npy<double, Access::read_write>(file);
        shared(1, 2) = 300.0;
        CHECK(mapped(1, 2) == 300.0);
        pv::copy(pv::tensor({1.0, 2.0, 3.0}), shared(0, pv::all));
    }
    CHECK(pv::to_vector(load_npy<double>(file)) ==
          std::vector<double>{1, 2, 3, 12.25, 19.25, 300.0});
    CHECK(own(0, 1) == 100.0);
    CHECK(memory(0, 0) == -8.75);
    CHECK(memory(1, 2) == golden_value<double>(5));

    fs::remove(file);
    CHECK(mapped(0, 0) == 1.0); // the mapping keeps it
}

TEMPLATE_TEST_CASE("The other byte order is read and written through", "", std::int16_t,
                   std::uint32_t, std::int64_t, float, double) {
    const Folder folder;
    const std::vector<TestType> values = golden_values<TestType>(3000);
    const std::string descr =
        std::string(std::endian::native == std::endian::little ? "'>" : "'<") +
        (std::floating_point<TestType> ? 'f'
         : std::is_signed_v<TestType>  ? 'i'
                                       : 'u') +
        std::to_string(sizeof(TestType)) + "'";
    // Three bytes of space put the elements at an odd address.
    const std::string header = npy_dict(descr, "(30, 100)");
    const std::string padding((header.size() + 10) % 2 == 0 ? 1 : 2, ' ');
    const std::string file =
        write_file(folder / "a.npy", npy_bytes(header + padding, swapped_bytes(values)));
    for (const Access access : kAccesses) {
        const pv::Tensor<TestType> loaded = load_npy(file, access).as<TestType>();
        CHECK(pv::to_vector(loaded) == values);
        CHECK(pv::to_vector(pv::transpose(pv::transpose(loaded))) == values);
        CHECK(pv::to_vector(loaded(pv::range(29, 30), pv::range(99, 0, -33))) ==
              std::vector<TestType>{values[2999], values[2966], values[2933]});
        CHECK(pv::to_vector(loaded + loaded)[2999] == static_cast<TestType>(values[2999] * 2));
    }
    const pv::MutableTensor<TestType> shared = load_npy<TestType, Access::read_write>(file);
    std::vector<TestType> expected = values;
    shared(0, 0) = expected[0] = TestType{77};
    pv::copy(pv::full<TestType>({30}, TestType{5}), shared(pv::all, 99));
    for (std::size_t i = 99; i < 3000; i += 100) expected[i] = TestType{5};
    CHECK(pv::to_vector(load_npy<TestType>(file)) == expected);
    CHECK(content(file).ends_with(swapped_bytes(expected)));
    std::ranges::sort(shared);
    CHECK(std::ranges::is_sorted(load_npy<TestType>(file)));
}

TEST_CASE("Elements may lie at any address") {
    const Folder folder;
    const std::vector<double> values = golden_values<double>(5000);
    std::string data(5000 * sizeof(double), '\0');
    std::memcpy(data.data(), values.data(), data.size());
    for (std::size_t shift = 0; shift < 9; ++shift) {
        const std::string file = write_file(
            folder / "a.npy", npy_bytes(npy_dict("'=f8'", "(50, 100)") + std::string(shift, ' '),
                                        data + "trailing bytes do not matter"));
        for (const Access access : kAccesses) {
            const pv::AnyTensor loaded = load_npy(file, access);
            const pv::Tensor<double> x = loaded.as<double>();
            CHECK(pv::to_vector(x) == values);
            CHECK(pv::sum(x - x) == 0.0);
            if (loaded.is_read_only()) continue;
            loaded.as_mutable<double>()(49, 99) = 1.5;
            CHECK(x(-1, -1) == 1.5);
            loaded.as_mutable<double>()(49, 99) = values.back();
        }
    }
}

TEST_CASE("Bools of any byte are true") {
    const Folder folder;
    const std::string file = write_file(
        folder / "a.npy", npy_bytes(npy_dict("'|b1'", "(4,)"), std::string("\0\1\2\xff", 4)));
    for (const Access access : kAccesses)
        CHECK(pv::to_vector(load_npy(file, access).as<bool>()) ==
              std::vector<bool>{false, true, true, true});
}

TEST_CASE("A file larger than memory is opened and one element of it read") {
    const Folder folder;
    // 8 TB, of which a few blocks exist. The thread sanitizer leaves room for less.
    constexpr pv::index_t kCount = UNDER_THREAD_SANITIZER ? 10'000'000'000 : 1'000'000'000'000;
    pv::NpyHeader header;
    header.shape = {kCount / 1000, 1000};
    const std::string head = pv::format_npy_header(header);
    const std::string file = write_file(folder / "a.npy", head);
    const auto offset = static_cast<::off_t>(head.size());
    if (::truncate(file.c_str(), offset + ::off_t{kCount} * 8) != 0) {
        WARN("this file system has no files of 8 TB");
        return;
    }
    const double value = 42.5;
    const int descriptor = ::open(file.c_str(), O_WRONLY | O_CLOEXEC);
    REQUIRE(::pwrite(descriptor, &value, 8, offset + ::off_t{kCount - 1} * 8) == 8);
    ::close(descriptor);
    for (const Access access : {Access::read_only, Access::copy_on_write, Access::read_write}) {
        const pv::AnyTensor loaded = load_npy(file, access);
        CHECK(loaded.size() == kCount);
        CHECK(loaded.as<double>()(-1, -1) == 42.5);
        CHECK(loaded.as<double>()(kCount / 2000, 7) == 0.0);
        CHECK(pv::sum(loaded.as<double>()(-1, pv::all)) == 42.5);
    }
}

TEST_CASE("The static type has to be the file's") {
    const std::string file = golden("float32");
    const std::string message = "load_npy: '" + file + "': holds float32 and not float64";
    CHECK(message_of<pv::DtypeError>([&] { load_npy<double>(file); }) == message);
    CHECK(message_of<pv::DtypeError>([&] { load_npy<double, Access::in_memory>(file); }) ==
          message);
    CHECK_NOTHROW(load_npy(file, Access::read_only, pv::float32));
}

TEST_CASE("Files that do not hold what they promise are refused by name") {
    const Folder folder;
    const std::string file = folder / "a.npy";
    const std::string where = "load_npy: '" + file + "'";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", where + ": 0 bytes are too few for a header, which begins with 10"},
        {"\x93NUMPY\x01", where + ": 7 bytes are too few"},
        {"not an array at all", where + ": it begins with 'not an' and not with the magic"},
        {npy_bytes("{}"), where + ": the header has no key 'descr'"},
        {npy_bytes(npy_dict("'<f8'", "(2,)")).substr(0, 50),
         where + ": the header is said to end at byte 67, and there are only 50"},
        {npy_bytes(npy_dict("'<f8'", "(2, 3)"), std::string(47, 'x')),
         where + ": shape [2 3] of float64 needs 48 bytes from byte 69 on, and the file has 47"},
        {npy_bytes(npy_dict("'<f8'", "()")),
         where + ": shape [] of float64 needs 8 bytes from byte 65 on, and the file has 0"},
        {npy_bytes(npy_dict("'<f8'", "(1000000000000000000,)"), "x"),
         where + ": shape [1000000000000000000] of float64 needs 8000000000000000000 bytes"},
        {npy_bytes(npy_dict("'>f8'", "(2, 3)", true), std::string(47, 'x')),
         where + ": shape [2 3] of float64 needs 48 bytes"},
    };
    for (const auto& [bytes, problem] : cases) {
        write_file(file, bytes);
        for (const Access access : kAccesses) {
            const std::string message =
                message_of<pv::FormatError>([&] { load_npy(file, access); });
            INFO(message);
            CHECK(message.starts_with(problem));
        }
    }
    write_file(file, npy_bytes(npy_dict("'<U3'", "()"), std::string(12, 'x')));
    for (const Access access : kAccesses)
        CHECK(message_of<pv::DtypeError>([&] { load_npy(file, access); }) ==
              where +
                  ": descr '<U3' (Unicode string) is an element type that Purview does not have");
    // Without elements nothing is missing.
    write_file(file, npy_bytes(npy_dict("'<f8'", "(0, 4611686018427)")));
    for (const Access access : kAccesses) CHECK(load_npy(file, access).empty());
}

TEST_CASE("What is no regular file is refused by name") {
    const Folder folder;
    const std::string pipe = folder / "pipe";
    REQUIRE(::mkfifo(pipe.c_str(), 0600) == 0);
    for (const Access access : kAccesses) {
        const auto refused = [&](const std::string& path, const char* reason) {
            const std::string message =
                message_of<pv::FormatError>([&] { load_npy(path, access); });
            INFO(message);
            CHECK(message.find("'" + path + "'") != std::string::npos);
            CHECK(message.find(reason) != std::string::npos);
        };
        const bool writes = access == Access::read_write;
        refused(folder / "absent.npy", "No such file or directory");
        refused(folder / "", writes ? "Is a directory" : "is not a regular file");
        refused(pipe, "is not a regular file");
        refused("/dev/null", "is not a regular file");
        refused("", "No such file or directory");
        CHECK(message_of<pv::FormatError>([&] { load_npy(std::string("a\0b", 3), access); }) ==
              "load_npy: cannot open 'a…': the path has a zero byte in it");
    }
    CHECK_THROWS_AS(load_npy(pipe, static_cast<Access>(9)), pv::Error);
}

} // namespace load_npy_test
