#include "io/safetensors_files.hpp"

#include <purview/base/errors.hpp>
#include <purview/dtype/half.hpp>
#include <purview/functional/elementwise/arithmetic.hpp>
#include <purview/functional/reductions/reduce.hpp>
#include <purview/io/open_safetensors.hpp>
#include <purview/tensor/copy.hpp>
#include <purview/tensor/literal.hpp>
#include <purview/tensor/views.hpp>

#include <algorithm>
#include <bit>
#include <complex>
#include <cstring>
#include <limits>
#include <optional>

namespace open_safetensors_test {

namespace pv = purview;
using namespace npy_files;
using namespace safetensors_files;
using pv::open_safetensors;

namespace {

/// The bytes of values in a file.
template <typename T>
std::string little_endian(const std::vector<T>& values) {
    std::string bytes;
    constexpr std::size_t kPart = pv::ComplexElement<T> ? sizeof(T) / 2 : sizeof(T);
    for (const T value : values) {
        std::string element(sizeof(T), '\0');
        std::memcpy(element.data(), &value, sizeof(T));
        if (std::endian::native == std::endian::big)
            for (auto part = element.begin(); part != element.end(); part += kPart)
                std::reverse(part, part + kPart);
        bytes += element;
    }
    return bytes;
}

template <typename T>
void check_type(const Folder& folder, const std::string& type, const std::vector<T>& values) {
    INFO(type);
    const std::string data = little_endian(values);
    const std::string head = R"({"x":{"dtype":")" + type + R"(","shape":[2,3],"data_offsets":[)";
    // Behind a byte, and behind headers of any length, elements lie at any address.
    for (const std::string space : {"", " ", "   "}) {
        const std::string end = std::to_string(1 + data.size());
        const std::string file = write_file(
            folder / "a.safetensors",
            bytes_of(head + "1," + end +
                         R"(]}, "first" : {"shape":[1],"data_offsets":[0,1],"dtype":"U8"}})" +
                         space,
                     "\x07" + data));
        const pv::SafetensorsFile arrays = open_safetensors(file);
        CHECK(arrays.names() == std::vector<std::string>{"first", "x"});
        const pv::AnyTensor x = arrays["x"];
        REQUIRE(x.dtype() == pv::kDType<T>);
        REQUIRE(x.shape() == pv::Shape{2, 3});
        CHECK(x.is_read_only());
        CHECK(pv::to_vector(x.as<T>()) == values);
        CHECK(pv::to_vector(arrays.get<T>("x")) == values);
        CHECK(pv::to_vector(pv::transpose(pv::transpose(arrays.get<T>("x")))) == values);
        CHECK(arrays.get<T>("x")(1, 2) == values[5]);
        CHECK(arrays.get<std::uint8_t>("first")(0) == 7);
    }
}

/// What opening such a file says, behind its path.
std::string refused(const std::string& bytes) {
    const Folder folder;
    const std::string file = write_file(folder / "a.safetensors", bytes);
    const std::string message = message_of<pv::FormatError>([&] { open_safetensors(file); });
    const std::string where = "open_safetensors: '" + file + "': ";
    REQUIRE(message.starts_with(where));
    return message.substr(where.size());
}

std::string refused_header(const std::string& header, std::size_t data_bytes = 0) {
    return refused(bytes_of(header, std::string(data_bytes, '\0')));
}

} // namespace

TEST_CASE("Every type of a safetensors file is read at any alignment") {
    const Folder folder;
    check_type<bool>(folder, "BOOL", {true, false, true, true, false, false});
    check_type<std::uint8_t>(folder, "U8", {0, 1, 2, 200, 255, 5});
    check_type<std::int8_t>(folder, "I8", {0, -1, 2, -128, 127, 5});
    check_type<std::uint16_t>(folder, "U16", {0, 1, 2, 60000, 65535, 5});
    check_type<std::int16_t>(folder, "I16", {0, -1, 2, -32768, 32767, 5});
    check_type<std::uint32_t>(folder, "U32", {0, 1, 2, 3, 4294967295, 5});
    check_type<std::int32_t>(folder, "I32", {0, -1, 2, 3, -2147483647, 5});
    check_type<std::uint64_t>(folder, "U64", {0, 1, 2, 3, 18446744073709551615u, 5});
    check_type<std::int64_t>(folder, "I64", {0, -1, 2, 3, -9223372036854775807, 5});
    check_type<pv::Half>(
        folder, "F16",
        {pv::Half(0), pv::Half(1.5), pv::Half(-65504), pv::Half(1), pv::Half(2), pv::Half(0.25)});
    check_type<pv::BFloat16>(folder, "BF16",
                             {pv::BFloat16(0), pv::BFloat16(1.5), pv::BFloat16(-3),
                              pv::BFloat16(1e30), pv::BFloat16(2), pv::BFloat16(5)});
    check_type<float>(folder, "F32", {0, 1.5F, -3, 1e30F, 2, 5});
    check_type<double>(folder, "F64", {0, 1.5, -3, 1e300, 2, 5});
    check_type<std::complex<float>>(folder, "C64",
                                    {{0, 1}, {1.5F, 2}, {-3, 0}, {4, 4}, {}, {5, 6}});
}

TEST_CASE("A safetensors file is its arrays in the order in which they lie, and texts") {
    const Folder folder;
    const std::string file = write_file(
        folder / "model.safetensors",
        bytes_of(
            R"({"b":{"dtype":"I16","shape":[],"data_offsets":[4,6]},)"
            R"("__metadata__":{"format":"pt","\u00e9\ud83d\ude00\n":"a \"b\" \\\/"},)"
            R"("none":{"dtype":"F64","shape":[3,0],"data_offsets":[4,4]},)"
            R"("\u0061":{"dtype":"U8","shape":[2,2],"data_offsets":[0,4],"more":[1e-5,{"x":null}]}} )",
            std::string("\x01\x02\x03\x04\x05\x00", 6)));
    std::optional<pv::SafetensorsFile> opened(file);
    const pv::SafetensorsFile arrays = *opened;
    opened.reset();
    CHECK(arrays.size() == 3);
    CHECK(arrays.names() == std::vector<std::string>{"a", "none", "b"});
    CHECK(arrays.contains("a"));
    CHECK_FALSE(arrays.contains("__metadata__"));
    CHECK(arrays.metadata() ==
          pv::SafetensorsMetadata{{"format", "pt"}, {"\u00e9\U0001F600\n", "a \"b\" \\/"}});
    std::vector<std::string> types;
    for (const pv::SafetensorsEntry& each : arrays) types.push_back(each.type);
    CHECK(types == std::vector<std::string>{"U8", "F64", "I16"});
    CHECK(arrays.entries().back().bytes == 2);
    CHECK(arrays.get<std::int16_t>("b")() == 5);
    CHECK(arrays["none"].shape() == pv::Shape{3, 0});
    const auto a = arrays.get<std::uint8_t>("a");
    fs::remove(file); // the mapping keeps it
    CHECK(pv::sum(a) == 10);
    CHECK(pv::to_vector(a + a) == std::vector<std::uint8_t>{2, 4, 6, 8});

    CHECK(message_of<pv::IndexError>([&] { arrays["c"]; }) ==
          "open_safetensors: '" + file + "': array 'c' is none of the 3 there");
    CHECK(message_of<pv::DtypeError>([&] { arrays.get<float>("b"); }) ==
          "open_safetensors: '" + file + "': array 'b' holds int16 and not float32");
    CHECK(message_of<pv::ReadOnlyError>([&] {
              arrays["a"].as_mutable<std::uint8_t>();
          }).find("can only be read") != std::string::npos);
}

