#include <support/catch.hpp>

#include <purview/archives.hpp>
#include <purview/purview.hpp>
#include <purview/zarr.hpp>

#include <support/temporary.hpp>

#include <cmath>
#include <filesystem>
#include <limits>
#include <string>
#include <utility>
#include <vector>

// In which order `open_many` has files, by where their coordinates begin and end.
namespace pv = purview;

namespace order_of_files_test {
namespace {

/// A group of the coordinate `lat` and of `t`, which is the same numbers over lat and `lon`.
template <typename T>
void write(const std::string& path, std::vector<T> lat, double lon = 0,
           const pv::Attributes& attributes = {}) {
    const auto store = pv::directory_store(path);
    const auto size = static_cast<pv::index_t>(lat.size());
    pv::create_zarr_group(path);
    const auto named = [](std::vector<std::string> names) {
        pv::ZarrOptions options;
        options.dimension_names = std::move(names);
        return options;
    };
    pv::ZarrOptions of_lat = named({"lat"});
    of_lat.attributes = attributes;
    pv::save_zarr(store, "lat", pv::tensor(lat), of_lat);
    pv::save_zarr(store, "lon", pv::tensor(std::vector<double>{lon}), named({"lon"}));
    const auto t = pv::compute_tensor(pv::Shape{size, 1}, [&](pv::index_t i, pv::index_t) {
        return static_cast<double>(i) + 100 * lon;
    });
    pv::save_zarr(store, "t", t, named({"lat", "lon"}));
}

template <typename T = double>
std::vector<T> coordinate_of(const std::string& files) {
    const pv::StoredArray lat = pv::open_many(files, {.variable = "lat", .along = "lat"});
    std::vector<T> result;
    for (pv::index_t i = 0; i < lat.values.size(); ++i)
        result.push_back(lat.values.as<T>().read(i));
    return result;
}

using Numbers = std::vector<double>;

TEST_CASE("files whose coordinate descends are put in descending order") {
    const temporary::Folder folder;
    write<double>(folder / "a", {-10, -20, -30, -40});
    write<double>(folder / "b", {40, 30, 20, 10, 0});
    CHECK(coordinate_of(folder / "*") == Numbers{40, 30, 20, 10, 0, -10, -20, -30, -40});
    // One element says nothing of the order, and goes with the others.
    write<double>(folder / "c", {-5});
    write<double>(folder / "d", {-50});
    CHECK(coordinate_of(folder / "*") == Numbers{40, 30, 20, 10, 0, -5, -10, -20, -30, -40, -50});
}

TEST_CASE("files of one element each, of one number, and of both orders ascend") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write<double>(base + "one1", {3});
    write<double>(base + "one2", {1});
    CHECK(coordinate_of(base + "one*") == Numbers{1, 3});
    write<double>(base + "same1", {3, 3});
    write<double>(base + "same2", {1, 1});
    CHECK(coordinate_of(base + "same*") == Numbers{1, 1, 3, 3});
    write<double>(base + "mixed1", {9, 8});
    write<double>(base + "mixed2", {4, 5});
    CHECK(coordinate_of(base + "mixed*") == Numbers{4, 5, 9, 8});
    // What ends with NaN does not say its order.
    write<double>(base + "nan1", {1, 0});
    write<double>(base + "nan2", {3, std::numeric_limits<double>::quiet_NaN()});
    CHECK(coordinate_of(base + "nan*")[0] == 3);
}

TEST_CASE("texts and times descend, too") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    write<std::string>(base + "text1", {"b10", "b9"});
    write<std::string>(base + "text2", {"b12", "b11"});
    CHECK(coordinate_of<std::string>(base + "text*") ==
          std::vector<std::string>{"b12", "b11", "b10", "b9"});
    const pv::Attributes days{{"units", "days since 2020-01-01"}};
    const pv::Attributes hours{{"units", "hours since 2020-01-01"}};
    write<double>(base + "time1", {1, 0}, 0, days);
    write<double>(base + "time2", {96, 72, 48}, 0, hours);
    const pv::StoredArray t = pv::open_many(base + "time*", {.variable = "t", .along = "lat"});
    CHECK(pv::equals(t.values.as<double>(),
                     pv::reshape(pv::tensor<double>({0, 1, 2, 0, 1}), {5, 1})));
    // A coordinate that cannot be decoded is named by its file.
    write<double>(base + "time3", {1, 0}, 0,
                  {{"units", "hours since 2020-01-01"}, {"calendar", "moon"}});
    CHECK_THROWS_WITH(coordinate_of(base + "time*"),
                      Catch::Matchers::ContainsSubstring("time3': "));
}

TEST_CASE("a grid descends along the axes whose coordinates do") {
    const temporary::Folder folder;
    const std::string base = folder / "";
    for (const int lon : {1, 2}) {
        write<double>(base + "south" + std::to_string(lon), {-1, -2, -3}, lon);
        write<double>(base + "north" + std::to_string(lon), {2, 1}, lon);
    }
    const pv::StoredArray t = pv::open_many(base + "*", {.variable = "t", .along = {"lat", "lon"}});
    REQUIRE(pv::to_string(t.values.shape()) == "[5 2]");
    CHECK(pv::equals(
        t.values.as<double>(),
        pv::reshape(pv::tensor<double>({100, 200, 101, 201, 100, 200, 101, 201, 102, 202}),
                    {5, 2})));
    // The second column of the south lacks; what is there is where it was.
    std::filesystem::remove_all(base + "south2");
    const pv::StoredArray with_hole = pv::open_many(
        base + "*",
        {.variable = "t", .along = {"lat", "lon"}, .missing = pv::MissingFiles::filled});
    const pv::Tensor<double> x = with_hole.values.as<double>();
    CHECK(x(1, 1) == 201);
    CHECK(x(4, 0) == 102);
    CHECK(std::isnan(double(x(2, 1))));
}

} // namespace
} // namespace order_of_files_test
