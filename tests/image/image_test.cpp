#include "image/png_bytes.hpp"

#include <support/catch.hpp>
#include <support/random_choice.hpp>
#include <support/rounds.hpp>
#include <support/temporary.hpp>
#include <support/tensors.hpp>

#include <purview/base/errors.hpp>
#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace image_test {

namespace {

namespace pv = purview;
using namespace std::string_literals;
using Catch::Matchers::ContainsSubstring;
using oracle::Coordinates;
using oracle::index_t;
using oracle::Random;

template <typename T>
void check_round_trip(Random& random, const temporary::Folder& folder) {
    Coordinates shape{random.between(1, 9), random.between(1, 9)};
    if (random.one_in(2)) shape.push_back(random.between(1, 4));
    const auto values = random.elements<T>(oracle::count_of(shape));
    pv::Tensor<T> image = pv::tensor(std::vector(values), shape);
    if (random.one_in(2)) image = pv::flip(pv::flip(image) + T{0});
    const std::string path = folder / "x.png";
    if (random.one_in(2))
        pv::save_image(path, image);
    else
        pv::AnyTensor(image) | pv::save_image(path);
    const pv::AnyTensor loaded = pv::load_image(path);
    if (shape.size() == 3 && shape[2] == 1) shape.pop_back();
    REQUIRE(loaded.shape() == pv::Shape(shape.begin(), shape.end()));
    REQUIRE(loaded.dtype() == pv::kDType<T>);
    CHECK(pv::to_vector(loaded.as<T>()) == values);
}

} // namespace

TEST_CASE("pictures are read as they were written: grey, colours, opacity, 8 and 16 bits") {
    Random random(1);
    const temporary::Folder folder;
    for (int round = 0; round < oracle::rounds(40); ++round) {
        check_round_trip<std::uint8_t>(random, folder);
        check_round_trip<std::uint16_t>(random, folder);
    }
    CHECK(folder.file_count() == 1);
}

TEST_CASE("load_image: what the file has") {
    const auto load = [](const std::string& bytes) {
        const temporary::File file(bytes);
        return pv::load_image(file.path());
    };
    const auto bits = load(png_bytes::file({3, 1, 1, 0}, "\0\xa0"s));
    CHECK(pv::to_vector(bits.as<std::uint8_t>()) == std::vector<std::uint8_t>{255, 0, 255});
    const auto wide = load(png_bytes::file({2, 1, 16, 0}, "\0\x01\x02\xff\xfe"s));
    CHECK(pv::to_vector(wide.as<std::uint16_t>()) == std::vector<std::uint16_t>{0x0102, 0xfffe});
    const auto palette = png_bytes::chunk("PLTE", "\x01\x02\x03\xf0\xf1\xf2"s);
    const auto colours = load(png_bytes::file({2, 1, 8, 3}, "\0\x01\x00"s, palette));
    CHECK(colours.shape() == pv::Shape{1, 2, 3});
    CHECK(pv::to_vector(colours.as<std::uint8_t>()) ==
          std::vector<std::uint8_t>{0xf0, 0xf1, 0xf2, 1, 2, 3});
    const auto see_through = load(
        png_bytes::file({2, 1, 8, 3}, "\0\x01\x00"s, palette + png_bytes::chunk("tRNS", "\x07"s)));
    CHECK(pv::to_vector(see_through.as<std::uint8_t>()) ==
          std::vector<std::uint8_t>{0xf0, 0xf1, 0xf2, 255, 1, 2, 3, 7});
    const auto key = png_bytes::chunk("tRNS", "\0\x05\0\x06\0\x07"s);
    const auto keyed = load(png_bytes::file({2, 1, 8, 2}, "\0\x05\x06\x07\x08\x09\x0a"s, key));
    CHECK(pv::to_vector(keyed.as<std::uint8_t>()) ==
          std::vector<std::uint8_t>{5, 6, 7, 0, 8, 9, 10, 255});
    const auto grey_key =
        load(png_bytes::file({2, 1, 8, 0}, "\0\x05\x06"s, png_bytes::chunk("tRNS", "\0\x05"s)));
    CHECK(pv::to_vector(grey_key.as<std::uint8_t>()) == std::vector<std::uint8_t>{5, 0, 6, 255});
    const auto wide_key =
        load(png_bytes::file({1, 1, 16, 0}, "\0\x01\x05"s, png_bytes::chunk("tRNS", "\x01\x05"s)));
    CHECK(pv::to_vector(wide_key.as<std::uint16_t>()) == std::vector<std::uint16_t>{0x0105, 0});

    const temporary::File grey(png_bytes::file({2, 1, 8, 0}, "\0\x05\x06"s));
    CHECK(pv::to_vector(pv::load_rgb(grey.path())) == std::vector<std::uint8_t>{5, 5, 5, 6, 6, 6});
    CHECK(pv::to_vector(pv::load_rgba(grey.path())) ==
          std::vector<std::uint8_t>{5, 5, 5, 255, 6, 6, 6, 255});
    CHECK(pv::load_rgb(grey.path()).shape() == pv::Shape{1, 2, 3});
}

