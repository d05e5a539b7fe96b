#include <support/catch.hpp>

#include <purview/archives.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <support/temporary.hpp>

#include <chrono>
#include <cmath>
#include <complex>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

// What `MissingFiles::filled` puts in the place of a file that is not there.
namespace pv = purview;

namespace absent_files_test {
namespace {

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const pv::Error& error) {
        return error.what();
    }
    return "no error";
}

template <typename T>
void write(const std::string& path, std::vector<T> values, const pv::Attributes& attributes = {}) {
    pv::ZarrOptions options;
    options.dimension_names = {"t"};
    options.attributes = attributes;
    pv::save_zarr(path, pv::tensor(values), options);
}

pv::StoredArray opened(const std::string& base, std::vector<std::string> names) {
    for (std::string& name : names) name = base + name;
    return pv::open_many(
        names,
        {.along = "t", .order = pv::ArchiveOrder::given, .missing = pv::MissingFiles::filled});
}

using Microseconds = std::chrono::sys_time<std::chrono::microseconds>;
using Seconds = std::chrono::sys_time<std::chrono::seconds>;

TEST_CASE("among times that are decoded, an absent file is NaT") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write<int>(base + "a", {0, 36}, {{"units", "hours since 2020-01-01"}});
    write<int>(base + "b", {3, 4}, {{"units", "days since 2020-01-01"}});
    const pv::StoredArray all = opened(base, {"a", "absent", "b"});
    REQUIRE(all.values.dtype() == pv::kDType<Microseconds>);
    const auto times = all.values.as<Microseconds>();
    using namespace std::chrono;
    const Microseconds begin = sys_days(2020y / January / 1);
    CHECK(times.read(1) == begin + 36h);
    CHECK(pv::is_nat(times.read(2)));
    CHECK(pv::is_nat(times.read(3)));
    CHECK(times.read(4) == begin + 72h);
    CHECK_FALSE(all.attributes.has("units"));
    // Of numbers as they are stored it is the fill value, or refused.
    CHECK(message_of([&] {
              opened(base, {"a", "absent", "a"});
          }).find("absent' is not there, and elements of int32 have no fill value") !=
          std::string::npos);
    // From an index it is the same.
    pv::save_index(base + "i.json", {base + "a", base + "absent", base + "b"},
                   {.along = "t", .missing = pv::MissingFiles::filled});
    const auto read = pv::open_index(base + "i.json").values.as<Microseconds>();
    CHECK(pv::count_true(pv::is_nat(read)) == 2);
}

TEST_CASE("among times that are stored, an absent file is NaT") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write<Seconds>(base + "a", {Seconds(std::chrono::seconds(7))});
    const auto points = opened(base, {"absent", "a"}).values.as<Seconds>();
    CHECK(pv::is_nat(points.read(0)));
    CHECK(points.read(1).time_since_epoch().count() == 7);
    write<std::chrono::milliseconds>(base + "b", {std::chrono::milliseconds(7)});
    CHECK(pv::is_nat(opened(base, {"absent", "b"}).values.as<std::chrono::milliseconds>().read(0)));
}

TEST_CASE("an absent file is NaN where elements can be, also where the first file has integers") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write<int>(base + "int", {1, 2});
    write<float>(base + "float", {3});
    write<pv::BFloat16>(base + "bfloat16", {pv::BFloat16(3.0F)});
    write<std::complex<float>>(base + "complex", {{3, 4}});
    const auto both = pv::cast<double>(opened(base, {"int", "absent", "float"}).values);
    CHECK(pv::count_true(both != both) == 2);
    const auto narrow = pv::cast<double>(opened(base, {"absent", "bfloat16"}).values);
    CHECK(std::isnan(narrow.read(0)));
    CHECK(narrow.read(1) == 3);
    CHECK(std::isnan(
        opened(base, {"absent", "complex"}).values.as<std::complex<float>>().read(0).real()));
}

TEST_CASE("an absent file without a fill value is refused by name") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write<int>(base + "int", {1, 2});
    write<std::string>(base + "text", {"a"});
    write<std::int8_t>(base + "byte", {1}, {{"_FillValue", -9999}});
    CHECK(message_of([&] {
              opened(base, {"int", "absent"});
          }).find("absent'") != std::string::npos);
    CHECK(message_of([&] {
              opened(base, {"text", "absent"});
          }).find("absent'") != std::string::npos);
    CHECK(message_of([&] {
              opened(base, {"byte", "absent"});
          }).find("absent'") != std::string::npos);
    // Of a grid it is the place.
    pv::save_npy(base + "x1_y1.npy", pv::tensor<int>({1}));
    pv::save_npy(base + "x2_y2.npy", pv::tensor<int>({1}));
    CHECK(message_of([&] {
              pv::open_many(base + "x*.npy",
                            {.along = {0, "y"}, .missing = pv::MissingFiles::filled});
          }).find("no file lies at [") != std::string::npos);
    // What cannot be decoded is named, too.
    write<int>(base + "a", {1}, {{"units", "days since 2020-01-01"}});
    write<int>(base + "b", {1}, {{"units", "days since 2020-01-01"}, {"calendar", "moon"}});
    CHECK(message_of([&] { opened(base, {"a", "b"}); }).find("b': ") != std::string::npos);
}

} // namespace
} // namespace absent_files_test
