// A program that links purview::gpu from outside, and runs on a machine without any driver.
#include <purview/gpu.hpp>
#include <purview/purview.hpp>

#include <iostream>

namespace pv = purview;

int main() {
    try {
        for (const pv::gpu::Device& d : pv::gpu::devices()) std::cout << d.name() << '\n';
        pv::gpu::device("nothing of that name");
    } catch (const pv::DeviceError& error) {
        std::cout << error.what() << '\n';
        return 0;
    }
    return 1;
}