TEST_CASE("Types that there are none of are refused when such an array is asked for") {
    const Folder folder;
    const std::string file =
        write_file(folder / "a.safetensors",
                   bytes_of(R"({"w":{"dtype":"F8_E4M3","shape":[2,2],"data_offsets":[0,4]},)"
                            R"("v":{"dtype":"F8_E5M2","shape":[1],"data_offsets":[4,5]},)"
                            R"("q":{"dtype":"F4","shape":[4],"data_offsets":[5,7]},)"
                            R"("new":{"dtype":"F128","shape":[1],"data_offsets":[7,23]},)"
                            R"("x":{"dtype":"U8","shape":[1],"data_offsets":[23,24]}})",
                            std::string(23, '\0') + "\x09"));
    const pv::SafetensorsFile arrays = open_safetensors(file);
    CHECK(arrays.get<std::uint8_t>("x")(0) == 9);
    CHECK(message_of<pv::DtypeError>([&] { arrays["w"]; }) ==
          "open_safetensors: '" + file +
              "': array 'w' has elements of the type 'F8_E4M3', which Purview does not have");
    for (const char* name : {"v", "q", "new"}) CHECK_THROWS_AS(arrays[name], pv::DtypeError);
}

TEST_CASE("Empty safetensors files are files") {
    const Folder folder;
    for (const char* header : {"{}", "{ }  ", R"({"__metadata__":{}})"})
        CHECK(open_safetensors(write_file(folder / "a", bytes_of(header))).size() == 0);
}

