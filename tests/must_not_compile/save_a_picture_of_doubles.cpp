// expect: a picture has levels of uint8 or uint16: cast<std::uint8_t>(x) them first
// at most 20 lines

#include <purview/image/save_image.hpp>
#include <purview/purview.hpp>

int main() {
    const auto grey = purview::zeros<double>({2, 2});
    purview::save_image("grey.png", purview::cast<std::uint8_t>(grey * 255));
#ifdef MUST_NOT_COMPILE
    purview::save_image("grey.png", grey);
#endif
}
