#include <support/catch.hpp>

#include <purview/archives.hpp>
#include <purview/purview.hpp>
#include <purview/sparse/npz.hpp>
#include <purview/zarr.hpp>

#include <support/temporary.hpp>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

namespace pv = purview;

namespace open_many_test {
namespace {

using pv::index_t;

/// Numbers from `first` on.
pv::MutableTensor<double> numbers(const pv::Shape& shape, double first) {
    index_t size = 1;
    for (const index_t extent : shape) size *= extent;
    return pv::clone(pv::reshape(pv::arange(size) + first, shape));
}

std::string message_of(const std::function<void()>& call) {
    try {
        call();
    } catch (const pv::Error& error) {
        return error.what();
    }
    return "no error";
}

pv::ZarrOptions named(std::vector<std::string> names, pv::Attributes attributes = {}) {
    pv::ZarrOptions options;
    options.dimension_names = std::move(names);
    options.attributes = std::move(attributes);
    return options;
}

TEST_CASE("npy files of different lengths are one tensor, in order of the numbers in their names") {
    const temporary::Folder folder;
    for (const index_t n : {9, 10, 11, 100})
        pv::save_npy(folder / ("x" + std::to_string(n) + ".npy"),
                     numbers({n, 3}, static_cast<double>(1000 * n)));
    const pv::StoredArray all = pv::open_many(folder / "x*.npy");
    REQUIRE(pv::to_string(all.values.shape()) == "[130 3]");
    const pv::Tensor<double> x = all.values.as<double>();
    CHECK(x(0, 0) == 9000);
    CHECK(x(9, 0) == 10000);
    CHECK(x(19, 2) == 11002);
    CHECK(x(129, 2) == 100299);
    CHECK(pv::sum(x) == pv::sum(numbers({9, 3}, 9000)) + pv::sum(numbers({10, 3}, 10000)) +
                            pv::sum(numbers({11, 3}, 11000)) + pv::sum(numbers({100, 3}, 100000)));
    const pv::StoredArray along_second = pv::open_many(
        std::vector<std::string>{folder / "x10.npy", folder / "x10.npy"}, {.along = -1});
    CHECK(pv::to_string(along_second.values.shape()) == "[10 6]");
    CHECK(message_of([&] {
              pv::open_many(folder / "x*.npy", {.along = 1});
          }).find("x9.npy' has the shape [9 3]") != std::string::npos);
}

TEST_CASE("types are promoted, chunks differ, and kinds of files go together") {
    const temporary::Folder folder;
    const auto a = pv::clone(pv::cast<std::int32_t>(numbers({4, 6}, 0)));
    const auto b = pv::clone(pv::cast<float>(numbers({5, 6}, 100)));
    const auto c = numbers({6, 6}, 200);
    pv::save_zarr(folder / "a.zarr", a, {.chunks = {3, 4}});
    pv::save_npy(folder / "b.npy", b);
    pv::save_npz(folder / "c.npz", {{"x", c}});
    const auto store = pv::memory_store();
    pv::save_zarr(store, "x", c, {.chunks = {2, 6}});
    const pv::StoredArray all =
        pv::open_many({folder / "a.zarr", folder / "b.npy", folder / "c.npz", store},
                      {.order = pv::ArchiveOrder::given});
    CHECK(all.values.dtype() == pv::float64);
    const auto expected = pv::concat(pv::cast<double>(a), pv::cast<double>(b), c, c, 0);
    CHECK(pv::equals(all.values.as<double>(), expected));
    CHECK(pv::sum(all.values.as<double>()(pv::all, 2)) == pv::sum(expected(pv::all, 2)));
}

TEST_CASE("files are in order of their coordinate, and an axis that they lack is new") {
    const temporary::Folder folder;
    const auto write = [&](const std::string& name, double first, index_t count) {
        const std::string path = folder / name;
        pv::create_zarr_group(path);
        pv::save_zarr(pv::directory_store(path), "t", numbers({count, 2}, 10 * first),
                      named({"time", "x"}));
        pv::save_zarr(pv::directory_store(path), "time", numbers({count}, first), named({"time"}));
        pv::save_zarr(pv::directory_store(path), "x", numbers({2}, 0), named({"x"}));
    };
    write("a.zarr", 30, 2);
    write("b.zarr", 10, 3);
    write("c.zarr", 20, 1);
    const std::string all = folder / "*.zarr";
    const pv::StoredArray time = pv::open_many(all, {.variable = "time", .along = "time"});
    CHECK(pv::equals(time.values.as<double>(), pv::tensor<double>({10, 11, 12, 20, 30, 31})));
    const pv::StoredArray t =
        pv::open_many(all, {.along = "time"}); // the only array that is no coordinate
    CHECK(t.dimension_names == std::vector<std::string>{"time", "x"});
    CHECK(pv::equals(t.values.as<double>(), pv::concat(numbers({3, 2}, 100), numbers({1, 2}, 200),
                                                       numbers({2, 2}, 300), 0)));
    const pv::StoredArray by_name =
        pv::open_many(all, {.variable = "t", .along = "time", .order = pv::ArchiveOrder::name});
    CHECK(by_name.values.as<double>()(0, 0) == 300);
    const pv::StoredArray runs = pv::open_many(all, {.variable = "x", .along = "run"});
    CHECK(pv::to_string(runs.values.shape()) == "[3 2]");
    CHECK(runs.dimension_names == std::vector<std::string>{"run", "x"});
    CHECK(message_of([&] {
              pv::open_many(all, {.variable = "t", .along = "x"});
          }).find("differ along axis 0") != std::string::npos);
    CHECK(message_of([&] {
              pv::open_many(all, {.variable = "no", .along = "x"});
          }).find("a.zarr") != std::string::npos);
}

TEST_CASE("a grid of files: by coordinates, by numbers in names, with holes") {
    const temporary::Folder folder;
    const auto tile = [&](index_t year, index_t column, index_t rows) {
        pv::save_npy(
            folder / ("y" + std::to_string(year) + "_tile" + std::to_string(column) + ".npy"),
            numbers({rows, column == 3 ? 4 : 2}, static_cast<double>(year * 100 + column * 10)));
    };
    for (const index_t year : {2019, 2020, 2021})
        for (const index_t column : {1, 3, 12})
            if (year != 2020 || column != 3) tile(year, column, year - 2018);
    const std::string all = folder / "y*.npy";
    CHECK(message_of([&] {
              pv::open_many(all, {.along = {0, 1}});
          }).find("no file lies at [1 2]") != std::string::npos);
    const pv::StoredArray x =
        pv::open_many(all, {.along = {0, 1}, .missing = pv::MissingFiles::filled});
    REQUIRE(pv::to_string(x.values.shape()) == "[6 8]");
    const pv::Tensor<double> values = x.values.as<double>();
    CHECK(values(0, 0) == 201910);
    CHECK(values(0, 2) == 201930);
    CHECK(values(5, 7) == 202120 + 120 - 20 + 5);
    CHECK(std::isnan(double(values(1, 2))));
    CHECK(std::isnan(double(values(2, 5))));
    CHECK(values(1, 6) == 202120 - 100 + 20 - 20 + 120 - 20 - 0 - 100 + 100);
    CHECK(pv::count_true(values != values) == 8);
}

TEST_CASE("scales that differ are decoded, those that agree are left") {
    const temporary::Folder folder;
    const auto packed = pv::tensor<std::int16_t>({1, 2, -1});
    const auto write = [&](const std::string& name, pv::Attributes attributes) {
        pv::save_zarr(folder / name, packed, named({"t"}, std::move(attributes)));
    };
    write("a", {{"scale_factor", 0.5}, {"_FillValue", -1}, {"units", "K"}});
    write("b", {{"scale_factor", 0.5}, {"_FillValue", -1}, {"units", "K"}});
    write("c", {{"scale_factor", 2.}, {"add_offset", 10.}, {"_FillValue", 2}, {"units", "K"}});
    write("d", {{"units", "m"}});
    const std::string base = folder / "";
    const pv::StoredArray same = pv::open_many({base + "a", base + "b"}, {.along = "t"});
    CHECK(same.values.dtype() == pv::int16);
    CHECK(same.attributes.number("scale_factor") == 0.5);
    const pv::StoredArray both = pv::open_many({base + "a", base + "c"}, {.along = "t"});
    const pv::Tensor<double> x = both.values.as<double>();
    CHECK(x(0) == 0.5);
    CHECK(std::isnan(double(x(2))));
    CHECK(x(3) == 12);
    CHECK(std::isnan(double(x(4))));
    CHECK(x(5) == 8);
    CHECK_FALSE(both.attributes.has("scale_factor"));
    CHECK(both.attributes.text("units") == "K");
    CHECK(message_of([&] {
              pv::open_many({base + "a", base + "d"}, {.along = "t"});
          }).find("units 'K'") != std::string::npos);
}

TEST_CASE("an index opens no file, and files that changed or are gone are refused by name") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    for (int i = 0; i < 300; ++i) // more than are open at once
        pv::save_npy(base + "x" + std::to_string(i) + ".npy", numbers({2, 2}, 10 * i));
    const pv::StoredArray found = pv::save_index(base + "all.json", base + "x*.npy");
    const pv::StoredArray all = pv::open_index(base + "all.json");
    CHECK(pv::to_string(all.values.shape()) == "[600 2]");
    CHECK(pv::equals(all.values.as<double>(), found.values.as<double>()));
    CHECK(all.values.as<double>()(599, 1) == 2993);
    const pv::StoredArray again = pv::open_index(base + "all.json");
    pv::save_npy(base + "x7.npy", numbers({3, 2}, 0));
    std::filesystem::remove(base + "x8.npy");
    CHECK(again.values.as<double>()(13, 0) == 62);
    CHECK(message_of([&] {
              pv::sum(again.values.as<double>()(14, pv::all));
          }).find("x7.npy' has changed since it was looked at") != std::string::npos);
    CHECK(message_of([&] {
              pv::sum(again.values.as<double>()(17, pv::all));
          }).find("x8.npy' is not there any more") != std::string::npos);
    CHECK(pv::sum(again.values.as<double>()(18, pv::all)) == 181);
    // Moved as a whole, with the index, it is found.
    const std::string other = base + "moved";
    std::filesystem::create_directory(other);
    pv::save_npy(other + "/y.npy", numbers({2}, 5));
    pv::save_index(other + "/y.json", other + "/y.npy");
    std::filesystem::rename(other, base + "elsewhere");
    CHECK(pv::sum(pv::open_index(base + "elsewhere/y.json").values.as<double>()) == 11);
}

TEST_CASE("indexes that are damaged are refused") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    pv::save_npy(base + "a.npy", numbers({2, 3}, 0));
    pv::save_npy(base + "b.npy", numbers({4, 3}, 6));
    pv::save_index(base + "i.json", base + "?.npy");
    std::ifstream in(base + "i.json");
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    REQUIRE(text.find("[2, 0]") != std::string::npos);
    const auto replaced = [&](const std::string& what, const std::string& by) {
        std::string other = text;
        const auto place = other.find(what);
        REQUIRE(place != std::string::npos);
        other.replace(place, what.size(), by);
        std::ofstream(base + "j.json") << other;
        return message_of([&] { pv::open_index(base + "j.json"); });
    };
    CHECK(replaced("[2, 0]", "[1, 0]").find("j.json': ") != std::string::npos);
    CHECK(replaced("b.npy\", [4, 3]", "b.npy\", [5, 3]").find("j.json': ") != std::string::npos);
    CHECK(replaced("[6, 3]", "[7, 3]").find("j.json': ") != std::string::npos);
    CHECK(replaced("float64", "float65").find("float65") != std::string::npos);
    CHECK(replaced("\"purview_index\": 1", "\"purview_index\": 2").find("version 2") !=
          std::string::npos);
    CHECK(replaced("\"files\"", "\"fires\"").find("'files' is no list") != std::string::npos);
    // Whatever is cut off or written over throws an error of the library, and no other.
    for (std::size_t i = 0; i < text.size(); i += 3) {
        std::ofstream(base + "j.json") << text.substr(0, i);
        CHECK_THROWS_AS(pv::open_index(base + "j.json"), pv::Error);
        std::string other = text;
        other[i] = i % 2 == 0 ? '9' : '"';
        std::ofstream(base + "k.json") << other;
        try {
            pv::open_index(base + "k.json");
        } catch (const pv::Error&) {}
    }
}

