/// The main job: a photograph is loaded, looked at, computed with and written again. Crops, reorderings
/// and turns are views; arithmetic happens when a picture is written. At the end, everything is compared
/// with nested loops.

#include "check.hpp"
#include "image_loops.hpp"

#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>
#include <purview/purview.hpp>

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <stdexcept>
#include <string>

namespace pv = purview;

using Image = pv::Tensor<std::uint8_t>; // [height, width, channel], or [height, width] in grey

constexpr pv::index_t kBins = 64;

// [looks]
Image centre(const Image& image) {
    const pv::index_t h = image.extent(0), w = image.extent(1);
    return image(pv::range(h / 4, h - h / 4), pv::range(w / 4, w - w / 4));
}

Image blue_first(const Image& image) { return image(pv::ellipsis, pv::indexes({2, 1, 0})); }

Image turned_right(const Image& image) { return image | pv::transpose({1, 0, 2}) | pv::flip({1}); }
// [/looks]

// [luminance]
/// Luma with the weights of Rec. 709: `[h, w, 3] → [h, w]`.
pv::Tensor<float> luminance(const Image& image) {
    const auto weights = pv::tensor({0.2126f, 0.7152f, 0.0722f});
    return image * weights | pv::sum(2);
}
// [/luminance]

// [edges]
/// How steep brightness is, by differences: each pixel's neighbours are a rotation away.
/// The border, where a rotation comes round from the other side, is cut off.
Image edges(const pv::Tensor<float>& grey) {
    const auto dy = (grey | pv::rotate({-1, 0})) - (grey | pv::rotate({1, 0}));
    const auto dx = (grey | pv::rotate({0, -1})) - (grey | pv::rotate({0, 1}));
    const auto steepness = pv::minimum(3 * pv::sqrt(pv::sq(dx) + pv::sq(dy)), 255);
    return (steepness | pv::cast<std::uint8_t>)(pv::range(1, -1), pv::range(1, -1));
}
// [/edges]

// [histogram]
/// How many pixels fall into each of `kBins` bins, channel by channel: `[h, w, c] → [c, kBins]`.
/// Each value is compared with each bin, and the hits are counted; nothing in between is stored.
pv::Tensor<std::int64_t> histogram(const Image& image) {
    const auto bins = pv::arange<std::uint8_t>(kBins);
    const auto values = image / (256 / kBins) | pv::reshape({-1, image.extent(2), 1});
    return (values == bins) | pv::sum(0);
}
// [/histogram]

/// Each channel's histogram as bars in its colour, mixing where they overlap: `[c, kBins] → [h, w, c]`.
Image drawn(const pv::Tensor<std::int64_t>& counts, pv::index_t height, pv::index_t width) {
    const auto bar_of_column = pv::arange(width) * kBins / width;                  // [width]
    const auto level_of_row = pv::arange(height, 0, -1) | pv::reshape({-1, 1, 1}); // [height, 1, 1]
    const auto bars = counts(pv::all, bar_of_column) | pv::transpose;              // [width, c]
    return pv::where(bars * height / pv::max(counts) >= level_of_row, 232, 24) |
           pv::cast<std::uint8_t>;
}

/// Half as high and wide, each pixel the mean of four.
Image halved(const Image& image) {
    const pv::index_t h = image.extent(0) / 2, w = image.extent(1) / 2;
    const auto even = image(pv::range(0, 2 * h), pv::range(0, 2 * w));
    return even | pv::reshape({h, 2, w, 2, -1}) | pv::mean({1, 3}) | pv::cast<std::uint8_t>;
}

/// A contact sheet: pictures are copied into views of one canvas.
class Sheet {
public:
    Sheet(pv::index_t height, pv::index_t width)
        : canvas_(pv::full<std::uint8_t>({height, width, 3}, 24)) {}

    void place(const Image& image, pv::index_t top, pv::index_t left) {
        const Image colours = image.rank() == 3 ? image : image(pv::ellipsis, pv::new_axis);
        pv::copy(colours, canvas_(pv::range(top, top + image.extent(0)),
                                  pv::range(left, left + image.extent(1))));
    }
    const Image& image() const { return canvas_; }

private:
    pv::MutableTensor<std::uint8_t> canvas_;
};

