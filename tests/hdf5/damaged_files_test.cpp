#include "support/source_path.hpp"
#include <support/catch.hpp>

#include <purview/hdf5.hpp>
#include <purview/purview.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;
using Catch::Matchers::EndsWith;
using Catch::Matchers::StartsWith;

// Nothing that a file has is trusted.
namespace damaged_files_test {
namespace {

const std::string kFolder = source_path("tests/hdf5/data/");

TEST_CASE("chunks that are damaged, cut short or too long are refused by name") {
    const pv::StoredGroup group = pv::open_hdf5(kFolder + "damaged.h5").group("refused");
    const auto names = group.arrays();
    CHECK(names.size() > 40);
    for (const std::string& name : names) {
        INFO(name);
        const pv::Tensor<double> x = group.array(name).values.as<double>();
        std::string message;
        try {
            pv::sum(x);
        } catch (const pv::FormatError& error) {
            message = error.what();
        }
        CHECK(message.starts_with("open_hdf5: '" + kFolder + "damaged.h5', 'refused/" + name +
                                  "', chunk [0]: "));
    }
}

// libhdf5 would read as many bytes as the file says, into memory for as many as a chunk has.
TEST_CASE("raw chunks that are shorter or longer than a chunk are refused by name") {
    const pv::StoredGroup group = pv::open_hdf5(kFolder + "unreadable.h5").group("raw");
    const auto names = group.arrays();
    CHECK(names.size() == 9);
    for (const std::string& name : names) {
        INFO(name);
        const pv::AnyTensor x = group.array(name).values;
        CHECK_THROWS_WITH(
            x.dtype() == pv::float64 ? pv::sum(x.as<double>())
                                     : static_cast<double>(x.as<std::string>().read(0).size()),
            StartsWith("open_hdf5: '" + kFolder + "unreadable.h5', 'raw/" + name +
                       "', chunk [0]: " +
                       (name.find("long") == std::string::npos ? "decodes to " : "has ")));
    }
}

// h5py lists all of them, and raises what libhdf5 says.
TEST_CASE("what libhdf5 cannot open is listed, and its reason told to whoever opens it") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "unreadable.h5");
    CHECK(all.arrays() == std::vector<std::string>{"compound", "damaged", "damaged_group",
                                                   "filter_32008", "filter_60000", "good",
                                                   "outside", "to_damaged"});
    CHECK(all.groups() == std::vector<std::string>{"below", "raw"});
    const std::string where = "open_hdf5: '" + kFolder + "unreadable.h5', ";
    for (const std::string name : {"damaged", "damaged_group", "to_damaged"}) {
        INFO(name);
        const std::string begin = where + "'" + name + "': there is no ";
        const std::string reason = "object header";
        CHECK_THROWS_WITH(all.array(name), StartsWith(begin + "array that can be opened: ") &&
                                               ContainsSubstring(reason));
        CHECK_THROWS_WITH(all.group(name), StartsWith(begin + "group that can be opened: ") &&
                                               ContainsSubstring(reason));
    }
    CHECK_THROWS_WITH(all.array("outside"), ContainsSubstring("none.h5"));
    CHECK_THROWS_WITH(all.array("nowhere"), ContainsSubstring("object 'nowhere' doesn't exist"));
    CHECK_THROWS_AS(all.array("good/x"), pv::FormatError);
    CHECK(pv::sum(all.array("good").values.as<double>()) == 3);
}

TEST_CASE("filters that are missing are named where their chunks are read") {
    const pv::StoredGroup all = pv::open_hdf5(kFolder + "unreadable.h5");
    const pv::StoredArray known = all.array("filter_32008");
    CHECK(known.codecs == "bitshuffle");
    CHECK_THROWS_WITH(known.values.as<double>().read(0),
                      EndsWith("; libhdf5 has no filter 'bitshuffle' (32008)"));
    const pv::StoredArray unknown = all.array("filter_60000");
    CHECK(unknown.codecs == "filter 60000");
    CHECK_THROWS_WITH(unknown.values.as<double>().read(0),
                      EndsWith("; libhdf5 has no filter 'filter 60000' (60000)"));
}

TEST_CASE("damage that no checksum shows is read or refused") {
    const pv::StoredGroup group = pv::open_hdf5(kFolder + "damaged.h5").group("unknown");
    for (const std::string& name : group.arrays()) {
        INFO(name);
        try {
            pv::sum(group.array(name).values.as<double>());
        } catch (const pv::FormatError&) {
            SUCCEED();
        }
    }
}

TEST_CASE("files that are cut short are refused, or what is left is read") {
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / "purview_damaged_files_test.h5";
    std::ifstream in(kFolder + "latest.h5", std::ios::binary);
    const std::string whole{std::istreambuf_iterator<char>(in), {}};
    for (const std::size_t size :
         {std::size_t{0}, std::size_t{7}, std::size_t{90}, whole.size() / 2, whole.size() - 1}) {
        INFO(size);
        std::ofstream(path, std::ios::binary) << whole.substr(0, size);
        CHECK_THROWS_AS(pv::open_hdf5(path.string()), pv::FormatError);
    }
    std::filesystem::remove(path);
}

// libhdf5 looks for them below the working directory; that of when the file was opened, as of every path.
TEST_CASE("external files are those beside the working directory") {
    const std::filesystem::path before = std::filesystem::current_path();
    const pv::StoredGroup elsewhere = pv::open_hdf5(kFolder + "latest.h5").group("layout");
    std::filesystem::current_path(kFolder);
    CHECK_THROWS_AS(elsewhere.array("external").values.as<std::int64_t>().read(0), pv::FormatError);
    const pv::StoredGroup beside = pv::open_hdf5("latest.h5");
    const pv::StoredGroup links = pv::open_hdf5("links.h5");
    const pv::AnyTensor opened = beside.array("layout/external").values;
    std::filesystem::current_path(before);
    for (const pv::AnyTensor& x :
         {opened, beside.array("layout/external").values, links.array("external").values})
        CHECK(x.as<std::int64_t>().read(104) == 37 * 104 % 101);
    for (const char* const name : {"there", "virtual", "pieces", "group/int64", "chunks"}) {
        INFO(name);
        CHECK(pv::cast<double>(links.array(name).values).as<double>().read(104) == 37 * 104 % 101);
    }
}

} // namespace
} // namespace damaged_files_test
