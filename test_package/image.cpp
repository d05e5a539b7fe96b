// A program that links purview::image from outside: a picture that is saved and loaded.
#include <purview/image/load_image.hpp>
#include <purview/image/save_image.hpp>
#include <purview/purview.hpp>

#include <cstdint>

namespace pv = purview;

int main() {
    const auto picture = pv::tensor<std::uint8_t>({{1, 2, 3}, {4, 5, 6}});
    pv::save_image("consumer.png", picture);
    return pv::equals(pv::load_image("consumer.png").as<std::uint8_t>(), picture) ? 0 : 1;
}