TEST_CASE("A safetensors header that does not fit its file is refused") {
    CHECK(refused("") == "has 0 bytes, and the length of its header takes 8");
    CHECK(refused("1234567") == "has 7 bytes, and the length of its header takes 8");
    CHECK(refused(bytes_of("{}").substr(0, 9)) == "its header has 2 bytes, and the file 1 for it");
    CHECK(refused(std::string(8, '\xff')) ==
          "its header has 18446744073709551615 bytes, and 100000000 are the most");
    CHECK(refused(std::string("\x01\xe1\xf5\x05\0\0\0\0", 8) + "{}") ==
          "its header has 100000001 bytes, and 100000000 are the most");
    CHECK(refused(std::string("\x00\xe1\xf5\x05\0\0\0\0", 8) + "{}") ==
          "its header has 100000000 bytes, and the file 2 for it");
    CHECK(refused(bytes_of("")) == "its header does not begin with '{'");
    CHECK(refused(bytes_of(" {}")) == "its header does not begin with '{'");
    CHECK(refused(bytes_of("[]")) == "its header does not begin with '{'");
    CHECK(refused(bytes_of("{}", "x")) == "its arrays take 0 bytes, and its data have 1");
}

TEST_CASE("A safetensors header that is no JSON is refused") {
    CHECK(refused_header("{") == "its header: '\"' expected at byte 1 of 1");
    CHECK(refused_header("{} x") == "its header: the end expected at byte 3 of 4");
    CHECK(refused_header("{}{}") == "its header: the end expected at byte 2 of 4");
    CHECK(refused_header(R"({"x" 1})") == "its header: ':' expected at byte 5 of 7");
    CHECK(refused_header(R"({"x":1})") == "array 'x': '{' expected at byte 5 of 7");
    CHECK(refused_header(R"({"x":{},})") == "array 'x' has no dtype");
    CHECK(refused_header("{\"\xff\":{}}") == "its header: UTF-8 expected at byte 2 of 8");
    CHECK(refused_header("{\"\xc0\x80\":{}}") == "its header: UTF-8 expected at byte 2 of 9");
    for (const char* text : {R"({"\x":{}})",
                             R"({"\u12g4":{}})",
                             R"({"\u12)",
                             R"({"\ud800":{}})",
                             R"({"\udc00":{}})",
                             R"({"\ud800\u0041":{}})",
                             R"({"\ud800\ud800":{}})",
                             "{\"a\nb\":{}}",
                             R"({"\)",
                             "{'x':{}}",
                             R"({x:{}})",
                             "{\"x\":{\"dtype\":\"U8\",\"y\":01}}",
                             R"({"x":{"y":1.}})",
                             R"({"x":{"y":-}})",
                             R"({"x":{"y":+1}})",
                             R"({"x":{"y":1e}})",
                             R"({"x":{"y":NaN}})",
                             R"({"x":{"y":.5}})",
                             R"({"x":{"y":[1,]}})",
                             R"({"x":{"y":tru}})"}) {
        INFO(text);
        CHECK(refused_header(text).find(" expected at byte ") != std::string::npos);
    }
    const std::string deep(100'000, '[');
    CHECK(refused_header(R"({"x":{"y":)" + deep) ==
          "array 'x': less depth expected at byte 75 of 100010");
}

TEST_CASE("Names come once in a safetensors file") {
    const std::string x = R"("x":{"dtype":"U8","shape":[0],"data_offsets":[0,0]})";
    CHECK(refused_header("{" + x + "," + x + "}") == "the name 'x' comes twice");
    CHECK(refused_header(R"({"__metadata__":{},"__metadata__":{}})") ==
          "the name '__metadata__' comes twice");
    CHECK(refused_header(R"({"__metadata__":{"a":"1","\u0061":"2"}})") ==
          "__metadata__: 'a' once before this place expected at byte 34 of 39");
    CHECK(refused_header(R"({"x":{"dtype":"U8","dtype":"U8"}})") ==
          "array 'x': \"dtype\" once before this place expected at byte 27 of 33");
    CHECK(refused_header(R"({"x":{"shape":[],"shape":[]}})").find("\"shape\" once") !=
          std::string::npos);
    CHECK(refused_header(R"({"x":{"data_offsets":[],"data_offsets":[]}})")
              .find("\"data_offsets\" once") != std::string::npos);
}

TEST_CASE("Members of a safetensors header have their types") {
    CHECK(refused_header(entry("1", "[]", "[0,1]"), 1) ==
          "array 'x': '\"' expected at byte 14 of 49");
    CHECK(refused_header(entry("null", "[]", "[0,1]"), 1).starts_with("array 'x': '\"' expected"));
    CHECK(refused_header(entry(R"("U8")", "1", "[0,1]"), 1).starts_with("array 'x': '[' expected"));
    CHECK(refused_header(entry(R"("U8")", "[1.5]", "[0,1]"), 1)
              .starts_with("array 'x': an integer expected"));
    CHECK(refused_header(entry(R"("U8")", "[1e0]", "[0,1]"), 1)
              .starts_with("array 'x': an integer expected"));
    CHECK(refused_header(entry(R"("U8")", "[\"1\"]", "[0,1]"), 1)
              .starts_with("array 'x': an integer of 64 bits expected"));
    CHECK(refused_header(entry(R"("U8")", "[99999999999999999999]", "[0,1]"), 1)
              .starts_with("array 'x': an integer of 64 bits expected"));
    CHECK(refused_header(entry(R"("U8")", "[01]", "[0,1]"), 1)
              .starts_with("array 'x': an integer without zeros before it expected"));
    std::string ones = "[1";
    for (int i = 0; i < 64; ++i) ones += ",1";
    CHECK(refused_header(entry(R"("U8")", ones + "]", "[0,1]"), 1)
              .starts_with("array 'x': at most 64 integers expected"));
    CHECK(refused_header(R"({"x":{"dtype":"U8","shape":[]}})") == "array 'x' has no data_offsets");
    CHECK(refused_header(R"({"x":{"dtype":"U8","data_offsets":[0,0]}})") ==
          "array 'x' has no shape");
    CHECK(refused_header(R"({"__metadata__":[]})") ==
          "__metadata__: '{' expected at byte 16 of 19");
    CHECK(refused_header(R"({"__metadata__":null})").starts_with("__metadata__: '{' expected"));
    for (const char* value : {"1", "null", "{}", "[\"x\"]", "true"})
        CHECK(refused_header(R"({"__metadata__":{"a":)" + std::string(value) + "}}")
                  .starts_with("__metadata__: '\"' expected"));
}

TEST_CASE("Arrays of a safetensors file fit their shapes and the file") {
    const auto refused_array = [](const std::string& type, const std::string& shape,
                                  const std::string& offsets, std::size_t data_bytes) {
        return refused_header(entry("\"" + type + "\"", shape, offsets), data_bytes);
    };
    CHECK(refused_array("F32", "[2,3]", "[0,20]", 20) ==
          "array 'x' has the shape [2 3] of F32, which takes 192 bits, and 20 bytes, from 0 to 20");
    CHECK(refused_array("F8_E4M3", "[3]", "[0,4]", 4).find("takes 24 bits") != std::string::npos);
    CHECK(refused_array("F4", "[3]", "[0,2]", 2).find("takes 12 bits") != std::string::npos);
    CHECK(refused_array("U8", "[-1]", "[0,1]", 1) == "array 'x' has the shape [-1]");
    CHECK(refused_array("U8", "[-1,-1]", "[0,1]", 1) == "array 'x' has the shape [-1 -1]");
    CHECK(refused_array("U8", "[1]", "[-1,0]", 1) ==
          "array 'x' lies from byte -1 to 0 of the data, which have 1");
    CHECK(refused_array("U8", "[1]", "[1,0]", 1) ==
          "array 'x' lies from byte 1 to 0 of the data, which have 1");
    CHECK(refused_array("U8", "[2]", "[0,2]", 1) ==
          "array 'x' lies from byte 0 to 2 of the data, which have 1");
    CHECK(refused_array("U8", "[2]", "[9223372036854775806,9223372036854775807]", 1)
              .starts_with("array 'x' lies from byte 9223372036854775806"));
    CHECK(refused_array("U8", "[1]", "[0]", 1) ==
          "array 'x' has 1 data_offsets, and not 2: its beginning and its end");
    CHECK(refused_array("U8", "[1]", "[0,1,1]", 1)
              .starts_with("array 'x': at most 2 integers expected"));
    CHECK(refused_array("F64", "[4294967296,4294967296]", "[0,0]", 0) ==
          "array 'x' has the shape [4294967296 4294967296], more than can be counted");
    CHECK(refused_array("F64", "[1152921504606846976]", "[0,0]", 0).ends_with("be counted"));
    CHECK(refused_array("NEW", "[4294967296,4294967296]", "[0,0]", 0).ends_with("be counted"));
    CHECK(refused_array("U8", "[0,9223372036854775807,2]", "[0,0]", 0).ends_with("be counted"));
}

TEST_CASE("Arrays of a safetensors file take all of its bytes, each once") {
    const auto two = [](const std::string& first, const std::string& second) {
        const auto array = [](const std::string& offsets) {
            return R"({"dtype":"U8","shape":[2],"data_offsets":)" + offsets + "}";
        };
        return refused_header(R"({"a":)" + array(first) + R"(,"b":)" + array(second) + "}", 5);
    };
    CHECK(two("[0,2]", "[1,3]") == "array 'b' begins at byte 1 of the data, and 'a' ends at 2");
    CHECK(two("[1,3]", "[0,2]") == "array 'a' begins at byte 1 of the data, and 'b' ends at 2");
    CHECK(two("[0,2]", "[0,2]") == "array 'b' begins at byte 0 of the data, and 'a' ends at 2");
    CHECK(two("[0,2]", "[3,5]") ==
          "array 'b' begins at byte 3 of the data, and those from 2 on are no array's");
    CHECK(two("[1,3]", "[3,5]") ==
          "array 'a' begins at byte 1 of the data, and those from 0 on are no array's");
    CHECK(two("[2,4]", "[0,2]") == "its arrays take 4 bytes, and its data have 5");
    CHECK(refused_header(R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                         R"("b":{"dtype":"U8","shape":[0],"data_offsets":[1,1]}})",
                         2) == "array 'b' begins at byte 1 of the data, and 'a' ends at 2");
}

TEST_CASE("What is no safetensors file at all is refused by its path") {
    const Folder folder;
    CHECK_THROWS_AS(open_safetensors(folder / "absent"), pv::FormatError);
    CHECK_THROWS_AS(open_safetensors(folder / ""), pv::FormatError);
    CHECK_THROWS_AS(open_safetensors("/dev/null"), pv::FormatError);
    CHECK(message_of<pv::FormatError>([&] { open_safetensors(std::string("a\0b", 3)); }) ==
          "open_safetensors: cannot open 'a…': the path has a zero byte in it");
}

} // namespace open_safetensors_test