TEST_CASE(
    "chunks of a folder that are written again are those of an archive that is opened again") {
    const temporary::Folder folder;
    pv::save_zarr(folder / "a", numbers({4}, 0), {.chunks = {2}});
    const pv::Tensor<double> before = pv::open_many(folder / "a").values.as<double>();
    CHECK(pv::sum(before) == 6);
    pv::assign(pv::open_zarr_array(folder / "a", pv::Access::read_write).values, numbers({4}, 10));
    CHECK(pv::sum(pv::open_many(folder / "a").values.as<double>()) == 46);
    CHECK(pv::sum(before) == 6); // nothing says that it has changed
}

TEST_CASE("a Zarr group that speaks of arrays is a group") {
    const temporary::Folder folder;
    pv::create_zarr_group(folder / "a", {{"kind", "array"}}); // as consolidated metadata do
    pv::save_zarr(pv::directory_store(folder / "a"), "x", numbers({4}, 0));
    CHECK(pv::sum(pv::open_many(folder / "a", {.variable = "x"}).values.as<double>()) == 6);
    temporary::write_file(folder / "a/zarr.json", "{");
    CHECK(message_of([&] { pv::open_many(folder / "a", {.variable = "x"}); }).find("/a'") !=
          std::string::npos);
}

TEST_CASE("what cannot be put together is refused by name") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    CHECK(message_of([&] { pv::open_many(base + "*.nc"); }).find("there are no files") !=
          std::string::npos);
    CHECK(message_of([&] { pv::open_many(base + "a.nc"); }).find("a.nc': there is no such file") !=
          std::string::npos);
    CHECK(message_of([&] {
              pv::open_many(std::vector<std::string>{});
          }).find("no files are given") != std::string::npos);
    pv::save_npy(base + "a.npy", numbers({2, 3}, 0));
    std::ofstream(base + "b.npy") << "not an array";
    CHECK(message_of([&] { pv::open_many(base + "*.npy"); }).find("b.npy") != std::string::npos);
    CHECK(message_of([&] {
              pv::open_many(base + "a.npy", {.variable = "x"});
          }).find("one array without a name") != std::string::npos);
    CHECK_THROWS_AS(pv::open_many(base + "a.npy", {.along = 2}), pv::IndexError);
    pv::save_zarr(base + "c", pv::tensor<std::string>({"a", "b"}));
    pv::save_npy(base + "d.npy", numbers({2}, 0));
    CHECK(message_of([&] {
              pv::open_many({base + "c", base + "d.npy"});
          }).find("d.npy") != std::string::npos);
    // A listed file that is not there is the fill value, as long as the first.
    const pv::StoredArray filled =
        pv::open_many({base + "d.npy", base + "e.npy"}, {.missing = pv::MissingFiles::filled});
    CHECK(pv::to_string(filled.values.shape()) == "[4]");
    CHECK(std::isnan(double(filled.values.as<double>()(3))));
}