void save(const Image& image, const std::filesystem::path& path) {
    pv::save_image(path.string(), image);
    std::cout << "  " << std::left << std::setw(16) << path.filename().string() << std::setw(12)
              << pv::to_string(image.shape()) << std::right << " mean " << std::setw(5)
              << pv::mean(image) << ", from " << int{pv::min(image)} << " to "
              << int{pv::max(image)} << '\n';
}

void print_bars(const pv::Tensor<std::int64_t>& counts) {
    const auto total = counts | pv::sum(0) | pv::reshape({16, -1}) | pv::sum(1);
    const auto highest = pv::max(total);
    for (pv::index_t bin = 0; bin < 16; ++bin)
        std::cout << "  " << std::setw(3) << bin * 16 << ' ' << std::setw(8) << total(bin) << ' '
                  << std::string(static_cast<std::size_t>(50 * total(bin) / highest), '#') << '\n';
}

void run(const std::filesystem::path& input, const std::filesystem::path& output) {
    const auto image = pv::load_rgb(input.string()); // uint8 [height, width, 3]
    if (image.extent(0) < 8 || image.extent(1) < 8)
        throw std::runtime_error(input.string() + ": this needs 8 × 8 pixels at least, and has " +
                                 pv::to_string(image.shape()));
    std::cout << input.string() << ": " << image.description() << "\n\n"
              << std::fixed << std::setprecision(1);

    const auto crop = centre(image);
    const auto bgr = blue_first(image);
    const auto rotated = turned_right(image);
    const auto grey = luminance(image);
    const auto outline = edges(grey);
    const auto counts = histogram(image);

    std::filesystem::create_directories(output);
    save(crop, output / "crop.png");
    save(bgr, output / "bgr.png");
    save(rotated, output / "rotated.png");
    save(grey | pv::cast<std::uint8_t>, output / "luminance.png");
    save(outline, output / "edges.png");
    save(drawn(counts, 256, 512), output / "histogram.png");

    const pv::index_t h = image.extent(0) / 2, w = image.extent(1) / 2, gap = 8;
    const Image tall = halved(rotated);
    Sheet sheet(std::max(2 * h + 3 * gap, tall.extent(0) + 2 * gap),
                3 * w + tall.extent(1) + 5 * gap);
    const auto tile = [&](const Image& picture, pv::index_t row, pv::index_t column) {
        sheet.place(picture(pv::range(0, h), pv::range(0, w)), gap + row * (h + gap),
                    gap + column * (w + gap));
    };
    tile(halved(image), 0, 0);
    tile(crop, 0, 1);
    tile(halved(bgr), 0, 2);
    tile(halved(grey(pv::ellipsis, pv::new_axis) | pv::cast<std::uint8_t>), 1, 0);
    tile(centre(outline), 1, 1);
    tile(drawn(counts, h, w), 1, 2);
    sheet.place(tall, (sheet.image().extent(0) - tall.extent(0)) / 2, 4 * gap + 3 * w);
    save(sheet.image(), output / "overview.png");

    std::cout << "\nHow many values lie in each sixteenth of the range, over all channels:\n";
    print_bars(counts);

    const ImageLoops loops{pv::as_span(image), image.extent(0), image.extent(1)};
    check(pv::shares_storage(image, rotated), "views share the photograph's memory");
    check(pv::to_vector(crop) == loops.crop(), "crop");
    check(pv::to_vector(bgr) == loops.blue_first(), "bgr");
    check(pv::to_vector(rotated) == loops.turned_right(), "rotated");
    check(nearly_equal(pv::to_vector(grey), loops.luminance(), 1e-3), "luminance");
    check(nearly_equal(pv::to_vector(outline), loops.edges(), 1), "edges");
    check(pv::to_vector(counts) == loops.histogram(kBins), "histogram");
    check(pv::all_of(pv::load_rgb(output / "rotated.png") == rotated), "what was written");
}

int main(int argc, char** argv) {
    std::string input = PURVIEW_EXAMPLE_DATA_DIR "/cat.png";
    std::string output = ".";
    CLI::App app("Decodes a PNG, computes with it, and writes pictures and a summary");
    app.add_option("--input", input, "a PNG file")->capture_default_str();
    app.add_option("--output", output, "the folder to write to")->capture_default_str();
    try {
        app.parse(argc, argv);
        run(input, output);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 1; // 0: it was asked for --help
    } catch (const std::exception& error) {
        std::cerr << "image_pipeline: " << error.what() << '\n';
        return 1;
    }
    return exit_status();
}
