// NumPy: np.savez and np.load of arrays by name.

#include <support/catch.hpp>
#include <support/temporary.hpp>

#include <purview/purview.hpp>
#include <purview/sparse.hpp>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace npz_arrays_test {

namespace {

namespace pv = purview;
using Catch::Matchers::ContainsSubstring;

/// CRC-32 as zip files have it.
std::uint32_t checksum(const std::string& bytes) {
    std::uint32_t sum = 0xffffffff;
    for (const char byte : bytes) {
        sum ^= static_cast<unsigned char>(byte);
        for (int bit = 0; bit < 8; ++bit) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xedb88320 : 0);
    }
    return ~sum;
}

std::string number(std::uint64_t value, int width) {
    std::string bytes;
    for (int i = 0; i < width; ++i, value >>= 8) bytes += static_cast<char>(value & 0xff);
    return bytes;
}

struct Member {
    std::string name;
    std::string content;
    int flags = 0;
};

/// A zip file of stored members.
std::string zip_of(const std::vector<Member>& members) {
    std::string file;
    std::string directory;
    for (const auto& [name, content, flags] : members) {
        const std::string sizes = number(checksum(content), 4) + number(content.size(), 4) +
                                  number(content.size(), 4) + number(name.size(), 2) + number(0, 2);
        const std::string head = number(20, 2) + number(static_cast<std::uint64_t>(flags), 2) +
                                 number(0, 2) + number(0, 4) + sizes;
        directory += number(0x02014b50, 4) + number(20, 2) + head + number(0, 10) +
                     number(file.size(), 4) + name;
        file += number(0x04034b50, 4) + head + name + content;
    }
    return file + directory + number(0x06054b50, 4) + number(0, 4) + number(members.size(), 2) +
           number(members.size(), 2) + number(directory.size(), 4) + number(file.size(), 4) +
           number(0, 2);
}

/// An .npy file as NumPy writes it, with any descr.
std::string npy(const std::string& descr, const std::string& data, int count) {
    std::string dict = "{'descr': '" + descr + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(count) + ",), }";
    dict.append(118 - dict.size() - 1, ' ');
    dict += '\n';
    return std::string("\x93NUMPY\x01\x00", 8) + number(dict.size(), 2) + dict + data;
}
std::string doubles(const std::vector<double>& values) {
    std::string bytes(values.size() * sizeof(double), '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return npy("<f8", bytes, static_cast<int>(values.size()));
}

} // namespace

TEST_CASE("arrays are saved and loaded by name (numpy.savez)") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npz";
    const auto x = pv::reshape(pv::arange(24.), {2, 3, 4});
    for (const auto compression : {pv::Compression::stored, pv::Compression::deflated}) {
        pv::save_npz(path,
                     {{"x", x},
                      {"turned", pv::transpose(x)},
                      {"lazy.npy", x + 1.},
                      {"bools", std::vector<bool>{true, false}},
                      {"one", pv::tensor(7)},
                      {"none", pv::zeros({0, 3})}},
                     compression);
        for (const auto access :
             {pv::Access::read_only, pv::Access::copy_on_write, pv::Access::in_memory}) {
            const pv::NpzArchive arrays = pv::load_npz_arrays(path, access);
            CHECK(arrays.names() ==
                  std::vector<std::string>{"x", "turned", "lazy", "bools", "one", "none"});
            CHECK(pv::equals(arrays.get<double>("x"), x));
            CHECK(pv::equals(arrays.get<double>("x.npy"), x));
            CHECK(pv::equals(arrays.get<double>("turned"), pv::transpose(x)));
            CHECK(pv::equals(arrays.get<double>("lazy"), x + 1.));
            CHECK(pv::equals(arrays.get<bool>("bools"), std::vector<bool>{true, false}));
            CHECK(arrays["one"].item<int>() == 7);
            CHECK(arrays["none"].shape() == pv::Shape{0, 3});
            CHECK(arrays.contains("x"));
            CHECK_FALSE(arrays.contains("z"));
            CHECK_THROWS_AS(arrays["z"], pv::IndexError);
            CHECK_THROWS_WITH(arrays["z"], ContainsSubstring("x, turned"));
            CHECK_THROWS_AS(arrays.get<float>("x"), pv::DtypeError);
            CHECK(arrays["x"].is_read_only() ==
                  (access == pv::Access::read_only && compression == pv::Compression::stored));
        }
    }
    CHECK_THROWS_AS(pv::save_npz(path, {{"x", x}, {"x.npy", x}}), pv::FormatError);
    CHECK_THROWS_AS(pv::save_npz(path, {{"x", std::vector<std::string>{"a"}}}), pv::DtypeError);
    CHECK(pv::load_npz_arrays(path).names().size() == 6);
    CHECK_THROWS_AS(pv::load_npz_arrays(path, pv::Access::read_write), pv::Error);
    CHECK_THROWS_AS(pv::load_npz_arrays(folder / "missing.npz"), pv::FormatError);
    // The sparse function says what to call.
    CHECK_THROWS_WITH(pv::load_npz(path), ContainsSubstring("load_npz_arrays"));
}