TEST_CASE("load_image: broken, cut off and lying files are FormatErrors") {
    Random random(2);
    const temporary::Folder folder;
    const std::string path = folder / "x.png";
    pv::save_image(path, pv::tensor(random.elements<std::uint8_t>(6 * 5 * 3), {6, 5, 3}));
    const std::string whole = temporary::content(path);
    const auto loads = [&](const std::string& bytes) {
        temporary::write_file(path, bytes);
        try {
            return pv::load_image(path).size() > 0;
        } catch (const pv::FormatError& error) {
            CHECK_THAT(error.what(), ContainsSubstring(path));
            return false;
        }
    };
    CHECK(loads(whole));
    for (std::size_t size = 0; size < whole.size(); ++size)
        CHECK_FALSE(loads(whole.substr(0, size)));
    for (int round = 0; round < 500; ++round) {
        std::string broken = whole;
        for (auto flips = random.between(1, 4); flips > 0; --flips)
            broken[static_cast<std::size_t>(random.between(0, std::ssize(broken) - 1))] =
                static_cast<char>(random.between(-128, 127));
        loads(broken);
    }
    // Checksums are right, and what is said is not.
    CHECK_FALSE(loads(png_bytes::file({60'000, 60'000, 8, 0}, "\0"s)));
    CHECK_FALSE(loads(png_bytes::file({0x7fffffff, 0x7fffffff, 16, 6}, "\0"s)));
    CHECK_FALSE(loads(png_bytes::file({0, 1, 8, 0}, "\0"s)));
    CHECK_FALSE(loads(png_bytes::file({2, 2, 8, 0}, "\0\1"s)));
    CHECK_FALSE(loads(png_bytes::file({1, 1, 7, 0}, "\0\1"s)));
    CHECK_FALSE(loads(png_bytes::file({1, 1, 8, 0}, "\7\1"s)));
    CHECK_FALSE(loads(png_bytes::file({1, 1, 8, 3}, "\0\1"s)));
    CHECK_FALSE(loads(png_bytes::file({1, 1, 8, 3}, "\0\5"s, png_bytes::chunk("PLTE", "\1\2"s))));
    CHECK_FALSE(loads("GIF89a"));
    CHECK_THROWS_WITH((temporary::write_file(path, png_bytes::file({60'000, 60'000, 8, 0}, "\0"s)),
                       pv::load_image(path, {.bytes = index_t{1} << 40})),
                      ContainsSubstring("cannot hold 60000 x 60000 pixels"));
    temporary::write_file(path, whole);
    CHECK_THROWS_WITH(pv::load_image(path, {.bytes = 10}),
                      ContainsSubstring("more than the limit of 10"));
    CHECK_THROWS_AS(pv::load_image(path, {.width = 4}), pv::FormatError);
    CHECK_THROWS_WITH(pv::load_image(folder / "none.png"), ContainsSubstring("none.png"));
    CHECK_THROWS_AS(pv::load_image(folder / ""), pv::FormatError);
}

TEST_CASE("save_image: refuses what is no picture, and leaves the old file") {
    const temporary::Folder folder;
    const std::string path = folder / "x.png";
    pv::save_image(path, pv::tensor({std::uint8_t{1}}) | pv::insert_axis(0));
    const std::string before = temporary::content(path);
    CHECK_THROWS_WITH(pv::save_image(path, pv::zeros<std::uint8_t>({3})),
                      ContainsSubstring("save_image") && ContainsSubstring("[3]"));
    CHECK_THROWS_AS(pv::save_image(path, pv::zeros<std::uint8_t>({3, 3, 5})), pv::ShapeError);
    CHECK_THROWS_AS(pv::save_image(path, pv::zeros<std::uint8_t>({0, 3})), pv::ShapeError);
    CHECK_THROWS_WITH(
        pv::save_image(path, pv::AnyTensor(pv::zeros<double>({3, 3}))),
        "save_image: a picture has levels of uint8 or uint16, not float64: cast<std::uint8_t>(round(clamp(x, 0, 1) * 255)) for levels "
        "from 0 to 1, cast<std::uint8_t>(x) for those from 0 to 255, and show(x, path) for any numbers");
    CHECK_THROWS_WITH(
        pv::save_image(path, pv::AnyTensor(pv::zeros<bool>({3, 3}))),
        "save_image: a picture has levels of uint8 or uint16, not bool: cast<std::uint8_t>(x) * 255");
    CHECK_THROWS_AS(pv::save_image(path, pv::AnyTensor(pv::zeros<std::int64_t>({3, 3}))),
                    pv::DtypeError);
    CHECK_THROWS_AS(pv::save_image(folder / "none/x.png", pv::zeros<std::uint8_t>({3, 3})),
                    pv::FormatError);
    CHECK(temporary::content(path) == before);
    CHECK(folder.file_count() == 1);
}

} // namespace image_test
