#include "io/npy_files.hpp"

#include <purview/base/errors.hpp>
#include <purview/chrono.hpp>
#include <purview/dtype/half.hpp>

#include <bit>
#include <chrono>
#include <complex>
#include <span>

namespace npy_header_test {

namespace pv = purview;
using namespace npy_files;

TEST_CASE("A header says type, byte order, layout and shape") {
    const std::string bytes = npy_bytes(npy_dict("'<f4'", "(2, 3)", true) + "   \n");
    const pv::NpyHeader header = parse(bytes);
    CHECK(header.dtype == pv::float32);
    CHECK_FALSE(header.byte_swapped);
    CHECK(header.column_major);
    CHECK(header.shape == pv::Shape{2, 3});
    CHECK(header.data_offset == static_cast<pv::index_t>(bytes.size()));
    CHECK(header.version == 1);
    CHECK(header.size() == 6);
    CHECK(header.data_bytes() == 24);
    CHECK(parse(npy_bytes(npy_dict("'<f4'", "(2, 3)", true), "", 2)).version == 2);
    CHECK(parse(npy_bytes(npy_dict("'<f4'", "(2, 3)", true), "", 3)).version == 3);
}

TEST_CASE("A header is a Python dictionary, in any order and spacing") {
    const pv::NpyHeader expected = [] {
        pv::NpyHeader header;
        header.dtype = pv::int64;
        header.shape = {12, 0};
        return header;
    }();
    for (const char* dict : {
             "{'descr':'<i8','fortran_order':False,'shape':(12,0)}",
             "{\"shape\": (12, 0,), \"fortran_order\": False, \"descr\": \"<i8\"}",
             " {\n'shape' :\t( 12 ,0 ) ,'descr': '<i8' , 'fortran_order' : False , }\r\n  ",
             "{'descr': 'i8', 'fortran_order': False, 'shape': (12L, 0L)}",
             "{'descr': '=i8', 'fortran_order': False, 'shape': (12, -0)}",
         }) {
        INFO(dict);
        pv::NpyHeader header = parse(npy_bytes(dict));
        header.data_offset = 0;
        CHECK(header == expected);
    }
    CHECK(parse(npy_bytes(npy_dict("'<i8'", "()"))).shape == pv::Shape{});
    CHECK(parse(npy_bytes(npy_dict("'<i8'", "( )"))).size() == 1);
    CHECK(parse(npy_bytes(npy_dict("'<i8'", "(7,)"))).shape == pv::Shape{7});
}

TEST_CASE("Element types as other programs write them (numpy.dtype of a string)") {
    const std::vector<std::pair<std::string, pv::DType>> letters{
        {"b", pv::int8},    {"B", pv::uint8},   {"h", pv::int16},
        {"H", pv::uint16},  {"i", pv::int32},   {"I", pv::uint32},
        {"q", pv::int64},   {"Q", pv::uint64},  {"l", sizeof(long) == 8 ? pv::int64 : pv::int32},
        {"f", pv::float32}, {"d", pv::float64}, {"D", pv::kDType<std::complex<double>>}};
    for (const auto& [name, dtype] : letters)
        for (const std::string order : {"", "<", ">", "=", "|"}) {
            INFO(order + name);
            const pv::NpyHeader header = parse(npy_bytes(npy_dict("'" + order + name + "'", "()")));
            CHECK(header.dtype == dtype);
            const bool foreign = order == (std::endian::native == std::endian::little ? ">" : "<");
            CHECK(header.byte_swapped == (foreign && dtype.size_bytes() > 1));
        }
    for (const auto& [name, dtype] : std::vector<std::pair<std::string, pv::DType>>{
             {"float64", pv::float64},
             {"int32", pv::int32},
             {"uint8", pv::uint8},
             {"bool", pv::boolean},
             {"double", pv::float64},
             {"single", pv::float32},
             {"half", pv::float16},
             {"longlong", pv::int64},
             {"intc", pv::int32},
             {"complex128", pv::kDType<std::complex<double>>},
             {"datetime64[s]", pv::kDType<std::chrono::sys_seconds>},
             {"timedelta64[ms]", pv::kDType<std::chrono::milliseconds>}}) {
        INFO(name);
        const pv::NpyHeader header = parse(npy_bytes(npy_dict("'" + name + "'", "(2,)")));
        CHECK(header.dtype == dtype);
        CHECK_FALSE(header.byte_swapped);
    }
}

TEST_CASE("Element types are written in several ways") {
    const std::vector<std::pair<std::string, pv::DType>> types{
        {"b1", pv::boolean}, {"?", pv::boolean}, {"i1", pv::int8},    {"i2", pv::int16},
        {"i4", pv::int32},   {"i8", pv::int64},  {"u1", pv::uint8},   {"u2", pv::uint16},
        {"u4", pv::uint32},  {"u8", pv::uint64}, {"f4", pv::float32}, {"f8", pv::float64}};
    for (const auto& [name, dtype] : types)
        for (const std::string order : {"", "<", ">", "=", "|"}) {
            INFO(order + name);
            const pv::NpyHeader header = parse(npy_bytes(npy_dict("'" + order + name + "'", "()")));
            CHECK(header.dtype == dtype);
            const std::string foreign = std::endian::native == std::endian::little ? ">" : "<";
            CHECK(header.byte_swapped == (order == foreign && dtype.size_bytes() > 1));
        }
}

TEST_CASE("Element types that Purview does not have are named") {
    for (const auto& [descr, kind] : std::vector<std::pair<std::string, std::string>>{
             {"'|O'", "object"},
             {"'<U5'", "Unicode string"},
             {"'|S3'", "byte string"},
             {"'|V8'", "void"},
             {"'<c32'", "complex number of another width"},
             {"'<M8[Y]'", "date in another unit"},
             {"'<M8'", "date in another unit"},
             {"'<M8[25s]'", "date in another unit"},
             {"'<m8[ps]'", "time difference in another unit"},
             {"'<f16'", "floating-point number of another width"},
             {"'<f16'", "floating-point number of another width"}}) {
        INFO(descr);
        CHECK(message_of<pv::DtypeError>([&, d = descr] { parse(npy_bytes(npy_dict(d, "()"))); }) ==
              "parse_npy_header: descr " + descr + " (" + kind +
                  ") is an element type that Purview does not have");
    }
    CHECK(message_of<pv::DtypeError>([] {
              parse(npy_bytes(npy_dict("[('a', '<i4')]", "()")));
          }).starts_with("parse_npy_header: descr '[('a', '<i4')], 'fortran_order'"));
    CHECK(message_of<pv::DtypeError>([] {
              parse(npy_bytes(npy_dict("[[[[[[[[", "()")));
          }).ends_with("(structured) is an element type that Purview does not have"));
    for (const char* descr :
         {"''", "'<'", "'i3'", "'<x4'", "'<<i4'", "'i4 '", "'int31'", "'b2'", "'<int32'", "'d8'"}) {
        INFO(descr);
        CHECK(message_of<pv::FormatError>([&] { parse(npy_bytes(npy_dict(descr, "()"))); }) ==
              std::string("parse_npy_header: descr ") + descr + " is no element type");
    }
}

TEST_CASE("What is no header is refused, and the message says why") {
    const std::string shape_2 = npy_dict("'<f8'", "(2,)");
    const std::string magic = "\x93NUMPY";
    const std::vector<std::pair<std::string, std::string>> cases{
        {"", "0 bytes are too few for a header, which begins with 10"},
        {"\x93NUM", "4 bytes are too few"},
        {magic + std::string("\x01\x00\x05", 3), "9 bytes are too few"},
        {magic + std::string("\x02\x00\x05\x00\x00", 5),
         "11 bytes are too few for a header, which begins with 12"},
        {"PK\x03\x04 an .npz file",
         "it begins with 'PK\\x03\\x04 a' and not with the magic '\\x93NUMPY'"},
        {"x", "it begins with 'x' and not with the magic"},
        {magic + std::string("\x04\x00\x05\x00\x00\x00", 6),
         "version 4.0 of the format is none of"},
        {magic + std::string("\x00\x00\x05\x00\x00\x00", 6), "version 0.0 of the format"},
        {magic + std::string("\x01\x01\x05\x00\x00\x00", 6), "version 1.1 of the format"},
        {npy_bytes(shape_2).substr(0, 40),
         "the header is said to end at byte 67, and there are only 40"},
        {magic + std::string("\x01\x00\xff\xff{}", 6),
         "the header is said to end at byte 65545, and there are only 12"},
        {magic + std::string("\x02\x00\xff\xff\xff\xff", 6),
         "a header of 4294967295 bytes is longer than the 1048576 that are read"},
        {npy_bytes(""),
         "the header has its end at byte 0 of its dictionary, where a dictionary was"},
        {npy_bytes("    "), "has its end at byte 4"},
        {npy_bytes("[]"), "the header has '[]' at byte 0 of its dictionary, where a dictionary"},
        {npy_bytes("{}"), "the header has no key 'descr'"},
        {npy_bytes("{,}"), "where a key was expected"},
        {npy_bytes("{'descr': '<f8', 'fortran_order': False, }"), "has no key 'shape'"},
        {npy_bytes("{'descr': '<f8', 'shape': (), }"), "has no key 'fortran_order'"},
        {npy_bytes("{'shape': (), 'fortran_order': True}"), "has no key 'descr'"},
        {npy_bytes("{'descr': '<f8', 'descr': '<f8'}"), "has the key 'descr' twice"},
        {npy_bytes("{'shape': (), 'shape': ()}"), "has the key 'shape' twice"},
        {npy_bytes("{'size': 3}"), "has an unknown key 'size'"},
        {npy_bytes("{'de\\x73cr': '<f8'}"), "has a string with an escape: ''de\\x73cr'"},
        {npy_bytes("{'descr: <f8}"), "has a string without an end: ''descr: <f8}'"},
        {npy_bytes("{'descr\n': 3}"), "has a string without an end"},
        {npy_bytes("{descr: 3}"), "has 'descr: 3}' at byte 1 of its dictionary, where a key"},
        {npy_bytes("{'descr' '<f8'}"), "where ':' after a key was expected"},
        {npy_bytes("{'descr': '<f8' 'shape': ()}"), "where ',' or '}' after a value was expected"},
        {npy_bytes("{'descr': 8}"), "where an element type in quotes was expected"},
        {npy_bytes("{'fortran_order': 1}"), "where True or False was expected"},
        {npy_bytes("{'fortran_order': true}"), "where True or False was expected"},
        {npy_bytes(shape_2.substr(0, shape_2.size() - 1)), "has its end at byte 56"},
        {npy_bytes(shape_2 + " # x"), "goes on behind the dictionary: '# x'"},
        {npy_bytes(shape_2 + std::string(1, '\0')), "goes on behind the dictionary: '\\x00'"},
        {npy_bytes(npy_dict("'<f8'", "(2)")),
         "has the shape (2), which is a number and not a tuple"},
        {npy_bytes(npy_dict("'<f8'", "[2]")), "where a tuple was expected"},
        {npy_bytes(npy_dict("'<f8'", "2")), "where a tuple was expected"},
        {npy_bytes(npy_dict("'<f8'", "(,)")), "where an extent was expected"},
        {npy_bytes(npy_dict("'<f8'", "(2 3)")), "where ',' or ')' was expected"},
        {npy_bytes(npy_dict("'<f8'", "(2.5, 3)")), "where ',' or ')' was expected"},
        {npy_bytes(npy_dict("'<f8'", "(2,,3)")), "where an extent was expected"},
        {npy_bytes(npy_dict("'<f8'", "(True, 3)")), "where an extent was expected"},
        {npy_bytes(npy_dict("'<f8'", "(2, -3)")), "has the negative extent -3 for axis 1"},
        {npy_bytes(npy_dict("'<f8'", "(010, 3)")),
         "has the extent '010' with a leading zero for axis 0"},
        {npy_bytes(npy_dict("'<f8'", "(3, 9223372036854775808)")),
         "has the extent '9223372036854775808' for axis 1, which does not fit 63 bits"},
        {npy_bytes(npy_dict("'<f8'", "(" + std::string(500, '9') + ",)")),
         "99…' for axis 0, which does not fit 63 bits"},
        {npy_bytes(npy_dict("'<f8'", "(4294967296, 4294967296)")),
         "shape [4294967296 4294967296] of float64 overflows 63 bits"},
        {npy_bytes(npy_dict("'<f8'", "(1152921504606846976,)")), "overflows 63 bits"},
        {npy_bytes(npy_dict("'|u1'", "(9223372036854775807,)")), "overflows 63 bits"},
        {npy_bytes(npy_dict("'<f8'", "(0, 4294967296, 4294967296)")), "overflows 63 bits"},
        {npy_bytes(npy_dict("'<f8'", "(" +
                                         std::string(65 * 2, ' ')
                                             .replace(0, 0,
                                                      [] {
                                                          std::string ones;
                                                          for (int i = 0; i < 65; ++i) ones += "1,";
                                                          return ones;
                                                      }()) +
                                         ")")),
         "has a shape of more than 64 axes"},
    };
    for (const auto& [bytes, problem] : cases) {
        const std::string message = message_of<pv::FormatError>([&, b = bytes] { parse(b); });
        INFO(message);
        INFO(problem);
        CHECK(message.starts_with("parse_npy_header: "));
        CHECK(message.find(problem) != std::string::npos);
        CHECK(message.size() < 250);
    }
}

TEST_CASE("No prefix of a header is read beyond its end") {
    const std::string bytes = npy_bytes(npy_dict("'<f8'", "(2, 3)"));
    for (std::size_t n = 0; n < bytes.size(); ++n) {
        // A copy of its own, so that the address sanitizer sees any byte too many.
        const std::vector<char> prefix(bytes.begin(),
                                       bytes.begin() + static_cast<std::ptrdiff_t>(n));
        CHECK_THROWS_AS(pv::parse_npy_header(std::as_bytes(std::span(prefix))), pv::FormatError);
        const std::string dict = npy_dict("'<f8'", "(2, 3)");
        if (n < dict.size()) CHECK_THROWS_AS(parse(npy_bytes(dict.substr(0, n))), pv::FormatError);
    }
    CHECK_NOTHROW(parse(bytes));
}

TEST_CASE("A header is written as NumPy writes it") {
    pv::NpyHeader header;
    header.dtype = pv::uint8;
    header.shape = {3};
    const std::string bytes = pv::format_npy_header(header);
    CHECK(bytes.size() == 128);
    CHECK(bytes.substr(0, 10) == std::string("\x93NUMPY\x01\x00\x76\x00", 10));
    CHECK(bytes.substr(10, 61) == "{'descr': '|u1', 'fortran_order': False, 'shape': (3,), }    ");
    CHECK(bytes.back() == '\n');

    header.shape = pv::Shape(64, 1);
    header.dtype = pv::float64;
    header.column_major = true;
    const std::string wide = pv::format_npy_header(header);
    CHECK(wide.size() % 64 == 0);
    header.data_offset = static_cast<pv::index_t>(wide.size());
    CHECK(parse(wide) == header);

    header.shape = pv::Shape(30000, 1);
    CHECK_THROWS_AS(pv::format_npy_header(header), pv::ShapeError);
    header.shape = {-1};
    CHECK_THROWS_AS(pv::format_npy_header(header), pv::ShapeError);
    header.shape = {1};
    header.dtype = pv::kDType<std::string>;
    CHECK_THROWS_AS(pv::format_npy_header(header), pv::DtypeError);
}

} // namespace npy_header_test
