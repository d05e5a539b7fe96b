/// A field of numbers as a picture: its colours from a gradient, written as PNG and read again.

#include "check.hpp"

#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>
#include <purview/purview.hpp>

#include <limits>

namespace pv = purview;

int main() {
    // [colour]
    auto x = pv::linspace(-3, 3, 480), y = x(pv::all, pv::new_axis);
    auto field = pv::sin(x * x + y) * pv::exp(-(x * x + y * y) / 4) | pv::clone; // [480, 480]
    pv::fill(field(pv::range(0, 40), pv::range(0, 40)), std::numeric_limits<double>::quiet_NaN());

    auto image = field | pv::colorize(pv::gradients::viridis); // uint8 [480, 480, 3], lazy
    auto signs = pv::colorize(field, pv::gradients::coolwarm,  // around 0, NaN in grey
                              {.low = -1, .high = 1, .nan = {128, 128, 128}});
    auto both = pv::concat(image, signs, 1) | pv::clone; // side by side
    pv::save_image("heat_map.png", both);
    // [/colour]

    const auto pixels = pv::load_rgb("heat_map.png");
    check(pv::all_of(pixels == both), "the picture is what was written");
    check(pv::all_of(pixels(0, 0, pv::all) == 0), "NaN is black unless said otherwise");
    check(pv::all_of(pixels(0, 480, pv::all) == 128), "NaN has the colour that was given");
    const auto greatest = pv::argmax(pv::where(pv::is_nan(field), -1.0, field));
    check(pixels(greatest / 480, greatest % 480, 0) == 253, "the greatest value is yellow");
    return exit_status();
}