TEST_CASE("stored arrays lie over the file") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npz";
    pv::save_npz(path, {{"x", pv::arange(5.)}, {"y", pv::arange(7)}});
    const auto arrays = pv::load_npz_arrays(path);
    CHECK(pv::shares_storage(arrays["x"], arrays["y"]));
    const auto private_arrays = pv::load_npz_arrays(path, pv::Access::copy_on_write);
    private_arrays["x"].as_mutable<double>()(0) = 9;
    CHECK(private_arrays.get<double>("x")(0) == 9);
    CHECK(arrays.get<double>("x")(0) == 0);
    // They outlive the archive.
    const auto kept = [&] { return pv::load_npz_arrays(path).get<double>("x"); }();
    CHECK(pv::sum(kept) == 10);
}

TEST_CASE("a member that is no array does not spoil the others (numpy NpzFile)") {
    const temporary::Folder folder;
    const std::string labels = npy("<U3", std::string(12, 'a'), 1);
    const std::string path = temporary::write_file(
        folder / "x.npz", zip_of({{"folder/", ""},
                                  {"readme.txt", "hello"},
                                  {"__MACOSX/._x.npy", std::string("\0\5\x16\7 Mac", 9)},
                                  {"labels.npy", labels},
                                  {"x.npy", doubles({1, 2})},
                                  {"plain", doubles({3})},
                                  {"folder/y.npy", doubles({4})},
                                  {"empty.npy", ""},
                                  {"secret.npy", doubles({5}), 1}}));
    const auto arrays = pv::load_npz_arrays(path);
    CHECK(arrays.names() == std::vector<std::string>{"x", "plain", "folder/y", "secret"});
    CHECK(pv::sum(arrays.get<double>("x")) == 3);
    CHECK(arrays.get<double>("plain")(0) == 3);
    CHECK(arrays.get<double>("folder/y.npy")(0) == 4);
    CHECK_THROWS_AS(arrays["labels"], pv::DtypeError);
    CHECK_THROWS_WITH(arrays["labels"], ContainsSubstring("'labels.npy'"));
    for (const std::string name : {"readme.txt", "folder/", "__MACOSX/._x", "empty", "secret"}) {
        INFO(name);
        CHECK_THROWS_AS(arrays[name], pv::FormatError);
    }
    CHECK_THROWS_WITH(arrays["secret"], ContainsSubstring("encrypted"));
    // "x" beside "x.npy": the whole name decides.
    temporary::write_file(path, zip_of({{"x", doubles({1})}, {"x.npy", doubles({2})}}));
    const auto twins = pv::load_npz_arrays(path);
    CHECK(twins.names() == std::vector<std::string>{"x", "x.npy"});
    CHECK(twins.get<double>("x")(0) == 1);
    CHECK(twins.get<double>("x.npy")(0) == 2);
}

TEST_CASE("of two members of one name the last is meant (numpy.load)") {
    const temporary::Folder folder;
    const std::string path =
        temporary::write_file(folder / "x.npz", zip_of({{"x.npy", doubles({1})},
                                                        {"y.npy", doubles({2})},
                                                        {"x.npy", doubles({3, 4})},
                                                        {"z.npy", doubles({5})},
                                                        {"z.npy", doubles({6}), 1}}));
    for (const auto access :
         {pv::Access::read_only, pv::Access::copy_on_write, pv::Access::in_memory}) {
        const auto arrays = pv::load_npz_arrays(path, access);
        CHECK(arrays.names() == std::vector<std::string>{"x", "y", "z"});
        CHECK(pv::equals(arrays.get<double>("x"), std::vector{3., 4.}));
        CHECK(pv::equals(arrays.get<double>("x.npy"), std::vector{3., 4.}));
        CHECK(arrays.get<double>("y")(0) == 2);
        CHECK_THROWS_WITH(arrays["z"], ContainsSubstring("encrypted")); // not the older one
    }
}

TEST_CASE("an archive of no arrays is one (numpy.savez without arguments)") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npz";
    for (const auto compression : {pv::Compression::stored, pv::Compression::deflated}) {
        pv::save_npz(path, {{"x", pv::arange(3.)}});
        pv::save_npz(path, std::vector<pv::NpzArray>{}, compression);
        CHECK(temporary::content(path) == std::string("PK\5\6") + std::string(18, '\0'));
        const auto arrays = pv::load_npz_arrays(path);
        CHECK(arrays.names().empty());
        CHECK_FALSE(arrays.contains("x"));
        CHECK_THROWS_WITH(arrays["x"], ContainsSubstring("there is no array 'x', and no other"));
    }
    pv::save_npz(path, {});
    CHECK(pv::load_npz_arrays(path).names().empty());
}

TEST_CASE("save_npz names the array of a type that NumPy does not have") {
    const temporary::Folder folder;
    CHECK_THROWS_WITH(pv::save_npz(folder / "x.npz", {{"x", pv::arange(2)},
                                                      {"words", std::vector<std::string>{"a"}}}),
                      ContainsSubstring("save_npz: array 'words': not defined for"));
}

TEST_CASE("archives cut off anywhere are refused, or hold what they held") {
    const temporary::Folder folder;
    const std::string path = folder / "x.npz";
    pv::save_npz(path, {{"x", pv::arange(20.)}, {"y", pv::arange(3)}}, pv::Compression::deflated);
    for (const std::string& whole :
         {temporary::content(path), zip_of({{"x.npy", doubles({1, 2, 3})}})})
        for (std::size_t length = 0; length < whole.size(); ++length) {
            temporary::write_file(path, whole.substr(0, length));
            try {
                const auto arrays = pv::load_npz_arrays(path);
                for (const auto& name : arrays.names()) static_cast<void>(arrays[name]);
                CHECK(arrays.names().empty());
            } catch (const pv::Error&) {}
        }
}

} // namespace npz_arrays_test