TEST_CASE("patterns: folders at any depth, sets, and names that have stars themselves") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    std::filesystem::create_directories(base + "2019/01");
    std::filesystem::create_directories(base + "2020/02");
    pv::save_npy(base + "2019/01/a.npy", numbers({1}, 1));
    pv::save_npy(base + "2020/02/a.npy", numbers({1}, 2));
    pv::save_npy(base + "2020/b.npy", numbers({1}, 3));
    pv::save_npy(base + "x*.npy", numbers({1}, 4));
    pv::save_npy(base + "xy.npy", numbers({1}, 5));
    const auto sizes = [&](const std::string& pattern) {
        return pv::open_many(base + pattern).values.size();
    };
    CHECK(sizes("**/*.npy") == 5);
    CHECK(sizes("**/a.npy") == 2);
    CHECK(sizes("20[12]?/*/a.npy") == 2);
    CHECK(sizes("2020/**/*.npy") == 2);
    CHECK(sizes("x*.npy") == 1); // which is there
    CHECK(sizes("[x]*.npy") == 2);
}

TEST_CASE("reading by several threads opens and closes files meanwhile") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    for (int i = 0; i < 270; ++i)
        pv::save_zarr(base + "x" + std::to_string(i), numbers({2, 5}, 10 * i), {.chunks = {1, 5}});
    const pv::Tensor<double> x = pv::open_many(base + "x*").values.as<double>();
    std::vector<double> sums(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < sums.size(); ++t)
        threads.emplace_back([&, t] {
            for (index_t i = static_cast<index_t>(t); i < x.extent(0); i += 4)
                sums[t] += pv::sum(x(i, pv::all));
        });
    for (std::thread& thread : threads) thread.join();
    double total = 0;
    for (const double sum : sums) total += sum;
    CHECK(total == pv::sum(numbers({270, 10}, 0)));
    CHECK(pv::sum(x) == total);
}

} // namespace
} // namespace open_many_test
